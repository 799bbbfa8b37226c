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

/* Appends the file `path` itself, or, if it is a folder, every *.yaml, *.yml and *.json
 * below it (recursively, in bytewise order, following links, without names that begin
 * with a dot: Kubernetes' mounted volumes keep older versions under such names). Below a
 * folder only regular files count, and each folder is visited once, however many links
 * lead to it. "-" stands for standard input and is appended as it is. Errors: FX_EIO,
 * FX_ELIMIT. */
bool fx_file_list_add(struct fx_file_list *list, const char *path,
                      struct fx_err *err) FX_MUST_USE;

/* Appends the content of `path` ("-" is standard input), at most `max` bytes, to
 * `ret_bytes`. Errors: FX_EIO with the system's message, FX_ELIMIT. */
bool fx_file_read(const char *path, size_t max, struct fx_buf *ret_bytes,
                  struct fx_err *err) FX_MUST_USE;

/* The same for a regular file; any other kind of file is refused at once. Use it for
 * files that a server reads, because a FIFO in place of a file must not block it. */
bool fx_file_read_regular(const char *path, size_t max, struct fx_buf *ret_bytes,
                          struct fx_err *err) FX_MUST_USE;

/* Replaces the content of `path` atomically: writes a new file in the same folder and
 * renames it, so that readers see the whole content. The mode of an existing file, and a
 * link to it, stay. Errors: FX_EIO with the system's message, FX_ENOMEM. */
bool fx_file_replace(const char *path, struct fx_text bytes,
                     struct fx_err *err) FX_MUST_USE;

#endif
