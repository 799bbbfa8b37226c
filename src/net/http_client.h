/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client.h - one HTTP/1.1 request to a server, over TLS or plain: resolve,
 * connect, send, read the response, as a whole or in pieces, close. With a pool
 * the connection of an earlier call is reused if there is one, and kept
 * for later calls. Loop thread only.
 *
 * Names are resolved on a worker thread of libuv, which cannot always be cancelled: then
 * the loop stays alive until the resolver has given up, even if the call has failed or
 * was cancelled. The addresses of a name are tried in order; each, except the last, gets
 * an even share of the remaining time. After a connection was made, no other address is
 * tried.
 */
#ifndef FX_NET_HTTP_CLIENT_H
#define FX_NET_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "base/url.h"

struct fx_http_pool;
struct fx_tls_config;
struct fx_http_call; /* opaque: a running call */
struct fx_http_call_result;

/* An additional header field of the request. */
struct fx_http_field {
    const char *name; /* a constant, such as "Accept" */
    const char *value;
};

/* Receives a response in pieces, for bodies that may be endless. Both functions may
 * cancel this call (nothing is called afterwards) and any other, and start calls. */
struct fx_http_sink {
    /* Called when the head is complete: `result` has the status and the head, but no
     * body. If it returns false, the body is collected and passed to `on_done` (for
     * errors). */
    bool (*on_head)(const struct fx_http_call_result *result, void *user);
    /* Called with the next bytes of the body, without framing; borrowed for the call. */
    void (*on_piece)(struct fx_text piece, void *user);
    uint64_t silence_ms; /* the longest time without a byte after the head; 0 for no
                          * limit. Bytes of the framing count, TCP keep-alive does not */
};

/* The options of a call. Everything is copied, except `tls` and `pool`, of which
 * references are taken. */
struct fx_http_call_options {
    const struct fx_url *url;
    struct fx_tls_config *tls; /* of a client; NULL for plain HTTP (the scheme of the URL
                                * is ignored) */
    const char *method;        /* "POST" */
    const char *content_type;  /* of the body; NULL if there is no body. Both are
                                * constants */
    struct fx_text body;
    /* Added after the default fields, in this order; `Accept` replaces the default one. A
     * value with an invalid character (RFC 9110 section 5.5) fails with FX_EINVALID. The
     * copy is overwritten after it was sent, because it may have a token. */
    const struct fx_http_field *fields;
    size_t n_fields;
    size_t max_head, max_body; /* limits of the response; 0 for the defaults of
                                * base/limits.h. A body for a sink has no limit */
    uint64_t timeout_ms; /* until the last byte of the response; until the end of the head
                          * if a sink receives the body */
    const struct fx_http_sink *sink; /* NULL if the response is collected */
    struct fx_http_pool *pool; /* of this loop; NULL for a new connection, which is closed
                                * afterwards */
    /* May the request be sent twice? Then, if a connection from the pool ends before the
     * first byte of the response (because the server was just closing it), the request is
     * sent once more on a new connection, within the same timeout (RFC 9110 section
     * 9.2.2, RFC 9112 section 9.3.1). Otherwise the call fails. */
    bool repeatable;
    /* Does the body itself show whether it is complete, as JSON does? Then a body that
     * ends with the connection is accepted without TLS's close_notify, which many simple
     * servers do not send; Go's client accepts it as well. Otherwise it counts as
     * truncated. */
    bool allows_missing_close_notify;
};

/* The result of a call. Borrowed for the call of `on_done`. */
struct fx_http_call_result {
    const struct fx_err *failure; /* NULL, or why there is no response: FX_EIO, FX_ELIMIT,
                                   * FX_EDEADLINE, FX_ENOMEM; for example `connect
                                   * 127.0.0.1:9443: connection refused` */
    unsigned status;
    struct fx_text head; /* status line and fields, for fx_http_head_field() */
    struct fx_text body; /* empty if a sink took it */
};

/* Starts a call. `on_done` is called exactly once, later, on the loop, and may start
 * other calls; then *ret_call is invalid. Any status counts as a response. With a sink,
 * `on_done` reports whether the body is complete. False, and no call, only without memory
 * (FX_ENOMEM), or if a field is invalid (FX_EINVALID). */
bool fx_http_call_start(uv_loop_t *loop, const struct fx_http_call_options *options,
                        void (*on_done)(const struct fx_http_call_result *result,
                                        void *user),
                        void *user, struct fx_http_call **ret_call,
                        struct fx_err *err) FX_MUST_USE;

/* Cancels a call before its `on_done`, which is not called then. The loop must
 * keep running to close handles. */
void fx_http_call_cancel(struct fx_http_call *call);

/* ---- pool ----
 *
 * Idle connections of earlier calls, for later calls to the same host and port with the
 * same TLS configuration: a handshake takes milliseconds of the loop. The newest
 * connection is reused first, and the oldest closed first. An idle connection that
 * receives anything (an end, an error, unexpected bytes) is closed. */

/* The options of a pool. 0 stands for the default of base/limits.h. */
struct fx_http_pool_options {
    size_t max_idle, max_idle_per_target;
    uint64_t idle_ms; /* the longest time without use */
    uint64_t age_ms;  /* the highest age of a kept connection */
};

/* Creates the pool of a loop. `options` is NULL for the defaults. NULL without memory. */
struct fx_http_pool *fx_http_pool_create(uv_loop_t *loop,
                                         const struct fx_http_pool_options *options,
                                         struct fx_err *err) FX_MUST_USE;

/* Closes the idle connections. Running calls continue, and close their connections
 * afterwards. The loop must keep running to close handles. NULL is fine. */
void fx_http_pool_close(struct fx_http_pool *pool);

#endif
