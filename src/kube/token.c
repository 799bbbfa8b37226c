/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/token.c - reads the file of a token again when it may have changed.
 */
#include "kube/token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "kube/config.h"
#include "net/tls.h"

#define TOKEN_BYTES_MAX 65536u
#define READ_EVERY_NS   UINT64_C(60000000000)
#define RETRY_EVERY_NS  UINT64_C(10000000000)
/* Twice the bytes that base/file.h reads at a time. A buffer of this size is never moved
 * while a token is read; moving it would leave a copy in memory. */
#define READ_ROOM (2 * TOKEN_BYTES_MAX + 1)

/* ---- the form of a token ----------------------------------------------------------- */

bool fx_kube_token_check(struct fx_text value, struct fx_err *err) {
    if (value.len == 0) {
        return fx_fail(err, FX_EINVALID, "no token");
    }
    if (value.len > TOKEN_BYTES_MAX) {
        return fx_fail(err, FX_ELIMIT, "token longer than %u bytes", TOKEN_BYTES_MAX);
    }
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] <= ' ' || value.data[i] >= 0x7f) {
            return fx_fail(err, FX_EINVALID, "invalid character in token");
        }
    }
    return true;
}

/* ---- its file ---------------------------------------------------------------------- */

/* Reads the stamp. Only regular files are accepted: a pipe would block, or end after the
 * first read. */
static bool read_stamp(const char *file, struct fx_kube_token_stamp *ret_stamp,
                       struct fx_err *err) {
    struct stat info;
    if (stat(file, &info) != 0) {
        char text[128];
        const int code = errno;
        return fx_fail(err, FX_EIO, "%s: %s", file,
                       strerror_r(code, text, sizeof text) == 0 ? text : "no file");
    }
    if (!S_ISREG(info.st_mode)) {
        return fx_fail(err, FX_EIO, "%s: not a regular file", file);
    }
    *ret_stamp = (struct fx_kube_token_stamp){info.st_dev, info.st_ino, info.st_size,
                                              info.st_mtim};
    return true;
}

static bool is_same(const struct fx_kube_token_stamp *a,
                    const struct fx_kube_token_stamp *b) {
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool copy_value(struct fx_text text, struct fx_buf *ret_value,
                       struct fx_err *err) {
    struct fx_buf value = {0};
    fx_buf_text(&value, text);
    if (value.failed) {
        fx_tls_wipe(&value);
        return fx_fail_nomem(err);
    }
    fx_tls_wipe(ret_value);
    *ret_value = value;
    return true;
}

bool fx_kube_token_load(bool (*read)(const char *path, size_t max,
                                     struct fx_buf *ret_bytes, struct fx_err *err),
                        const char *file, struct fx_buf *value, struct fx_err *err) {
    struct fx_buf bytes = {0};
    bool ok = fx_buf_reserve(&bytes, READ_ROOM) != NULL || fx_fail_nomem(err);
    ok = ok && read(file, TOKEN_BYTES_MAX, &bytes, err);
    if (ok) {
        const struct fx_text text = fx_text_trim_space(fx_buf_view(&bytes));
        ok = fx_kube_token_check(text, err) || fx_err_prefix(err, "%s: ", file);
        ok = ok && copy_value(text, value, err);
    }
    fx_tls_wipe(&bytes);
    return ok;
}

bool fx_kube_token_read(const char *file, struct fx_buf *value, struct fx_err *err) {
    struct fx_kube_token_stamp stamp = {0};
    return read_stamp(file, &stamp, err) &&
           fx_kube_token_load(fx_file_read_regular, file, value, err);
}

/* ---- the token in use -------------------------------------------------------------- */

bool fx_kube_token_init(struct fx_kube_token *token, const struct fx_kube_config *config,
                        struct fx_err *err) {
    *token = (struct fx_kube_token){0};
    if (config->token_file != NULL) {
        token->file = strdup(config->token_file);
        if (token->file == NULL) {
            return fx_fail_nomem(err);
        }
    }
    const struct fx_text fixed = fx_buf_view(&config->token);
    if (fixed.len > 0 && !copy_value(fixed, &token->value, err)) {
        fx_kube_token_finish(token);
        return false;
    }
    return true;
}

void fx_kube_token_finish(struct fx_kube_token *token) {
    if (token == NULL) {
        return;
    }
    free(token->file);
    fx_tls_wipe(&token->value);
    *token = (struct fx_kube_token){0};
}

static bool is_due(const struct fx_kube_token *token, uint64_t now_ns) {
    if (token->retry_at_ns != 0) {
        return now_ns >= token->retry_at_ns;
    }
    if (token->read_at_ns == 0 || now_ns - token->read_at_ns >= READ_EVERY_NS) {
        return true;
    }
    struct fx_kube_token_stamp stamp = {0};
    struct fx_err ignored = FX_ERR_INIT;
    return !read_stamp(token->file, &stamp, &ignored) || !is_same(&stamp, &token->stamp);
}

/* Reads the file again. The stamp is taken before, so that a later change is noticed. */
static bool reread(struct fx_kube_token *token, uint64_t now_ns, bool *ret_changed,
                   struct fx_err *err) {
    struct fx_kube_token_stamp stamp = {0};
    struct fx_buf value = {0};
    if (!read_stamp(token->file, &stamp, err) ||
        !fx_kube_token_read(token->file, &value, err)) {
        token->retry_at_ns = now_ns + RETRY_EVERY_NS;
        return false;
    }
    *ret_changed = !fx_text_equal(fx_buf_view(&value), fx_buf_view(&token->value));
    fx_tls_wipe(&token->value);
    token->value = value;
    token->generation += *ret_changed ? 1 : 0;
    token->stamp = stamp;
    token->read_at_ns = now_ns;
    token->retry_at_ns = 0;
    return true;
}

struct fx_text fx_kube_token_now(struct fx_kube_token *token, uint64_t now_ns,
                                 bool *ret_fault, struct fx_err *err) {
    bool changed = false;
    *ret_fault = token->file != NULL && is_due(token, now_ns) &&
                 !reread(token, now_ns, &changed, err);
    return fx_buf_view(&token->value);
}

bool fx_kube_token_refresh(struct fx_kube_token *token, uint64_t now_ns) {
    bool changed = false;
    struct fx_err err = FX_ERR_INIT;
    if (token->file == NULL) {
        return false;
    }
    if (!reread(token, now_ns, &changed, &err)) {
        token->retry_at_ns = now_ns; /* so fx_kube_token_now() reports the fault */
        return false;
    }
    return changed;
}
