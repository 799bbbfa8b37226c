/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_set.h - some files and folders, read as they were at one instant: what is
 * reloaded is never half of an old version and half of a new one, where the versions are
 * swapped at once (as Kubernetes swaps the link `..data` of a mounted volume).
 *
 * Blocking: for worker threads, and for the start.
 */
#ifndef FX_SERVER_FILE_SET_H
#define FX_SERVER_FILE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/macros.h"

/* What to read. Borrowed. */
struct fx_file_roots {
    const char *const *paths; /* files and folders */
    size_t n_paths;
    size_t max_bytes; /* of one file */
};

struct fx_file_set {
    struct fx_file_list files;   /* what the roots gave, in their order */
    struct fx_file_list folders; /* where they are; the roots that are folders, too */
    struct fx_file_content {
        struct fx_buf bytes;
        char *failure; /* NULL, or why it could not be read */
    } *contents;       /* one a file */
    uint64_t digest;   /* of names, bytes and failures: equal sets have equal ones */
};

/* How a set looks from outside, without reading it. */
struct fx_file_stamp {
    uint64_t files;   /* of all names, identities, sizes and times */
    uint64_t folders; /* of the names and identities of the folders they are in */
    bool settled;     /* nothing changed so lately that a further change could hide */
};

/* Looks at all that the roots hold now, without reading. Errors: FX_EIO where a root is
 * missing or a folder cannot be read, FX_ELIMIT, FX_ENOMEM. */
bool fx_file_set_stat(const struct fx_file_roots *roots, struct fx_file_stamp *ret_stamp,
                      struct fx_err *err) FX_MUST_USE;

/* Reads the roots. A file that cannot be read is noted in its `failure`. Errors: as
 * above, and FX_EIO where the files never stand still for as long as reading takes. */
bool fx_file_set_read(const struct fx_file_roots *roots, struct fx_file_set *ret_set,
                      struct fx_file_stamp *ret_stamp, struct fx_err *err) FX_MUST_USE;

/* Frees all, and wipes the bytes first: they may hold a private key. NULL and zeroed are
 * fine. */
void fx_file_set_finish(struct fx_file_set *set);

#endif
