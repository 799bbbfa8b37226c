/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_self_signed.c - a server's certificate, made here and now.
 */
#include "net/tls.h"

#include <time.h>

#include <mbedtls/oid.h>

#include "net/cert_parts.h"
#include "net/tls_config.h"

#define SERIAL_BYTES 16
#define CERT_BYTES   4096 /* a certificate made here; bounds its names too */

/* What differs between the versions of mbedTLS. */
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
static int set_serial(mbedtls_x509write_cert *cert, unsigned char *bytes, size_t len) {
    return mbedtls_x509write_crt_set_serial_raw(cert, bytes, len);
}
#else
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
    /* id-kp-serverAuth and id-kp-clientAuth (RFC 5280 section 4.2.1.12): the latter for
     * peers that we ask, and that want to know who does. */
    static const unsigned char purposes[] = {
        0x30, 0x14, 0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03,
        0x01, 0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02};
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
        MBEDTLS_OID_SIZE(MBEDTLS_OID_EXTENDED_KEY_USAGE), 0, purposes, sizeof purposes);
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
    return rc == 0 || fx_tls_fail(err, FX_EINVALID, "making a certificate", rc);
}

struct fx_tls_config *fx_tls_config_self_signed(const char *const *names, size_t n_names,
                                                struct fx_err *err) {
    struct fx_tls_config *config = fx_tls_config_create(true, err);
    if (config == NULL) {
        return NULL;
    }
    struct fx_buf der;
    fx_buf_init(&der, 0);
    const bool ok = fx_cert_names_write(names, n_names, &der, err) &&
                    make_chain(config, &der, err) &&
                    fx_tls_config_finish_server(config, err);
    fx_buf_finish(&der);
    if (!ok) {
        fx_tls_config_unref(config);
        return NULL;
    }
    return config;
}
