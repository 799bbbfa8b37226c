/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client.h - one HTTP/1.1 request to somebody else, over TLS or plain: resolve,
 * connect, send, read the whole answer, close. With a pool (net/http_pool.h) it takes a
 * connection of an earlier call where there is one, and leaves it for a later one. Loop
 * thread only.
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

/* All of it is copied but `tls` and `pool`, on which references are taken. */
struct fx_http_call_options {
    const struct fx_url *url;
    struct fx_tls_config *tls; /* a client's; NULL: plain (the scheme is not looked at) */
    const char *method;        /* "POST" */
    const char *content_type;  /* of the body; NULL: no body. Both are words of ours */
    struct fx_text body;
    size_t max_head, max_body; /* of the answer; 0: the defaults of base/limits.h */
    uint64_t timeout_ms;       /* from here to the last byte of the answer */
    struct fx_http_pool *pool; /* of this loop; NULL: a connection of its own, closed */
    /* May the server be asked twice? Then a request on a connection of the pool that ends
     * before the first byte of an answer, as one does that the server was closing just
     * then, is made once more on a new one, within the same time (RFC 9110 section 9.2.2,
     * RFC 9112 section 9.3.1). Otherwise it fails. */
    bool repeatable;
    /* Does the body tell by itself whether it is whole, as JSON does? Then one that only
     * the end of the connection ends may end without TLS's goodbye, which many simple
     * servers never say; Go's client takes it, too. Otherwise it counts as cut. */
    bool body_tells_end;
};

/* What came of it. Borrowed for the call of `on_done`. */
struct fx_http_call_result {
    const struct fx_err *failure; /* NULL, or why there is no answer: FX_EIO, FX_ELIMIT,
                                   * FX_EDEADLINE, FX_ENOMEM, as in
                                   * `connect 127.0.0.1:9443: connection refused` */
    unsigned status;
    struct fx_text body;
};

/* Begins. `on_done` is called exactly once, later, on the loop, and may begin others; the
 * call is not to be used any more then. Any status is an answer. False (and no call) only
 * without memory. */
bool fx_http_call_start(uv_loop_t *loop, const struct fx_http_call_options *options,
                        void (*on_done)(const struct fx_http_call_result *result,
                                        void *user),
                        void *user, struct fx_http_call **ret_call,
                        struct fx_err *err) FX_MUST_USE;

/* Gives it up: `on_done` is not called any more. Only before `on_done`. The loop must run
 * on to close what was open. */
void fx_http_call_cancel(struct fx_http_call *call);

#endif
