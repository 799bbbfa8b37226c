/* SPDX-License-Identifier: Apache-2.0
 *
 * base/file.h - reading and writing files, listing folders. Blocking: for the command
 * line and worker threads, never for a loop.
 */
#ifndef FX_BASE_FILE_H
#define FX_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Paths, sorted bytewise. */
struct fx_file_list {
    char **paths;
    size_t n_paths, cap_paths;
};

/* Frees the paths. NULL and zeroed lists are fine. */
void fx_file_list_finish(struct fx_file_list *list);

/* Appends the file `path` itself, or, where it is a folder, every *.yaml, *.yml and
 * *.json below it (recursive, bytewise order, links followed, names that begin with a
 * dot left out: Kubernetes' mounted volumes keep older versions under such names). Below
 * a folder, what is no regular file is left out, and each folder is visited once, however
 * many links lead to it.
 * "-" stands for standard input and is appended as it is. Errors: FX_EIO, FX_ELIMIT. */
bool fx_file_list_add(struct fx_file_list *list, const char *path,
                      struct fx_err *err) FX_MUST_USE;

/* Appends the content of `path` ("-": standard input) to `ret_bytes`, `max` bytes at
 * most. Errors: FX_EIO with the system's words, FX_ELIMIT. */
bool fx_file_read(const char *path, size_t max, struct fx_buf *ret_bytes,
                  struct fx_err *err) FX_MUST_USE;

/* The same of a regular file; any other is refused, without a wait. For files that are
 * read while others wait: who swaps one for a FIFO must not stop a server. */
bool fx_file_read_regular(const char *path, size_t max, struct fx_buf *ret_bytes,
                          struct fx_err *err) FX_MUST_USE;

/* Makes the bytes the content of `path`: written beside it first, then put in its place,
 * so that whoever reads it sees it whole. Where the file was there before, its mode
 * stays, and so does a link to it. Errors: FX_EIO with the system's words, FX_ENOMEM. */
bool fx_file_replace(const char *path, struct fx_text bytes,
                     struct fx_err *err) FX_MUST_USE;

#endif
