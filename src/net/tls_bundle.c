/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_bundle.c - certificates put together, each once.
 */
#include <string.h>

#include "net/tls_config.h"
#include "net/tls_issue.h"
#include "net/tls_pem.h"

/* Is there an equal one from `list` on, before `end`? */
static bool holds(const mbedtls_x509_crt *list, const mbedtls_x509_crt *end,
                  const mbedtls_x509_crt *cert) {
    for (; list != end; list = list->next) {
        if (list->raw.len == cert->raw.len &&
            memcmp(list->raw.p, cert->raw.p, cert->raw.len) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends what of the list has not expired and did not stand before. */
static void print_list(const mbedtls_x509_crt *list, int64_t now, struct fx_buf *pem) {
    size_t n = 0;
    for (const mbedtls_x509_crt *cert = list; cert != NULL && n < FX_TLS_BUNDLE_CERTS;
         cert = cert->next) {
        if (now <= fx_tls_seconds(&cert->valid_to) && !holds(list, cert, cert)) {
            fx_tls_pem_print(cert, pem);
            n++;
        }
    }
}

bool fx_tls_bundle(struct fx_text first, struct fx_text second, int64_t now,
                   struct fx_buf *ret_pem, struct fx_err *err) {
    mbedtls_x509_crt all;
    mbedtls_x509_crt_init(&all);
    size_t n_bad = 0;
    const bool ok = fx_tls_pem_certificates(first, &all, &n_bad, err) &&
                    fx_tls_pem_certificates(second, &all, &n_bad, err);
    if (ok && all.raw.len > 0) {
        print_list(&all, now, ret_pem);
    }
    mbedtls_x509_crt_free(&all);
    return ok && (!ret_pem->failed || fx_fail_nomem(err));
}

bool fx_tls_bundle_contains(struct fx_text bundle, struct fx_text pem) {
    mbedtls_x509_crt held;
    mbedtls_x509_crt wanted;
    mbedtls_x509_crt_init(&held);
    mbedtls_x509_crt_init(&wanted);
    struct fx_err err = FX_ERR_INIT;
    size_t n_bad = 0;
    bool ok = fx_tls_pem_certificates(bundle, &held, &n_bad, &err) &&
              fx_tls_pem_certificates(pem, &wanted, &n_bad, &err);
    for (const mbedtls_x509_crt *cert = &wanted; ok && cert != NULL; cert = cert->next) {
        ok = cert->raw.len == 0 || holds(&held, NULL, cert);
    }
    mbedtls_x509_crt_free(&held);
    mbedtls_x509_crt_free(&wanted);
    return ok;
}
