/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_connection.h - private to http_client.c and http_pool.c: a client's
 * connection, which belongs to one call at a time, or to nobody while it is idle.
 */
#ifndef FX_NET_HTTP_CLIENT_CONNECTION_H
#define FX_NET_HTTP_CLIENT_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "net/stream.h"

struct fx_http_pool;

/* Where it leads to. */
struct fx_http_target {
    const char *host; /* borrowed */
    uint16_t port;
    struct fx_tls_config *tls; /* borrowed; NULL: plain */
};

struct fx_client_connection {
    uint32_t magic;
    struct fx_stream stream;
    struct fx_http_pool *pool;                  /* counted; NULL: closed after its call */
    struct fx_client_connection *newer, *older; /* while it is idle */
    bool idle;
    uint64_t made_at, idle_until; /* loop time */
    struct fx_tls_config *tls;    /* counted: no other can come to lie at its address */
    uint16_t port;
    char host[];
};

/* An unconnected one; its stream is told to and closed by who asked. NULL without memory,
 * and then nothing is left to close. */
struct fx_client_connection *
fx_client_connection_create(uv_loop_t *loop, const struct fx_http_target *target,
                            struct fx_stream_scratch *scratch, struct fx_http_pool *pool,
                            struct fx_err *err) FX_MUST_USE;

/* Once its stream is closed. */
void fx_client_connection_destroy(struct fx_client_connection *link);

/* Who uses a pool keeps it alive, even where it is closed meanwhile. */
struct fx_http_pool *fx_http_pool_ref(struct fx_http_pool *pool);
void fx_http_pool_unref(struct fx_http_pool *pool); /* NULL is fine */

/* What the streams of its links share. */
struct fx_stream_scratch *fx_http_pool_scratch(struct fx_http_pool *pool);

/* The newest idle link to the target, which is the caller's to fx_stream_set_events();
 * NULL: there is none. */
struct fx_client_connection *fx_http_pool_take(struct fx_http_pool *pool,
                                               const struct fx_http_target *target);

/* Takes over an open link of the pool, between two messages: it is kept, or closed. */
void fx_http_pool_put(struct fx_client_connection *link);

#endif
