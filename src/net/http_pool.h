/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_pool.h - idle connections of earlier calls, for later calls to the same host
 * and port with the same TLS configuration: a handshake takes milliseconds of the loop.
 * Loop thread only.
 *
 * The newest connection is reused first, and the oldest closed first. An idle connection
 * that receives anything (an end, an error, unexpected bytes) is closed.
 */
#ifndef FX_NET_HTTP_POOL_H
#define FX_NET_HTTP_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

struct fx_http_pool; /* opaque */

/* 0 means the default of base/limits.h. */
struct fx_http_pool_options {
    size_t max_idle, max_idle_per_target;
    uint64_t idle_ms; /* maximum time without use */
    uint64_t age_ms;  /* maximum age of a kept connection */
};

/* Creates the pool of a loop. `options` NULL: the defaults. NULL if out of memory. */
struct fx_http_pool *fx_http_pool_create(uv_loop_t *loop,
                                         const struct fx_http_pool_options *options,
                                         struct fx_err *err) FX_MUST_USE;

/* Closes the idle connections. Running calls go on, and close their connections
 * afterwards. The loop must go on running to close handles. NULL is fine. */
void fx_http_pool_close(struct fx_http_pool *pool);

#endif
