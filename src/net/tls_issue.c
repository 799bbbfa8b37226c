/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_issue.c - issues certificates (RFC 5280).
 */
#include "net/tls_issue.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mbedtls/oid.h>

#include "base/text.h"
#include "net/tls.h"
#include "net/tls_config.h"

#define SERIAL_BYTES     16
#define CERT_BYTES       8192 /* limits the names, too */
#define NAME_BYTES       512  /* a distinguished name as text */
#define COMMON_NAME_MAX  64   /* ub-common-name (RFC 5280 appendix A.1) */
#define LAST_SECOND_9999 INT64_C(253402300799)

#define TAG_SEQUENCE 0x30
#define TAG_DNS_NAME 0x82 /* GeneralName [2], primitive */
#define TAG_ADDRESS  0x87 /* GeneralName [7], primitive */
#define MAX_NAME     253

/* ---- names and dates ---- */

size_t fx_cert_address(const char *text, unsigned char ret_bytes[16]) {
    if (inet_pton(AF_INET, text, ret_bytes) == 1) {
        return 4;
    }
    return inet_pton(AF_INET6, text, ret_bytes) == 1 ? 16 : 0;
}

/* Writes tag and length of a DER value. Lengths are less than 65536 here. */
static void write_head(struct fx_buf *der, unsigned char tag, size_t len) {
    fx_buf_char(der, (char)tag);
    if (len >= 256) {
        fx_buf_add(der, (const unsigned char[]){0x82, (unsigned char)(len >> 8)}, 2);
    } else if (len >= 128) {
        fx_buf_char(der, (char)0x81);
    }
    fx_buf_char(der, (char)(len & 0xff));
}

static bool is_host_name(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._*";
    const size_t len = strlen(name);
    return len > 0 && len <= MAX_NAME && strspn(name, allowed) == len;
}

static bool write_name(const char *name, struct fx_buf *entries, struct fx_err *err) {
    unsigned char address[16];
    const size_t len = fx_cert_address(name, address);
    if (len > 0) {
        write_head(entries, TAG_ADDRESS, len);
        fx_buf_add(entries, address, len);
        return true;
    }
    if (!is_host_name(name)) {
        return fx_fail(err, FX_EINVALID, "`%.260s` is not a host name", name);
    }
    write_head(entries, TAG_DNS_NAME, strlen(name));
    fx_buf_str(entries, name);
    return true;
}

bool fx_cert_names_write(const char *const *names, size_t n_names, struct fx_buf *der,
                         struct fx_err *err) {
    struct fx_buf entries;
    fx_buf_init(&entries, UINT16_MAX);
    bool ok = n_names > 0 || fx_fail(err, FX_EINVALID, "a certificate needs a name");
    for (size_t i = 0; ok && i < n_names; i++) {
        ok = write_name(names[i], &entries, err);
    }
    if (ok) {
        write_head(der, TAG_SEQUENCE, entries.len);
        fx_buf_add(der, entries.data, entries.len);
        ok = (!entries.failed && !der->failed) || fx_fail_nomem(err);
    }
    fx_buf_finish(&entries);
    return ok;
}

void fx_cert_date(int64_t seconds, char out[FX_CERT_DATE]) {
    const time_t time = (time_t)seconds;
    struct tm utc = {0};
    (void)gmtime_r(&time, &utc);
    if (strftime(out, FX_CERT_DATE, "%Y%m%d%H%M%S", &utc) == 0) {
        out[0] = '\0';
    }
}

/* ---- signing ---- */

/* Differences between the versions of mbedTLS. */
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

/* A certificate that is to be signed. */
struct request {
    const char *subject, *issuer;
    mbedtls_pk_context *issuer_key;
    const struct fx_buf *names; /* the extension's value; NULL for an authority */
    struct fx_tls_dates dates;
};

void fx_tls_pair_finish(struct fx_tls_pair *pair) {
    if (pair == NULL) {
        return;
    }
    fx_buf_finish(&pair->cert);
    fx_tls_wipe(&pair->key);
    *pair = (struct fx_tls_pair){0};
}

static int make_key(struct fx_tls_config *made) {
    const int rc =
        mbedtls_pk_setup(&made->key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    return rc != 0
               ? rc
               : mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(made->key),
                                     mbedtls_ctr_drbg_random, &made->drbg);
}

static int set_random_serial(struct fx_tls_config *made, mbedtls_x509write_cert *cert) {
    unsigned char serial[SERIAL_BYTES];
    const int rc = mbedtls_ctr_drbg_random(&made->drbg, serial, sizeof serial);
    serial[0] = (unsigned char)((serial[0] & 0x7f) | 0x40); /* positive, of full length */
    return rc != 0 ? rc : set_serial(cert, serial, sizeof serial);
}

static int set_dates(mbedtls_x509write_cert *cert, const struct fx_tls_dates *dates) {
    char not_before[FX_CERT_DATE];
    char not_after[FX_CERT_DATE];
    fx_cert_date(dates->not_before, not_before);
    fx_cert_date(dates->not_after, not_after);
    return mbedtls_x509write_crt_set_validity(cert, not_before, not_after);
}

static int set_extensions(mbedtls_x509write_cert *cert, const struct request *request) {
    /* id-kp-serverAuth and id-kp-clientAuth (RFC 5280 section 4.2.1.12), because the
     * certificate is also shown to providers that request one. */
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

/* Signs a certificate for the key of `made`, and sets it as the chain of `made`. */
static int sign(struct fx_tls_config *made, const struct request *request) {
    unsigned char der[CERT_BYTES]; /* filled from its end */
    mbedtls_x509write_cert cert;
    mbedtls_x509write_crt_init(&cert);
    mbedtls_x509write_crt_set_version(&cert, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(&cert, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(&cert, &made->key);
    mbedtls_x509write_crt_set_issuer_key(&cert, request->issuer_key);
    int rc = mbedtls_x509write_crt_set_subject_name(&cert, request->subject);
    rc = rc != 0 ? rc : mbedtls_x509write_crt_set_issuer_name(&cert, request->issuer);
    rc = rc != 0 ? rc : set_random_serial(made, &cert);
    rc = rc != 0 ? rc : set_dates(&cert, &request->dates);
    rc = rc != 0 ? rc : set_extensions(&cert, request);
    rc = rc != 0 ? rc
                 : mbedtls_x509write_crt_der(&cert, der, sizeof der,
                                             mbedtls_ctr_drbg_random, &made->drbg);
    if (rc > 0) {
        const size_t len = (size_t)rc;
        rc = mbedtls_x509_crt_parse_der(&made->chain, der + sizeof der - len, len);
    }
    mbedtls_x509write_crt_free(&cert);
    return rc;
}

static bool make_certificate(struct fx_tls_config *made, const struct request *request,
                             struct fx_err *err) {
    int rc = make_key(made);
    rc = rc != 0 ? rc : sign(made, request);
    fx_tls_wipe_stack();
    return rc == 0 || fx_tls_fail(err, FX_EINTERNAL, "making a certificate", rc);
}

static bool print_pair(const struct fx_tls_config *made, struct fx_tls_pair *ret_pair,
                       struct fx_err *err) {
    struct fx_tls_pair pair = {0};
    fx_tls_config_print(made, &pair.cert);
    fx_tls_config_print_key(made, &pair.key);
    if (pair.cert.failed || pair.key.failed) {
        fx_tls_pair_finish(&pair);
        return fx_fail_nomem(err);
    }
    *ret_pair = pair;
    return true;
}

static bool check_dates(const struct fx_tls_dates *dates, struct fx_err *err) {
    return (dates->not_before >= 0 && dates->not_before <= dates->not_after &&
            dates->not_after <= LAST_SECOND_9999) ||
           fx_fail(err, FX_EINVALID, "no certificate can be valid from %lld to %lld",
                   (long long)dates->not_before, (long long)dates->not_after);
}

/* ---- authorities ---- */

/* Has the name only characters without a special meaning in the text form of a
 * distinguished name (RFC 4514)? */
static bool is_common_name(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:* ";
    const size_t len = strlen(name);
    return len > 0 && len <= COMMON_NAME_MAX && strspn(name, allowed) == len &&
           name[0] != ' ' && name[len - 1] != ' ';
}

bool fx_tls_issue_authority(const char *common_name, struct fx_tls_dates dates,
                            struct fx_tls_pair *ret_pair, struct fx_err *err) {
    char name[NAME_BYTES];
    if (!is_common_name(common_name)) {
        return fx_fail(err, FX_EINVALID, "`%.260s` is not a valid name for an authority",
                       common_name);
    }
    struct fx_tls_config *made =
        check_dates(&dates, err) ? fx_tls_config_create(true, err) : NULL;
    if (made == NULL) {
        return false;
    }
    (void)snprintf(name, sizeof name, "CN=%s", common_name);
    const bool ok =
        make_certificate(made, &(struct request){name, name, &made->key, NULL, dates},
                         err) &&
        print_pair(made, ret_pair, err);
    fx_tls_config_unref(made);
    return ok;
}

/* ---- leaves ---- */

static int pass_dates(void *user, mbedtls_x509_crt *cert, int depth, uint32_t *flags) {
    (void)user;
    (void)cert;
    (void)depth;
    *flags &= ~(uint32_t)(MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE);
    return 0;
}

/* Checks that the signer is an authority, and that mbedTLS has written the authority's
 * name with the same bytes: mbedTLS accepts another encoding, but Go does not. */
static bool check_made(struct fx_tls_config *leaf, struct fx_tls_config *authority,
                       struct fx_err *err) {
    const mbedtls_x509_buf *issuer = &leaf->chain.issuer_raw;
    const mbedtls_x509_buf *subject = &authority->chain.subject_raw;
    uint32_t flags = 0;
    if (issuer->len != subject->len || memcmp(issuer->p, subject->p, issuer->len) != 0) {
        return fx_fail(err, FX_EINVALID, "the authority's name cannot be repeated");
    }
    if (!fx_tls_verify(&leaf->chain, &authority->chain, pass_dates, NULL, &flags, err)) {
        return false;
    }
    return flags == 0 || fx_fail(err, FX_EINVALID, "the authority may not sign");
}

static bool make_leaf(struct fx_tls_config *leaf, struct fx_tls_config *authority,
                      const char *first_name, const struct fx_buf *names,
                      struct fx_tls_dates dates, struct fx_err *err) {
    char subject[NAME_BYTES];
    char issuer[NAME_BYTES];
    const int rc = mbedtls_x509_dn_gets(issuer, sizeof issuer, &authority->chain.subject);
    if (rc < 0) {
        return fx_tls_fail(err, FX_EINVALID, "the authority's name", rc);
    }
    (void)snprintf(subject, sizeof subject, "CN=%.*s", COMMON_NAME_MAX, first_name);
    struct request request = {
        .subject = subject,
        .issuer = issuer,
        .issuer_key = &authority->key,
        .names = names,
        .dates = dates,
    };
    return make_certificate(leaf, &request, err) && check_made(leaf, authority, err);
}

/* NOLINTNEXTLINE(readability-function-size): all seven are needed by every caller. */
bool fx_tls_issue_leaf(struct fx_text ca_cert, struct fx_text ca_key,
                       const char *const *names, size_t n_names,
                       struct fx_tls_dates dates, struct fx_tls_pair *ret_pair,
                       struct fx_err *err) {
    struct fx_buf der = {0};
    struct fx_tls_config *authority = NULL;
    struct fx_tls_config *leaf = NULL;
    bool ok = check_dates(&dates, err) && fx_cert_names_write(names, n_names, &der, err);
    if (ok) {
        authority = fx_tls_config_create(true, err);
        leaf = authority == NULL ? NULL : fx_tls_config_create(true, err);
        ok = leaf != NULL && fx_tls_config_add_own(authority, ca_cert, ca_key, err) &&
             make_leaf(leaf, authority, names[0], &der, dates, err) &&
             print_pair(leaf, ret_pair, err);
    }
    fx_tls_config_unref(leaf);
    fx_tls_config_unref(authority);
    fx_buf_finish(&der);
    return ok;
}

/* ---- self-signed ---- */

#define DAY INT64_C(86400)

/* Returns a year that began an hour ago, because clocks differ. */
static struct fx_tls_dates year_from_now(void) {
    const int64_t from = (int64_t)time(NULL) - 3600;
    return (struct fx_tls_dates){from, from + 365 * DAY};
}

struct fx_tls_config *fx_tls_config_self_signed(const char *const *names, size_t n_names,
                                                struct fx_err *err) {
    const struct fx_tls_dates dates = year_from_now();
    struct fx_tls_pair ca = {0};
    struct fx_tls_pair leaf = {0};
    struct fx_tls_config *config = NULL;
    if (fx_tls_issue_authority("fixpoint CA", dates, &ca, err) &&
        fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), names, n_names,
                          dates, &leaf, err)) {
        fx_buf_text(&leaf.cert, fx_buf_view(&ca.cert));
        if (leaf.cert.failed) {
            (void)fx_fail_nomem(err);
        } else {
            config = fx_tls_config_server(fx_buf_view(&leaf.cert), fx_buf_view(&leaf.key),
                                          err);
        }
    }
    fx_tls_pair_finish(&ca);
    fx_tls_pair_finish(&leaf);
    return config;
}
