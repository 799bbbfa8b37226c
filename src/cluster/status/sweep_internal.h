/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_internal.h - what the two files of a sweep share, and for the
 * tests of this room: one in a hurry.
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
#include "cluster/status/sweep_foreign.h"
#include "cluster/status/sweep_plan.h"
#include "kube/client.h"

struct fx_sweep_times {
    uint64_t round_ms;    /* from one look to the next, */
    uint64_t again_ms;    /* where somebody is suspect now */
    uint64_t wait_ms;     /* while not all policies have been read yet */
    uint64_t write_ms;    /* between two writes */
    uint64_t stranger_ms; /* until entries of others are removed, */
    uint64_t rest_ms;     /* and where they come back: until it is tried again */
};

#define FX_SWEEP_TASKS_MAX                                      \
    256 /* of one round: what is left over is found by the next \
         */

/* One object that is to be written. */
struct fx_sweep_task {
    const struct fx_kube_resource *resource;
    char *namespace_, *name, *uid; /* no namespace: empty */
    char *id;         /* whose entry is to go; NULL: those that are ours to be dropped */
    bool was_refused; /* its manager cannot give it up: it is dropped */
};

struct fx_cluster_sweep {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_kube_call *call; /* NULL: none is under way */
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_sweep_times times;
    bool on;
    bool anew; /* suspects have been added */
    bool due;  /* the mutators are to be listed, whatever the Pods */
    struct fx_sweep_names pods, pods_next;         /* those of the last list */
    struct fx_sweep_names suspects, suspects_next; /* ids that were no Pod's */
    struct fx_sweep_foreign strangers;             /* and of these, those of others */
    uint64_t look_ns;                              /* when the mutators were listed */
    size_t kind;                                   /* that is being listed */
    const struct fx_kube_resource *resource;       /* in that version */
    size_t n_pages;                                /* of that list so far */
    struct fx_sweep_task *tasks;
    size_t n_tasks, cap_tasks, at_task;
    enum fx_kube_reason logged; /* the last failure in the log */
    bool failed;                /* something of this round did */
    bool said_stranger;
    char manager[FX_STATUS_MANAGER_BYTES]; /* ours */
};

/* Right after fx_cluster_sweep_create(). */
void fx_cluster_sweep_set_times(struct fx_cluster_sweep *sweep,
                                const struct fx_sweep_times *times);

/* ---- sweep.c ---- */

/* What a `void *` of ours is. */
struct fx_cluster_sweep *fx_sweep_of(void *data);

/* Goes on, with the tasks or the next round, in so many milliseconds. */
void fx_sweep_wake_in(struct fx_cluster_sweep *sweep, uint64_t ms);

/* Nothing more in this round. */
void fx_sweep_end_round(struct fx_cluster_sweep *sweep);

/* Logs it, unless it is the one that was logged last. */
void fx_sweep_log_failure(struct fx_cluster_sweep *sweep,
                          const struct fx_kube_failure *failure);

/* How an entry that is nobody's can be removed from the object; NONE where it is
 * somebody's. */
enum fx_sweep_method fx_sweep_find_method(const struct fx_cluster_sweep *sweep,
                                          const json_t *object, struct fx_text id);

/* Does the entry go by a write of the whole object? */
bool fx_sweep_is_to_drop(const struct fx_cluster_sweep *sweep, const json_t *object,
                         struct fx_text id);

/* ---- sweep_write.c ---- */

/* Notes that the entry of that id (empty: all of FX_SWEEP_DROP) goes from that object.
 * False without memory. */
bool fx_sweep_add_task(struct fx_cluster_sweep *sweep, const json_t *object,
                       struct fx_text id) FX_MUST_USE;

/* Begins the next task; after the last one the round ends. */
void fx_sweep_write_next(struct fx_cluster_sweep *sweep);

void fx_sweep_drop_tasks(struct fx_cluster_sweep *sweep);

#endif
