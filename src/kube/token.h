/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/token.h - the bearer token of requests: a fixed one, or one from a file that is
 * read again as it rotates (a Pod's lives for an hour, and the kubelet swaps the file
 * some minutes before). One thread. Never logged; wiped when it is replaced.
 */
#ifndef FX_KUBE_TOKEN_H
#define FX_KUBE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_kube_config;

/* Which file was read: a file that was swapped or written differs in one of them. */
struct fx_kube_token_stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

/* Zeroed is none. */
struct fx_kube_token {
    char *file;          /* NULL: the value is fixed */
    struct fx_buf value; /* empty: there is none */
    uint64_t turn;       /* how often it became another */
    struct fx_kube_token_stamp stamp;
    uint64_t read_at_ns;  /* when the file was last read; 0: never */
    uint64_t retry_at_ns; /* not to be read again before, after a fault; 0: no fault */
};

/* The token of the configuration, which is copied: its file's before its fixed one, which
 * stands in until the file can be read. Opens nothing yet. Errors: FX_ENOMEM. */
bool fx_kube_token_init(struct fx_kube_token *token, const struct fx_kube_config *config,
                        struct fx_err *err) FX_MUST_USE;

/* Wipes it. NULL and zeroed are fine. */
void fx_kube_token_finish(struct fx_kube_token *token);

/* Before each request: looks whether the file is another (one stat), and reads it then,
 * and at the latest a minute after it was last read, as client-go does. `now_ns` is
 * base/clock.h's. Returns the token, borrowed until the next call on it; empty: none.
 *
 * Where the file cannot be read, or holds no token, the old one is kept, `*ret_fault` is
 * true and `err` says why (FX_EIO, FX_EINVALID, FX_ELIMIT, FX_ENOMEM; never what was read
 * of it), for the caller to tell; then it is left alone for ten seconds. */
struct fx_text fx_kube_token_now(struct fx_kube_token *token, uint64_t now_ns,
                                 bool *ret_fault, struct fx_err *err);

/* After a 401: reads the file at once. True where the token is another now, so that it
 * is worth asking again; false where it is the same, fixed, or could not be read (which
 * fx_kube_token_now() tells again when it is asked next). */
bool fx_kube_token_refresh(struct fx_kube_token *token, uint64_t now_ns) FX_MUST_USE;

/* Reads a token file (a regular one): one line of visible ASCII characters, as a header
 * can carry (RFC 6750 section 2.1), without the white space around it, of 64 KiB at most.
 * `value` is written on success only. Errors: as above, with the file's name in front. */
bool fx_kube_token_read(const char *file, struct fx_buf *value,
                        struct fx_err *err) FX_MUST_USE;

/* The same of whatever `read`, as fx_file_read(), gives under that name. */
bool fx_kube_token_load(bool (*read)(const char *path, size_t max,
                                     struct fx_buf *ret_bytes, struct fx_err *err),
                        const char *file, struct fx_buf *value,
                        struct fx_err *err) FX_MUST_USE;

/* Is it a token as above? Errors, which name none of its characters: FX_EINVALID,
 * FX_ELIMIT. */
bool fx_kube_token_check(struct fx_text value, struct fx_err *err) FX_MUST_USE;

#endif
