/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_pem.c - reads PEM block by block, because mbedTLS' own reader of certificates
 * takes a refused allocation for an invalid block and skips it; and writes PEM.
 */
#include "net/tls_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/pk.h>
#include <mbedtls/platform_util.h>

#include "base/base64.h"
#include "net/tls.h"

#define TRIES 16

static const char begin_mark[] = "-----BEGIN ";

/* Differences between the versions of mbedTLS. */
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
static const unsigned char *bytes_of(const struct fx_tls_pem *pem, size_t *ret_len) {
    mbedtls_pem_context block = pem->block;
    return mbedtls_pem_get_buffer(&block, ret_len);
}
#else
static const unsigned char *bytes_of(const struct fx_tls_pem *pem, size_t *ret_len) {
    *ret_len = pem->block.buflen;
    return pem->block.buf;
}
#endif

bool fx_tls_pem_init(struct fx_tls_pem *pem, struct fx_text text, struct fx_err *err) {
    *pem = (struct fx_tls_pem){.text = fx_text_dup(text), .len = text.len};
    mbedtls_pem_init(&pem->block);
    pem->at = pem->text;
    return pem->text != NULL || fx_fail_nomem(err);
}

void fx_tls_pem_finish(struct fx_tls_pem *pem) {
    mbedtls_pem_free(&pem->block);
    if (pem->text != NULL) {
        mbedtls_platform_zeroize(pem->text, pem->len);
    }
    free(pem->text);
    *pem = (struct fx_tls_pem){0};
}

/* Reads the label after a begin mark: `LABEL-----`. False if it is invalid. */
static bool read_label(const char *at, char label[FX_TLS_PEM_LABEL]) {
    const char *end = strstr(at, "-----");
    if (end == NULL || end == at || (size_t)(end - at) >= FX_TLS_PEM_LABEL ||
        memchr(at, '\n', (size_t)(end - at)) != NULL) {
        return false;
    }
    memcpy(label, at, (size_t)(end - at));
    label[end - at] = '\0';
    return true;
}

/* Decodes the block that begins at `pem->at`. Returns 0, or mbedTLS' code. */
static int read_block(struct fx_tls_pem *pem, size_t *ret_used) {
    char header[sizeof begin_mark + FX_TLS_PEM_LABEL + 5];
    char footer[sizeof header];
    pem->label[0] = '\0';
    if (!read_label(pem->at + strlen(begin_mark), pem->label)) {
        return MBEDTLS_ERR_PEM_NO_HEADER_FOOTER_PRESENT;
    }
    (void)snprintf(header, sizeof header, "-----BEGIN %s-----", pem->label);
    (void)snprintf(footer, sizeof footer, "-----END %s-----", pem->label);
    return mbedtls_pem_read_buffer(&pem->block, header, footer,
                                   (const unsigned char *)pem->at, NULL, 0, ret_used);
}

enum fx_tls_pem_next fx_tls_pem_next(struct fx_tls_pem *pem) {
    pem->at = pem->at == NULL ? NULL : strstr(pem->at, begin_mark);
    if (pem->at == NULL || pem->tries == TRIES) {
        return FX_TLS_PEM_END;
    }
    size_t used = 0;
    mbedtls_pem_free(&pem->block);
    mbedtls_pem_init(&pem->block);
    const int rc = read_block(pem, &used);
    if (rc == 0) {
        pem->at += used;
        return FX_TLS_PEM_BLOCK;
    }
    pem->at++; /* the next block may begin within this one */
    pem->tries++;
    return fx_tls_is_nomem(rc) ? FX_TLS_PEM_NOMEM : FX_TLS_PEM_BAD;
}

static bool is_certificate(const struct fx_tls_pem *pem) {
    return strcmp(pem->label, "CERTIFICATE") == 0;
}

int fx_tls_pem_parse(const struct fx_tls_pem *pem, mbedtls_x509_crt *chain) {
    if (!is_certificate(pem)) {
        return MBEDTLS_ERR_X509_INVALID_FORMAT;
    }
    size_t len = 0;
    const unsigned char *der = bytes_of(pem, &len);
    int rc = mbedtls_x509_crt_parse_der(chain, der, len);
    if (rc != 0) {
        rc = mbedtls_x509_crt_parse_der(chain, der, len);
    }
    return rc != 0 && fx_tls_is_memory_short() ? MBEDTLS_ERR_X509_ALLOC_FAILED : rc;
}

/* Handles one block. False without memory. */
static bool add_block(const struct fx_tls_pem *pem, enum fx_tls_pem_next next,
                      mbedtls_x509_crt *chain, size_t *n_bad) {
    if (next == FX_TLS_PEM_NOMEM || !is_certificate(pem)) {
        return next != FX_TLS_PEM_NOMEM;
    }
    const int rc = next == FX_TLS_PEM_BAD ? MBEDTLS_ERR_X509_INVALID_FORMAT
                                          : fx_tls_pem_parse(pem, chain);
    *n_bad += rc != 0;
    return !fx_tls_is_nomem(rc);
}

bool fx_tls_pem_certificates(struct fx_text text, mbedtls_x509_crt *chain,
                             size_t *ret_n_bad, struct fx_err *err) {
    struct fx_tls_pem pem;
    if (!fx_tls_pem_init(&pem, text, err)) {
        return false;
    }
    size_t n_bad = 0;
    bool ok = true;
    enum fx_tls_pem_next next = fx_tls_pem_next(&pem);
    for (; ok && next != FX_TLS_PEM_END; next = fx_tls_pem_next(&pem)) {
        ok = add_block(&pem, next, chain, &n_bad);
    }
    fx_tls_pem_finish(&pem);
    if (!ok) {
        return fx_fail_nomem(err);
    }
    if (ret_n_bad != NULL) {
        *ret_n_bad = n_bad;
    }
    return true;
}

/* ---- writing ----
 *
 * Written here, because mbedTLS' own writer frees a buffer that still has the text of a
 * private key. */

#define DER_BYTES  8192  /* more than any key needs */
#define PEM_BYTES  16384 /* for its PEM */
#define LINE_BYTES 48    /* 64 characters of base64 */

#if MBEDTLS_VERSION_NUMBER >= 0x03000000
static int write_der(const struct fx_tls_config *config, unsigned char *to) {
    return mbedtls_pk_write_key_der(&config->key, to, DER_BYTES);
}
#else
/* 2.28 declares the key without `const`, but only reads it. */
static int write_der(const struct fx_tls_config *config, unsigned char *to) {
    mbedtls_pk_context key = config->key;
    return mbedtls_pk_write_key_der(&key, to, DER_BYTES);
}
#endif

static void print_der(const char *label, const unsigned char *der, size_t len,
                      struct fx_buf *pem) {
    fx_buf_printf(pem, "-----BEGIN %s-----\n", label);
    for (size_t at = 0; at < len; at += LINE_BYTES) {
        const size_t n = len - at < LINE_BYTES ? len - at : LINE_BYTES;
        fx_base64_encode(pem, (struct fx_text){(const char *)der + at, n});
        fx_buf_char(pem, '\n');
    }
    fx_buf_printf(pem, "-----END %s-----\n", label);
}

void fx_tls_pem_print(const mbedtls_x509_crt *cert, struct fx_buf *pem) {
    print_der("CERTIFICATE", cert->raw.p, cert->raw.len, pem);
}

void fx_tls_config_print_key(const struct fx_tls_config *config, struct fx_buf *pem) {
    struct fx_buf der = {0};
    unsigned char *to = (unsigned char *)fx_buf_reserve(&der, DER_BYTES);
    const bool is_rsa = mbedtls_pk_get_type(&config->key) == MBEDTLS_PK_RSA;
    int len = -1;
    if (to != NULL &&
        fx_buf_reserve(pem, PEM_BYTES) != NULL) { /* a reserved buffer never moves */
        len = write_der(config, to);
    }
    if (len > 0) { /* mbedTLS writes to the end of the buffer */
        print_der(is_rsa ? "RSA PRIVATE KEY" : "EC PRIVATE KEY", to + DER_BYTES - len,
                  (size_t)len, pem);
    } else {
        pem->failed = true;
    }
    fx_tls_wipe(&der);
}
