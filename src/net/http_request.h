/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_request.h - private to http_client.c: the bytes of a request (RFC 9112).
 */
#ifndef FX_NET_HTTP_REQUEST_H
#define FX_NET_HTTP_REQUEST_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "net/http_client.h"

/* Writes head and body to `request`, which must be empty. Call fx_tls_wipe() on it after
 * use: the fields of `options` are copied to no other place. Errors: FX_EINVALID (an
 * invalid field; the message does not have its value), FX_ENOMEM. */
bool fx_http_request_write(const struct fx_http_call_options *options,
                           struct fx_buf *request, struct fx_err *err) FX_MUST_USE;

#endif
