/* SPDX-License-Identifier: Apache-2.0
 *
 * base/url.h - absolute URLs with a host (RFC 3986), as far as a client needs them.
 */
#ifndef FX_BASE_URL_H
#define FX_BASE_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The parts, borrowed from the text. */
struct fx_url {
    struct fx_text scheme; /* as written; fx_url_is_scheme() ignores case */
    struct fx_text host;   /* a name or an address, without the brackets of IPv6 */
    bool is_ipv6;          /* the host was in brackets */
    uint16_t port; /* the given port, or that of http or https; 0 for other schemes */
    bool has_port;
    /* Path and query, without the fragment. If it does not begin with "/", it is empty or
     * begins with "?", and a "/" belongs before it (fx_url_write_target()). */
    struct fx_text target;
};

/* Reads `scheme://host[:port][/path][?query][#fragment]`, of any scheme. User names, and
 * characters that a request line cannot have, are refused. Errors: FX_ESYNTAX, with the
 * span; FX_ELIMIT over FX_LIMIT_URL_BYTES. */
bool fx_url_parse(struct fx_text text, struct fx_url *ret_url,
                  struct fx_err *err) FX_MUST_USE;

/* Is it this scheme, which is given in lower case? */
bool fx_url_is_scheme(const struct fx_url *url, const char *scheme);

/* Appends path and query as in a request line: at least "/". */
void fx_url_write_target(const struct fx_url *url, struct fx_buf *buf);

#endif
