/* SPDX-License-Identifier: Apache-2.0
 *
 * net/handshakes.h - the TLS handshakes that clients ask of one loop.
 *
 * A handshake takes as much processor time as dozens of requests, and anybody who reaches
 * the port may ask for one. So it is made in steps (what one flight of messages leads
 * to), one after the other for each loop, on a worker thread of libuv: the loop never
 * computes one, whoever is connected is served meanwhile, and a crowd gets no more than
 * one processor. The worker is given a few at once, as a loop that is busy may not look
 * after it for long. Steps of handshakes that have begun come before those that have not.
 *
 * One after the other also keeps what sessions share (struct fx_tls_config) to one
 * thread: on the loop, an open session needs neither the key nor random numbers.
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

/* The worker's own until it is back. */
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
    size_t n_steps; /* under way */
    struct fx_handshake_step steps[FX_HANDSHAKES_AT_ONCE];
};

void fx_handshakes_init(struct fx_handshakes *handshakes, uv_loop_t *loop);

/* How many wait for their turn. Any thread may ask. */
size_t fx_handshakes_n_waiting(const struct fx_handshakes *handshakes);

/* When no stream is left that uses it. The memory may go in `on_closed`. */
void fx_handshakes_close(struct fx_handshakes *handshakes, void (*on_closed)(void *user),
                         void *user);

#endif
