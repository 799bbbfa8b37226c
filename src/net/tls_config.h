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

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#include "base/err.h"
#include "base/macros.h"

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
};

/* An empty one, seeded, with one reference. NULL: see `err`. */
struct fx_tls_config *fx_tls_config_create(bool server, struct fx_err *err) FX_MUST_USE;

/* The last step of every server: the chain and key are there. */
bool fx_tls_config_finish_server(struct fx_tls_config *config,
                                 struct fx_err *err) FX_MUST_USE;

/* Fails with mbedTLS' own words behind `what`. */
bool fx_tls_fail(struct fx_err *err, enum fx_code code, const char *what, int rc);

#endif
