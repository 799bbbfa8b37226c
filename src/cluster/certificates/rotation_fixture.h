/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_fixture.h - for the tests of the rotation: a Secret that
 * is kept.
 */
#ifndef FX_CLUSTER_CERTIFICATES_ROTATION_FIXTURE_H
#define FX_CLUSTER_CERTIFICATES_ROTATION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/macros.h"
#include "cluster/certificates/rotation.h"
#include "net/tls_issue.h"

#define MINUTE INT64_C(60)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define YEAR   (365 * DAY)

static const char *const hook_names[] = {"hook", "hook.shop", "hook.shop.svc",
                                         "hook.shop.svc.cluster.local", "10.0.0.7"};

/* The content of a Secret, owned. */
struct secret {
    struct fx_buf ca_cert, ca_key, cert, key;
    int64_t rotated_at;
};

static inline struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

static inline struct fx_rotation_content content_of(const struct secret *secret) {
    return (struct fx_rotation_content){text_of(&secret->ca_cert),
                                        text_of(&secret->ca_key), text_of(&secret->cert),
                                        text_of(&secret->key), secret->rotated_at};
}

static inline void secret_finish(struct secret *secret) {
    fx_buf_finish(&secret->ca_cert);
    fx_buf_finish(&secret->ca_key);
    fx_buf_finish(&secret->cert);
    fx_buf_finish(&secret->key);
    *secret = (struct secret){0};
}

/* Takes what the step made. */
static inline struct secret secret_of(struct fx_rotation *rotation) {
    const struct secret secret = {rotation->ca_cert, rotation->ca_key, rotation->cert,
                                  rotation->key, rotation->rotated_at};
    rotation->ca_cert = rotation->ca_key = (struct fx_buf){0};
    rotation->cert = rotation->key = (struct fx_buf){0};
    return secret;
}

static inline bool same_bytes(const struct fx_buf *a, const struct fx_buf *b) {
    return fx_text_equal(text_of(a), text_of(b));
}

static inline size_t count_certificates(const struct fx_buf *pem) {
    size_t n = 0;
    const char *at = pem->len == 0 ? NULL : strstr(pem->data, "-----BEGIN CERT");
    for (; at != NULL; at = strstr(at + 1, "-----BEGIN CERT")) {
        n++;
    }
    return n;
}

static inline struct fx_tls_dates dates_of(const struct fx_buf *pem) {
    struct fx_tls_dates dates = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_tls_read_dates(text_of(pem), &dates, &err));
    return dates;
}

/* Would a client that trusts the bundle accept the Secret's leaf under all its names? */
static inline bool is_accepted(const struct fx_buf *bundle, const struct secret *secret,
                               int64_t now) {
    struct fx_err err = FX_ERR_INIT;
    const bool ok =
        fx_tls_check_chain(text_of(bundle), text_of(&secret->cert), text_of(&secret->key),
                           hook_names, FX_COUNT(hook_names), now, &err);
    assert_true(ok || err.code == FX_EINVALID);
    return ok;
}

#endif
