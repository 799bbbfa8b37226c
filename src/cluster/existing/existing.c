/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/existing.c - which jobs run: triggers become tasks, tasks become jobs.
 * No job runs before the name of Fixpoint's own user is known, as its requests trigger
 * nothing.
 */
#include "cluster/existing/existing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "cluster/existing/existing_internal.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define EXISTING_MAGIC 0x66786578u /* "fxex" */
#define NS_IN_S        UINT64_C(1000000000)
#define SELF_FIRST_MS  500u
#define SELF_LAST_MS   60000u

static struct fx_cluster_existing *existing_of(void *data) {
    struct fx_cluster_existing *existing = data;
    assert(existing != NULL && existing->magic == EXISTING_MAGIC);
    return existing;
}

/* ---- the rate -----------------------------------------------------------------------
 */

/* Each request takes one interval; the requests of one second may be taken in advance. */
uint64_t fx_existing_take_request(struct fx_cluster_existing *existing) {
    const uint64_t now_ns = fx_clock_ns();
    const uint64_t interval_ns = NS_IN_S / existing->options.qps;
    const uint64_t from_ns =
        existing->paid_until_ns > now_ns ? existing->paid_until_ns : now_ns;
    if (from_ns - now_ns > NS_IN_S - interval_ns) {
        return fx_ms_until(from_ns - (NS_IN_S - interval_ns));
    }
    existing->paid_until_ns = from_ns + interval_ns;
    return 0;
}

/* ---- causes -------------------------------------------------------------------------
 */

static int compare_digest(const void *key, const void *item) {
    const uint64_t *a = key;
    const uint64_t *b = item;
    return *a < *b ? -1 : *a > *b;
}

/* Is the cause new? If there is no room or no memory for it, it is not reported. */
static bool is_new_cause(struct fx_cluster_existing *existing, uint64_t digest) {
    bool found = false;
    const size_t at = fx_sorted_find(existing->causes, existing->n_causes, sizeof digest,
                                     &digest, compare_digest, &found);
    if (found || existing->n_causes == FX_LIMIT_EXISTING_CAUSES ||
        !FX_VEC_GROW(existing->causes, existing->n_causes, existing->cap_causes)) {
        return false;
    }
    FX_SORTED_INSERT(existing->causes, existing->n_causes, at);
    existing->causes[at] = digest;
    return true;
}

void fx_existing_report(struct fx_cluster_existing *existing,
                        const struct fx_mutator *rule, const char *reason,
                        const char *message) {
    uint64_t digest = fx_hash_text(FX_HASH_START, fx_text_of(rule->full_name));
    digest = fx_hash_text(digest, fx_text_of(reason));
    digest = fx_hash_text(digest, fx_text_of(message));
    if (!is_new_cause(existing, digest)) {
        return;
    }
    fx_log(WARN, "existing objects not changed", fx_log_str("mutator", rule->full_name),
           fx_log_str("reason", reason), fx_log_str("error", message));
    existing->callbacks.on_cause(rule, reason, message, existing->callbacks.user);
}

/* ---- tasks --------------------------------------------------------------------------
 */

/* Is the trigger a request of Fixpoint itself that the rule does not want? */
static bool is_own(const struct fx_cluster_existing *existing,
                   const struct fx_mutator *rule, const struct fx_trigger *trigger) {
    return trigger != NULL && !rule->run.on_own_requests && existing->username != NULL &&
           strcmp(trigger->username, existing->username) == 0;
}

static void report_full(struct fx_cluster_existing *existing) {
    if (existing->counts.jobs[FX_EXISTING_JOB_DROPPED]++ == 0) {
        fx_log(WARN, "the queue of jobs for existing objects is full: jobs are dropped",
               {0});
    }
}

void fx_existing_enqueue(struct fx_cluster_existing *existing, struct fx_mutator *rule,
                         struct fx_trigger *trigger) {
    if (is_own(existing, rule, trigger)) {
        existing->counts.jobs[FX_EXISTING_JOB_OWN]++;
        return;
    }
    switch (fx_existing_queue_put(&existing->queue, rule, trigger, fx_clock_ns())) {
    case FX_EXISTING_ADDED: break;
    case FX_EXISTING_REPLACED: existing->counts.jobs[FX_EXISTING_JOB_REPLACED]++; break;
    case FX_EXISTING_FULL: report_full(existing); break;
    case FX_EXISTING_NO_MEMORY: existing->counts.jobs[FX_EXISTING_JOB_DROPPED]++; break;
    }
    fx_existing_pump(existing);
}

void fx_cluster_existing_add(struct fx_cluster_existing *existing,
                             struct fx_trigger *trigger) {
    for (size_t i = 0; i < trigger->n_rules; i++) {
        fx_existing_enqueue(existing, trigger->snapshot->mutators[trigger->rules[i]],
                            trigger);
    }
}

void fx_cluster_existing_add_dropped(struct fx_cluster_existing *existing, uint64_t n) {
    if (n > 0) {
        report_full(existing);
        existing->counts.jobs[FX_EXISTING_JOB_DROPPED] += n - 1;
    }
}

/* Finds the active version of a rule. */
static bool find_rule(const struct fx_snapshot *snapshot, const struct fx_mutator *rule,
                      uint32_t *ret_index) {
    for (size_t i = snapshot->n_acting; i < snapshot->n_mutators; i++) {
        if (fx_mutator_is_existing(snapshot->mutators[i]) &&
            !fx_snapshot_is_disabled(snapshot, i) &&
            fx_mutator_compare_ids(snapshot->mutators[i], rule) == 0) {
            *ret_index = (uint32_t)i;
            return true;
        }
    }
    return false;
}

static void start_task(struct fx_cluster_existing *existing,
                       struct fx_existing_task *task) {
    uint32_t index = 0;
    if (!find_rule(existing->snapshot, task->rule, &index)) {
        existing->counts.jobs[FX_EXISTING_JOB_GONE]++;
        fx_existing_task_destroy(task);
    } else if (is_own(existing, existing->snapshot->mutators[index], task->trigger)) {
        existing->counts.jobs[FX_EXISTING_JOB_OWN]++;
        fx_existing_task_destroy(task);
    } else if (!fx_existing_job_start(existing, task, existing->snapshot, index)) {
        existing->counts.jobs[FX_EXISTING_JOB_DROPPED]++;
    }
}

static bool may_start(const struct fx_cluster_existing *existing) {
    return existing->username != NULL && existing->snapshot != NULL &&
           existing->n_running < FX_LIMIT_EXISTING_RUNNING;
}

static void on_due(uv_timer_t *timer) {
    fx_existing_pump(existing_of(timer->data));
}

void fx_existing_pump(struct fx_cluster_existing *existing) {
    struct fx_existing_task *task = NULL;
    while (may_start(existing) &&
           (task = fx_existing_queue_pop(&existing->queue, fx_clock_ns())) != NULL) {
        start_task(existing, task);
    }
    const struct fx_existing_task *first =
        (const struct fx_existing_task *)existing->queue.list.first;
    if (first != NULL && may_start(existing)) {
        (void)uv_timer_start(&existing->queue_timer, on_due, fx_ms_until(first->due_ns),
                             0);
    }
}

/* ---- changed policies ---------------------------------------------------------------
 */

/* Is this version of the rule in the snapshot, too? */
static bool has_version(const struct fx_snapshot *snapshot,
                        const struct fx_mutator *rule) {
    uint32_t index = 0;
    return snapshot != NULL && find_rule(snapshot, rule, &index) &&
           snapshot->mutators[index] == rule;
}

/* Adds scans for the rules that are new or changed. */
static void scan_changed(struct fx_cluster_existing *existing) {
    struct fx_snapshot *before = existing->scanned;
    struct fx_snapshot *now = existing->snapshot;
    if (!existing->leads || now == NULL) {
        return;
    }
    existing->scanned = fx_snapshot_ref(now);
    for (size_t i = now->n_acting; i < now->n_mutators; i++) {
        struct fx_mutator *rule = now->mutators[i];
        if (rule->run.on_policy_change && fx_mutator_is_existing(rule) &&
            rule->ops->existing->triggers != NULL && !fx_snapshot_is_disabled(now, i) &&
            !has_version(before, rule)) {
            fx_existing_enqueue(existing, rule, NULL);
        }
    }
    fx_snapshot_unref(before);
}

void fx_cluster_existing_set_policies(struct fx_cluster_existing *existing,
                                      struct fx_snapshot *snapshot) {
    struct fx_snapshot *before = existing->snapshot;
    existing->snapshot = fx_snapshot_ref(snapshot);
    existing->n_causes = 0;
    fx_snapshot_unref(before);
    scan_changed(existing);
    fx_existing_pump(existing);
}

void fx_cluster_existing_set_leader(struct fx_cluster_existing *existing, bool leads) {
    existing->leads = leads;
    if (!leads) {
        fx_snapshot_unref(existing->scanned);
        existing->scanned = NULL;
    }
    scan_changed(existing);
}

/* ---- Fixpoint's own user ------------------------------------------------------------
 */

static void learn_username(struct fx_cluster_existing *existing);

static void on_timer(uv_timer_t *timer) {
    learn_username(existing_of(timer->data));
}

static void learn_later(struct fx_cluster_existing *existing, uint64_t retry_after_ms) {
    const uint64_t ms = fx_kube_backoff_next(&existing->self_backoff, retry_after_ms,
                                             SELF_LAST_MS, &existing->random);
    (void)uv_timer_start(&existing->timer, on_timer, ms, 0);
}

static void on_self(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_existing *existing = existing_of(user);
    existing->self_review = NULL;
    if (answer->failure != NULL) {
        if (existing->self_backoff.next_ms == 0) {
            fx_log(WARN,
                   "jobs for existing objects wait: Fixpoint's own user is not known",
                   fx_log_str("error", answer->failure->message));
        }
        learn_later(existing, answer->failure->retry_after_s * UINT64_C(1000));
        return;
    }
    const json_t *status = fx_tree_view_key(answer->object, "status");
    const struct fx_text name =
        fx_tree_view_string(fx_tree_view_key(status, "userInfo"), "username");
    existing->username = name.len == 0 ? NULL : fx_text_dup(name);
    if (existing->username == NULL) {
        learn_later(existing, 0);
        return;
    }
    fx_existing_pump(existing);
}

static void learn_username(struct fx_cluster_existing *existing) {
    static const struct fx_kube_resource reviews = {
        "authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview"};
    json_t *body = json_pack("{s:s, s:s}", "apiVersion", "authentication.k8s.io/v1",
                             "kind", "SelfSubjectReview");
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_CREATE,
        .resource = &reviews,
        .name = {.everywhere = true},
        .body = body,
    };
    existing->self_review =
        body == NULL ? NULL
                     : fx_kube_call_start(existing->client, &request, on_self, existing);
    json_decref(body);
    if (existing->self_review == NULL) {
        learn_later(existing, 0);
    }
}

/* ---- life ---------------------------------------------------------------------------
 */

struct fx_cluster_existing *
fx_cluster_existing_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_existing_options *options,
                           const struct fx_cluster_existing_callbacks *callbacks,
                           struct fx_err *err) {
    assert(options->mode != FX_EXISTING_MODE_OFF && options->qps > 0);
    struct fx_cluster_existing *existing = calloc(1, sizeof *existing);
    if (existing == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    existing->magic = EXISTING_MAGIC;
    existing->loop = loop;
    existing->client = client;
    existing->options = *options;
    existing->callbacks = *callbacks;
    existing->self_backoff =
        (struct fx_kube_backoff){.min_ms = SELF_FIRST_MS, .max_ms = SELF_LAST_MS};
    fx_kube_random_init(&existing->random);
    (void)uv_timer_init(loop, &existing->timer); /* cannot fail */
    (void)uv_timer_init(loop, &existing->queue_timer);
    existing->timer.data = existing;
    existing->queue_timer.data = existing;
    existing->n_open = 2;
    learn_username(existing);
    return existing;
}

void fx_cluster_existing_get_counts(const struct fx_cluster_existing *existing,
                                    struct fx_cluster_existing_counts *ret_counts) {
    *ret_counts = existing->counts;
    ret_counts->n_waiting = existing->queue.n_tasks;
    ret_counts->n_running = existing->n_running;
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_existing *existing = existing_of(timer->data);
    if (--existing->n_open == 0) {
        existing->magic = 0;
        free(existing);
    }
}

void fx_cluster_existing_close(struct fx_cluster_existing *existing) {
    if (existing == NULL) {
        return;
    }
    const size_t n_left = existing->queue.n_tasks + existing->n_running;
    if (n_left > 0) {
        fx_log(WARN, "jobs for existing objects are dropped at the shutdown",
               fx_log_int("jobs", (int64_t)n_left));
    }
    fx_kube_call_cancel(existing->self_review);
    fx_existing_jobs_cancel(existing);
    fx_existing_queue_finish(&existing->queue);
    fx_existing_changes_finish(&existing->changes);
    fx_kube_kinds_finish(&existing->kinds);
    fx_snapshot_unref(existing->scanned);
    fx_snapshot_unref(existing->snapshot);
    free(existing->username);
    free(existing->causes);
    uv_close((uv_handle_t *)&existing->timer, on_closed);
    uv_close((uv_handle_t *)&existing->queue_timer, on_closed);
}
