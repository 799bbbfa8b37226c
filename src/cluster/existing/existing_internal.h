/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/existing_internal.h - the parts of the room: the queue, the bodies of
 * writes, the count of changes, the running jobs. Private to this room.
 */
#ifndef FX_CLUSTER_EXISTING_INTERNAL_H
#define FX_CLUSTER_EXISTING_INTERNAL_H

#include "base/list.h"
#include "cluster/existing/existing.h"
#include "engine/existing.h"
#include "kube/backoff.h"
#include "kube/kinds.h"

/* ---- the queue; pure --------------------------------------------------------------- */

/* A job that waits. */
struct fx_existing_task {
    struct fx_list_link link;
    uint64_t digest;            /* of the rule's id and the trigger's identity */
    struct fx_mutator *rule;    /* counted */
    struct fx_trigger *trigger; /* counted; NULL: all objects that exist are triggers */
    uint64_t added_ns;          /* when the first of its triggers came */
    uint64_t due_ns;            /* when the job may begin */
};

/* Tasks in the order in which they are due: FX_LIMIT_EXISTING_DELAY_MS after their
 * trigger, since the API server stores the object of a review only after the answer, and
 * the object may be a target. Zeroed is empty. Bounded by FX_LIMIT_EXISTING_JOBS and
 * FX_LIMIT_EXISTING_BYTES. */
struct fx_existing_queue {
    struct fx_queue list;
    size_t n_tasks, n_bytes;
};

enum fx_existing_put {
    FX_EXISTING_ADDED,
    FX_EXISTING_REPLACED, /* the waiting task has the new trigger */
    FX_EXISTING_FULL,
    FX_EXISTING_NO_MEMORY,
};

/* Adds a task at the end. A task of the same rule and object that waits is put off to the
 * end, unless it has waited for FX_LIMIT_EXISTING_PUT_OFF_MS. `trigger` may be NULL.
 * Takes its own references. */
enum fx_existing_put fx_existing_queue_put(struct fx_existing_queue *queue,
                                           struct fx_mutator *rule,
                                           struct fx_trigger *trigger, uint64_t now_ns);

/* Removes the first task, which the caller destroys. NULL if none is due. */
struct fx_existing_task *fx_existing_queue_pop(struct fx_existing_queue *queue,
                                               uint64_t now_ns);
void fx_existing_task_destroy(struct fx_existing_task *task);
void fx_existing_queue_finish(struct fx_existing_queue *queue);

/* ---- the body of a write; pure ----------------------------------------------------- */

/* How the change of a target is written. */
struct fx_existing_body {
    bool by_apply; /* server-side apply; otherwise a merge patch */
    json_t *body;  /* counted */
};

/* Makes the body that turns `before`, as it was read, into `after`. It has the
 * resourceVersion and uid of `before`. Lists that differ are written whole. With
 * `by_apply` only what is new or different is applied; if something was removed, which an
 * apply cannot do, it is a merge patch all the same. Errors: FX_EMUTATE (the rule changed
 * the identity of the object, or `before` has no resourceVersion), FX_ENOMEM. */
bool fx_existing_body_make(const json_t *before, const json_t *after, bool by_apply,
                           struct fx_existing_body *ret_body,
                           struct fx_err *err) FX_MUST_USE;

/* ---- how often one rule changes one target; pure ----------------------------------- */

/* Zeroed is empty. */
struct fx_existing_changes {
    struct fx_existing_change {
        uint64_t digest; /* of the rule's id and the target's identity */
        uint64_t from_ns;
        uint32_t n_changes;
    } *items; /* sorted by digest */
    size_t n_items, cap_items;
};

/* May the target be changed now? If so, counts the change. It may not after
 * FX_LIMIT_EXISTING_CHANGES changes in FX_LIMIT_EXISTING_CHANGES_MS, nor if there is no
 * room to count it. */
bool fx_existing_changes_take(struct fx_existing_changes *changes, uint64_t digest,
                              uint64_t now_ns) FX_MUST_USE;
void fx_existing_changes_finish(struct fx_existing_changes *changes);

/* ---- the state; existing.c --------------------------------------------------------- */

struct fx_cluster_existing {
    uint32_t magic;
    uv_loop_t *loop;
    struct fx_kube_client *client;
    struct fx_cluster_existing_options options;
    struct fx_cluster_existing_callbacks callbacks;
    uv_timer_t timer; /* the next attempt to learn the user's name */
    struct fx_existing_queue queue;
    uv_timer_t queue_timer;    /* until its first task is due */
    unsigned n_open;           /* timers that are not closed */
    struct fx_list_link *jobs; /* running */
    size_t n_running;
    struct fx_kube_kinds kinds;
    struct fx_kube_random random;
    char *username; /* of Fixpoint; NULL: not known yet */
    struct fx_kube_call *self_review;
    struct fx_kube_backoff self_backoff;
    uint64_t paid_until_ns;       /* of the rate of requests */
    struct fx_snapshot *snapshot; /* active; counted; NULL: none yet */
    /* The snapshot whose rules have run because their policies changed; counted. */
    struct fx_snapshot *scanned;
    bool leads;
    struct fx_existing_changes changes;
    uint64_t *causes; /* digests of reported causes, sorted */
    size_t n_causes, cap_causes;
    struct fx_cluster_existing_counts counts;
};

/* Adds a task, and starts it if it may run now. */
void fx_existing_enqueue(struct fx_cluster_existing *existing, struct fx_mutator *rule,
                         struct fx_trigger *trigger);

/* Starts waiting jobs as far as they may run. */
void fx_existing_pump(struct fx_cluster_existing *existing);

/* Takes a request of the rate. Returns the milliseconds to wait; 0: it is taken. */
uint64_t fx_existing_take_request(struct fx_cluster_existing *existing);

/* Logs a cause of failures, and reports it, each cause once until the policies change. */
void fx_existing_report(struct fx_cluster_existing *existing,
                        const struct fx_mutator *rule, const char *reason,
                        const char *message);

/* ---- running jobs; job.c ------------------------------------------------------------
 */

/* Starts the job of a task, which it takes. `rule` is the active version of the rule in
 * `snapshot`, at `index`. False without memory. */
bool fx_existing_job_start(struct fx_cluster_existing *existing,
                           struct fx_existing_task *task_take,
                           struct fx_snapshot *snapshot, uint32_t index) FX_MUST_USE;

/* Cancels all jobs. */
void fx_existing_jobs_cancel(struct fx_cluster_existing *existing);

#endif
