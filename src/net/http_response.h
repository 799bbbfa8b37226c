/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response.h - parses an HTTP/1.1 response (RFC 9112), however the bytes are
 * split. The body is collected, or passed on in pieces. Opens no socket.
 */
#ifndef FX_NET_HTTP_RESPONSE_H
#define FX_NET_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_http_response; /* opaque */

/* The result of a call. */
enum fx_http_response_event {
    FX_HTTP_RESPONSE_MORE,  /* all bytes were used; more are needed */
    FX_HTTP_RESPONSE_HEAD,  /* the head is complete; feed the rest, even if it is empty */
    FX_HTTP_RESPONSE_PIECE, /* bytes of a streamed body; feed the rest, even if it is
                             * empty */
    FX_HTTP_RESPONSE_WHOLE, /* the response is complete; further bytes are unexpected */
    FX_HTTP_RESPONSE_BAD,   /* the response is invalid; see `err` */
};

/* Creates a parser for a response with at most `max_head` bytes of head, including
 * interim responses (1xx, which are skipped), and `max_body` bytes of body. `to_head` is
 * true for a HEAD request, whose response has no body. NULL without memory. */
struct fx_http_response *fx_http_response_create(size_t max_head, size_t max_body,
                                                 bool to_head) FX_MUST_USE;
void fx_http_response_destroy(struct fx_http_response *response); /* NULL is fine */

/* Parses the next bytes of the connection and removes them from the front of `bytes`: all
 * of them, except with HEAD, PIECE and WHOLE. HEAD comes once, for the response itself.
 * Do not call it after WHOLE and BAD. Errors: FX_EIO (not HTTP/1.x, or an ambiguous
 * framing), FX_ELIMIT, FX_ENOMEM. */
enum fx_http_response_event fx_http_response_feed(struct fx_http_response *response,
                                                  struct fx_text *bytes,
                                                  struct fx_err *err) FX_MUST_USE;

/* Makes the parser pass the body on in pieces, without a limit. Call it after HEAD,
 * before the rest is fed. The framing is limited in proportion: more than `max_head`
 * bytes in addition to those that chunks need fail with FX_ELIMIT. */
void fx_http_response_stream(struct fx_http_response *response);

/* Returns the bytes of PIECE: a part of the bytes that were fed, not empty. */
struct fx_text fx_http_response_piece(const struct fx_http_response *response);

/* Reports the end of the connection. `truncated` says that bytes may be missing. WHOLE
 * only for a body that ends with the connection (section 6.3). Call it only after MORE,
 * or at first. */
enum fx_http_response_event fx_http_response_end(struct fx_http_response *response,
                                                 bool truncated,
                                                 struct fx_err *err) FX_MUST_USE;

/* Can the connection be reused after WHOLE? Only in HTTP/1.1, without `Connection:
 * close`, if the response had a definite length (RFC 9112 section 9.3) and no further
 * byte came. */
bool fx_http_response_persists(const struct fx_http_response *response);

/* Return the status, and the head with the status line and the fields; borrowed.
 * Available from HEAD on. */
unsigned fx_http_response_status(const struct fx_http_response *response);
struct fx_text fx_http_response_head(const struct fx_http_response *response);

/* Returns the body after WHOLE, borrowed; empty if it was streamed. */
struct fx_text fx_http_response_body(const struct fx_http_response *response);

#endif
