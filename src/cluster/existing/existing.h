/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/existing.h - runs rules that mutate existing objects
 * (engine/existing.h): a queue of jobs, one for each rule and trigger. A job reads its
 * targets from the API server, mutates them, and writes those that changed.
 *
 * A write is a merge patch, or a server-side apply, with the resourceVersion that was
 * read. After a conflict the target is read and mutated again. A refusal is reported once
 * and not repeated. Requests are limited in rate.
 *
 * Changes that Fixpoint makes trigger no rule, unless the rule wants that
 * (run.on_own_requests), and one rule changes one target only a few times in a minute: so
 * no loop of rules goes on for ever. Objects are never logged. Loop thread only.
 */
#ifndef FX_CLUSTER_EXISTING_EXISTING_H
#define FX_CLUSTER_EXISTING_EXISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/input.h"
#include "engine/schemas.h"
#include "engine/snapshot.h"
#include "engine/trigger.h"
#include "kube/client.h"

#define FX_EXISTING_MODES(X)                                                    \
    X(OFF, "off")         /* such rules do nothing */                           \
    X(DRY_RUN, "dry-run") /* writes are sent as dry runs, and change nothing */ \
    X(ON, "on")

enum fx_existing_mode {
#define X(name, text) FX_EXISTING_MODE_##name,
    FX_EXISTING_MODES(X)
#undef X
};

struct fx_cluster_existing; /* opaque */

struct fx_cluster_existing_options {
    enum fx_existing_mode mode; /* not OFF */
    unsigned qps;               /* requests in a second; at least 1 */
};

/* Receives an input: the callee takes the value; NULL: `failure` is the reason. */
typedef void fx_existing_on_input(json_t *value_take, const struct fx_err *failure,
                                  void *user);
typedef void fx_existing_on_schemas(struct fx_schema_catalog *catalog_take,
                                    const struct fx_err *failure, void *user);

/* What the jobs need of the cluster. */
struct fx_cluster_existing_callbacks {
    fx_input_find *find; /* looks an input up in a cache */
    /* Fetch an input, and report it, perhaps at once. They need not report after
     * fx_cluster_existing_close(). False without memory. */
    bool (*fetch)(const struct fx_input_key *key, uint64_t deadline_ns,
                  fx_existing_on_input *on_done, void *entry, void *user);
    bool (*fetch_schemas)(const struct fx_input_key *key, uint64_t deadline_ns,
                          fx_existing_on_schemas *on_done, void *entry, void *user);
    const struct fx_schemas *schemas;
    /* A cause of failures, each once: an Event about the policy. Texts are borrowed. */
    void (*on_cause)(const struct fx_mutator *rule, const char *reason,
                     const char *message, void *user);
    void *user;
};

/* The results of jobs, and of targets; the texts are label values of metrics. */
#define FX_EXISTING_JOBS(X)                                                              \
    X(DONE, "done")         /* all targets are as the rule wants them */                 \
    X(FAILED, "failed")     /* the targets could not be found, or one was not written */ \
    X(REPLACED, "replaced") /* by a newer trigger, before the job began */               \
    X(OWN, "own")           /* the trigger is a request of Fixpoint itself */            \
    X(GONE, "gone")         /* the rule does not exist or match any more */              \
    X(DROPPED, "dropped")   /* the queue was full, or there was no memory */

#define FX_EXISTING_TARGETS(X)                                                          \
    X(SAME, "same")         /* nothing to change */                                     \
    X(WRITTEN, "written")   /* also in a dry run */                                     \
    X(CONFLICT, "conflict") /* changed meanwhile; read and tried again */               \
    X(REFUSED, "refused")   /* by the API server */                                     \
    X(FAILED, "failed")     /* the rule failed, or the API server could not be asked */ \
    X(UNSETTLED, "unsettled") /* each application changes it again */                   \
    X(TOO_OFTEN, "too_often") /* changed too often by the rule */

enum fx_existing_job_result {
#define X(name, text) FX_EXISTING_JOB_##name,
    FX_EXISTING_JOBS(X)
#undef X
        FX_EXISTING_JOB_RESULTS,
};

enum fx_existing_target_result {
#define X(name, text) FX_EXISTING_TARGET_##name,
    FX_EXISTING_TARGETS(X)
#undef X
        FX_EXISTING_TARGET_RESULTS,
};

struct fx_cluster_existing_counts {
    uint64_t jobs[FX_EXISTING_JOB_RESULTS], targets[FX_EXISTING_TARGET_RESULTS];
    size_t n_waiting, n_running;
};

/* Starts. Close it before the client. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_cluster_existing *
fx_cluster_existing_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_existing_options *options,
                           const struct fx_cluster_existing_callbacks *callbacks,
                           struct fx_err *err) FX_MUST_USE;

/* Adds a job for each rule of the trigger. It begins a moment later, when the API server
 * has stored the object of the review. A job of the same rule and object that still waits
 * is replaced. Takes its own references. */
void fx_cluster_existing_add(struct fx_cluster_existing *existing,
                             struct fx_trigger *trigger);

/* Counts triggers that were dropped on the way. */
void fx_cluster_existing_add_dropped(struct fx_cluster_existing *existing, uint64_t n);

/* Reports the active policies. Jobs run the active version of their rule. The leader
 * runs rules that are new or changed on the objects that exist (run.on_policy_change). */
void fx_cluster_existing_set_policies(struct fx_cluster_existing *existing,
                                      struct fx_snapshot *snapshot);

/* Reports whether this replica holds the Lease. A new leader runs all rules that run when
 * their policy changes: it does not know which of them the last leader has run. */
void fx_cluster_existing_set_leader(struct fx_cluster_existing *existing, bool leads);

void fx_cluster_existing_get_counts(const struct fx_cluster_existing *existing,
                                    struct fx_cluster_existing_counts *ret_counts);

/* Cancels requests in progress, and drops the jobs; the log says how many. The memory is
 * freed when the loop has closed its handles. NULL is allowed. */
void fx_cluster_existing_close(struct fx_cluster_existing *existing);

#endif
