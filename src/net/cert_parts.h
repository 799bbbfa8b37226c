/* SPDX-License-Identifier: Apache-2.0
 *
 * net/cert_parts.h - parts of a certificate (RFC 5280) that need no TLS library: names
 * and addresses as an extension, dates.
 */
#ifndef FX_NET_CERT_PARTS_H
#define FX_NET_CERT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"

/* The bytes of an IPv4 or IPv6 address. Returns 4 or 16, or 0 if the text is not an
 * address. */
size_t fx_cert_address(const char *text, unsigned char ret_bytes[16]);

/* Appends the value of a subjectAltName extension (section 4.2.1.6): an iPAddress for
 * each name that is an address, a dNSName for the others. Errors: FX_EINVALID (no name;
 * an empty name, one over 253 bytes, or with invalid characters), FX_ENOMEM. */
bool fx_cert_names_write(const char *const *names, size_t n_names, struct fx_buf *der,
                         struct fx_err *err) FX_MUST_USE;

#define FX_CERT_DATE sizeof "20260102030405"

/* The date of `seconds` since 1970 as certificates write it: YYYYMMDDhhmmss, UTC. */
void fx_cert_date(int64_t seconds, char out[FX_CERT_DATE]);

#endif
