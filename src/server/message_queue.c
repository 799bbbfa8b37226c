/* SPDX-License-Identifier: Apache-2.0
 *
 * server/message_queue.c - a list under a lock, and a bell.
 */
#include "server/message_queue.h"

/* All that wait, in the order in which they came. */
static struct fx_message *take_all(struct fx_message_queue *queue) {
    uv_mutex_lock(&queue->lock);
    struct fx_message *first = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    uv_mutex_unlock(&queue->lock);
    return first;
}

/* From here on it may be posted again. */
static struct fx_message *dequeue(struct fx_message_queue *queue,
                                  struct fx_message *message) {
    uv_mutex_lock(&queue->lock);
    struct fx_message *next = message->next;
    message->next = NULL;
    message->waits = false;
    uv_mutex_unlock(&queue->lock);
    return next;
}

static void on_bell(uv_async_t *bell) {
    struct fx_message_queue *queue = bell->data;
    for (struct fx_message *message = take_all(queue); message != NULL;) {
        struct fx_message *next = dequeue(queue, message);
        message->open(message->user);
        message = next;
    }
}

bool fx_message_queue_init(struct fx_message_queue *queue, uv_loop_t *loop,
                           struct fx_err *err) {
    int status = uv_mutex_init(&queue->lock);
    if (status == 0) {
        status = uv_async_init(loop, &queue->bell, on_bell);
        if (status != 0) {
            uv_mutex_destroy(&queue->lock);
        }
    }
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    queue->bell.data = queue;
    queue->first = NULL;
    queue->last = &queue->first;
    return true;
}

void fx_message_queue_post(struct fx_message_queue *queue, struct fx_message *message) {
    uv_mutex_lock(&queue->lock);
    if (!message->waits) {
        message->waits = true;
        message->next = NULL;
        *queue->last = message;
        queue->last = &message->next;
    }
    /* Within the lock: once the receiver has taken it, it may close the queue. */
    (void)uv_async_send(&queue->bell); /* fails for no handle that is open */
    uv_mutex_unlock(&queue->lock);
}

void fx_message_queue_close(struct fx_message_queue *queue) {
    uv_close((uv_handle_t *)&queue->bell, NULL);
}

void fx_message_queue_finish(struct fx_message_queue *queue) {
    uv_mutex_destroy(&queue->lock);
}
