/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_connection.h - private to http_client.c and http_pool.c: a connection
 * of a client. It belongs to one call at a time, or to the pool while it is idle.
 */
#ifndef FX_NET_HTTP_CLIENT_CONNECTION_H
#define FX_NET_HTTP_CLIENT_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "base/macros.h"
#include "net/stream.h"

struct fx_http_pool;

/* The server of a connection. */
struct fx_http_target {
    const char *host; /* borrowed */
    uint16_t port;
    struct fx_tls_config *tls; /* borrowed; NULL for plain HTTP */
};

struct fx_client_connection {
    uint32_t magic;
    struct fx_stream stream;
    struct fx_http_pool *pool; /* counted; NULL if it is closed after the call */
    struct fx_list_link link;  /* while it is idle, in the queue of the pool */
    bool idle;
    uint64_t made_at, idle_until; /* in loop time */
    struct fx_tls_config *tls;    /* counted, so that its address is not reused */
    uint16_t port;
    char host[];
};

/* Creates an unconnected connection. The caller sets the callbacks of its stream and
 * closes it. NULL without memory: then nothing is left to close. */
struct fx_client_connection *
fx_client_connection_create(uv_loop_t *loop, const struct fx_http_target *target,
                            struct fx_stream_scratch *scratch, struct fx_http_pool *pool,
                            struct fx_err *err) FX_MUST_USE;

/* Frees the connection after its stream is closed. */
void fx_client_connection_destroy(struct fx_client_connection *connection);

/* A reference keeps the memory of the pool, even after the pool was closed. */
struct fx_http_pool *fx_http_pool_ref(struct fx_http_pool *pool);
void fx_http_pool_unref(struct fx_http_pool *pool); /* NULL is fine */

/* Returns the memory that the streams of its connections share. */
struct fx_stream_scratch *fx_http_pool_scratch(struct fx_http_pool *pool);

/* Takes the newest idle connection to the target. The caller sets the callbacks of its
 * stream. NULL if there is none. */
struct fx_client_connection *fx_http_pool_take(struct fx_http_pool *pool,
                                               const struct fx_http_target *target);

/* Returns an open connection without a message in progress to its pool, which keeps or
 * closes it. */
void fx_http_pool_put(struct fx_client_connection *connection);

#endif
