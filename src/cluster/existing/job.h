/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/job.h - a running job. Private to this room.
 *
 *   begin ─→ select ─→ for each query: find its resource ─→ read an object, or a page
 *                        ↑                                       │ for each object of it:
 *                        └── no more pages ──────────────────────┤
 *                                                                ↓
 *                        a conflict: read it again ←── write ←── mutate
 *
 * (job.c: the steps between requests; job_read.c: requests that read; job_target.c: one
 * target.) Any step may wait: for inputs of the rule, for the rate of requests, or after
 * a temporary failure, which is tried again until the job's deadline.
 */
#ifndef FX_CLUSTER_EXISTING_JOB_H
#define FX_CLUSTER_EXISTING_JOB_H

#include "base/budget.h"
#include "cluster/existing/existing_internal.h"
#include "kube/discovery.h"

struct existing_job;
typedef void existing_step(struct existing_job *job);

struct existing_job {
    struct fx_list_link link; /* of `existing->jobs` */
    uint32_t magic;
    struct fx_cluster_existing *existing;
    struct fx_existing_task *task;
    struct fx_snapshot *snapshot; /* counted: the rule is in it */
    uint32_t index;               /* of the rule */
    uint64_t deadline_ns;
    bool failed; /* a target was not written, or not found */

    uv_timer_t timer;    /* until the step is taken that waits */
    existing_step *step; /* that waits for time or inputs */
    struct fx_kube_backoff backoff;
    struct fx_kube_call *call;           /* in progress, or */
    struct fx_kube_discovery *discovery; /* in progress */

    struct fx_trigger_view view; /* empty in a scan */
    struct fx_inputs inputs;
    size_t n_fetches; /* inputs that are being fetched */

    struct fx_existing_queries queries;
    size_t at_query;
    char *next_page; /* the token of the next page; NULL: there is none */
    json_t *page;    /* an array of objects; counted; NULL: none was read yet */
    size_t at_object;

    unsigned n_tries;             /* writes of the present target */
    struct fx_existing_body body; /* of the write */
};

static inline const struct fx_mutator *existing_job_rule(const struct existing_job *job) {
    return job->snapshot->mutators[job->index];
}

static inline const struct fx_existing_query *
existing_job_query(const struct existing_job *job) {
    return &job->queries.items[job->at_query];
}

/* ---- job.c ---- */

struct existing_job *existing_job_of(void *data);

/* Takes the step after a pause. */
void existing_job_wait(struct existing_job *job, uint64_t ms, existing_step *step);

/* Takes the step again after a temporary failure, or reports the failure, and takes the
 * step `otherwise` when it is not temporary or there is no more time. */
void existing_job_retry(struct existing_job *job, const struct fx_kube_failure *failure,
                        existing_step *again, existing_step *otherwise);

/* Fetches the inputs that the rule asked for, and then takes the step. */
void existing_job_fetch(struct existing_job *job, existing_step *step);

/* The job has failed in part; reports the cause. A message about a Secret may quote it,
 * so only its code is reported. */
void existing_job_fail(struct existing_job *job, const char *reason,
                       const struct fx_err *err);
void existing_job_fail_request(struct existing_job *job, const char *reason,
                               const struct fx_kube_failure *failure);

/* Ends the job. */
void existing_job_end(struct existing_job *job, enum fx_existing_job_result result);

/* The request for the rule's functions, with the inputs of the job. */
struct fx_request existing_job_request(struct existing_job *job);

/* Runs a piece of work of the rule under a budget of time. */
void existing_job_begin_work(struct fx_budget *budget);
void existing_job_end_work(struct fx_budget *budget);

/* ---- job_read.c ---- */

existing_step existing_job_next_query; /* begins the present query, or ends the job */
existing_step existing_job_next_page;  /* reads the next page of the present query */
existing_step existing_job_read_again; /* reads the present object again */

/* The resource of the present query; NULL if it has to be read. */
const struct fx_kube_kind *existing_job_kind(struct existing_job *job);

/* Ends the job for lack of memory. */
void existing_job_fail_memory(struct existing_job *job);

/* ---- job_target.c ---- */

existing_step existing_job_next_object; /* handles the present object of the page */

#endif
