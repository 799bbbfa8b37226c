/* SPDX-License-Identifier: Apache-2.0
 *
 * net/handshakes.h - the TLS handshakes of the clients of one loop.
 *
 * A handshake takes as much processor time as dozens of requests, and any client can
 * cause one. So handshakes are computed in steps (one for each flight of messages) on a
 * worker thread of libuv, one step after the other for each loop: the loop computes none,
 * open connections are served meanwhile, and many new clients take one core at most. The
 * worker gets several steps at once, because a busy loop takes some time to give it the
 * next ones. Handshakes that have begun come before new ones.
 *
 * Computing one after the other also keeps what sessions share (struct fx_tls_config) on
 * one thread: an open session needs neither the key nor random numbers on the loop.
 */
#ifndef FX_NET_HANDSHAKES_H
#define FX_NET_HANDSHAKES_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/loop_tasks.h"
#include "net/tls.h"

struct fx_stream;

#define FX_HANDSHAKES_AT_ONCE 16

/* Owned by the worker thread until it is done. */
struct fx_handshake_step {
    struct fx_stream *stream;
    struct fx_buf received, plain, cipher;
    enum fx_tls_state state;
    struct fx_err failure;
};

struct fx_handshakes {
    uint32_t magic;
    uv_loop_t *loop;
    struct fx_loop_tasks tasks;
    uv_work_t work;
    size_t n_steps; /* number of steps that are being computed */
    struct fx_handshake_step steps[FX_HANDSHAKES_AT_ONCE];
};

/* Initializes the handshakes of a loop. */
void fx_handshakes_init(struct fx_handshakes *handshakes, uv_loop_t *loop);

/* Returns the number of queued handshakes. Any thread may call it. */
size_t fx_handshakes_n_waiting(const struct fx_handshakes *handshakes);

/* Closes the handles. Call it when no stream uses them any more. `on_closed` is called
 * later; then the memory may be freed. */
void fx_handshakes_close(struct fx_handshakes *handshakes, void (*on_closed)(void *user),
                         void *user);

#endif
