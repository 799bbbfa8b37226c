/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_internal.h - what sweep.c (which entries go) and sweep_write.c
 * (removing them) share, and the times that tests change.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_INTERNAL_H
#define FX_CLUSTER_STATUS_SWEEP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/macros.h"
#include "cluster/status/status_body.h"
#include "cluster/status/sweep.h"
#include "cluster/status/sweep_plan.h"
#include "kube/client.h"

struct fx_sweep_times {
    uint64_t round_ms;   /* between two rounds, */
    uint64_t again_ms;   /* and if there are new suspects */
    uint64_t wait_ms;    /* while not all policies have been read yet */
    uint64_t write_ms;   /* between two writes */
    uint64_t foreign_ms; /* until entries of others are removed, */
    uint64_t rest_ms;    /* and until they are removed again after they came back */
};

#define FX_SWEEP_TASKS_MAX 256 /* in one round; the next round finds the others */

/* An object to write. */
struct fx_sweep_task {
    const struct fx_kube_resource *resource;
    char *namespace_, *name, *uid; /* namespace: empty if there is none */
    char *id;         /* the entry to remove; NULL: all entries that are to be dropped */
    bool was_refused; /* the apply was refused: the object is updated instead */
};

struct fx_cluster_sweep {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_kube_call *call; /* NULL: none in progress */
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_sweep_times times;
    bool leads;
    bool new_suspects;
    bool list_mutators;                    /* in the next round, even if no Pod is gone */
    struct fx_sweep_names pods, pods_next; /* of the last list */
    struct fx_sweep_names suspects, suspects_next; /* ids that were no Pod's */
    struct fx_sweep_foreign foreign;               /* ids of others */
    uint64_t pass_ns;                              /* when the mutators were listed */
    size_t kind;                                   /* that is being listed */
    const struct fx_kube_resource *resource;       /* in that version */
    size_t n_pages;                                /* of that list so far */
    struct fx_sweep_task *tasks;
    size_t n_tasks, cap_tasks, at_task;
    enum fx_kube_reason logged; /* the last failure in the log */
    bool failed;                /* a request of this round failed */
    bool logged_no_pod;
    char manager[FX_STATUS_MANAGER_BYTES]; /* of this replica */
};

/* For tests, right after fx_cluster_sweep_create(). */
void fx_cluster_sweep_set_times(struct fx_cluster_sweep *sweep,
                                const struct fx_sweep_times *times);

/* ---- sweep.c ---- */

/* Casts the user data of a callback. */
struct fx_cluster_sweep *fx_sweep_of(void *data);

/* Sets the timer: continues with the tasks, or the next round, in `ms` milliseconds. */
void fx_sweep_run_in(struct fx_cluster_sweep *sweep, uint64_t ms);

/* Ends the round. */
void fx_sweep_end_round(struct fx_cluster_sweep *sweep);

/* Logs the failure, unless the same reason was logged last. */
void fx_sweep_log_failure(struct fx_cluster_sweep *sweep,
                          const struct fx_kube_failure *failure);

/* Whether the entry with that id is removed by an update of the whole object. */
bool fx_sweep_is_to_drop(const struct fx_cluster_sweep *sweep, const json_t *object,
                         struct fx_text id);

/* ---- sweep_write.c ---- */

/* Adds a task: remove the entry with that id (empty: all for which fx_sweep_is_to_drop())
 * from the object. False without memory. */
bool fx_sweep_add_task(struct fx_cluster_sweep *sweep, const json_t *object,
                       struct fx_text id) FX_MUST_USE;

/* Starts the next task; after the last one the round ends. */
void fx_sweep_write_next(struct fx_cluster_sweep *sweep);

/* Removes all tasks. */
void fx_sweep_drop_tasks(struct fx_cluster_sweep *sweep);

#endif
