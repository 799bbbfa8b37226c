/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_pem.h - private to the files tls*.c: the blocks of a PEM text (RFC 7468) and
 * the certificates among them, as Go's pem.Decode() finds them.
 */
#ifndef FX_NET_TLS_PEM_H
#define FX_NET_TLS_PEM_H

#include <stdbool.h>
#include <stddef.h>

#include <mbedtls/pem.h>
#include <mbedtls/x509_crt.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define FX_TLS_PEM_LABEL 64

/* A reader of a PEM text. */
struct fx_tls_pem {
    char *text; /* a copy */
    size_t len;
    const char *at;               /* the rest; NULL at the end */
    unsigned tries;               /* invalid blocks so far */
    char label[FX_TLS_PEM_LABEL]; /* of the block, such as "CERTIFICATE" */
    mbedtls_pem_context block;    /* decoded */
};

/* Result of fx_tls_pem_next(). BAD: a block that cannot be decoded. */
enum fx_tls_pem_next {
    FX_TLS_PEM_END,
    FX_TLS_PEM_BLOCK,
    FX_TLS_PEM_BAD,
    FX_TLS_PEM_NOMEM,
};

/* Starts reading. The text is copied; a NUL ends it. Errors: FX_ENOMEM. */
bool fx_tls_pem_init(struct fx_tls_pem *pem, struct fx_text text,
                     struct fx_err *err) FX_MUST_USE;

/* Overwrites and frees the copy. */
void fx_tls_pem_finish(struct fx_tls_pem *pem);

/* Reads the next block, skipping text before it. An invalid block costs a scan of the
 * whole text, so the result is END after 16 of them. */
enum fx_tls_pem_next fx_tls_pem_next(struct fx_tls_pem *pem) FX_MUST_USE;

/* Appends the block, which must be a certificate, to `chain`. Returns 0 or mbedTLS' code.
 */
int fx_tls_pem_parse(const struct fx_tls_pem *pem, mbedtls_x509_crt *chain) FX_MUST_USE;

/* Appends all certificates of the text to `chain`. *ret_n_bad, unless NULL: how many
 * cannot be read (blocks of other kinds are ignored). Errors: FX_ENOMEM. */
bool fx_tls_pem_certificates(struct fx_text text, mbedtls_x509_crt *chain,
                             size_t *ret_n_bad, struct fx_err *err) FX_MUST_USE;

/* Appends a certificate as PEM. Sets `failed` of `pem` if out of memory. */
void fx_tls_pem_print(const mbedtls_x509_crt *cert, struct fx_buf *pem);

#endif
