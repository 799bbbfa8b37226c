/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_issue_fuzz.c - any text as certificates: `ca.crt NUL tls.crt NUL tls.key`.
 * The empty tls.crt and tls.key stand for good ones.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "net/tls.h"
#include "net/tls_issue.h"
#include "net/tls_issue_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cuts what stands before the next NUL off the text. */
static struct fx_text cut(struct fx_text *text) {
    if (text->len == 0) {
        return (struct fx_text){0};
    }
    const char *end = memchr(text->data, 0, text->len);
    const size_t len = end == NULL ? text->len : (size_t)(end - text->data);
    const size_t used = len + (end != NULL);
    const struct fx_text part = {text->data, len};
    *text = (struct fx_text){text->data + used, text->len - used};
    return part;
}

/* No failure without a reason. */
static bool is_told(bool ok, const struct fx_err *err) {
    return ok || (err->code == FX_EINVALID && err->msg[0] != '\0');
}

/* A bundle made of a bundle is the same; what is in it can be read. */
static void check_bundle(struct fx_text first, struct fx_text second) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf once = {0};
    struct fx_buf twice = {0};
    struct fx_tls_dates dates;
    const bool ok = fx_tls_bundle(first, second, SAMPLES_SHORT, &once, &err);
    assert(ok);
    const struct fx_text bundle = fx_buf_view(&once);
    const bool again = fx_tls_bundle(bundle, bundle, SAMPLES_SHORT, &twice, &err);
    assert(again && fx_text_equal(bundle, fx_buf_view(&twice)));
    assert(once.len == 0 || fx_tls_read_dates(bundle, &dates, &err));
    assert(once.len == 0 || fx_tls_check_ca(bundle, &err));
    fx_buf_finish(&once);
    fx_buf_finish(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"a.b.svc", "10.0.0.1"};
    struct fx_text rest = {(const char *)data, size};
    const struct fx_text ca = cut(&rest);
    const struct fx_text cert = cut(&rest);
    const struct fx_text key = cut(&rest);
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_dates dates = {0};
    const bool read = fx_tls_read_dates(ca, &dates, &err);
    assert(is_told(read, &err));
    const bool good = fx_tls_check_chain(ca, cert.len == 0 ? FX_TEXT(rsa_leaf) : cert,
                                         key.len == 0 ? FX_TEXT(rsa_leaf_key) : key,
                                         names, 2, SAMPLES_SHORT, &err);
    assert(is_told(good, &err));
    assert(!good || read);
    check_bundle(ca, cert);
    return 0;
}
