/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_set.h - reads files and folders as they were at one instant: never half of
 * an old and half of a new version, if versions are swapped at once (as Kubernetes swaps
 * the link `..data` of a mounted volume).
 *
 * The functions block: call them on worker threads or at the start.
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

/* The files and folders to read. Borrowed. */
struct fx_file_roots {
    const char *const *paths; /* files and folders */
    size_t n_paths;
    size_t max_bytes; /* of one file */
};

struct fx_file_set {
    struct fx_file_list files; /* all files of the roots, in their order */
    /* The folders of the files, and roots that are folders. */
    struct fx_file_list folders;
    struct fx_file_content {
        struct fx_buf bytes;
        char *failure; /* NULL, or why the file could not be read */
    } *contents;       /* one for each file */
    uint64_t digest;   /* of names, bytes and failures: equal sets have equal digests */
};

/* A summary of what stat(2) returns for a set, without reading the files. */
struct fx_file_stamp {
    uint64_t files;   /* hash of names, inodes, sizes and times */
    uint64_t folders; /* hash of names and inodes of the folders */
    bool settled; /* the last change is so old that another change would change a time */
};

/* Makes the stamp of the present files. Errors: FX_EIO (a root is missing, or a folder
 * cannot be read), FX_ELIMIT, FX_ENOMEM. */
bool fx_file_set_stat(const struct fx_file_roots *roots, struct fx_file_stamp *ret_stamp,
                      struct fx_err *err) FX_MUST_USE;

/* Reads the roots. A file that cannot be read has a `failure`. Errors: as above, and
 * FX_EIO if the files keep changing while they are read. */
bool fx_file_set_read(const struct fx_file_roots *roots, struct fx_file_set *ret_set,
                      struct fx_file_stamp *ret_stamp, struct fx_err *err) FX_MUST_USE;

/* Frees the set. The bytes are overwritten first: they may be a private key. NULL and
 * zeroed sets are fine. */
void fx_file_set_finish(struct fx_file_set *set);

#endif
