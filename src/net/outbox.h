/* SPDX-License-Identifier: Apache-2.0
 *
 * net/outbox.h - what waits to be sent until the turn of the loop is over.
 *
 * A write() is cheap until somebody sleeps at the other end: then it also has to wake
 * them on their processor, and that takes longer than all else that sending an answer
 * does. A client with many connections is awake from the first of several answers on. So
 * a server does not send each answer when it is given: those of one turn go out together,
 * after all that the turn has brought and before the loop looks for more or sleeps. What
 * is for one connection goes out in one piece.
 *
 * It waits for no longer than that: where a turn has much to do, what waits goes out when
 * the first of it has waited for FX_OUTBOX_NS, or when it is more than FX_OUTBOX_BYTES.
 * Between two looks at the clock there is the work of one read, or of one answer.
 */
#ifndef FX_NET_OUTBOX_H
#define FX_NET_OUTBOX_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"

/* About three reviews, and as long as it takes one answer to get there and the next
 * request to come back. Measured with eight connections, a third of it saves less, and a
 * whole millisecond no more. */
#define FX_OUTBOX_NS    300000u
#define FX_OUTBOX_BYTES (256u << 10)

/* What one has to send; part of its owner's struct. Zeroed: nothing. */
struct fx_parcel {
    struct fx_parcel *next, *previous; /* while it waits */
    struct fx_buf bytes;
    size_t counted; /* of the bytes; 0: does not wait */
};

struct fx_outbox {
    uint32_t magic;
    uv_check_t check;
    uv_idle_t idle;
    struct fx_parcel *first, *last;
    size_t n_bytes;
    uint64_t since_ns; /* when the first of it was put in */
    uint64_t max_ns;   /* FX_OUTBOX_NS, but in tests */
    void (*send)(struct fx_parcel *parcel);
    void (*on_closed)(void *user);
    void *user;
    unsigned handles; /* not yet closed */
};

/* `send` is called when a parcel's time has come, which does not wait any more by then.
 * It may put parcels in and take others out, its own too. */
void fx_outbox_init(struct fx_outbox *outbox, uv_loop_t *loop,
                    void (*send)(struct fx_parcel *parcel));

/* The parcel has got bytes, or further ones. May send it, and others. */
void fx_outbox_put(struct fx_outbox *outbox, struct fx_parcel *parcel);

/* Takes it out, with its bytes. One that does not wait is fine. */
void fx_outbox_leave(struct fx_outbox *outbox, struct fx_parcel *parcel);

/* Sends what has waited for too long, or is too much. For those who work through what
 * came, after each piece of it: any parcel may be sent. */
void fx_outbox_hurry(struct fx_outbox *outbox);

/* Nothing waits any more. The memory may go in `on_closed`, which comes later. */
void fx_outbox_close(struct fx_outbox *outbox, void (*on_closed)(void *user), void *user);

#endif
