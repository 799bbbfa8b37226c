/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_parse.h - parses HTTP/1.1 requests (RFC 9112), however the bytes are split.
 * Opens no socket. Only two files include llhttp: http_parse.c for requests and
 * http_response.c for responses.
 */
#ifndef FX_NET_HTTP_PARSE_H
#define FX_NET_HTTP_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_http_parse; /* opaque: parses the requests of one connection, one after the
                       * other */

/* The result of fx_http_parse_feed(). */
enum fx_http_event {
    FX_HTTP_MORE,     /* all bytes were used; more are needed */
    FX_HTTP_CONTINUE, /* the client waits for `100 Continue`; feed the rest afterwards */
    FX_HTTP_WHOLE,    /* a request is complete; further bytes belong to the next one */
    FX_HTTP_BAD,      /* the request is invalid: see fx_http_parse_fault() */
};

/* A complete request. Texts are borrowed until fx_http_parse_next(). */
struct fx_http_request {
    struct fx_text method, body;
    struct fx_text path, query; /* also of an absolute target (section 3.2.2) */
    struct fx_text head;        /* request line and fields as received, for http_head.h */
    bool is_head;               /* HEAD: the response has no body */
    bool keep_alive;            /* the connection may stay open */
    bool is_1_0; /* HTTP/1.0, so the response needs `Connection: keep-alive` */
};

/* Why a request is invalid: the status of the response, and a sentence. */
struct fx_http_fault {
    unsigned status; /* 0 if it is valid */
    const char *why;
};

/* Buffers that are passed from one request to the next, of any connection, so that an
 * idle connection has none. Zeroed at first. */
struct fx_http_spare {
    struct fx_buf head, body;
};

/* Frees the buffers. */
void fx_http_spare_finish(struct fx_http_spare *spare);

/* Creates a parser for requests with at most `max_header` bytes of head and `max_body`
 * bytes of body. `spare` is borrowed, and may be shared by all parsers of a thread; it
 * may be NULL. NULL without memory. */
struct fx_http_parse *fx_http_parse_create(size_t max_header, size_t max_body,
                                           struct fx_http_spare *spare) FX_MUST_USE;
void fx_http_parse_destroy(struct fx_http_parse *parse); /* NULL is fine */

/* Parses the next bytes of the connection, as far as they belong to the current request:
 * the first *ret_used bytes. After WHOLE call fx_http_parse_next() first; do not call it
 * after BAD. */
enum fx_http_event fx_http_parse_feed(struct fx_http_parse *parse, struct fx_text bytes,
                                      size_t *ret_used) FX_MUST_USE;

/* Has the current request begun? Empty lines before it do not count. */
bool fx_http_parse_begun(const struct fx_http_parse *parse);

/* Returns the bytes of memory for the current request; 0 before it has begun, and for
 * NULL. */
size_t fx_http_parse_held(const struct fx_http_parse *parse);

/* Returns the request, after WHOLE. */
struct fx_http_request fx_http_parse_request(const struct fx_http_parse *parse);

/* Returns the fault, after BAD. */
struct fx_http_fault fx_http_parse_fault(const struct fx_http_parse *parse);

/* Frees the request and prepares for the next one. */
void fx_http_parse_next(struct fx_http_parse *parse);

#endif
