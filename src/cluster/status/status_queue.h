/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_queue.h - which statuses are to be written, and when. Private to
 * this room. Pure: the time is told.
 *
 * A status is due when it differs from what the cluster shows. Written once, it is given
 * time to be seen; one that is still not seen then, or could not be written, is due again
 * after pauses that double. They stay as long as they were where it is seen and then is
 * not any more, so that two who disagree about a status do no harm; but what ought to be
 * there newly is due at once.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_QUEUE_H
#define FX_CLUSTER_STATUS_STATUS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct fx_status_task {
    uint64_t due_ns;
    uint64_t wanted;     /* digest of the status that ought to be there */
    uint64_t written;    /* of the one that was written last; 0: none was */
    uint64_t settled_ns; /* since when it is there; 0: it is not */
    unsigned tries;      /* writes of the same one */
    bool writing;
    char key[]; /* fx_cluster_object.key */
};

/* Sorted by key. Zeroed is empty. */
struct fx_status_queue {
    struct fx_status_task **items;
    size_t n_items, cap_items;
    size_t n_settled;   /* of them are only remembered, for a while */
    uint64_t forget_ns; /* when to look which can be forgotten; 0: none */
    size_t cursor;      /* where the next one is looked for: nobody starves */
};

void fx_status_queue_finish(struct fx_status_queue *queue);

/* This one's status differs from what it ought to be. False without memory. */
bool fx_status_queue_add(struct fx_status_queue *queue, const char *key, uint64_t wanted,
                         uint64_t now_ns) FX_MUST_USE;

/* This one's is as it should be. */
void fx_status_queue_settle(struct fx_status_queue *queue, const char *key,
                            uint64_t now_ns);

/* This one's object is gone, or there is nothing to be said of it. */
void fx_status_queue_drop(struct fx_status_queue *queue, const char *key);

/* How many are to be written? */
size_t fx_status_queue_count(const struct fx_status_queue *queue);

/* The next one that is due, borrowed, now marked as being written; NULL: none. */
struct fx_status_task *fx_status_queue_take(struct fx_status_queue *queue,
                                            uint64_t now_ns);

/* It was written, or could not be: not again before a while, `wait_ns` at least. */
void fx_status_queue_put_back(struct fx_status_queue *queue, const char *key,
                              uint64_t wait_ns, uint64_t now_ns);

/* When to take again: the next one is due, or there is something to be forgotten. 0: not
 * before something is added. */
uint64_t fx_status_queue_next(const struct fx_status_queue *queue);

#endif
