/* SPDX-License-Identifier: Apache-2.0
 *
 * server/message_queue.h - messages between threads, handled one after the other on the
 * loop of the receiver. The sender owns the memory of a message, so posting one cannot
 * fail.
 */
#ifndef FX_SERVER_MESSAGE_QUEUE_H
#define FX_SERVER_MESSAGE_QUEUE_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

/* Set the first two members, zero the others. */
struct fx_message {
    /* Called on the receiver's loop. From then on the message may be posted again, or
     * freed. */
    void (*handle)(void *user);
    void *user;
    struct fx_message *next;
    bool is_queued;
};

struct fx_message_queue {
    uv_async_t async;
    uv_mutex_t lock;
    struct fx_message *first, **last;
};

/* Creates the queue of a loop. Errors: FX_EIO (no descriptor, no memory). */
bool fx_message_queue_init(struct fx_message_queue *queue, uv_loop_t *loop,
                           struct fx_err *err) FX_MUST_USE;

/* Posts a message; any thread may call this. A message that is still queued is not queued
 * twice. The receiver sees everything that the sender wrote before the call. */
void fx_message_queue_post(struct fx_message_queue *queue, struct fx_message *message);

/* Closes the queue; call it on its loop. Messages that are still queued are not handled,
 * and nothing may be posted afterwards. */
void fx_message_queue_close(struct fx_message_queue *queue);

/* Frees the queue's members. Call it after the loop has closed the queue. */
void fx_message_queue_finish(struct fx_message_queue *queue);

#endif
