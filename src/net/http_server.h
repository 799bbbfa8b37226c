/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server.h - an HTTP/1.1 server (RFC 9112) on one libuv loop, plain or over TLS.
 *
 * Requests of a connection are answered in order; the next one is read when the last one
 * is answered. Bodies are passed on whole, with Content-Length or chunked. Invalid
 * messages are answered here with a status and a sentence, and the connection is closed:
 *   400 malformed · 408 too slow · 413 body over `max_body` · 414/431 head too
 *   large · 417 unknown expectation · 501 unknown transfer coding · 505 version
 *   503 with Retry-After, too many connections or no room for the message
 * `Expect: 100-continue` is honoured. A request with both Content-Length and
 * Transfer-Encoding, or with two lengths, is malformed (RFC 9112 section 6.3). Trailers
 * are ignored, `Upgrade` is not offered.
 *
 * Memory of unanswered messages (head, body and what was read ahead, as allocated) is
 * limited by `max_held` for all connections: a connection whose bytes exceed it is
 * refused and frees its memory; the others continue. An announced length is not reserved,
 * except the first 64 KiB. `max_held` should be well over twice `max_body`, because
 * buffers double. Small buffers that are kept for the next message do not count.
 *
 * If there are too many connections, a new one is accepted and an idle one closed
 * (http_server.c). If all are busy, the new one gets a 503 if it is plain, and is closed
 * if it is over TLS. TLS handshakes are queued for a worker thread (handshakes.h), so
 * that open connections come first.
 *
 * Not safe for threads, unless a function says otherwise: everything runs on the loop's
 * thread. SIGPIPE is ignored from the first server on, as libuv needs it.
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
struct fx_http_exchange; /* opaque: one request and its response */

struct fx_http_server_options {
    struct fx_tls_config *tls; /* NULL for plain HTTP. A reference is taken */
    size_t max_connections, max_header, max_body; /* 0 for base/limits.h */
    size_t max_held; /* bytes of unanswered messages of all connections; 0 for that of
                      * base/limits.h */
    uint64_t idle_ms, message_ms, handshake_ms, write_ms;
    /* Called when a request is complete. The callee must call fx_http_respond() exactly
     * once, now or later, even if the client has disconnected. */
    void (*on_request)(struct fx_http_exchange *exchange, void *user);
    /* If it is NULL, the server serves the connections that it accepts. Otherwise the
     * callee owns each socket: it passes it to fx_http_server_adopt() of another server,
     * or closes it. */
    void (*on_socket)(int fd, void *user);
    /* If it returns true, nothing is accepted for the moment; may be NULL. New
     * connections wait in the kernel, as they do while fx_http_server_is_overloaded() is
     * true for this server. */
    bool (*is_overloaded)(void *user);
    void *user;
};

/* Counts for metrics and tests. */
struct fx_http_server_counts {
    size_t connections;       /* that are open now */
    size_t in_flight;         /* requests without a response */
    size_t held;              /* bytes of messages without a response */
    uint64_t accepted;        /* connections since the start */
    uint64_t refused;         /* connections and messages refused for lack of room */
    uint64_t dropped;         /* closed to make room for others */
    uint64_t handshakes;      /* successful TLS handshakes */
    uint64_t handshake_fails; /* failed TLS handshakes */
    uint64_t bad_requests;    /* invalid messages, answered by the server itself */
};

/* Creates a server that does not listen yet. NULL if out of memory. */
struct fx_http_server *fx_http_server_create(uv_loop_t *loop,
                                             const struct fx_http_server_options *options,
                                             struct fx_err *err) FX_MUST_USE;

/* Listens on "HOST:PORT": an IPv4 or [IPv6] address, or an empty host for all addresses;
 * port 0 takes a free one. Errors: FX_EINVALID (no such address), FX_EIO. */
bool fx_http_server_listen(struct fx_http_server *server, const char *address,
                           struct fx_err *err) FX_MUST_USE;

/* Creates a server and listens. Errors: those of fx_http_server_listen(), FX_ENOMEM. */
struct fx_http_server *fx_http_server_open(uv_loop_t *loop,
                                           const struct fx_http_server_options *options,
                                           const char *address,
                                           struct fx_err *err) FX_MUST_USE;

/* Appends the address that was given to one of the functions above, with the actual
 * port. */
void fx_http_server_print_address(const struct fx_http_server *server,
                                  const char *address, struct fx_buf *text);

/* Serves a connection that was accepted elsewhere; the server need not have a port of its
 * own. Takes ownership of the socket in any case: it is closed if there is no room or
 * memory, or after fx_http_server_stop(). */
void fx_http_server_adopt(struct fx_http_server *server, int fd);

/* Are so many handshakes queued that the server should get no further connection for the
 * moment? Any thread may call it. */
bool fx_http_server_is_overloaded(const struct fx_http_server *server);

/* Returns the port; 0 if it does not listen. */
uint16_t fx_http_server_port(const struct fx_http_server *server);

/* Sets the configuration of new connections (a reference is taken); NULL for plain
 * HTTP. */
void fx_http_server_set_tls(struct fx_http_server *server, struct fx_tls_config *tls);

/* From now on each response has `Connection: close`, and its connection ends. Idle
 * connections stay open: a client may be sending a request at this moment, which would be
 * lost. New connections are still accepted (endpoints are removed asynchronously). Any
 * thread may call it; it applies to all responses after the call. */
void fx_http_server_drain(struct fx_http_server *server);

/* Closes the listener and all idle connections. Requests that wait for a response, or
 * have begun, are answered first; unread bytes have two seconds to become a request.
 * `on_stopped` (may be NULL) is called once, later, when everything is closed; it may
 * destroy the server. Call it at most once. */
void fx_http_server_stop(struct fx_http_server *server, void (*on_stopped)(void *user),
                         void *user);

/* Frees a server that was stopped, or never listened. A running one is stopped first, and
 * freed by the loop. NULL is fine. */
void fx_http_server_destroy(struct fx_http_server *server);

/* Returns the current counts. */
struct fx_http_server_counts fx_http_server_counts(const struct fx_http_server *server);

/* Returns the name and version of the HTTP parser. */
const char *fx_http_library(void);

/* Parts of the request. Texts are borrowed until the response. */
struct fx_text fx_http_method(const struct fx_http_exchange *exchange); /* "POST" */
struct fx_text fx_http_path(const struct fx_http_exchange *exchange);   /* "/v1/mutate" */
struct fx_text fx_http_query(const struct fx_http_exchange *exchange);  /* "timeout=5s" */
struct fx_text fx_http_body(const struct fx_http_exchange *exchange);

/* Returns the value of the first header with this name (case-insensitive), trimmed; data
 * is NULL if there is none. */
struct fx_text fx_http_header(const struct fx_http_exchange *exchange, const char *name);

/* Returns when its first byte was received: the start of the iteration in which it could
 * be read, not the time at which it was read. It is exact to a millisecond
 * (base/clock.h). */
uint64_t fx_http_arrival_ns(const struct fx_http_exchange *exchange);

/* Sends the response. `content_type` and `extra_headers` (whole lines, each ending in CR
 * LF) may be NULL. `body` is consumed. The server adds Content-Length and, if needed,
 * Connection. The exchange is invalid after the call. */
void fx_http_respond(struct fx_http_exchange *exchange, unsigned status,
                     const char *content_type, const char *extra_headers,
                     struct fx_buf *body);

#endif
