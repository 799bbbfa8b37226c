/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_response.h - one HTTP/1.1 response out of bytes (RFC 9112), however they are
 * split. Its body is collected, or handed out piece by piece. Opens no socket.
 */
#ifndef FX_NET_HTTP_RESPONSE_H
#define FX_NET_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_http_response; /* opaque */

/* What one call led to. */
enum fx_http_response_event {
    FX_HTTP_RESPONSE_MORE,  /* all bytes are used, more are needed */
    FX_HTTP_RESPONSE_HEAD,  /* the head is there; feed the rest, even where it is empty */
    FX_HTTP_RESPONSE_PIECE, /* the next bytes of a streamed body; feed the rest likewise
                             */
    FX_HTTP_RESPONSE_WHOLE, /* it is whole; what comes behind it is nobody's */
    FX_HTTP_RESPONSE_BAD,   /* it will never be; `err` says why */
};

/* For a response with at most so many bytes of head, those of interim responses (1xx,
 * which are skipped) included, and of body. `to_head`: to a HEAD request, so without a
 * body. NULL without memory. */
struct fx_http_response *fx_http_response_create(size_t max_head, size_t max_body,
                                                 bool to_head) FX_MUST_USE;
void fx_http_response_destroy(struct fx_http_response *response); /* NULL is fine */

/* Takes the next bytes of the connection, off the front of `bytes`: all of them but at
 * HEAD, PIECE and WHOLE. There is one HEAD, that of the response itself. Not after WHOLE
 * and BAD. Errors: FX_EIO (no HTTP/1.x, or a framing that two readers could understand
 * differently), FX_ELIMIT, FX_ENOMEM. */
enum fx_http_response_event fx_http_response_feed(struct fx_http_response *response,
                                                  struct fx_text *bytes,
                                                  struct fx_err *err) FX_MUST_USE;

/* At HEAD, before the rest is fed: the body comes in pieces and has no bound. What frames
 * it must stay in proportion to it: more than `max_head` bytes beyond what chunks need
 * are FX_ELIMIT. */
void fx_http_response_stream(struct fx_http_response *response);

/* At PIECE: a part of the bytes that were fed, never empty. */
struct fx_text fx_http_response_piece(const struct fx_http_response *response);

/* The connection has ended; `cut`: not in order, so that bytes may be missing. WHOLE only
 * for a body that the end delimits (section 6.3). Only after MORE, or at first. */
enum fx_http_response_event fx_http_response_end(struct fx_http_response *response,
                                                 bool cut,
                                                 struct fx_err *err) FX_MUST_USE;

/* After WHOLE: may the connection carry another request? Only in HTTP/1.1, without
 * `Connection: close`, where the response had an end of its own (RFC 9112 section 9.3)
 * and no byte came behind it. */
bool fx_http_response_persists(const struct fx_http_response *response);

/* From HEAD on; the head is status line and fields, borrowed. */
unsigned fx_http_response_status(const struct fx_http_response *response);
struct fx_text fx_http_response_head(const struct fx_http_response *response);

/* After WHOLE: the body, borrowed; empty where it was streamed. */
struct fx_text fx_http_response_body(const struct fx_http_response *response);

#endif
