/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_key.c - a private key as PEM (RFC 7468), leaving no copy behind: mbedTLS' own
 * writer frees a buffer with the text in it.
 */
#include <string.h>

#include <mbedtls/pk.h>
#include <mbedtls/version.h>

#include "base/base64.h"
#include "net/tls.h"
#include "net/tls_config.h"

#define DER_BYTES  8192  /* more than mbedTLS writes for any key */
#define PEM_BYTES  16384 /* and for the text of that */
#define LINE_BYTES 48    /* which are 64 characters */

#if MBEDTLS_VERSION_NUMBER >= 0x03000000
static int write_der(const struct fx_tls_config *config, unsigned char *to) {
    return mbedtls_pk_write_key_der(&config->key, to, DER_BYTES);
}
#else
/* Which 2.28 declares without `const`, and reads only. */
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

void fx_tls_config_print_key(const struct fx_tls_config *config, struct fx_buf *pem) {
    struct fx_buf der = {0};
    unsigned char *to = (unsigned char *)fx_buf_reserve(&der, DER_BYTES);
    const bool is_rsa = mbedtls_pk_get_type(&config->key) == MBEDTLS_PK_RSA;
    int len = -1;
    if (to != NULL && fx_buf_reserve(pem, PEM_BYTES) != NULL) { /* it never moves */
        len = write_der(config, to);
    }
    if (len > 0) { /* they stand at the end of the room */
        print_der(is_rsa ? "RSA PRIVATE KEY" : "EC PRIVATE KEY", to + DER_BYTES - len,
                  (size_t)len, pem);
    } else {
        pem->failed = true;
    }
    fx_tls_wipe(&der);
}
