/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_check.c - checks of PEM texts: CA bundles, dates, and whether a client that
 * trusts a bundle would accept a server's chain.
 */
#include <string.h>

#include <mbedtls/oid.h>

#include "net/tls.h"
#include "net/tls_config.h"
#include "net/tls_issue.h"

/* The limit of certificates in a chain. mbedTLS may try each as the parent of each, so
 * the cost is quadratic. */
#define CHAIN_CERTS 32

/* ---- a caBundle ---- */

static bool check_block(const struct fx_tls_pem *pem, struct fx_err *err) {
    mbedtls_x509_crt cert;
    mbedtls_x509_crt_init(&cert);
    const int rc = fx_tls_pem_parse(pem, &cert);
    mbedtls_x509_crt_free(&cert);
    return rc == 0 || fx_tls_fail(err, FX_EINVALID, "failed to parse caBundle", rc);
}

bool fx_tls_check_ca(struct fx_text text, struct fx_err *err) {
    struct fx_tls_pem pem;
    if (!fx_tls_pem_init(&pem, text, err)) {
        return false;
    }
    enum fx_tls_pem_next next = fx_tls_pem_next(&pem);
    while (next == FX_TLS_PEM_BAD) { /* as Go's pem.Decode() skips them */
        next = fx_tls_pem_next(&pem);
    }
    const bool ok = next == FX_TLS_PEM_BLOCK && check_block(&pem, err);
    if (next == FX_TLS_PEM_NOMEM) {
        (void)fx_fail_nomem(err);
    } else if (next == FX_TLS_PEM_END) {
        (void)fx_fail(err, FX_EINVALID, "bad caBundle");
    }
    fx_tls_pem_finish(&pem);
    return ok;
}

/* ---- dates ---- */

bool fx_tls_read_dates(struct fx_text cert_pem, struct fx_tls_dates *ret_dates,
                       struct fx_err *err) {
    mbedtls_x509_crt chain;
    mbedtls_x509_crt_init(&chain);
    bool ok = fx_tls_pem_certificates(cert_pem, &chain, NULL, err);
    if (ok && chain.raw.len == 0) {
        ok = fx_fail(err, FX_EINVALID, "no certificate that can be read");
    }
    if (ok) {
        *ret_dates = (struct fx_tls_dates){fx_tls_seconds(&chain.valid_from),
                                           fx_tls_seconds(&chain.valid_to)};
    }
    mbedtls_x509_crt_free(&chain);
    return ok;
}

/* ---- a chain ---- */

static uint32_t date_flags(const mbedtls_x509_crt *cert, int64_t now) {
    if (now > fx_tls_seconds(&cert->valid_to)) {
        return MBEDTLS_X509_BADCERT_EXPIRED;
    }
    return now < fx_tls_seconds(&cert->valid_from) ? MBEDTLS_X509_BADCERT_FUTURE : 0;
}

/* mbedTLS compares dates with the system clock. This function compares them with
 * `now`. */
static int verify_dates(void *user, mbedtls_x509_crt *cert, int depth, uint32_t *flags) {
    const int64_t *now = user;
    (void)depth;
    *flags &= ~(uint32_t)(MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE);
    *flags |= date_flags(cert, *now);
    return 0;
}

static bool fail_flags(uint32_t flags, struct fx_err *err) {
    static const struct {
        uint32_t flag;
        const char *message;
    } reasons[] = {
        {MBEDTLS_X509_BADCERT_EXPIRED, "a certificate of the chain has expired"},
        {MBEDTLS_X509_BADCERT_FUTURE, "a certificate of the chain is not valid yet"},
        {MBEDTLS_X509_BADCERT_NOT_TRUSTED,
         "the certificate is not signed by a trusted authority that is valid now"},
    };
    for (size_t i = 0; i < FX_COUNT(reasons); i++) {
        if ((flags & reasons[i].flag) != 0) {
            return fx_fail(err, FX_EINVALID, "%s", reasons[i].message);
        }
    }
    char message[200];
    (void)mbedtls_x509_crt_verify_info(message, sizeof message, "", flags);
    message[strcspn(message, "\n")] = '\0'; /* only the first reason */
    return fx_fail(err, FX_EINVALID, "%s", message);
}

/* Adds the certificates of the bundle that are valid at `now`. Of several with one name
 * and key, mbedTLS would prefer those that are valid by the system clock. */
static bool add_trusted(struct fx_tls_config *config, struct fx_text ca_pem, int64_t now,
                        struct fx_err *err) {
    mbedtls_x509_crt all;
    mbedtls_x509_crt_init(&all);
    bool ok = fx_tls_pem_certificates(ca_pem, &all, NULL, err);
    if (ok && all.raw.len == 0) {
        ok = fx_fail(err, FX_EINVALID, "no authority's certificate that can be read");
    }
    for (const mbedtls_x509_crt *cert = &all; ok && cert != NULL; cert = cert->next) {
        if (date_flags(cert, now) == 0) {
            const int rc =
                mbedtls_x509_crt_parse_der(&config->trusted, cert->raw.p, cert->raw.len);
            ok = rc == 0 || fx_tls_fail(err, FX_EINVALID, "certificate", rc);
        }
    }
    mbedtls_x509_crt_free(&all);
    return ok;
}

bool fx_tls_verify(mbedtls_x509_crt *chain, mbedtls_x509_crt *trusted,
                   int (*on_certificate)(void *user, mbedtls_x509_crt *cert, int depth,
                                         uint32_t *flags),
                   void *user, uint32_t *ret_flags, struct fx_err *err) {
    int rc = MBEDTLS_ERR_X509_CERT_VERIFY_FAILED;
    for (int i = 0; i < 2 && rc == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED; i++) {
        *ret_flags = 0;
        rc = mbedtls_x509_crt_verify(chain, trusted, NULL, NULL, ret_flags,
                                     on_certificate, user);
    }
    if (rc != 0 && fx_tls_is_memory_short()) {
        return fx_fail_nomem(err);
    }
    return rc == 0 || rc == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED ||
           fx_tls_fail(err, FX_EINVALID, "certificate", rc);
}

static bool check_signatures(struct fx_tls_config *config, int64_t now,
                             struct fx_err *err) {
    uint32_t flags = 0;
    return fx_tls_verify(&config->chain, &config->trusted, verify_dates, &now, &flags,
                         err) &&
           (flags == 0 || fail_flags(flags, err));
}

/* Is it a server certificate with a signing key? Clients of net/tls.h and of Go check
 * this. */
static bool check_purpose(const struct fx_tls_config *config, struct fx_err *err) {
    const mbedtls_x509_crt *leaf = &config->chain;
    if (mbedtls_x509_crt_check_extended_key_usage(
            leaf, MBEDTLS_OID_SERVER_AUTH, MBEDTLS_OID_SIZE(MBEDTLS_OID_SERVER_AUTH)) !=
            0 ||
        mbedtls_x509_crt_check_key_usage(leaf, MBEDTLS_X509_KU_DIGITAL_SIGNATURE) != 0) {
        return fx_fail(err, FX_EINVALID, "the certificate is not for servers");
    }
    return true;
}

/* Checks only the name: without trusted certificates mbedTLS does not check signatures
 * again. */
static bool check_name(struct fx_tls_config *config, const char *name,
                       struct fx_err *err) {
    uint32_t flags = 0;
    config->address_len = fx_cert_address(name, config->address);
    const int rc = mbedtls_x509_crt_verify(&config->chain, NULL, NULL,
                                           config->address_len > 0 ? NULL : name, &flags,
                                           fx_tls_config_verify_name, config);
    if (rc != 0 && rc != MBEDTLS_ERR_X509_CERT_VERIFY_FAILED) {
        return fx_tls_fail(err, FX_EINVALID, "certificate", rc);
    }
    return (flags & MBEDTLS_X509_BADCERT_CN_MISMATCH) == 0 ||
           fx_fail(err, FX_EINVALID, "the certificate is not for `%.260s`", name);
}

static bool is_chain_short(const struct fx_tls_config *config, struct fx_err *err) {
    size_t n_certs = 0;
    for (const mbedtls_x509_crt *cert = &config->chain; cert != NULL; cert = cert->next) {
        n_certs++;
    }
    return n_certs <= CHAIN_CERTS ||
           fx_fail(err, FX_EINVALID, "more than %d certificates in the chain",
                   CHAIN_CERTS);
}

/* NOLINTNEXTLINE(readability-function-size): all seven are needed by every caller. */
bool fx_tls_check_chain(struct fx_text ca_pem, struct fx_text cert_pem,
                        struct fx_text key_pem, const char *const *names, size_t n_names,
                        int64_t now, struct fx_err *err) {
    struct fx_tls_config *config = fx_tls_config_create(true, err);
    if (config == NULL) {
        return false;
    }
    bool ok = fx_tls_config_add_own(config, cert_pem, key_pem, err) &&
              is_chain_short(config, err) && add_trusted(config, ca_pem, now, err) &&
              check_signatures(config, now, err) && check_purpose(config, err);
    for (size_t i = 0; ok && i < n_names; i++) {
        ok = check_name(config, names[i], err);
    }
    fx_tls_config_unref(config);
    return ok;
}

/* ---- bundles ---- */

/* Is there an equal certificate in the list, before this one? */
static bool is_repeated(const mbedtls_x509_crt *list, const mbedtls_x509_crt *cert) {
    for (; list != cert; list = list->next) {
        if (list->raw.len == cert->raw.len &&
            memcmp(list->raw.p, cert->raw.p, cert->raw.len) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends the certificates that have not expired, each once. */
static void print_list(const mbedtls_x509_crt *list, int64_t now, struct fx_buf *pem) {
    size_t n = 0;
    for (const mbedtls_x509_crt *cert = list; cert != NULL && n < FX_TLS_BUNDLE_CERTS;
         cert = cert->next) {
        if (now <= fx_tls_seconds(&cert->valid_to) && !is_repeated(list, cert)) {
            fx_tls_pem_print(cert, pem);
            n++;
        }
    }
}

bool fx_tls_bundle(struct fx_text first, struct fx_text second, int64_t now,
                   struct fx_buf *ret_pem, struct fx_err *err) {
    mbedtls_x509_crt all;
    mbedtls_x509_crt_init(&all);
    const bool ok = fx_tls_pem_certificates(first, &all, NULL, err) &&
                    fx_tls_pem_certificates(second, &all, NULL, err);
    if (ok && all.raw.len > 0) {
        print_list(&all, now, ret_pem);
    }
    mbedtls_x509_crt_free(&all);
    return ok && (!ret_pem->failed || fx_fail_nomem(err));
}
