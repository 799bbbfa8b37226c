/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/activity.h - what a thread is doing at this moment, for another thread to read:
 * the route, the current mutator, the kind of object. It has names only, and no contents
 * of objects.
 *
 * One thread writes. The loop stores a pointer to the mutator at each step, and removes
 * it under the lock before the snapshot can be freed: a reader that holds the lock can
 * use it.
 */
#ifndef FX_ENGINE_ACTIVITY_H
#define FX_ENGINE_ACTIVITY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/mutator.h"

#define FX_ACTIVITY_KIND 128u /* bytes of `Kind.group`; a longer text is cut */

struct fx_activity {
    pthread_mutex_t lock;
    const char *task; /* a constant; NULL if the thread is idle */
    char kind[FX_ACTIVITY_KIND];
    _Atomic(const struct fx_mutator *) mutator;
};

/* Initializes the activity. False without memory. */
bool fx_activity_init(struct fx_activity *activity) FX_MUST_USE;
void fx_activity_finish(struct fx_activity *activity);

/* ---- called by the thread itself; does nothing if `activity` is NULL ---- */

/* Begins a task, or ends it if `task` is NULL. Object and mutator of the task are not yet
 * known. */
void fx_activity_set_task(struct fx_activity *activity, const char *task);

/* Notes that the loop begins for an object of this kind. */
void fx_activity_begin_loop(struct fx_activity *activity, struct fx_text group,
                            struct fx_text kind);

/* Notes that the step of this mutator begins. The mutator must outlive the loop. */
static inline void fx_activity_set_step(struct fx_activity *activity,
                                        const struct fx_mutator *mutator) {
    if (activity != NULL) {
        atomic_store_explicit(&activity->mutator, mutator, memory_order_release);
    }
}

/* Notes that the loop has ended, so there is no current mutator. */
void fx_activity_end_loop(struct fx_activity *activity);

/* ---- called by any thread ---- */

/* Does the thread have a task? */
bool fx_activity_is_busy(struct fx_activity *activity);

/* Appends the known facts, such as "/v1/mutate, in policy Assign/x, on Deployment.apps";
 * nothing if there is no task. A failure is kept in `buf`. */
void fx_activity_print(struct fx_activity *activity, struct fx_buf *buf);

#endif
