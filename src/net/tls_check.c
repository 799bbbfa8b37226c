/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_check.c - is this PEM something that a client can trust?
 */
#include "net/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/pem.h>

#include "net/tls_config.h"

#define LABEL_BYTES 64
#define TRIES       16 /* blocks that cannot be decoded: each costs a look at all the text */

static const char begin_mark[] = "-----BEGIN ";

struct block {
    char label[LABEL_BYTES]; /* "CERTIFICATE" */
    mbedtls_pem_context pem; /* decoded */
};

/* What differs between the versions of mbedTLS. */
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
static const unsigned char *bytes_of(const struct block *block, size_t *ret_len) {
    mbedtls_pem_context pem = block->pem;
    return mbedtls_pem_get_buffer(&pem, ret_len);
}
#else
static const unsigned char *bytes_of(const struct block *block, size_t *ret_len) {
    *ret_len = block->pem.buflen;
    return block->pem.buf;
}
#endif

/* Reads the label behind a begin mark: `LABEL-----`; false where there is none. */
static bool read_label(const char *at, char label[LABEL_BYTES]) {
    const char *end = strstr(at, "-----");
    if (end == NULL || end == at || (size_t)(end - at) >= LABEL_BYTES ||
        memchr(at, '\n', (size_t)(end - at)) != NULL) {
        return false;
    }
    memcpy(label, at, (size_t)(end - at));
    label[end - at] = '\0';
    return true;
}

/* Decodes the block that begins at `at`; 0, or mbedTLS' code. */
static int read_block(const char *at, struct block *block) {
    char header[sizeof begin_mark + LABEL_BYTES + 5];
    char footer[sizeof header];
    size_t used = 0;
    if (!read_label(at + strlen(begin_mark), block->label)) {
        return MBEDTLS_ERR_PEM_NO_HEADER_FOOTER_PRESENT;
    }
    (void)snprintf(header, sizeof header, "-----BEGIN %s-----", block->label);
    (void)snprintf(footer, sizeof footer, "-----END %s-----", block->label);
    return mbedtls_pem_read_buffer(&block->pem, header, footer, (const unsigned char *)at,
                                   NULL, 0, &used);
}

/* The first block that can be decoded, as Go's pem.Decode() finds it. */
static bool find_block(const char *text, struct block *block, struct fx_err *err) {
    int rc = MBEDTLS_ERR_PEM_NO_HEADER_FOOTER_PRESENT;
    const char *at = strstr(text, begin_mark);
    for (int n = 0; rc != 0 && at != NULL && n < TRIES; n++) {
        mbedtls_pem_free(&block->pem);
        mbedtls_pem_init(&block->pem);
        rc = read_block(at, block);
        at = strstr(at + 1, begin_mark);
        if (rc == MBEDTLS_ERR_PEM_ALLOC_FAILED) {
            return fx_fail_nomem(err);
        }
    }
    return rc == 0 || fx_fail(err, FX_EINVALID, "bad caBundle");
}

static bool check_block(const struct block *block, struct fx_err *err) {
    mbedtls_x509_crt cert;
    mbedtls_x509_crt_init(&cert);
    int rc = MBEDTLS_ERR_X509_INVALID_FORMAT;
    if (strcmp(block->label, "CERTIFICATE") == 0) {
        size_t len = 0;
        const unsigned char *der = bytes_of(block, &len);
        rc = mbedtls_x509_crt_parse_der(&cert, der, len);
    }
    mbedtls_x509_crt_free(&cert);
    if (rc == MBEDTLS_ERR_X509_ALLOC_FAILED) {
        return fx_fail_nomem(err);
    }
    return rc == 0 || fx_tls_fail(err, FX_EINVALID, "failed to parse caBundle", rc);
}

bool fx_tls_check_ca(struct fx_text pem, struct fx_err *err) {
    char *text = fx_text_dup(pem);
    if (text == NULL) {
        return fx_fail_nomem(err);
    }
    struct block block;
    mbedtls_pem_init(&block.pem);
    const bool ok = find_block(text, &block, err) && check_block(&block, err);
    mbedtls_pem_free(&block.pem);
    free(text);
    return ok;
}
