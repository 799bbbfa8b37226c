/* SPDX-License-Identifier: Apache-2.0
 *
 * net/write_batch.c - a list, and the two handles that libuv calls once in an iteration.
 *
 * The check handle is called after the poll, and so after all input and all messages. The
 * idle handle is called before the next poll, for what was written after that: by timers,
 * by tasks (loop_tasks.h), by close callbacks. While it is active the loop does not
 * sleep, so a response never waits for another event. Both handles are active only while
 * the batch is not empty.
 */
#include "net/write_batch.h"

#include <assert.h>

#include "base/checked.h"
#include "base/clock.h"

#define BATCH_MAGIC 0x6678756fu /* "fxuo" */

/* Sends all pending writes. Each is removed before it is sent, so that `send` may add and
 * remove others. */
static void send_all(struct fx_write_batch *batch) {
    while (batch->pending.first != NULL) {
        struct fx_pending_write *pending =
            (struct fx_pending_write *)batch->pending.first;
        fx_write_batch_remove(batch, pending);
        batch->send(pending);
    }
}

static void on_check(uv_check_t *check) {
    send_all(fx_checked(check->data, BATCH_MAGIC));
}

static void on_idle(uv_idle_t *idle) {
    send_all(fx_checked(idle->data, BATCH_MAGIC));
}

void fx_write_batch_init(struct fx_write_batch *batch, uv_loop_t *loop,
                         void (*send)(struct fx_pending_write *pending)) {
    *batch = (struct fx_write_batch){
        .magic = BATCH_MAGIC, .send = send, .max_ns = FX_WRITE_BATCH_NS, .handles = 2};
    (void)uv_check_init(loop, &batch->check);
    (void)uv_idle_init(loop, &batch->idle); /* this call and the one before cannot fail */
    batch->check.data = batch;
    batch->idle.data = batch;
}

static void append_pending(struct fx_write_batch *batch,
                           struct fx_pending_write *pending) {
    if (batch->pending.first == NULL) {
        batch->since_ns = fx_clock_ns();
        (void)uv_check_start(&batch->check, on_check);
        (void)uv_idle_start(&batch->idle, on_idle);
    }
    fx_queue_append(&batch->pending, &pending->link);
}

void fx_write_batch_add(struct fx_write_batch *batch, struct fx_pending_write *pending) {
    if (pending->bytes.len == 0) {
        return;
    }
    if (pending->counted == 0) {
        append_pending(batch, pending);
    }
    batch->n_bytes += pending->bytes.len - pending->counted;
    pending->counted = pending->bytes.len;
    fx_write_batch_flush_if_due(batch);
}

void fx_write_batch_remove(struct fx_write_batch *batch,
                           struct fx_pending_write *pending) {
    if (pending->counted == 0) {
        return;
    }
    fx_queue_remove(&batch->pending, &pending->link);
    batch->n_bytes -= pending->counted;
    pending->counted = 0;
    if (batch->pending.first == NULL) {
        (void)uv_check_stop(&batch->check);
        (void)uv_idle_stop(&batch->idle);
    }
}

void fx_write_batch_flush_if_due(struct fx_write_batch *batch) {
    if (batch->pending.first != NULL &&
        (batch->n_bytes > FX_WRITE_BATCH_BYTES ||
         fx_clock_ns() - batch->since_ns > batch->max_ns)) {
        send_all(batch);
    }
}

static void on_handle_closed(uv_handle_t *handle) {
    struct fx_write_batch *batch = fx_checked(handle->data, BATCH_MAGIC);
    if (--batch->handles == 0) {
        batch->magic = 0;
        batch->on_closed(batch->user);
    }
}

void fx_write_batch_close(struct fx_write_batch *batch, void (*on_closed)(void *user),
                          void *user) {
    assert(batch->pending.first == NULL);
    batch->on_closed = on_closed;
    batch->user = user;
    uv_close((uv_handle_t *)&batch->check, on_handle_closed);
    uv_close((uv_handle_t *)&batch->idle, on_handle_closed);
}
