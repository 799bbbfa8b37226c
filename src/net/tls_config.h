/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_config.h - private to the files tls*.c: a configuration in terms of mbedTLS,
 * and functions that those files share.
 */
#ifndef FX_NET_TLS_CONFIG_H
#define FX_NET_TLS_CONFIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pem.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#if MBEDTLS_VERSION_NUMBER >= 0x03000000 && MBEDTLS_VERSION_NUMBER < 0x03060100
#error "mbedTLS 3 before 3.6.1 ends a TLS 1.3 connection where it should continue"
#endif

struct fx_tls_client_rules; /* opaque: rules for clients (tls_clients.c) */

struct fx_tls_config {
    atomic_uint refs;
    bool server;
    mbedtls_ssl_config conf;
    mbedtls_x509_crt chain; /* the own chain; a client may have none */
    mbedtls_pk_context key;
    mbedtls_x509_crt trusted; /* CA certificates for the peer */
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context drbg;
    char *server_name; /* of a client; may be an address */
    unsigned char address[16];
    size_t address_len; /* 4 or 16 if `server_name` is an address, otherwise 0 */
    struct fx_tls_client_rules *client_rules; /* NULL if only mbedTLS checks clients */
};

void fx_tls_client_rules_destroy(
    struct fx_tls_client_rules *client_rules); /* NULL is fine */

#define FX_TLS_NAME_BYTES 65 /* a common name has 64 at most (RFC 5280 appendix A) */

/* The peer of a session. Zeroed at first. */
struct fx_tls_peer {
    const struct fx_tls_client_rules *client_rules; /* NULL for no check */
    char common_name[FX_TLS_NAME_BYTES];
};

/* Applies the client rules of the configuration, if there are any, to the session. */
void fx_tls_peer_watch(struct fx_tls_peer *peer, const struct fx_tls_config *config,
                       mbedtls_ssl_context *ssl);

/* Is called if the handshake has failed with `rc`. Reports the refusal if the certificate
 * is the reason. */
void fx_tls_peer_fail(const struct fx_tls_peer *peer, mbedtls_ssl_context *ssl, int rc);

/* Is called when the handshake is complete, before anything of the session is used. Is
 * the certificate accepted? If it is not, an alert was sent and the refusal reported. */
bool fx_tls_peer_check(const struct fx_tls_peer *peer,
                       mbedtls_ssl_context *ssl) FX_MUST_USE;

/* Creates a configuration without certificates. NULL on failure. */
struct fx_tls_config *fx_tls_config_create(bool server, struct fx_err *err) FX_MUST_USE;

/* Sets the own chain, whose certificates must all be valid, and the key of the first one.
 * Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_tls_config_add_own(struct fx_tls_config *config, struct fx_text cert_pem,
                           struct fx_text key_pem, struct fx_err *err) FX_MUST_USE;

/* A callback of mbedTLS for certificates: checks that the leaf has the address of `user`,
 * a struct fx_tls_config, or, for a name, any alternative names, which mbedTLS then
 * compares. */
int fx_tls_config_verify_name(void *user, mbedtls_x509_crt *cert, int depth,
                              uint32_t *flags);

/* Returns the time in seconds since 1970. */
int64_t fx_tls_seconds(const mbedtls_x509_time *at);

/* Is it an error code for a failed allocation? */
bool fx_tls_is_nomem(int rc);

/* Is memory short? mbedTLS sometimes reports a failed allocation as an invalid key or
 * signature. So negative results are computed a second time, and do not count if memory
 * is then short. */
bool fx_tls_is_memory_short(void);

/* Calls mbedtls_x509_crt_verify() in this way, without names. *ret_flags are the faults
 * of the chain; 0 if there are none. Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_tls_verify(mbedtls_x509_crt *chain, mbedtls_x509_crt *trusted,
                   int (*on_certificate)(void *user, mbedtls_x509_crt *cert, int depth,
                                         uint32_t *flags),
                   void *user, uint32_t *ret_flags, struct fx_err *err) FX_MUST_USE;

/* Fails with `what` and mbedTLS' message; with FX_ENOMEM for a failed allocation. */
bool fx_tls_fail(struct fx_err *err, enum fx_code code, const char *what, int rc);

/* ---- the blocks of a PEM text (RFC 7468) and the certificates among them, as Go's
 * pem.Decode() finds them (tls_pem.c) ---- */

#define FX_TLS_PEM_LABEL 64

/* A reader of a PEM text. */
struct fx_tls_pem {
    char *text; /* a copy */
    size_t len;
    const char *at;               /* the rest of the text; NULL at the end */
    unsigned tries;               /* number of invalid blocks so far */
    char label[FX_TLS_PEM_LABEL]; /* of the block, such as "CERTIFICATE" */
    mbedtls_pem_context block;    /* the decoded block */
};

/* The result of fx_tls_pem_next(). BAD is a block that cannot be decoded. */
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

/* Appends all certificates of the text to `chain`. *ret_n_bad is the number of those that
 * cannot be read (blocks of other kinds are ignored); `ret_n_bad` may be NULL. Errors:
 * FX_ENOMEM. */
bool fx_tls_pem_certificates(struct fx_text text, mbedtls_x509_crt *chain,
                             size_t *ret_n_bad, struct fx_err *err) FX_MUST_USE;

/* Appends a certificate as PEM. Sets `failed` of `pem` if out of memory. */
void fx_tls_pem_print(const mbedtls_x509_crt *cert, struct fx_buf *pem);

#endif
