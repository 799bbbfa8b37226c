/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/token.h - the bearer token of requests: a fixed token, or a token from a file that
 * is read again as it rotates (the token of a Pod lives for an hour, and the kubelet
 * replaces the file some minutes before). One thread only. Never logged; wiped when it is
 * replaced.
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

/* The state of the file that was read. It changes when the file is replaced or
 * written. */
struct fx_kube_token_stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

/* A zeroed token is empty. */
struct fx_kube_token {
    char *file;          /* NULL if the value is fixed */
    struct fx_buf value; /* empty if there is none */
    uint64_t generation; /* counts changes of the value */
    struct fx_kube_token_stamp stamp;
    uint64_t read_at_ns;  /* when the file was last read; 0 if it never was */
    uint64_t retry_at_ns; /* after an error, when to read the file again; 0 if there was
                           * no error */
};

/* Copies the token of the configuration: its file, or its fixed token. If it has both,
 * the fixed token is used until the file can be read. Opens nothing yet. Errors:
 * FX_ENOMEM. */
bool fx_kube_token_init(struct fx_kube_token *token, const struct fx_kube_config *config,
                        struct fx_err *err) FX_MUST_USE;

/* Wipes the token. NULL and zeroed are allowed. */
void fx_kube_token_finish(struct fx_kube_token *token);

/* Returns the token for the next request, borrowed until the next call with `token`;
 * empty if there is none. Reads the file again if it changed (one stat), and at the
 * latest a minute after the last time, like client-go. `now_ns` is the time of
 * base/clock.h.
 *
 * If the file cannot be read or has no token, the old token is kept, `*ret_fault` is true
 * and `err` is set for the caller to report (FX_EIO, FX_EINVALID, FX_ELIMIT, FX_ENOMEM;
 * never with content of the file). The file is read again after ten seconds. */
struct fx_text fx_kube_token_now(struct fx_kube_token *token, uint64_t now_ns,
                                 bool *ret_fault, struct fx_err *err);

/* Is called after a 401. Reads the file at once. True if the token has changed, so that
 * the request may be repeated; false if it is the same, fixed, or could not be read
 * (which the next fx_kube_token_now() reports). */
bool fx_kube_token_refresh(struct fx_kube_token *token, uint64_t now_ns) FX_MUST_USE;

/* Reads a token from a regular file of at most 64 KiB: one line of visible ASCII
 * characters, as in a header field (RFC 6750 section 2.1), without white space at both
 * ends. `value` is written only on success. Errors: those of fx_kube_token_now(), with
 * the file name in front. */
bool fx_kube_token_read(const char *file, struct fx_buf *value,
                        struct fx_err *err) FX_MUST_USE;

/* The same with `read` in place of fx_file_read(). */
bool fx_kube_token_load(bool (*read)(const char *path, size_t max,
                                     struct fx_buf *ret_bytes, struct fx_err *err),
                        const char *file, struct fx_buf *value,
                        struct fx_err *err) FX_MUST_USE;

/* Checks the form of a token, as fx_kube_token_read() does. The errors contain none of
 * its characters: FX_EINVALID, FX_ELIMIT. */
bool fx_kube_token_check(struct fx_text value, struct fx_err *err) FX_MUST_USE;

#endif
