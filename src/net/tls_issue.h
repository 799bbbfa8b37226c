/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_issue.h - issues certificates and inspects them: an authority, leaves that it
 * signs, chains and bundles in PEM (RFC 5280, RFC 7468). ECDSA P-256. Opens no file and
 * no socket.
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

/* A certificate and its private key in PEM. A zeroed pair is empty. */
struct fx_tls_pair {
    struct fx_buf cert, key;
};

void fx_tls_pair_finish(struct fx_tls_pair *pair); /* overwrites the key; NULL is fine */

/* A validity period, both ends included, in seconds since 1970. */
struct fx_tls_dates {
    int64_t not_before, not_after;
};

/* Issues an authority with this common name (letters, digits, spaces and `-._:*`; 64
 * bytes at most), which may sign leaves but not authorities. Errors: FX_EINVALID (invalid
 * name; dates before 1970, after 9999 or in the wrong order), FX_EINTERNAL with mbedTLS'
 * message, FX_ENOMEM. */
bool fx_tls_issue_authority(const char *common_name, struct fx_tls_dates dates,
                            struct fx_tls_pair *ret_pair, struct fx_err *err) FX_MUST_USE;

/* Issues a leaf for these DNS names and IP addresses (at least one; the first 64 bytes of
 * the first one are the common name), for servers and clients. It is signed by the first
 * certificate in `ca_cert` (ECDSA or RSA). The dates are not compared with those of the
 * authority. Errors: those of fx_tls_issue_authority(); FX_EINVALID if the authority is
 * invalid, its key does not fit, it may not sign, or mbedTLS cannot repeat its name byte
 * for byte, as Go requires. */
bool fx_tls_issue_leaf(struct fx_text ca_cert, struct fx_text ca_key,
                       const char *const *names, size_t n_names,
                       struct fx_tls_dates dates, struct fx_tls_pair *ret_pair,
                       struct fx_err *err) FX_MUST_USE;

/* Reads the dates of the first valid certificate in the PEM text. Errors: FX_EINVALID,
 * FX_ENOMEM. */
bool fx_tls_read_dates(struct fx_text cert_pem, struct fx_tls_dates *ret_dates,
                       struct fx_err *err) FX_MUST_USE;

/* Would a client that trusts `ca_pem` accept a server with this chain and key under each
 * of these names at the time `now` (not the system clock)? The client is one of net/tls.h
 * or of Go: it requires alternative names, and does not accept SHA-1. Invalid
 * certificates in `ca_pem` are skipped. Errors, with the reason: FX_EINVALID (invalid
 * PEM, the key does not fit, expired or not yet valid, another authority, not a server
 * certificate, a missing name, more than 32 certificates in the chain), FX_ENOMEM. */
bool fx_tls_check_chain(struct fx_text ca_pem, struct fx_text cert_pem,
                        struct fx_text key_pem, const char *const *names, size_t n_names,
                        int64_t now, struct fx_err *err) FX_MUST_USE;

#define FX_TLS_BUNDLE_CERTS 100

/* Appends to `ret_pem` the certificates of `first` and then of `second` that have not
 * expired at `now`, each once, at most FX_TLS_BUNDLE_CERTS. Other blocks are skipped. A
 * certificate that is not valid yet is included. Errors: FX_ENOMEM. */
bool fx_tls_bundle(struct fx_text first, struct fx_text second, int64_t now,
                   struct fx_buf *ret_pem, struct fx_err *err) FX_MUST_USE;

/* ---- parts of a certificate ---- */

/* Reads the bytes of an IPv4 or IPv6 address. Returns 4 or 16, or 0 if the text is not an
 * address. */
size_t fx_cert_address(const char *text, unsigned char ret_bytes[16]);

/* Appends the value of a subjectAltName extension (section 4.2.1.6): an iPAddress for
 * each name that is an address, a dNSName for the others. Errors: FX_EINVALID (no name;
 * an empty name, one over 253 bytes, or with invalid characters), FX_ENOMEM. */
bool fx_cert_names_write(const char *const *names, size_t n_names, struct fx_buf *der,
                         struct fx_err *err) FX_MUST_USE;

#define FX_CERT_DATE sizeof "20260102030405"

/* Prints the date of `seconds` since 1970 as in certificates: YYYYMMDDhhmmss, UTC. */
void fx_cert_date(int64_t seconds, char out[FX_CERT_DATE]);

#endif
