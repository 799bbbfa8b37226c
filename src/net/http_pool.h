/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_pool.h - connections that calls leave behind for later ones to the same host
 * and port with the same TLS configuration: a handshake takes milliseconds of the loop's
 * time. Loop thread only.
 *
 * The newest is used first and the oldest closed first. An idle connection on which
 * anything comes is closed: an end, an error, or bytes that nobody asked for.
 */
#ifndef FX_NET_HTTP_POOL_H
#define FX_NET_HTTP_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

struct fx_http_pool; /* opaque */

/* 0: the defaults of base/limits.h. */
struct fx_http_pool_options {
    size_t max_idle, max_idle_per_target;
    uint64_t idle_ms; /* so long a connection is kept unused, */
    uint64_t age_ms;  /* and after that one it is not kept any more */
};

/* For calls on this loop; `options` may be NULL. NULL without memory. */
struct fx_http_pool *fx_http_pool_create(uv_loop_t *loop,
                                         const struct fx_http_pool_options *options,
                                         struct fx_err *err) FX_MUST_USE;

/* Closes what is idle. Calls under way end as they would, and close their connections.
 * The loop must run on to close what was open. NULL is fine. */
void fx_http_pool_close(struct fx_http_pool *pool);

#endif
