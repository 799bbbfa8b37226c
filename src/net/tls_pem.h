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

/* Where a reader of PEM stands. */
struct fx_tls_pem {
    char *text; /* a copy of its own */
    size_t len;
    const char *at;               /* what was not read yet; NULL at the end */
    unsigned tries;               /* blocks that could not be decoded */
    char label[FX_TLS_PEM_LABEL]; /* of the block: "CERTIFICATE" */
    mbedtls_pem_context block;    /* decoded */
};

/* What came next. BAD: something that begins as a block and cannot be decoded. */
enum fx_tls_pem_next {
    FX_TLS_PEM_END,
    FX_TLS_PEM_BLOCK,
    FX_TLS_PEM_BAD,
    FX_TLS_PEM_NOMEM,
};

/* Begins at the start of the text, which is copied; a NUL ends it. Errors: FX_ENOMEM. */
bool fx_tls_pem_init(struct fx_tls_pem *pem, struct fx_text text,
                     struct fx_err *err) FX_MUST_USE;

/* Wipes and frees. */
void fx_tls_pem_finish(struct fx_tls_pem *pem);

/* The next block, with any text before it left out. Each BAD one costs a look at all the
 * text, so after 16 of them it is the END. */
enum fx_tls_pem_next fx_tls_pem_next(struct fx_tls_pem *pem) FX_MUST_USE;

/* Appends the block to `chain` where it is a certificate; 0, or mbedTLS' code. */
int fx_tls_pem_parse(const struct fx_tls_pem *pem, mbedtls_x509_crt *chain) FX_MUST_USE;

/* Appends every certificate of the text to `chain`, and counts those that cannot be read
 * (blocks of another kind are no matter). Errors: FX_ENOMEM. */
bool fx_tls_pem_certificates(struct fx_text text, mbedtls_x509_crt *chain,
                             size_t *ret_n_bad, struct fx_err *err) FX_MUST_USE;

/* Appends a certificate as PEM. Failure sticks in `pem`. */
void fx_tls_pem_print(const mbedtls_x509_crt *cert, struct fx_buf *pem);

#endif
