/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_parse.h - HTTP/1.1 requests out of bytes (RFC 9112), however they are split.
 * Opens no socket. Only this room includes llhttp: http_parse.c for requests, and
 * http_response.c for responses.
 */
#ifndef FX_NET_HTTP_PARSE_H
#define FX_NET_HTTP_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_http_parse; /* opaque: the requests of one connection, one after the other */

/* What one call of fx_http_parse_feed() led to. */
enum fx_http_event {
    FX_HTTP_MORE,     /* all bytes are used, more are needed */
    FX_HTTP_CONTINUE, /* the client waits for `100 Continue`; then feed the rest */
    FX_HTTP_WHOLE,    /* a request is whole; the rest belongs to those after it */
    FX_HTTP_BAD,      /* it will never be: see fx_http_parse_fault() */
};

/* A whole request. Texts are borrowed until fx_http_parse_next(). */
struct fx_http_request {
    struct fx_text method, body;
    struct fx_text path, query; /* of an absolute target, too (section 3.2.2) */
    struct fx_text head; /* request line and fields as they came, for http_head.h */
    bool is_head;        /* wants no body in the answer */
    bool keep_alive;     /* the connection may live on */
    bool is_1_0;         /* HTTP/1.0, where `Connection: keep-alive` must be said */
};

/* Why a request is refused: the status that says so, and a sentence. */
struct fx_http_fault {
    unsigned status; /* 0: none */
    const char *why;
};

/* Memory that goes from one request to the next, whichever connection that is on: an idle
 * connection holds none. Zeroed at first. */
struct fx_http_spare {
    struct fx_buf head, body;
};

void fx_http_spare_finish(struct fx_http_spare *spare);

/* For requests with at most so many bytes of head and body. `spare` is borrowed, and may
 * be shared by all of one thread; NULL: none. NULL without memory. */
struct fx_http_parse *fx_http_parse_create(size_t max_header, size_t max_body,
                                           struct fx_http_spare *spare) FX_MUST_USE;
void fx_http_parse_destroy(struct fx_http_parse *parse); /* NULL is fine */

/* Takes the next bytes of the connection, as far as they belong to the current request;
 * `ret_used` of them are used up. After WHOLE, only with fx_http_parse_next() first;
 * after BAD, never again. */
enum fx_http_event fx_http_parse_feed(struct fx_http_parse *parse, struct fx_text bytes,
                                      size_t *ret_used) FX_MUST_USE;

/* Has any byte of the current request come (empty lines before it do not count)? */
bool fx_http_parse_begun(const struct fx_http_parse *parse);

/* Bytes of memory held for the current request; 0 before it has begun. NULL holds
 * nothing. */
size_t fx_http_parse_held(const struct fx_http_parse *parse);

/* After WHOLE. */
struct fx_http_request fx_http_parse_request(const struct fx_http_parse *parse);

/* After BAD. */
struct fx_http_fault fx_http_parse_fault(const struct fx_http_parse *parse);

/* Forgets the request and is ready for the next one, without memory of its own. */
void fx_http_parse_next(struct fx_http_parse *parse);

#endif
