/* SPDX-License-Identifier: Apache-2.0
 *
 * net/write_batch.h - what waits to be sent until the turn of the loop is over.
 *
 * A write() is cheap until somebody sleeps at the other end: then it also has to wake
 * them on their processor, and that takes longer than all else that sending an answer
 * does. A client with many connections is awake from the first of several answers on. So
 * a server does not send each answer when it is given: those of one turn go out together,
 * after all that the turn has brought and before the loop looks for more or sleeps. What
 * is for one connection goes out in one piece.
 *
 * It waits for no longer than that: where a turn has much to do, what waits goes out when
 * the first of it has waited for FX_WRITE_BATCH_NS, or when it is more than
 * FX_WRITE_BATCH_BYTES. Between two looks at the clock there is the work of one read, or
 * of one answer.
 */
#ifndef FX_NET_WRITE_BATCH_H
#define FX_NET_WRITE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"

/* About three reviews, and as long as it takes one answer to get there and the next
 * request to come back. Measured with eight connections, a third of it saves less, and a
 * whole millisecond no more. */
#define FX_WRITE_BATCH_NS    300000u
#define FX_WRITE_BATCH_BYTES (256u << 10)

/* What one has to send; part of its owner's struct. Zeroed: nothing. */
struct fx_pending_write {
    struct fx_pending_write *next, *previous; /* while it waits */
    struct fx_buf bytes;
    size_t counted; /* of the bytes; 0: does not wait */
};

struct fx_write_batch {
    uint32_t magic;
    uv_check_t check;
    uv_idle_t idle;
    struct fx_pending_write *first, *last;
    size_t n_bytes;
    uint64_t since_ns; /* when the first of it was put in */
    uint64_t max_ns;   /* FX_WRITE_BATCH_NS, but in tests */
    void (*send)(struct fx_pending_write *pending);
    void (*on_closed)(void *user);
    void *user;
    unsigned handles; /* not yet closed */
};

/* `send` is called when a pending's time has come, which does not wait any more by then.
 * It may put parcels in and take others out, its own too. */
void fx_write_batch_init(struct fx_write_batch *batch, uv_loop_t *loop,
                         void (*send)(struct fx_pending_write *pending));

/* The pending has got bytes, or further ones. May send it, and others. */
void fx_write_batch_add(struct fx_write_batch *batch, struct fx_pending_write *pending);

/* Takes it out, with its bytes. One that does not wait is fine. */
void fx_write_batch_remove(struct fx_write_batch *batch,
                           struct fx_pending_write *pending);

/* Sends what has waited for too long, or is too much. For those who work through what
 * came, after each piece of it: any pending may be sent. */
void fx_write_batch_flush_if_due(struct fx_write_batch *batch);

/* Nothing waits any more. The memory may go in `on_closed`, which comes later. */
void fx_write_batch_close(struct fx_write_batch *batch, void (*on_closed)(void *user),
                          void *user);

#endif
