/* SPDX-License-Identifier: Apache-2.0
 *
 * server/message_queue.c - a list under a lock, and an async handle.
 */
#include "server/message_queue.h"

/* Takes all queued messages, in the order in which they were posted. */
static struct fx_message *take_all(struct fx_message_queue *queue) {
    uv_mutex_lock(&queue->lock);
    struct fx_message *first = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    uv_mutex_unlock(&queue->lock);
    return first;
}

/* Marks the message as not queued: from now on it may be posted again. */
static struct fx_message *dequeue(struct fx_message_queue *queue,
                                  struct fx_message *message) {
    uv_mutex_lock(&queue->lock);
    struct fx_message *next = message->next;
    message->next = NULL;
    message->is_queued = false;
    uv_mutex_unlock(&queue->lock);
    return next;
}

static void on_async(uv_async_t *async) {
    struct fx_message_queue *queue = async->data;
    for (struct fx_message *message = take_all(queue); message != NULL;) {
        struct fx_message *next = dequeue(queue, message);
        message->handle(message->user);
        message = next;
    }
}

bool fx_message_queue_init(struct fx_message_queue *queue, uv_loop_t *loop,
                           struct fx_err *err) {
    int status = uv_mutex_init(&queue->lock);
    if (status == 0) {
        status = uv_async_init(loop, &queue->async, on_async);
        if (status != 0) {
            uv_mutex_destroy(&queue->lock);
        }
    }
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    queue->async.data = queue;
    queue->first = NULL;
    queue->last = &queue->first;
    return true;
}

void fx_message_queue_post(struct fx_message_queue *queue, struct fx_message *message) {
    uv_mutex_lock(&queue->lock);
    if (!message->is_queued) {
        message->is_queued = true;
        message->next = NULL;
        *queue->last = message;
        queue->last = &message->next;
    }
    /* Sent under the lock, because the receiver may close the queue once it has handled
     * the message. */
    (void)uv_async_send(&queue->async); /* fails for no handle that is handle */
    uv_mutex_unlock(&queue->lock);
}

void fx_message_queue_close(struct fx_message_queue *queue) {
    uv_close((uv_handle_t *)&queue->async, NULL);
}

void fx_message_queue_finish(struct fx_message_queue *queue) {
    uv_mutex_destroy(&queue->lock);
}
