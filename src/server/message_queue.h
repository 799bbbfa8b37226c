/* SPDX-License-Identifier: Apache-2.0
 *
 * server/message_queue.h - how threads speak to each other: messages, opened one after
 * the other on the loop of whom they are for. A message lies in memory of its sender's,
 * so that sending one cannot fail.
 */
#ifndef FX_SERVER_MESSAGE_QUEUE_H
#define FX_SERVER_MESSAGE_QUEUE_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

/* Zeroed but for its first two members it can be posted. */
struct fx_message {
    /* Called on the receiver's loop, when the message may be posted again, or freed. */
    void (*open)(void *user);
    void *user;
    struct fx_message *next;
    bool waits; /* to be opened */
};

struct fx_message_queue {
    uv_async_t bell;
    uv_mutex_t lock;
    struct fx_message *first, **last;
};

/* For that loop, which must close it. Errors: FX_EIO (no descriptor, no memory). */
bool fx_message_queue_init(struct fx_message_queue *queue, uv_loop_t *loop,
                           struct fx_err *err) FX_MUST_USE;

/* From any thread. A message that waits already is not sent twice. What the sender wrote
 * before, the receiver sees. */
void fx_message_queue_post(struct fx_message_queue *queue, struct fx_message *message);

/* On its loop: nothing may be posted any more; what waits is not opened. */
void fx_message_queue_close(struct fx_message_queue *queue);

/* Once the loop has closed it. */
void fx_message_queue_finish(struct fx_message_queue *queue);

#endif
