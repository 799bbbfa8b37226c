/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/job.c - the life of a job: its beginning, what it waits for, its end.
 */
#include "cluster/existing/job.h"

#include <assert.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"

#define JOB_MAGIC      0x66786a62u /* "fxjb" */
#define FIRST_PAUSE_MS 200u
#define LAST_PAUSE_MS  30000u
#define RETRY_AFTER_MS 60000u
#define NS_IN_MS       UINT64_C(1000000)

struct existing_job *existing_job_of(void *data) {
    struct existing_job *job = data;
    assert(job != NULL && job->magic == JOB_MAGIC);
    return job;
}

/* ---- the end ----------------------------------------------------------------------- */

static void on_closed(uv_handle_t *timer) {
    struct existing_job *job = existing_job_of(timer->data);
    job->magic = 0;
    free(job);
}

/* Cancels what is in progress, and frees everything. */
static void release(struct existing_job *job) {
    fx_kube_call_cancel(job->call);
    fx_kube_discovery_cancel(job->discovery);
    fx_list_remove(&job->existing->jobs, &job->link);
    job->existing->n_running--;
    json_decref(job->body.body);
    json_decref(job->page);
    free(job->next_page);
    fx_existing_queries_finish(&job->queries);
    fx_inputs_finish(&job->inputs);
    fx_trigger_view_finish(&job->view);
    fx_existing_task_destroy(job->task);
    fx_snapshot_unref(job->snapshot);
    uv_close((uv_handle_t *)&job->timer, on_closed);
}

void existing_job_end(struct existing_job *job, enum fx_existing_job_result result) {
    struct fx_cluster_existing *existing = job->existing;
    existing->counts.jobs[result]++;
    release(job);
    fx_existing_pump(existing);
}

void fx_existing_jobs_cancel(struct fx_cluster_existing *existing) {
    while (existing->jobs != NULL) {
        release((struct existing_job *)existing->jobs); /* its first member */
    }
}

/* ---- failures ---------------------------------------------------------------------- */

static bool is_about_secrets(const struct existing_job *job) {
    const struct fx_existing_query *query =
        job->at_query < job->queries.n_items ? existing_job_query(job) : NULL;
    return query != NULL && query->group.len == 0 && fx_text_is(query->kind, "Secret");
}

void existing_job_fail(struct existing_job *job, const char *reason,
                       const struct fx_err *err) {
    job->failed = true;
    fx_existing_report(job->existing, existing_job_rule(job), reason,
                       is_about_secrets(job)
                           ? "the rule failed for a Secret; its content is not reported"
                           : err->msg);
}

void existing_job_fail_request(struct existing_job *job, const char *reason,
                               const struct fx_kube_failure *failure) {
    struct fx_err err = FX_ERR_INIT;
    job->failed = true;
    if (is_about_secrets(job)) {
        (void)fx_fail(&err, FX_EIO, "a request for a Secret failed: %s",
                      fx_kube_reason_name(failure->reason));
    } else {
        (void)fx_fail(&err, FX_EIO, "%s", failure->message);
    }
    fx_existing_report(job->existing, existing_job_rule(job), reason, err.msg);
}

/* ---- waiting ----------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer) {
    struct existing_job *job = existing_job_of(timer->data);
    job->step(job);
}

void existing_job_wait(struct existing_job *job, uint64_t ms, existing_step *step) {
    job->step = step;
    (void)uv_timer_start(&job->timer, on_timer, ms, 0);
}

void existing_job_retry(struct existing_job *job, const struct fx_kube_failure *failure,
                        existing_step *again, existing_step *otherwise) {
    if (fx_kube_failure_is_temporary(failure) && fx_clock_ns() < job->deadline_ns) {
        existing_job_wait(job,
                          fx_kube_backoff_next(&job->backoff,
                                               failure->retry_after_s * UINT64_C(1000),
                                               RETRY_AFTER_MS, &job->existing->random),
                          again);
        return;
    }
    existing_job_fail_request(job, "TargetsNotRead", failure);
    otherwise(job);
}

/* ---- inputs ------------------------------------------------------------------------ */

static void end_fetch(struct existing_job *job) {
    if (--job->n_fetches == 0) {
        existing_job_wait(job, 0, job->step);
    }
}

static void on_fetched(json_t *value_take, const struct fx_err *failure, void *user) {
    struct fx_input_entry *entry = user;
    fx_inputs_give(entry, value_take, failure);
    end_fetch(existing_job_of(entry->fetcher));
}

static void on_schemas(struct fx_schema_catalog *catalog_take,
                       const struct fx_err *failure, void *user) {
    struct fx_input_entry *entry = user;
    fx_inputs_give_schemas(entry, catalog_take, failure);
    end_fetch(existing_job_of(entry->fetcher));
}

/* Starts to fetch an input. Providers are not called for existing objects. */
static void start_fetch(struct existing_job *job, struct fx_input_entry *entry) {
    const struct fx_cluster_existing_callbacks *to = &job->existing->callbacks;
    const struct fx_input_key *key = &entry->key;
    struct fx_err err = FX_ERR_INIT;
    entry->fetcher = job;
    job->n_fetches++;
    if (key->type == FX_INPUT_CALL) {
        (void)fx_fail(&err, FX_EMUTATE, "providers are not called for existing objects");
    } else if (!(key->type == FX_INPUT_SCHEMA
                     ? to->fetch_schemas(key, job->deadline_ns, on_schemas, entry,
                                         to->user)
                     : to->fetch(key, job->deadline_ns, on_fetched, entry, to->user))) {
        (void)fx_fail_nomem(&err);
    }
    if (err.code != FX_OK) {
        on_fetched(NULL, &err, entry);
    }
}

void existing_job_fetch(struct existing_job *job, existing_step *step) {
    const struct fx_cluster_existing_callbacks *to = &job->existing->callbacks;
    job->inputs.n_rounds++;
    fx_inputs_look_up(&job->inputs, to->find, to->user);
    job->step = step;
    job->n_fetches = 1; /* one more until all are started */
    for (struct fx_input_entry *entry = job->inputs.first; entry != NULL;
         entry = entry->next) {
        if (entry->state == FX_INPUT_WANTED || entry->state == FX_INPUT_AWAITED) {
            start_fetch(job, entry);
        }
    }
    end_fetch(job);
}

/* ---- the rule -----------------------------------------------------------------------
 */

struct fx_request existing_job_request(struct existing_job *job) {
    struct fx_request request = job->view.request;
    request.inputs = &job->inputs;
    request.schemas = job->existing->callbacks.schemas;
    return request;
}

void existing_job_begin_work(struct fx_budget *budget) {
    *budget = (struct fx_budget){
        .bound.deadline_ns = fx_clock_ns() + FX_LIMIT_EXISTING_STEP_MS * NS_IN_MS};
    fx_budget_swap(budget);
}

void existing_job_end_work(struct fx_budget *budget) {
    fx_budget_swap(budget);
}

/* Does the active version of the rule match the trigger? The version that matched in the
 * review need not be asked again. */
static bool matches(struct existing_job *job, bool *ret_matches, struct fx_err *err) {
    const struct fx_mutator *rule = existing_job_rule(job);
    const struct fx_request request = existing_job_request(job);
    struct fx_verdict verdict = {.matched = true};
    struct fx_subject subject;
    bool ok = true;
    if (rule != job->task->rule) {
        fx_subject_read(job->view.object, &subject);
        ok = rule->ops->match(rule, &request, &subject, &verdict, err);
    }
    *ret_matches = verdict.matched;
    return ok;
}

/* Selects the targets, or, in a scan, the objects that may be triggers. */
static bool select_objects(struct existing_job *job, bool *ret_matches,
                           struct fx_err *err) {
    const struct fx_mutator *rule = existing_job_rule(job);
    const struct fx_request request = existing_job_request(job);
    fx_existing_queries_finish(&job->queries);
    *ret_matches = true;
    if (job->task->trigger == NULL) {
        return rule->ops->existing->triggers(rule, &job->queries, err);
    }
    return matches(job, ret_matches, err) &&
           (!*ret_matches || rule->ops->existing->select(rule, &request, job->view.object,
                                                         &job->queries, err));
}

static void begin(struct existing_job *job) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_budget budget;
    bool has_matched = false;
    existing_job_begin_work(&budget);
    const bool ok = select_objects(job, &has_matched, &err);
    existing_job_end_work(&budget);
    if (!ok && err.code == FX_EINPUT) {
        existing_job_fetch(job, begin);
    } else if (!ok) {
        existing_job_fail(job, "RuleFailed", &err);
        existing_job_end(job, FX_EXISTING_JOB_FAILED);
    } else if (!has_matched) {
        existing_job_end(job, FX_EXISTING_JOB_GONE);
    } else {
        existing_job_next_query(job);
    }
}

bool fx_existing_job_start(struct fx_cluster_existing *existing,
                           struct fx_existing_task *task_take,
                           struct fx_snapshot *snapshot, uint32_t index) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_trigger_view view = {.parts = NULL};
    struct existing_job *job = calloc(1, sizeof *job);
    if (job == NULL || (task_take->trigger != NULL &&
                        !fx_trigger_view(task_take->trigger, &view, &err))) {
        free(job);
        fx_existing_task_destroy(task_take);
        return false;
    }
    job->magic = JOB_MAGIC;
    job->existing = existing;
    job->task = task_take;
    job->view = view;
    job->snapshot = fx_snapshot_ref(snapshot);
    job->index = index;
    job->deadline_ns = fx_clock_ns() + FX_LIMIT_EXISTING_JOB_MS * NS_IN_MS;
    job->backoff =
        (struct fx_kube_backoff){.min_ms = FIRST_PAUSE_MS, .max_ms = LAST_PAUSE_MS};
    fx_inputs_init(&job->inputs, NULL, 0);
    (void)uv_timer_init(existing->loop, &job->timer); /* cannot fail */
    job->timer.data = job;
    fx_list_add(&existing->jobs, &job->link);
    existing->n_running++;
    existing_job_wait(job, 0, begin);
    return true;
}
