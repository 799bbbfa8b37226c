/* SPDX-License-Identifier: Apache-2.0
 *
 * net/write_batch.h - delays the writes of a loop's connections to the end of the
 * iteration, so that they leave together, with one write() for each connection.
 *
 * A write() is cheap unless the receiver sleeps: then it also wakes a process on another
 * core, which takes longer than everything else about a response. A client with many
 * connections is awake after the first of several responses. So a server sends all
 * responses of one iteration together, before the loop polls again.
 *
 * The delay is bounded: in a long iteration the batch is sent once its first write has
 * waited for FX_WRITE_BATCH_NS, or when it has more than FX_WRITE_BATCH_BYTES. The clock
 * is checked after the work of each read, and of each response.
 */
#ifndef FX_NET_WRITE_BATCH_H
#define FX_NET_WRITE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"
#include "base/list.h"

/* About the time of three reviews, and of one round trip to the client. Measured with
 * eight connections: a third of this time saves less, and a whole millisecond does not
 * save more. */
#define FX_WRITE_BATCH_NS    300000u
#define FX_WRITE_BATCH_BYTES (256u << 10)

/* The bytes that one connection has to send; part of its owner's struct. A zeroed one is
 * empty. */
struct fx_pending_write {
    struct fx_list_link link; /* in the batch */
    struct fx_buf bytes;
    size_t counted; /* bytes that count in the batch's n_bytes; 0 if it is not in the
                     * batch */
};

struct fx_write_batch {
    uint32_t magic;
    uv_check_t check;
    uv_idle_t idle;
    struct fx_queue pending;
    size_t n_bytes;
    uint64_t since_ns; /* when the first pending write was added */
    uint64_t max_ns;   /* FX_WRITE_BATCH_NS, except in tests */
    void (*send)(struct fx_pending_write *pending);
    void (*on_closed)(void *user);
    void *user;
    unsigned handles; /* handles that are not closed yet */
};

/* Initializes the batch of a loop. `send` sends the bytes of a pending write, which is
 * then no longer in the batch. It may add and remove pending writes, including this
 * one. */
void fx_write_batch_init(struct fx_write_batch *batch, uv_loop_t *loop,
                         void (*send)(struct fx_pending_write *pending));

/* Adds a pending write, or further bytes of one that is in the batch. May send the batch.
 */
void fx_write_batch_add(struct fx_write_batch *batch, struct fx_pending_write *pending);

/* Removes a pending write; its bytes stay. Does nothing if it is not in the batch. */
void fx_write_batch_remove(struct fx_write_batch *batch,
                           struct fx_pending_write *pending);

/* Sends the batch if it is too old or too large. Call it after each piece of work. */
void fx_write_batch_flush_if_due(struct fx_write_batch *batch);

/* Closes the handles; the batch must be empty. `on_closed` is called later; then the
 * memory may be freed. */
void fx_write_batch_close(struct fx_write_batch *batch, void (*on_closed)(void *user),
                          void *user);

#endif
