/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server.h - an HTTP/1.1 server (RFC 9112) on one libuv loop, plain or over TLS.
 *
 * Requests of one connection are answered in order; the next one is read only when the
 * last is answered. Bodies come whole, Content-Length or chunked. Whatever is wrong with
 * a message is answered here with its status and a sentence, and the connection closed:
 *   400 malformed · 408 too slow · 413 body over `max_body` · 414/431 head too
 *   large · 417 unknown expectation · 501 unknown transfer coding · 505 version
 *   503 with Retry-After, too many connections or no room for the message
 * `Expect: 100-continue` is honoured. A request with both Content-Length and
 * Transfer-Encoding, or with two lengths, is malformed (RFC 9112 section 6.3).
 * What all connections hold of messages not yet answered (head, body and what was read
 * ahead, as the memory taken for it) is bounded by `max_held`: the connection whose bytes
 * go over it is the one refused, and gives back what it held; the others go on. A length
 * announced is not reserved, but for the first 64 KiB. Choose it well over twice
 * `max_body`, as buffers double. Small buffers kept for a next message do not count.
 * Trailers are ignored, `Upgrade` is not offered.
 * One connection too many is let in, and one that nobody misses is closed (http_room.c).
 * Only where all are busy it gets its 503, where it is plain; over TLS it is closed.
 * TLS handshakes take turns on a worker thread (handshakes.h), so that those who are
 * connected come first.
 * Not safe for threads: everything happens on the loop's thread. SIGPIPE is ignored from
 * the first server on, as libuv needs it.
 */
#ifndef FX_NET_HTTP_SERVER_H
#define FX_NET_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_tls_config;
struct fx_http_server;   /* opaque */
struct fx_http_exchange; /* opaque: one request and its answer */

struct fx_http_server_options {
    struct fx_tls_config *tls; /* borrowed for the call, counted; NULL: plain */
    size_t max_connections, max_header, max_body; /* bytes; 0: base/limits.h */
    size_t max_held; /* bytes of unanswered messages, all connections; 0: the limit */
    uint64_t idle_ms, message_ms, handshake_ms, write_ms;
    /* Called when a request is whole. It must lead to exactly one fx_http_respond(), now
     * or later, even where the client has gone. */
    void (*on_request)(struct fx_http_exchange *exchange, void *user);
    /* Where the connections go that it accepts; NULL: here. Else each socket is the
     * callee's, who hands it to fx_http_server_adopt() of another server, or closes it.
     */
    void (*on_socket)(int fd, void *user);
    /* Shall nothing be accepted for the moment? NULL: never. What comes waits in the
     * kernel, as it does while this server itself fx_http_server_is_overloaded(). */
    bool (*is_overloaded)(void *user);
    void *user;
};

/* What a scrape or a test may ask. */
struct fx_http_server_counts {
    size_t connections;       /* open now */
    size_t in_flight;         /* requests not yet answered */
    size_t held;              /* bytes of messages not yet answered */
    uint64_t accepted;        /* connections since the start */
    uint64_t refused;         /* 503: connections and messages without room */
    uint64_t dropped;         /* closed to make room for others */
    uint64_t handshakes;      /* TLS handshakes that succeeded */
    uint64_t handshake_fails; /* and that failed */
    uint64_t bad_requests;    /* answered here with an error */
};

/* A server that does not listen yet. */
struct fx_http_server *fx_http_server_create(uv_loop_t *loop,
                                             const struct fx_http_server_options *options,
                                             struct fx_err *err) FX_MUST_USE;

/* Listens on "HOST:PORT": an IPv4 or [IPv6] address, or an empty host for all addresses;
 * port 0 takes a free one. Errors: FX_EINVALID (no such address), FX_EIO. */
bool fx_http_server_listen(struct fx_http_server *server, const char *address,
                           struct fx_err *err) FX_MUST_USE;

/* Serves a connection that somebody else has accepted, as if it had come to this server's
 * own port; it need not have one. On the loop's thread. The socket is taken in any case:
 * without room or memory it is refused, and closed after fx_http_server_stop(). */
void fx_http_server_adopt(struct fx_http_server *server, int fd);

/* Do so many handshakes wait for their turn that no further connection should be given to
 * it for the moment? Any thread may ask. */
bool fx_http_server_is_overloaded(const struct fx_http_server *server);

/* The port it listens on; 0 before and after. */
uint16_t fx_http_server_port(const struct fx_http_server *server);

/* Connections accepted from now on use this certificate. */
void fx_http_server_set_tls(struct fx_http_server *server, struct fx_tls_config *tls);

/* From now on each response says `Connection: close`, and its connection ends with it.
 * Idle connections stay: a client may be sending on one at this moment, and would lose
 * its request. New ones are still accepted (endpoints are removed asynchronously).
 * Any thread may call it: what is answered after the call says it. */
void fx_http_server_drain(struct fx_http_server *server);

/* Closes the listener and every idle connection. Where a request is being answered, or
 * has begun to come, it is answered first; bytes that have come unread have two seconds
 * to become one. `on_stopped` (may be NULL) is called once, later, when nothing is left;
 * it may destroy the server. At most one call. */
void fx_http_server_stop(struct fx_http_server *server, void (*on_stopped)(void *user),
                         void *user);

/* Frees a server that was stopped (or never listened). One that still runs is stopped
 * first, and freed by the loop. NULL is fine. */
void fx_http_server_destroy(struct fx_http_server *server);

struct fx_http_server_counts fx_http_server_counts(const struct fx_http_server *server);

/* The name and version of the HTTP parser. */
const char *fx_http_library(void);

/* The request. Texts are borrowed and live until it is answered. */
struct fx_text fx_http_method(const struct fx_http_exchange *exchange); /* "POST" */
struct fx_text fx_http_path(const struct fx_http_exchange *exchange);   /* "/v1/mutate" */
struct fx_text fx_http_query(const struct fx_http_exchange *exchange);  /* "timeout=5s" */
struct fx_text fx_http_body(const struct fx_http_exchange *exchange);

/* The value of a header (name in any case), trimmed; empty (data NULL) where there is
 * none. The first one where there are several. */
struct fx_text fx_http_header(const struct fx_http_exchange *exchange, const char *name);

/* When its first byte was found: as the turn of the loop began in which it could be read,
 * not when its turn among the others came; within a millisecond (base/clock.h). */
uint64_t fx_http_arrival_ns(const struct fx_http_exchange *exchange);

/* Answers. `content_type` and `extra_headers` (whole lines, each ending in CR LF) may be
 * NULL. `body` is taken: emptied, its memory freed by the server. The server adds
 * Content-Length and, where due, Connection. The exchange is gone after the call. */
void fx_http_respond(struct fx_http_exchange *exchange, unsigned status,
                     const char *content_type, const char *extra_headers,
                     struct fx_buf *body);

#endif
