/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_config.c - TLS configurations on mbedTLS (2.28 or 3.6). Differences between the
 * versions are in the first section.
 */
#include "net/tls_config.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/error.h>
#include <mbedtls/platform_util.h>
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#include <psa/crypto.h>
#endif

#include "base/date.h"
#include "net/tls.h"
#include "net/tls_issue.h"

#define TRIAL_BYTES 16384 /* as large as any single allocation of this file */

/* Written only before the first configuration is created. */
static enum fx_tls_version min_version = FX_TLS_1_2;

/* ---- the two versions ---- */

#if MBEDTLS_VERSION_NUMBER >= 0x03000000
static void start_psa(void) {
    (void)psa_crypto_init(); /* if it fails, every TLS 1.3 handshake fails */
}

/* Initializes PSA, which has the secrets of TLS 1.3, once in a process. */
static void prepare_library(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, start_psa);
}

static int parse_key(struct fx_tls_config *config, const unsigned char *pem, size_t len) {
    return mbedtls_pk_parse_key(&config->key, pem, len, NULL, 0, mbedtls_ctr_drbg_random,
                                &config->drbg);
}

static int check_pair(struct fx_tls_config *config) {
    return mbedtls_pk_check_pair(&config->chain.pk, &config->key, mbedtls_ctr_drbg_random,
                                 &config->drbg);
}

static bool has_version(enum fx_tls_version version) {
    (void)version;
    return true;
}

static void set_version(mbedtls_ssl_config *conf) {
    mbedtls_ssl_conf_min_tls_version(conf, min_version == FX_TLS_1_3
                                               ? MBEDTLS_SSL_VERSION_TLS1_3
                                               : MBEDTLS_SSL_VERSION_TLS1_2);
}

static void set_groups(mbedtls_ssl_config *conf) {
    static const uint16_t groups[] = {
        MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1, MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
        MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1, MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1,
        MBEDTLS_SSL_IANA_TLS_GROUP_NONE};
    mbedtls_ssl_conf_groups(conf, groups);
}
#else
static void prepare_library(void) {}

static int parse_key(struct fx_tls_config *config, const unsigned char *pem, size_t len) {
    return mbedtls_pk_parse_key(&config->key, pem, len, NULL, 0);
}

static int check_pair(struct fx_tls_config *config) {
    return mbedtls_pk_check_pair(&config->chain.pk, &config->key);
}

static bool has_version(enum fx_tls_version version) {
    return version == FX_TLS_1_2;
}

static void set_version(mbedtls_ssl_config *conf) {
    mbedtls_ssl_conf_min_version(conf, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
}

/* Sets the curves. Otherwise 2.28 prefers the largest common one, which takes
 * milliseconds. */
static void set_groups(mbedtls_ssl_config *conf) {
    static const mbedtls_ecp_group_id groups[] = {
        MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_ECP_DP_CURVE25519, MBEDTLS_ECP_DP_SECP384R1,
        MBEDTLS_ECP_DP_SECP521R1, MBEDTLS_ECP_DP_NONE};
    mbedtls_ssl_conf_curves(conf, groups);
}
#endif

/* Only suites with forward secrecy and authenticated encryption. mbedTLS computes AES-GCM
 * block by block: even with AES instructions its ChaCha20-Poly1305 is 1.7 times as fast
 * (1.6 times in 3.6), so that comes first. A client that wants AES offers nothing else;
 * and in TLS 1.3 a server of mbedTLS follows the client's order. */
static const int suites[] = {
#if defined(MBEDTLS_SSL_PROTO_TLS1_3)
    MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256,
    MBEDTLS_TLS1_3_AES_128_GCM_SHA256,
    MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
#endif
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    0,
};

static const char *protocols[] = {"http/1.1", NULL};

/* The last 7 bits of a code are the code of a lower module. */
bool fx_tls_is_nomem(int rc) {
    switch (-(-rc & ~0x7f)) {
    case MBEDTLS_ERR_X509_ALLOC_FAILED:
    case MBEDTLS_ERR_PEM_ALLOC_FAILED:
    case MBEDTLS_ERR_PK_ALLOC_FAILED:
    case MBEDTLS_ERR_ECP_ALLOC_FAILED:
    case MBEDTLS_ERR_MD_ALLOC_FAILED:
    case MBEDTLS_ERR_SSL_ALLOC_FAILED: return true;
    default: break;
    }
    const int below = -(-rc & 0x7f);
    return below == MBEDTLS_ERR_MPI_ALLOC_FAILED ||
           below == MBEDTLS_ERR_ASN1_ALLOC_FAILED;
}

bool fx_tls_is_memory_short(void) {
    struct fx_buf probe = {0};
    const bool is_short = fx_buf_reserve(&probe, TRIAL_BYTES) == NULL;
    fx_buf_finish(&probe);
    return is_short;
}

bool fx_tls_fail(struct fx_err *err, enum fx_code code, const char *what, int rc) {
    if (fx_tls_is_nomem(rc)) {
        return fx_fail_nomem(err);
    }
    char message[160];
    mbedtls_strerror(rc, message, sizeof message);
    return fx_fail(err, code, "%s: %s", what, message);
}

/* ---- configurations ---- */

bool fx_tls_set_min_version(enum fx_tls_version version, struct fx_err *err) {
    if (!has_version(version)) {
        return fx_fail(err, FX_EINVALID, "%s has no TLS 1.3", fx_tls_library());
    }
    min_version = version;
    return true;
}

struct fx_tls_config *fx_tls_config_create(bool server, struct fx_err *err) {
    prepare_library();
    struct fx_tls_config *config = calloc(1, sizeof *config);
    if (config == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    atomic_init(&config->refs, 1);
    config->server = server;
    mbedtls_ssl_config_init(&config->conf);
    mbedtls_x509_crt_init(&config->chain);
    mbedtls_pk_init(&config->key);
    mbedtls_x509_crt_init(&config->trusted);
    mbedtls_entropy_init(&config->entropy);
    mbedtls_ctr_drbg_init(&config->drbg);
    const int rc = mbedtls_ctr_drbg_seed(&config->drbg, mbedtls_entropy_func,
                                         &config->entropy, NULL, 0);
    if (rc != 0) {
        (void)fx_tls_fail(err, FX_EIO, "random numbers", rc);
        fx_tls_config_unref(config);
        return NULL;
    }
    return config;
}

struct fx_tls_config *fx_tls_config_ref(struct fx_tls_config *config) {
    atomic_fetch_add_explicit(&config->refs, 1, memory_order_relaxed);
    return config;
}

void fx_tls_config_unref(struct fx_tls_config *config) {
    if (config == NULL ||
        atomic_fetch_sub_explicit(&config->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    mbedtls_ssl_config_free(&config->conf);
    mbedtls_x509_crt_free(&config->chain);
    mbedtls_pk_free(&config->key);
    mbedtls_x509_crt_free(&config->trusted);
    mbedtls_ctr_drbg_free(&config->drbg);
    mbedtls_entropy_free(&config->entropy);
    fx_tls_client_rules_destroy(config->client_rules);
    free(config->server_name);
    free(config);
}

/* Sets the options that servers and clients have in common. */
static bool set_defaults(struct fx_tls_config *config, struct fx_err *err) {
    mbedtls_ssl_config *conf = &config->conf;
    const int role = config->server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT;
    int rc = mbedtls_ssl_config_defaults(conf, role, MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT);
    if (rc == 0) {
        rc = mbedtls_ssl_conf_alpn_protocols(conf, protocols);
    }
    if (rc != 0) {
        return fx_tls_fail(err, FX_ENOMEM, "TLS configuration", rc);
    }
    mbedtls_ssl_conf_rng(conf, mbedtls_ctr_drbg_random, &config->drbg);
    mbedtls_ssl_conf_ciphersuites(conf, suites);
    set_version(conf);
    set_groups(conf);
#if defined(MBEDTLS_SSL_RENEGOTIATION)
    mbedtls_ssl_conf_renegotiation(conf, MBEDTLS_SSL_RENEGOTIATION_DISABLED);
#endif
#if defined(MBEDTLS_SSL_SESSION_TICKETS) && defined(MBEDTLS_SSL_CLI_C)
    mbedtls_ssl_conf_session_tickets(conf, MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
#endif
    return true;
}

/* Makes the configuration use its own chain and key. */
static bool use_own(struct fx_tls_config *config, struct fx_err *err) {
    const int rc = mbedtls_ssl_conf_own_cert(&config->conf, &config->chain, &config->key);
    return rc == 0 || fx_tls_fail(err, FX_ENOMEM, "certificate", rc);
}

/* The last step for a server, after its chain and key were set. */
static bool finish_server(struct fx_tls_config *config, struct fx_err *err) {
    if (!set_defaults(config, err)) {
        return false;
    }
    mbedtls_ssl_conf_authmode(&config->conf, MBEDTLS_SSL_VERIFY_NONE);
    return use_own(config, err);
}

/* Appends the certificates to `chain`. `lax` skips those that cannot be read (for
 * bundles). */
static bool add_chain(mbedtls_x509_crt *chain, struct fx_text pem, bool lax,
                      struct fx_err *err) {
    size_t n_bad = 0;
    if (!fx_tls_pem_certificates(pem, chain, &n_bad, err)) {
        return false;
    }
    if (n_bad > 0 && !lax) {
        return fx_fail(err, FX_EINVALID, "certificate: %zu of the chain cannot be read",
                       n_bad);
    }
    return chain->raw.len > 0 ||
           fx_tls_fail(err, FX_EINVALID, "certificate", MBEDTLS_ERR_X509_INVALID_FORMAT);
}

/* Reads the key, and checks that it fits the certificate. Returns 0 or mbedTLS' code. */
static int read_key(struct fx_tls_config *config, const struct fx_buf *pem,
                    bool *ret_parsed) {
    mbedtls_pk_free(&config->key);
    mbedtls_pk_init(&config->key);
    const int rc =
        parse_key(config, (const unsigned char *)pem->data, pem->len + 1); /* and NUL */
    *ret_parsed = rc == 0;
    return rc != 0 ? rc : check_pair(config);
}

static bool add_key(struct fx_tls_config *config, struct fx_text pem,
                    struct fx_err *err) {
    struct fx_buf copy = {0};
    bool parsed = false;
    fx_buf_text(&copy, pem);
    if (copy.failed) {
        return fx_fail_nomem(err);
    }
    int rc = read_key(config, &copy, &parsed);
    if (rc != 0) {
        rc = read_key(config, &copy, &parsed);
    }
    fx_tls_wipe(&copy);
    fx_tls_wipe_stack();
    if (rc != 0 && fx_tls_is_memory_short()) {
        return fx_fail_nomem(err);
    }
    return rc == 0 || fx_tls_fail(err, FX_EINVALID,
                                  parsed ? "private key does not fit the certificate"
                                         : "private key",
                                  rc);
}

bool fx_tls_config_add_own(struct fx_tls_config *config, struct fx_text cert_pem,
                           struct fx_text key_pem, struct fx_err *err) {
    return add_chain(&config->chain, cert_pem, false, err) &&
           add_key(config, key_pem, err);
}

struct fx_tls_config *fx_tls_config_server(struct fx_text cert_pem,
                                           struct fx_text key_pem, struct fx_err *err) {
    struct fx_tls_config *config = fx_tls_config_create(true, err);
    if (config != NULL && (!fx_tls_config_add_own(config, cert_pem, key_pem, err) ||
                           !finish_server(config, err))) {
        fx_tls_config_unref(config);
        return NULL;
    }
    return config;
}

struct fx_tls_config *fx_tls_config_clone(const struct fx_tls_config *server,
                                          struct fx_err *err) {
    struct fx_buf cert = {0};
    struct fx_buf key = {0};
    struct fx_tls_config *again = NULL;
    fx_tls_config_print(server, &cert);
    fx_tls_config_print_key(server, &key);
    if (cert.failed || key.failed) {
        (void)fx_fail_nomem(err);
    } else {
        again = fx_tls_config_server(fx_buf_view(&cert), fx_buf_view(&key), err);
    }
    fx_tls_wipe(&key);
    fx_buf_finish(&cert);
    return again;
}

static void verify_peer(struct fx_tls_config *config) {
    mbedtls_ssl_conf_authmode(&config->conf, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&config->conf, &config->trusted, NULL);
}

/* ---- checking server names ---- */

static bool has_address(const mbedtls_x509_crt *cert,
                        const struct fx_tls_config *config) {
    for (const mbedtls_x509_sequence *name = &cert->subject_alt_names; name != NULL;
         name = name->next) {
        const bool is_address = name->buf.tag == (MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7);
        if (is_address && name->buf.len == config->address_len &&
            memcmp(name->buf.p, config->address, config->address_len) == 0) {
            return true;
        }
    }
    return false;
}

/* mbedTLS 2.28 only compares DNS names. Addresses have their own type of subject
 * alternative name (RFC 5280 4.2.1.6), which is compared here. For a certificate without
 * alternative names mbedTLS compares the common name, which RFC 9525 section 2 forbids.
 */
int fx_tls_config_verify_name(void *user, mbedtls_x509_crt *cert, int depth,
                              uint32_t *flags) {
    const struct fx_tls_config *config = user;
    if (depth > 0) {
        return 0;
    }
    const bool fits = config->address_len > 0 ? has_address(cert, config)
                                              : cert->subject_alt_names.buf.len > 0;
    if (!fits) {
        *flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
    }
    return 0;
}

/* Completes a client configuration. An empty `ca_pem` accepts any server. */
static bool finish_client(struct fx_tls_config *config, struct fx_text ca_pem,
                          struct fx_err *err) {
    if (!set_defaults(config, err) ||
        (config->chain.raw.len > 0 && !use_own(config, err))) {
        return false;
    }
    if (ca_pem.len == 0) {
        mbedtls_ssl_conf_authmode(&config->conf, MBEDTLS_SSL_VERIFY_NONE);
        return true;
    }
    verify_peer(config);
    mbedtls_ssl_conf_verify(&config->conf, fx_tls_config_verify_name, config);
    return add_chain(&config->trusted, ca_pem, true, err);
}

struct fx_tls_config *fx_tls_config_client(struct fx_text ca_pem, const char *server_name,
                                           struct fx_text cert_pem,
                                           struct fx_text key_pem, struct fx_err *err) {
    assert(server_name != NULL);
    struct fx_tls_config *config = fx_tls_config_create(false, err);
    if (config == NULL) {
        return NULL;
    }
    const bool has_own = cert_pem.len > 0 || key_pem.len > 0;
    config->address_len = fx_cert_address(server_name, config->address);
    config->server_name = strdup(server_name);
    if (config->server_name == NULL) {
        (void)fx_fail_nomem(err);
    } else if ((!has_own || fx_tls_config_add_own(config, cert_pem, key_pem, err)) &&
               finish_client(config, ca_pem, err)) {
        return config;
    }
    fx_tls_config_unref(config);
    return NULL;
}

/* ---- reading a configuration ---- */

int64_t fx_tls_seconds(const mbedtls_x509_time *at) {
    return fx_date_seconds(at->year, at->mon, at->day, at->hour, at->min, at->sec);
}

void fx_tls_config_validity(const struct fx_tls_config *config, int64_t *ret_not_before,
                            int64_t *ret_not_after) {
    *ret_not_before = fx_tls_seconds(&config->chain.valid_from);
    *ret_not_after = fx_tls_seconds(&config->chain.valid_to);
}

void fx_tls_config_print(const struct fx_tls_config *config, struct fx_buf *pem) {
    for (const mbedtls_x509_crt *cert = &config->chain; cert != NULL; cert = cert->next) {
        if (cert->raw.len > 0) {
            fx_tls_pem_print(cert, pem);
        }
    }
}

void fx_tls_wipe(struct fx_buf *secret) {
    if (secret->data != NULL) {
        mbedtls_platform_zeroize(secret->data, secret->cap);
    }
    fx_buf_finish(secret);
}

#define STACK_BYTES (32u << 10) /* more than a signature needs */

/* Its stack frame covers those of the returned calls. AddressSanitizer would place it
 * elsewhere. */
FX_RARE __attribute__((no_sanitize_address)) void fx_tls_wipe_stack(void) {
    unsigned char frames[STACK_BYTES];
    mbedtls_platform_zeroize(frames, sizeof frames);
}
