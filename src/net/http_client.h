/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client.h - one HTTP/1.1 request to somebody else, over TLS or plain: resolve,
 * connect, send, read the answer, as a whole or piece by piece, close. With a pool
 * (net/http_pool.h) it takes a connection of an earlier call where there is one, and
 * leaves it for a later one. Loop thread only.
 *
 * A name is looked up on a worker thread of libuv, which cannot always be called back:
 * the loop stays alive until the system's resolver has given up, even where the call has
 * long failed or been cancelled. The addresses of a name are tried in order, each but the
 * last for its even share of the time; what was once connected is not tried again.
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
struct fx_http_call; /* opaque: one request under way */
struct fx_http_call_result;

/* A field of the request's head besides those that every request has. */
struct fx_http_field {
    const char *name; /* a word of ours: "Accept" */
    const char *value;
};

/* An answer that is taken piece by piece as it comes, since it may have no end in sight.
 * Both functions may cancel this call, which is then told of nothing more, and any other,
 * and begin others. */
struct fx_http_sink {
    /* The head is there: `result` has the status and the head, no body. False: the body
     * is wanted whole after all (as that of an error), and comes with `on_done`. */
    bool (*on_head)(const struct fx_http_call_result *result, void *user);
    /* The next bytes of the body, without their framing. Borrowed for the call. */
    void (*on_piece)(struct fx_text piece, void *user);
    uint64_t silence_ms; /* so long no byte may come once the head has; 0: for ever. The
                          * framing of the body counts, the keep-alive of TCP does not */
};

/* All of it is copied but `tls` and `pool`, on which references are taken. */
struct fx_http_call_options {
    const struct fx_url *url;
    struct fx_tls_config *tls; /* a client's; NULL: plain (the scheme is not looked at) */
    const char *method;        /* "POST" */
    const char *content_type;  /* of the body; NULL: no body. Both are words of ours */
    struct fx_text body;
    /* Behind the usual ones, in their order; `Accept` replaces the usual one. A value
     * with a character that no field may have (RFC 9110 section 5.5) is FX_EINVALID. What
     * was copied of them is overwritten when it was sent: they may hold a token. */
    const struct fx_http_field *fields;
    size_t n_fields;
    size_t max_head, max_body; /* of the answer; 0: the defaults of base/limits.h. The
                                * bodies that go to a sink have no bound but this: */
    uint64_t timeout_ms;       /* from here to the last byte of the answer; with a sink
                                * that takes it, to the end of the head */
    const struct fx_http_sink *sink; /* NULL: the answer comes as a whole */
    struct fx_http_pool *pool; /* of this loop; NULL: a connection of its own, closed */
    /* May the server be asked twice? Then a request on a connection of the pool that ends
     * before the first byte of an answer, as one does that the server was closing just
     * then, is made once more on a new one, within the same time (RFC 9110 section 9.2.2,
     * RFC 9112 section 9.3.1). Otherwise it fails. */
    bool repeatable;
    /* Does the body tell by itself whether it is whole, as JSON does? Then one that only
     * the end of the connection ends may end without TLS's goodbye, which many simple
     * servers never say; Go's client takes it, too. Otherwise it counts as cut. */
    bool allows_missing_close_notify;
};

/* What came of it. Borrowed for the call of `on_done`. */
struct fx_http_call_result {
    const struct fx_err *failure; /* NULL, or why there is no answer: FX_EIO, FX_ELIMIT,
                                   * FX_EDEADLINE, FX_ENOMEM, as in
                                   * `connect 127.0.0.1:9443: connection refused` */
    unsigned status;
    struct fx_text head; /* status line and fields, for fx_http_head_field() */
    struct fx_text body; /* empty where a sink took it */
};

/* Begins. `on_done` is called exactly once, later, on the loop, and may begin others; the
 * call is not to be used any more then. Any status is an answer. False (and no call) only
 * without memory, or where a field is FX_EINVALID. With a sink, `on_done` says how the
 * body ended: in order, or with the reason why what was taken is only a part. */
bool fx_http_call_start(uv_loop_t *loop, const struct fx_http_call_options *options,
                        void (*on_done)(const struct fx_http_call_result *result,
                                        void *user),
                        void *user, struct fx_http_call **ret_call,
                        struct fx_err *err) FX_MUST_USE;

/* Gives it up: `on_done` is not called any more. Only before `on_done`. The loop must run
 * on to close what was open. */
void fx_http_call_cancel(struct fx_http_call *call);

#endif
