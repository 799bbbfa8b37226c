/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/activity.h - what a thread is doing at this moment, for another thread to read:
 * which route, which mutator has its turn, on which kind of object. Names only, nothing
 * of an object's contents.
 *
 * One thread writes. The mutator is a pointer that the loop stores at each turn and takes
 * back, under the lock, before its snapshot can go: who reads it holds the lock, so that
 * the mutator is still there.
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

#define FX_ACTIVITY_KIND 128u /* bytes that are kept of `Kind.group` */

struct fx_activity {
    pthread_mutex_t lock;
    const char *task; /* a constant; NULL: nothing is under way */
    char kind[FX_ACTIVITY_KIND];
    _Atomic(const struct fx_mutator *) mutator;
};

/* False without memory. */
bool fx_activity_init(struct fx_activity *activity) FX_MUST_USE;
void fx_activity_finish(struct fx_activity *activity);

/* ---- by the thread itself; NULL is fine: nobody watches ---- */

/* Begins or ends (NULL) a task; the object and the mutator are not known yet. */
void fx_activity_set_task(struct fx_activity *activity, const char *task);

/* The loop begins with an object of this kind. */
void fx_activity_begin_loop(struct fx_activity *activity, struct fx_text group,
                            struct fx_text kind);

/* It is the turn of this mutator, which stays until the loop ends. */
static inline void fx_activity_set_step(struct fx_activity *activity,
                                        const struct fx_mutator *mutator) {
    if (activity != NULL) {
        atomic_store_explicit(&activity->mutator, mutator, memory_order_release);
    }
}

/* The loop has ended: no mutator has a turn. */
void fx_activity_end_loop(struct fx_activity *activity);

/* ---- by any thread ---- */

/* Is a task under way? */
bool fx_activity_is_busy(struct fx_activity *activity);

/* Appends what is known, such as "/v1/mutate, in policy Assign/x, on Deployment.apps";
 * nothing where no task is under way. */
void fx_activity_print(struct fx_activity *activity, struct fx_buf *words);

#endif
