/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_issue.h - certificates that we make, and what can be told of others: an
 * authority, leaves that it signs, chains and bundles in PEM (RFC 5280, RFC 7468). ECDSA
 * P-256. Opens no file and no socket.
 */
#ifndef FX_NET_TLS_ISSUE_H
#define FX_NET_TLS_ISSUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* A certificate and its private key, PEM. Zeroed is empty. */
struct fx_tls_pair {
    struct fx_buf cert, key;
};

void fx_tls_pair_finish(struct fx_tls_pair *pair); /* wipes the key; NULL is fine */

/* From when to when, both included, in seconds since 1970. */
struct fx_tls_dates {
    int64_t not_before, not_after;
};

/* A new authority of that common name (messages, digits, spaces and `-._:*`; 64 bytes at
 * most), which may sign leaves but no further authorities. Errors: FX_EINVALID (the name;
 * dates before 1970, after 9999 or the wrong way round), FX_EINTERNAL in mbedTLS' words,
 * FX_ENOMEM. */
bool fx_tls_issue_authority(const char *common_name, struct fx_tls_dates dates,
                            struct fx_tls_pair *ret_pair, struct fx_err *err) FX_MUST_USE;

/* A new leaf for these DNS names and IP addresses (at least one; the first is its common
 * name as far as that fits: 64 bytes), for servers and clients, signed by the authority,
 * which is the first certificate in `ca_cert` (ECDSA or RSA). Its dates are not held
 * against the authority's. Errors: as above; FX_EINVALID where the authority does not
 * parse, its key does not fit, it is none, or its name is written in a way that mbedTLS
 * would not repeat to the byte, as Go wants it. */
bool fx_tls_issue_leaf(struct fx_text ca_cert, struct fx_text ca_key,
                       const char *const *names, size_t n_names,
                       struct fx_tls_dates dates, struct fx_tls_pair *ret_pair,
                       struct fx_err *err) FX_MUST_USE;

/* The dates of the first certificate in the PEM that can be read. Errors: FX_EINVALID,
 * FX_ENOMEM. */
bool fx_tls_read_dates(struct fx_text cert_pem, struct fx_tls_dates *ret_dates,
                       struct fx_err *err) FX_MUST_USE;

/* Would a client that trusts `ca_pem` accept a server with this chain and key under each
 * of these names at the time `now`, whatever the system's clock says? As a client of
 * net/tls.h and one of Go: alternative names are needed, no SHA-1. Certificates of
 * `ca_pem` that cannot be read are passed over. Errors say why not: FX_EINVALID (no PEM,
 * the key does not fit, expired or not yet valid, another authority, no server's
 * certificate, a missing name, more than 32 certificates in the chain), FX_ENOMEM. */
bool fx_tls_check_chain(struct fx_text ca_pem, struct fx_text cert_pem,
                        struct fx_text key_pem, const char *const *names, size_t n_names,
                        int64_t now, struct fx_err *err) FX_MUST_USE;

#define FX_TLS_BUNDLE_CERTS 100

/* Appends to `ret_pem` each certificate of `first` and then of `second` that is still
 * valid at `now` and was not yet appended, FX_TLS_BUNDLE_CERTS of them at most; what is
 * no certificate is left out. One that is not valid yet counts as valid. Errors:
 * FX_ENOMEM. */
bool fx_tls_bundle(struct fx_text first, struct fx_text second, int64_t now,
                   struct fx_buf *ret_pem, struct fx_err *err) FX_MUST_USE;

/* Does the bundle hold every certificate of `pem` (or are there none)? False, too, where
 * memory is short. */
bool fx_tls_bundle_contains(struct fx_text bundle, struct fx_text pem);

#endif
