/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_config.h - private to the files tls*.c: a configuration in mbedTLS' terms, and
 * what those files share.
 */
#ifndef FX_NET_TLS_CONFIG_H
#define FX_NET_TLS_CONFIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#if MBEDTLS_VERSION_NUMBER >= 0x03000000 && MBEDTLS_VERSION_NUMBER < 0x03060100
#error "mbedTLS 3 before 3.6.1 ends a TLS 1.3 connection where it should go on"
#endif

struct fx_tls_client_rules; /* opaque: whom a server lets in (tls_clients.c) */

struct fx_tls_config {
    atomic_uint refs;
    bool server;
    mbedtls_ssl_config conf;
    mbedtls_x509_crt chain; /* its own, with `key`; a client may have none */
    mbedtls_pk_context key;
    mbedtls_x509_crt trusted; /* who may vouch for the peer */
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context drbg;
    char *server_name; /* a client's; an address is checked by verify_address() */
    unsigned char address[16];
    size_t address_len; /* 4 or 16 where `server_name` is an address, else 0 */
    struct fx_tls_client_rules *admission; /* NULL: mbedTLS alone decides */
};

void fx_tls_client_rules_destroy(
    struct fx_tls_client_rules *admission); /* NULL is fine */

#define FX_TLS_NAME_BYTES 65 /* a common name has 64 at most (RFC 5280 appendix A) */

/* What a session's peer has shown of itself. Zeroed at first. */
struct fx_tls_peer {
    const struct fx_tls_client_rules *admission; /* NULL: nobody asked */
    char common_name[FX_TLS_NAME_BYTES];
};

/* Has the session looked at by the admission of its configuration, if there is one. */
void fx_tls_peer_watch(struct fx_tls_peer *peer, const struct fx_tls_config *config,
                       mbedtls_ssl_context *ssl);

/* The handshake has failed so: tells whom it concerns where it was the certificate. */
void fx_tls_peer_fail(const struct fx_tls_peer *peer, mbedtls_ssl_context *ssl, int rc);

/* The handshake is over: is the certificate one that is let in? Nothing of the session
 * may be used before. False: an alert is sent, and whom it concerns is told. */
bool fx_tls_peer_check(const struct fx_tls_peer *peer,
                       mbedtls_ssl_context *ssl) FX_MUST_USE;

/* An empty one, seeded, with one reference. NULL: see `err`. */
struct fx_tls_config *fx_tls_config_create(bool server, struct fx_err *err) FX_MUST_USE;

/* Its own chain, all of which must be readable, and the key that fits the first of it.
 * Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_tls_config_add_own(struct fx_tls_config *config, struct fx_text cert_pem,
                           struct fx_text key_pem, struct fx_err *err) FX_MUST_USE;

/* The last step of every server: the chain and key are there. */
bool fx_tls_config_finish_server(struct fx_tls_config *config,
                                 struct fx_err *err) FX_MUST_USE;

/* A callback of mbedTLS: has the first certificate the address that `user`, a
 * struct fx_tls_config, asks for, or alternative names at all, so that mbedTLS compares
 * those? */
int fx_tls_config_verify_name(void *user, mbedtls_x509_crt *cert, int depth,
                              uint32_t *flags);

/* Seconds since 1970. */
int64_t fx_tls_seconds(const mbedtls_x509_time *at);

/* Is this mbedTLS' word for a refused allocation? */
bool fx_tls_is_nomem(int rc);

/* mbedTLS takes a refused allocation, here and there, for a key or signature that is not
 * right. So whatever depends on a no is asked a second time, and where even then memory
 * is short, as this tells, the no is none. */
bool fx_tls_is_memory_short(void);

/* mbedtls_x509_crt_verify() with that care, names apart: what is wrong with the chain is
 * in `ret_flags`, 0 if nothing. Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_tls_verify(mbedtls_x509_crt *chain, mbedtls_x509_crt *trusted,
                   int (*on_certificate)(void *user, mbedtls_x509_crt *cert, int depth,
                                         uint32_t *flags),
                   void *user, uint32_t *ret_flags, struct fx_err *err) FX_MUST_USE;

/* Fails with mbedTLS' own words behind `what`; with FX_ENOMEM where it lacked memory. */
bool fx_tls_fail(struct fx_err *err, enum fx_code code, const char *what, int rc);

#endif
