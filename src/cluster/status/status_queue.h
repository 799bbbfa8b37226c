/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_queue.h - which statuses to write, and when. Private to this
 * room. Pure: the caller passes the time.
 *
 * A status is due when it differs from the one in the cluster. After a write the watch
 * gets time to show it; if it does not, or if the write failed, the status is due again
 * after pauses that double. The pauses are remembered for a while after the status was
 * seen, so that two writers that disagree do no harm; a status with new content is due at
 * once.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_QUEUE_H
#define FX_CLUSTER_STATUS_STATUS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct fx_status_task {
    uint64_t due_ns;
    uint64_t wanted;     /* the digest of the status as it should be */
    uint64_t written;    /* of the status that was written last; 0: none */
    uint64_t settled_ns; /* since when the cluster shows it; 0: it does not */
    unsigned tries;      /* writes of the same status */
    bool writing;
    char key[]; /* fx_cluster_object.key */
};

/* Sorted by key. Zeroed is empty. */
struct fx_status_queue {
    struct fx_status_task **items;
    size_t n_items, cap_items;
    size_t n_settled;   /* items that are only remembered */
    uint64_t forget_ns; /* when to check for items to forget; 0: never */
    size_t cursor;      /* where the search for the next item starts */
};

void fx_status_queue_finish(struct fx_status_queue *queue);

/* Reports that the status of `key` differs from `wanted`. False without memory. */
bool fx_status_queue_add(struct fx_status_queue *queue, const char *key, uint64_t wanted,
                         uint64_t now_ns) FX_MUST_USE;

/* Reports that the status of `key` is as it should be. */
void fx_status_queue_settle(struct fx_status_queue *queue, const char *key,
                            uint64_t now_ns);

/* Removes `key`: its object is gone, or has no status to write. */
void fx_status_queue_drop(struct fx_status_queue *queue, const char *key);

/* The number of statuses to write. */
size_t fx_status_queue_count(const struct fx_status_queue *queue);

/* The next status that is due, borrowed, marked as being written; NULL: none. */
struct fx_status_task *fx_status_queue_take(struct fx_status_queue *queue,
                                            uint64_t now_ns);

/* Ends the write of `key`, whether it succeeded or failed: the status is due again after
 * a pause of at least `wait_ns`. */
void fx_status_queue_put_back(struct fx_status_queue *queue, const char *key,
                              uint64_t wait_ns, uint64_t now_ns);

/* When to call fx_status_queue_take() again; 0: not before something is added. */
uint64_t fx_status_queue_next(const struct fx_status_queue *queue);

#endif
