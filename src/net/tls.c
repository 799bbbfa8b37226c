/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls.c - TLS sessions and configurations on mbedTLS (2.28 or 3.6). The only file
 * that includes it; what differs between the two versions stands in the first section.
 */
#include "net/tls.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/oid.h>
#include <mbedtls/pem.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#include <psa/crypto.h>
#endif

#include "net/cert_parts.h"

#define RECORD_BYTES 16384 /* the largest plaintext of one record (RFC 8446 5.1) */
#define SERIAL_BYTES 16
#define CERT_BYTES   4096 /* a certificate made here; bounds its names too */

struct fx_tls_config {
    atomic_uint refs;
    bool server;
    mbedtls_ssl_config conf;
    mbedtls_x509_crt chain; /* the server's own, or what a client trusts */
    mbedtls_pk_context key;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context drbg;
    char *server_name; /* a client's; an address is checked by verify_address() */
    unsigned char address[16];
    size_t address_len; /* 4 or 16 where `server_name` is an address, else 0 */
};

struct fx_tls {
    struct fx_tls_config *config;
    mbedtls_ssl_context ssl;
    enum fx_tls_state state;
    struct fx_text in;  /* ciphertext not yet taken, during a call */
    struct fx_buf *out; /* where ciphertext goes, during a call */
};

/* ---- the two versions ---- */

#if MBEDTLS_VERSION_NUMBER >= 0x03000000
static void start_psa(void) {
    (void)psa_crypto_init(); /* where it fails, each TLS 1.3 handshake says so */
}

/* TLS 1.3 keeps its secrets in PSA, which is started once a process. */
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

static void set_version(mbedtls_ssl_config *conf) {
    mbedtls_ssl_conf_min_tls_version(conf, MBEDTLS_SSL_VERSION_TLS1_2);
}

/* In TLS 1.3 mbedTLS verifies every server, whatever `authmode` says. */
static void allow_unverified(mbedtls_ssl_config *conf) {
    mbedtls_ssl_conf_max_tls_version(conf, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_authmode(conf, MBEDTLS_SSL_VERIFY_NONE);
}

static void set_groups(mbedtls_ssl_config *conf) {
    static const uint16_t groups[] = {
        MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1, MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
        MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1, MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1,
        MBEDTLS_SSL_IANA_TLS_GROUP_NONE};
    mbedtls_ssl_conf_groups(conf, groups);
}

static int set_serial(mbedtls_x509write_cert *cert, unsigned char *bytes, size_t len) {
    return mbedtls_x509write_crt_set_serial_raw(cert, bytes, len);
}
#else
static void prepare_library(void) {}

static int parse_key(struct fx_tls_config *config, const unsigned char *pem, size_t len) {
    return mbedtls_pk_parse_key(&config->key, pem, len, NULL, 0);
}

static int check_pair(struct fx_tls_config *config) {
    return mbedtls_pk_check_pair(&config->chain.pk, &config->key);
}

static void set_version(mbedtls_ssl_config *conf) {
    mbedtls_ssl_conf_min_version(conf, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
}

static void allow_unverified(mbedtls_ssl_config *conf) {
    mbedtls_ssl_conf_authmode(conf, MBEDTLS_SSL_VERIFY_NONE);
}

/* Without this 2.28 prefers the largest curve both know, which costs milliseconds. */
static void set_groups(mbedtls_ssl_config *conf) {
    static const mbedtls_ecp_group_id groups[] = {
        MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_ECP_DP_CURVE25519, MBEDTLS_ECP_DP_SECP384R1,
        MBEDTLS_ECP_DP_SECP521R1, MBEDTLS_ECP_DP_NONE};
    mbedtls_ssl_conf_curves(conf, groups);
}

static int set_serial(mbedtls_x509write_cert *cert, unsigned char *bytes, size_t len) {
    mbedtls_mpi serial;
    mbedtls_mpi_init(&serial);
    int rc = mbedtls_mpi_read_binary(&serial, bytes, len);
    if (rc == 0) {
        rc = mbedtls_x509write_crt_set_serial(cert, &serial);
    }
    mbedtls_mpi_free(&serial);
    return rc;
}
#endif

/* Forward secrecy and authenticated encryption only; AES-128-GCM first, the fastest. */
static const int suites[] = {
#if defined(MBEDTLS_SSL_PROTO_TLS1_3)
    MBEDTLS_TLS1_3_AES_128_GCM_SHA256,
    MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
    MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256,
#endif
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    0,
};

static const char *protocols[] = {"http/1.1", NULL};

const char *fx_tls_library(void) {
    return MBEDTLS_VERSION_STRING_FULL;
}

/* Fails with mbedTLS' own words. */
static bool fail(struct fx_err *err, enum fx_code code, const char *what, int rc) {
    char words[160];
    mbedtls_strerror(rc, words, sizeof words);
    return fx_fail(err, code, "%s: %s", what, words);
}

/* ---- configurations ---- */

static struct fx_tls_config *config_create(bool server, struct fx_err *err) {
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
    mbedtls_entropy_init(&config->entropy);
    mbedtls_ctr_drbg_init(&config->drbg);
    const int rc = mbedtls_ctr_drbg_seed(&config->drbg, mbedtls_entropy_func,
                                         &config->entropy, NULL, 0);
    if (rc != 0) {
        (void)fail(err, FX_EIO, "random numbers", rc);
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
    mbedtls_ctr_drbg_free(&config->drbg);
    mbedtls_entropy_free(&config->entropy);
    free(config->server_name);
    free(config);
}

/* What servers and clients have in common. */
static bool set_defaults(struct fx_tls_config *config, struct fx_err *err) {
    mbedtls_ssl_config *conf = &config->conf;
    const int role = config->server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT;
    int rc = mbedtls_ssl_config_defaults(conf, role, MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT);
    if (rc == 0) {
        rc = mbedtls_ssl_conf_alpn_protocols(conf, protocols);
    }
    if (rc != 0) {
        return fail(err, FX_ENOMEM, "TLS configuration", rc);
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

/* The last step of every server: the chain and key are there. */
static bool finish_server(struct fx_tls_config *config, struct fx_err *err) {
    if (!set_defaults(config, err)) {
        return false;
    }
    mbedtls_ssl_conf_authmode(&config->conf, MBEDTLS_SSL_VERIFY_NONE);
    const int rc = mbedtls_ssl_conf_own_cert(&config->conf, &config->chain, &config->key);
    return rc == 0 || fail(err, FX_ENOMEM, "certificate", rc);
}

/* mbedTLS wants PEM with its NUL; the copy is the caller's to wipe. */
static unsigned char *copy_pem(struct fx_text pem, struct fx_err *err) {
    unsigned char *copy = malloc(pem.len + 1);
    if (copy == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    if (pem.len > 0) {
        memcpy(copy, pem.data, pem.len);
    }
    copy[pem.len] = '\0';
    return copy;
}

static void wipe(unsigned char *pem, size_t len) {
    mbedtls_platform_zeroize(pem, len);
    free(pem);
}

/* `lax`: certificates that mbedTLS cannot read are left out, as bundles have them. */
static bool add_chain(struct fx_tls_config *config, struct fx_text pem, bool lax,
                      struct fx_err *err) {
    unsigned char *copy = copy_pem(pem, err);
    if (copy == NULL) {
        return false;
    }
    const int rc = mbedtls_x509_crt_parse(&config->chain, copy, pem.len + 1);
    free(copy);
    if (rc > 0 && !lax) {
        return fx_fail(err, FX_EINVALID, "certificate: %d of the chain cannot be read",
                       rc);
    }
    return rc >= 0 || fail(err, FX_EINVALID, "certificate", rc);
}

static bool add_key(struct fx_tls_config *config, struct fx_text pem,
                    struct fx_err *err) {
    unsigned char *copy = copy_pem(pem, err);
    if (copy == NULL) {
        return false;
    }
    int rc = parse_key(config, copy, pem.len + 1);
    wipe(copy, pem.len + 1);
    if (rc != 0) {
        return fail(err, FX_EINVALID, "private key", rc);
    }
    rc = check_pair(config);
    return rc == 0 ||
           fail(err, FX_EINVALID, "private key does not fit the certificate", rc);
}

struct fx_tls_config *fx_tls_config_server(struct fx_text cert_pem,
                                           struct fx_text key_pem, struct fx_err *err) {
    struct fx_tls_config *config = config_create(true, err);
    if (config != NULL &&
        (!add_chain(config, cert_pem, false, err) || !add_key(config, key_pem, err) ||
         !finish_server(config, err))) {
        fx_tls_config_unref(config);
        return NULL;
    }
    return config;
}

/* ---- a client's check of names ---- */

/* mbedTLS 2.28 compares names with DNS names only; an address has its own kind of
 * subject alternative name (RFC 5280 4.2.1.6), which is compared here. */
static int verify_address(void *user, mbedtls_x509_crt *cert, int depth,
                          uint32_t *flags) {
    const struct fx_tls_config *config = user;
    if (depth > 0) {
        return 0;
    }
    for (const mbedtls_x509_sequence *name = &cert->subject_alt_names; name != NULL;
         name = name->next) {
        const bool is_address = name->buf.tag == (MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7);
        if (is_address && name->buf.len == config->address_len &&
            memcmp(name->buf.p, config->address, config->address_len) == 0) {
            return 0;
        }
    }
    *flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
    return 0;
}

static bool finish_client(struct fx_tls_config *config, bool trusts_all,
                          struct fx_err *err) {
    if (!set_defaults(config, err)) {
        return false;
    }
    if (trusts_all) {
        allow_unverified(&config->conf);
        return true;
    }
    mbedtls_ssl_conf_authmode(&config->conf, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&config->conf, &config->chain, NULL);
    if (config->address_len > 0) {
        mbedtls_ssl_conf_verify(&config->conf, verify_address, config);
    }
    return true;
}

struct fx_tls_config *fx_tls_config_client(struct fx_text ca_pem, const char *server_name,
                                           struct fx_err *err) {
    assert(server_name != NULL);
    struct fx_tls_config *config = config_create(false, err);
    if (config == NULL) {
        return NULL;
    }
    config->address_len = fx_cert_address(server_name, config->address);
    config->server_name = strdup(server_name);
    if (config->server_name == NULL) {
        (void)fx_fail_nomem(err);
    } else if ((ca_pem.len == 0 || add_chain(config, ca_pem, true, err)) &&
               finish_client(config, ca_pem.len == 0, err)) {
        return config;
    }
    fx_tls_config_unref(config);
    return NULL;
}

/* ---- what a configuration tells ---- */

static int64_t seconds_of(const mbedtls_x509_time *at) {
    return fx_cert_seconds(at->year, at->mon, at->day, at->hour, at->min, at->sec);
}

void fx_tls_config_validity(const struct fx_tls_config *config, int64_t *ret_not_before,
                            int64_t *ret_not_after) {
    *ret_not_before = seconds_of(&config->chain.valid_from);
    *ret_not_after = seconds_of(&config->chain.valid_to);
}

static void print_certificate(const mbedtls_x509_crt *cert, struct fx_buf *pem) {
    const size_t room = cert->raw.len * 3 / 2 + 128; /* base64 and its line ends */
    size_t written = 0;
    char *to = fx_buf_reserve(pem, room);
    if (to == NULL) {
        return;
    }
    if (mbedtls_pem_write_buffer(
            "-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", cert->raw.p,
            cert->raw.len, (unsigned char *)to, room, &written) != 0) {
        pem->failed = true;
        return;
    }
    pem->len += written - 1; /* which counts the NUL */
}

void fx_tls_config_print(const struct fx_tls_config *config, struct fx_buf *pem) {
    for (const mbedtls_x509_crt *cert = &config->chain; cert != NULL; cert = cert->next) {
        if (cert->raw.len > 0) {
            print_certificate(cert, pem);
        }
    }
}

/* ---- a certificate made here ---- */

/* A certificate to be signed: who it is for, and by whom. */
struct request {
    const char *subject, *issuer;
    mbedtls_pk_context *key, *issuer_key;
    const struct fx_buf *names; /* the extension's value; NULL for the CA */
};

static int make_key(struct fx_tls_config *config, mbedtls_pk_context *key) {
    const int rc = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    return rc != 0 ? rc
                   : mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key),
                                         mbedtls_ctr_drbg_random, &config->drbg);
}

static int set_random_serial(struct fx_tls_config *config, mbedtls_x509write_cert *cert) {
    unsigned char serial[SERIAL_BYTES];
    const int rc = mbedtls_ctr_drbg_random(&config->drbg, serial, sizeof serial);
    serial[0] = (unsigned char)((serial[0] & 0x7f) | 0x40); /* positive, full length */
    return rc != 0 ? rc : set_serial(cert, serial, sizeof serial);
}

/* From an hour ago, since clocks differ, for a year. */
static int set_dates(mbedtls_x509write_cert *cert) {
    const int64_t from = (int64_t)time(NULL) - 3600;
    char not_before[FX_CERT_DATE];
    char not_after[FX_CERT_DATE];
    fx_cert_date(from, not_before);
    fx_cert_date(from + INT64_C(365) * 86400, not_after);
    return mbedtls_x509write_crt_set_validity(cert, not_before, not_after);
}

static int set_extensions(mbedtls_x509write_cert *cert, const struct request *request) {
    static const unsigned char server_auth[] = {0x30, 0x0a, 0x06, 0x08, 0x2b, 0x06,
                                                0x01, 0x05, 0x05, 0x07, 0x03, 0x01};
    const bool ca = request->names == NULL;
    const unsigned usage = ca ? MBEDTLS_X509_KU_KEY_CERT_SIGN | MBEDTLS_X509_KU_CRL_SIGN
                              : MBEDTLS_X509_KU_DIGITAL_SIGNATURE;
    int rc = mbedtls_x509write_crt_set_basic_constraints(cert, ca, ca ? 0 : -1);
    rc = rc != 0 ? rc : mbedtls_x509write_crt_set_key_usage(cert, usage);
    rc = rc != 0 ? rc : mbedtls_x509write_crt_set_subject_key_identifier(cert);
    rc = rc != 0 ? rc : mbedtls_x509write_crt_set_authority_key_identifier(cert);
    if (rc != 0 || ca) {
        return rc;
    }
    rc = mbedtls_x509write_crt_set_extension(
        cert, MBEDTLS_OID_EXTENDED_KEY_USAGE,
        MBEDTLS_OID_SIZE(MBEDTLS_OID_EXTENDED_KEY_USAGE), 0, server_auth,
        sizeof server_auth);
    return rc != 0
               ? rc
               : mbedtls_x509write_crt_set_extension(
                     cert, MBEDTLS_OID_SUBJECT_ALT_NAME,
                     MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0,
                     (const unsigned char *)request->names->data, request->names->len);
}

/* Signs the certificate and appends it to the configuration's chain. */
static int sign(struct fx_tls_config *config, const struct request *request) {
    unsigned char der[CERT_BYTES]; /* filled from its end */
    mbedtls_x509write_cert cert;
    mbedtls_x509write_crt_init(&cert);
    mbedtls_x509write_crt_set_version(&cert, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(&cert, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(&cert, request->key);
    mbedtls_x509write_crt_set_issuer_key(&cert, request->issuer_key);
    int rc = mbedtls_x509write_crt_set_subject_name(&cert, request->subject);
    rc = rc != 0 ? rc : mbedtls_x509write_crt_set_issuer_name(&cert, request->issuer);
    rc = rc != 0 ? rc : set_random_serial(config, &cert);
    rc = rc != 0 ? rc : set_dates(&cert);
    rc = rc != 0 ? rc : set_extensions(&cert, request);
    rc = rc != 0 ? rc
                 : mbedtls_x509write_crt_der(&cert, der, sizeof der,
                                             mbedtls_ctr_drbg_random, &config->drbg);
    if (rc > 0) {
        const size_t len = (size_t)rc;
        rc = mbedtls_x509_crt_parse_der(&config->chain, der + sizeof der - len, len);
    }
    mbedtls_x509write_crt_free(&cert);
    return rc;
}

/* The leaf and then its CA, whose key nobody keeps. */
static bool make_chain(struct fx_tls_config *config, const struct fx_buf *names,
                       struct fx_err *err) {
    static const char leaf[] = "CN=fixpoint";
    static const char ca[] = "CN=fixpoint CA";
    mbedtls_pk_context ca_key;
    mbedtls_pk_init(&ca_key);
    int rc = make_key(config, &ca_key);
    rc = rc != 0 ? rc : make_key(config, &config->key);
    rc = rc != 0
             ? rc
             : sign(config, &(struct request){leaf, ca, &config->key, &ca_key, names});
    rc = rc != 0 ? rc : sign(config, &(struct request){ca, ca, &ca_key, &ca_key, NULL});
    mbedtls_pk_free(&ca_key);
    return rc == 0 || fail(err, FX_EINVALID, "making a certificate", rc);
}

struct fx_tls_config *fx_tls_config_self_signed(const char *const *names, size_t n_names,
                                                struct fx_err *err) {
    struct fx_tls_config *config = config_create(true, err);
    if (config == NULL) {
        return NULL;
    }
    struct fx_buf der;
    fx_buf_init(&der, 0);
    const bool ok = fx_cert_names_write(names, n_names, &der, err) &&
                    make_chain(config, &der, err) && finish_server(config, err);
    fx_buf_finish(&der);
    if (!ok) {
        fx_tls_config_unref(config);
        return NULL;
    }
    return config;
}

/* ---- sessions ---- */

static int give_ciphertext(void *user, unsigned char *to, size_t room) {
    struct fx_tls *tls = user;
    if (tls->in.len == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    const size_t len = room < tls->in.len ? room : tls->in.len;
    memcpy(to, tls->in.data, len);
    tls->in.data += len;
    tls->in.len -= len;
    return (int)len;
}

static int take_ciphertext(void *user, const unsigned char *data, size_t len) {
    struct fx_tls *tls = user;
    fx_buf_add(tls->out, data, len);
    return tls->out->failed ? MBEDTLS_ERR_SSL_ALLOC_FAILED : (int)len;
}

struct fx_tls *fx_tls_create(struct fx_tls_config *config) {
    struct fx_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) {
        return NULL;
    }
    tls->config = fx_tls_config_ref(config);
    mbedtls_ssl_init(&tls->ssl);
    /* An address is no server name (RFC 6066 section 3); NULL says that on purpose. */
    const char *name = config->address_len > 0 ? NULL : config->server_name;
    if (mbedtls_ssl_setup(&tls->ssl, &config->conf) != 0 ||
        (!config->server && mbedtls_ssl_set_hostname(&tls->ssl, name) != 0)) {
        fx_tls_destroy(tls);
        return NULL;
    }
    mbedtls_ssl_set_bio(&tls->ssl, tls, take_ciphertext, give_ciphertext, NULL);
    return tls;
}

void fx_tls_destroy(struct fx_tls *tls) {
    if (tls == NULL) {
        return;
    }
    mbedtls_ssl_free(&tls->ssl);
    fx_tls_config_unref(tls->config);
    free(tls);
}

static enum fx_tls_state break_session(struct fx_tls *tls, int rc, struct fx_err *err) {
    tls->state = FX_TLS_FAILED;
    if (rc == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED) {
        char words[200];
        (void)mbedtls_x509_crt_verify_info(words, sizeof words, "",
                                           mbedtls_ssl_get_verify_result(&tls->ssl));
        words[strcspn(words, "\n")] = '\0'; /* one reason is enough */
        (void)fx_fail(err, FX_EIO, "the peer's certificate: %s", words);
    } else {
        (void)fail(err, FX_EIO, "TLS", rc);
    }
    return tls->state;
}

/* Waiting for the peer, or a message that is none of the application's. */
static bool is_harmless(int rc) {
#if defined(MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET)
    if (rc == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) {
        return true;
    }
#endif
    return rc == MBEDTLS_ERR_SSL_WANT_READ;
}

/* Decrypts all that came. Ends, since each round takes ciphertext or stops. */
static enum fx_tls_state read_all(struct fx_tls *tls, struct fx_buf *plaintext,
                                  struct fx_err *err) {
    for (;;) {
        char *to = fx_buf_reserve(plaintext, RECORD_BYTES);
        if (to == NULL) {
            return break_session(tls, MBEDTLS_ERR_SSL_ALLOC_FAILED, err);
        }
        const int rc = mbedtls_ssl_read(&tls->ssl, (unsigned char *)to, RECORD_BYTES);
        to[rc > 0 ? rc : 0] = '\0';
        if (rc > 0) {
            plaintext->len += (size_t)rc;
        } else if (rc == 0 || rc == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) {
            return tls->state = FX_TLS_CLOSED;
        } else if (!is_harmless(rc)) {
            return break_session(tls, rc, err);
        } else if (rc == MBEDTLS_ERR_SSL_WANT_READ && tls->in.len == 0) {
            return tls->state;
        }
    }
}

enum fx_tls_state fx_tls_receive(struct fx_tls *tls, struct fx_text received,
                                 struct fx_buf *plaintext, struct fx_buf *ciphertext,
                                 struct fx_err *err) {
    if (tls->state == FX_TLS_CLOSED || tls->state == FX_TLS_FAILED) {
        return tls->state == FX_TLS_CLOSED
                   ? FX_TLS_CLOSED
                   : break_session(tls, MBEDTLS_ERR_SSL_CONN_EOF, err);
    }
    tls->in = received;
    tls->out = ciphertext;
    if (tls->state == FX_TLS_HANDSHAKE) {
        const int rc = mbedtls_ssl_handshake(&tls->ssl);
        if (rc != 0) {
            return is_harmless(rc) ? FX_TLS_HANDSHAKE : break_session(tls, rc, err);
        }
        tls->state = FX_TLS_OPEN;
    }
    return read_all(tls, plaintext, err);
}

bool fx_tls_send(struct fx_tls *tls, struct fx_text plaintext, struct fx_buf *ciphertext,
                 struct fx_err *err) {
    assert(tls->state == FX_TLS_OPEN || tls->state == FX_TLS_CLOSED);
    tls->out = ciphertext;
    while (plaintext.len > 0) {
        const int rc = mbedtls_ssl_write(&tls->ssl, (const unsigned char *)plaintext.data,
                                         plaintext.len);
        if (rc <= 0) {
            (void)break_session(tls, rc, err);
            return false;
        }
        plaintext.data += rc;
        plaintext.len -= (size_t)rc;
    }
    return true;
}

void fx_tls_goodbye(struct fx_tls *tls, struct fx_buf *ciphertext) {
    if (tls->state == FX_TLS_OPEN || tls->state == FX_TLS_CLOSED) {
        tls->out = ciphertext;
        (void)mbedtls_ssl_close_notify(&tls->ssl);
    }
}
