/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/job_target.c - what a job does with one object: a target is mutated
 * and written; in a scan an object that matches becomes a trigger.
 */
#include "base/budget.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "cluster/existing/job.h"
#include "engine/admission_request.h"
#include "kube/object.h"
#include "value/tree.h"

#define MANAGER  "fixpoint"
#define SLICE_NS UINT64_C(5000000) /* of work before the loop goes on */
#define PAUSE_MS 1000u             /* of a scan while the queue is full */

static json_t *object_of(const struct existing_job *job) {
    return json_array_get(job->page, job->at_object);
}

static void count_target(struct existing_job *job,
                         enum fx_existing_target_result result) {
    job->existing->counts.targets[result]++;
}

/* Goes on with the next object. */
static void end_object(struct existing_job *job) {
    job->n_tries = 0;
    job->at_object++;
}

/* ---- reports ------------------------------------------------------------------------
 */

static void print_target(const struct existing_job *job, struct fx_buf *buf) {
    struct fx_subject subject;
    fx_subject_read(object_of(job), &subject);
    fx_buf_text(buf, subject.kind);
    fx_buf_char(buf, ' ');
    if (subject.namespace_.len > 0) {
        fx_buf_text(buf, subject.namespace_);
        fx_buf_char(buf, '/');
    }
    fx_buf_text(buf, subject.name);
}

static void log_written(const struct existing_job *job) {
    struct fx_buf target = {0};
    const bool is_dry = job->existing->options.mode == FX_EXISTING_MODE_DRY_RUN;
    print_target(job, &target);
    fx_log_write(FX_LOG_INFO,
                 is_dry ? "existing object would be changed" : "existing object changed",
                 (const struct fx_log_field[]){
                     fx_log_str("mutator", existing_job_rule(job)->full_name),
                     fx_log_str("target", target.failed ? "" : target.data),
                     {0}});
    fx_buf_finish(&target);
}

/* Reports that the present target is not written: "KIND NS/NAME: TEXT". */
static void refuse_target(struct existing_job *job, enum fx_existing_target_result result,
                          const char *reason, const char *text) {
    struct fx_buf message = {0};
    print_target(job, &message);
    fx_buf_printf(&message, ": %s", text);
    job->failed = true;
    count_target(job, result);
    fx_existing_report(job->existing, existing_job_rule(job), reason,
                       message.failed ? text : message.data);
    fx_buf_finish(&message);
    end_object(job);
}

/* ---- writing ------------------------------------------------------------------------
 */

static void on_written(const struct fx_kube_answer *answer, void *user);

static void drop_body(struct existing_job *job) {
    json_decref(job->body.body);
    job->body = (struct fx_existing_body){.body = NULL};
}

/* Sends the body. False without memory. */
static bool send_write(struct existing_job *job, const struct fx_kube_kind *kind) {
    struct fx_subject subject;
    const bool is_dry = job->existing->options.mode == FX_EXISTING_MODE_DRY_RUN;
    fx_subject_read(object_of(job), &subject);
    const struct fx_kube_request request = {
        .verb = job->body.by_apply ? FX_KUBE_VERB_APPLY : FX_KUBE_VERB_MERGE_PATCH,
        .resource = &kind->resource,
        .name = {.namespace_ = subject.namespace_,
                 .name = subject.name,
                 .everywhere = true},
        .body = job->body.body,
        .query = is_dry ? "dryRun=All" : NULL,
        .metadata_only = true, /* the content of the answer is not used */
        .manager = MANAGER,
        .force = job->body.by_apply,
    };
    job->call = fx_kube_call_start(job->existing->client, &request, on_written, job);
    return job->call != NULL;
}

static void write_target(struct existing_job *job) {
    const struct fx_kube_kind *kind = existing_job_kind(job);
    const uint64_t ms = fx_existing_take_request(job->existing);
    if (ms > 0) {
        existing_job_wait(job, ms, write_target);
    } else if (kind == NULL) {
        drop_body(job);
        existing_job_next_query(job); /* the kind is read again, and the objects, too */
    } else if (!send_write(job, kind)) {
        existing_job_fail_memory(job);
    }
}

/* Reads the target again, and mutates it again, if there is time and an attempt left. */
static bool may_try_again(struct existing_job *job,
                          const struct fx_kube_failure *failure) {
    return (failure->reason == FX_KUBE_REASON_CONFLICT ||
            fx_kube_failure_is_temporary(failure)) &&
           ++job->n_tries < FX_LIMIT_EXISTING_TRIES && fx_clock_ns() < job->deadline_ns;
}

static void fail_write(struct existing_job *job, const struct fx_kube_failure *failure) {
    if (failure->reason == FX_KUBE_REASON_CONFLICT) {
        count_target(job, FX_EXISTING_TARGET_CONFLICT);
    }
    if (failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        end_object(job);
        existing_job_next_object(job);
    } else if (may_try_again(job, failure)) {
        existing_job_wait(
            job,
            fx_kube_backoff_next(&job->backoff, failure->retry_after_s * UINT64_C(1000),
                                 FX_LIMIT_EXISTING_JOB_MS, &job->existing->random),
            existing_job_read_again);
    } else {
        existing_job_fail_request(job, "TargetRefused", failure);
        count_target(job, FX_EXISTING_TARGET_REFUSED);
        end_object(job);
        existing_job_next_object(job);
    }
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct existing_job *job = existing_job_of(user);
    job->call = NULL;
    drop_body(job);
    if (answer->failure != NULL) {
        fail_write(job, answer->failure);
        return;
    }
    fx_kube_backoff_reset(&job->backoff);
    count_target(job, FX_EXISTING_TARGET_WRITTEN);
    log_written(job);
    end_object(job);
    existing_job_next_object(job);
}

/* ---- a target -----------------------------------------------------------------------
 */

/* What follows from a step on an object. */
enum outcome {
    STEP_ENDED, /* the next object */
    STEP_WAITS, /* a request or a pause has begun */
};

/* A digest of the rule's id and the object's identity. */
static uint64_t digest_target(const struct existing_job *job) {
    const struct fx_mutator *rule = existing_job_rule(job);
    struct fx_subject subject;
    fx_subject_read(object_of(job), &subject);
    uint64_t digest = fx_hash_text(FX_HASH_START, fx_text_of(rule->kind));
    digest = fx_hash_text(digest, fx_text_of(rule->full_name));
    digest = fx_hash_text(digest, subject.group);
    digest = fx_hash_text(digest, subject.kind);
    digest = fx_hash_text(digest, subject.namespace_);
    return fx_hash_text(digest, subject.name);
}

/* Writes the mutated target, unless the rule has changed it too often. A retry is not
 * counted again. */
static enum outcome write_changed(struct existing_job *job, const json_t *after) {
    struct fx_err err = FX_ERR_INIT;
    if (job->n_tries == 0 &&
        !fx_existing_changes_take(&job->existing->changes, digest_target(job),
                                  fx_clock_ns())) {
        refuse_target(job, FX_EXISTING_TARGET_TOO_OFTEN, "TargetChangedTooOften",
                      "the rule has changed it several times within a minute, and leaves "
                      "it alone for now: probably rules trigger each other");
        return STEP_ENDED;
    }
    if (!fx_existing_body_make(object_of(job), after,
                               existing_job_rule(job)->run.by_apply, &job->body, &err)) {
        refuse_target(job, FX_EXISTING_TARGET_FAILED, "RuleFailed", err.msg);
        return STEP_ENDED;
    }
    write_target(job);
    return STEP_WAITS;
}

static enum outcome fail_target(struct existing_job *job, const struct fx_err *err) {
    if (err->code == FX_EINPUT) {
        existing_job_fetch(job, existing_job_next_object);
        return STEP_WAITS;
    }
    count_target(job, FX_EXISTING_TARGET_FAILED);
    existing_job_fail(job, "RuleFailed", err);
    end_object(job);
    return STEP_ENDED;
}

static enum outcome handle_target(struct existing_job *job) {
    const struct fx_request request = existing_job_request(job);
    enum fx_existing_result result = FX_EXISTING_SAME;
    enum outcome outcome = STEP_ENDED;
    struct fx_err err = FX_ERR_INIT;
    struct fx_budget budget;
    json_t *after = json_incref(object_of(job));
    existing_job_begin_work(&budget);
    const bool ok = fx_existing_apply(existing_job_rule(job), &request, job->view.object,
                                      &after, &result, &err);
    existing_job_end_work(&budget);
    if (!ok) {
        outcome = fail_target(job, &err);
    } else if (result == FX_EXISTING_UNSETTLED) {
        refuse_target(job, FX_EXISTING_TARGET_UNSETTLED, "TargetDoesNotSettle",
                      "each application of the rule changes it again, so it is not "
                      "written");
    } else if (result == FX_EXISTING_CHANGED) {
        outcome = write_changed(job, after);
    } else {
        count_target(job, FX_EXISTING_TARGET_SAME);
        end_object(job);
    }
    json_decref(after);
    return outcome;
}

/* ---- a scan -------------------------------------------------------------------------
 */

/* Adds the Namespace of the object, which selectors need, if it is known. */
static void add_namespace(struct existing_job *job, struct fx_request *request) {
    const struct fx_cluster_existing_callbacks *to = &job->existing->callbacks;
    struct fx_err err = FX_ERR_INIT;
    struct fx_input_key key = fx_input_core_key("Namespace", request->namespace_);
    key.labels_only = true;
    if (request->namespace_.len > 0) {
        (void)to->find(to->user, &key, &request->namespace_object, &err);
    }
}

static bool match_object(struct existing_job *job, const struct fx_request *request,
                         const struct fx_subject *subject, bool *ret_matched,
                         struct fx_err *err) {
    const struct fx_mutator *rule = existing_job_rule(job);
    struct fx_verdict verdict = {.matched = false};
    struct fx_budget budget;
    existing_job_begin_work(&budget);
    const bool ok = rule->ops->match(rule, request, subject, &verdict, err);
    existing_job_end_work(&budget);
    *ret_matched = verdict.matched;
    return ok;
}

/* Makes a trigger of the object, and adds a job for it. False without memory. */
static bool add_trigger(struct existing_job *job, struct fx_request *request,
                        const struct fx_subject *subject) {
    json_t *admission = fx_admission_request_make(request, subject);
    request->admission = admission;
    struct fx_trigger *trigger =
        admission == NULL
            ? NULL
            : fx_trigger_create(job->snapshot, &job->index, 1, request, object_of(job));
    if (trigger != NULL) {
        fx_existing_enqueue(job->existing, job->snapshot->mutators[job->index], trigger);
    }
    fx_trigger_unref(trigger);
    json_decref(admission);
    return trigger != NULL;
}

/* Tries one object as a trigger, as if it had no request. */
static enum outcome try_trigger(struct existing_job *job) {
    struct fx_subject subject;
    struct fx_err err = FX_ERR_INIT;
    bool matched = false;
    fx_subject_read(object_of(job), &subject);
    struct fx_request request = existing_job_request(job);
    request.source = FX_SOURCE_ORIGINAL;
    request.namespace_ = subject.namespace_.len > 0 ? subject.namespace_ : FX_TEXT("");
    add_namespace(job, &request);
    enum outcome outcome = STEP_ENDED;
    if (!match_object(job, &request, &subject, &matched, &err)) {
        outcome = fail_target(job, &err);
    } else {
        if (matched && !add_trigger(job, &request, &subject)) {
            job->existing->counts.jobs[FX_EXISTING_JOB_DROPPED]++;
        }
        end_object(job);
    }
    json_decref(request.namespace_object);
    return outcome;
}

/* ---- objects ------------------------------------------------------------------------
 */

/* Completes the object as it was read, and decides whether the query asks for it. */
static bool prepare_object(struct existing_job *job, bool *ret_fits, struct fx_err *err) {
    const struct fx_kube_kind *kind = existing_job_kind(job);
    struct fx_kube_type_meta type = {0};
    *ret_fits = false;
    if (kind == NULL) {
        return fx_fail(err, FX_EIO, "the resource of the target is not known any more");
    }
    const bool ok = fx_kube_type_meta_init(&type, &kind->resource) &&
                    fx_kube_object_strip(object_of(job), &type, false);
    fx_kube_type_meta_finish(&type);
    return ok ? fx_existing_query_fits(existing_job_query(job), object_of(job), ret_fits,
                                       err)
              : fx_fail_nomem(err);
}

static enum outcome handle_object(struct existing_job *job) {
    struct fx_err err = FX_ERR_INIT;
    bool fits = false;
    if (!prepare_object(job, &fits, &err)) {
        return fail_target(job, &err);
    }
    if (!fits) {
        end_object(job);
        return STEP_ENDED;
    }
    return job->task->trigger == NULL ? try_trigger(job) : handle_target(job);
}

/* A scan leaves room in the queue for triggers of reviews. */
static bool must_pause(const struct existing_job *job) {
    return job->task->trigger == NULL &&
           job->existing->queue.n_tasks > FX_LIMIT_EXISTING_JOBS / 2;
}

/* Goes on with the next page, or the next query. */
static void end_page(struct existing_job *job) {
    if (job->next_page == NULL) {
        job->at_query++;
        existing_job_next_query(job);
    } else {
        existing_job_next_page(job);
    }
}

void existing_job_next_object(struct existing_job *job) {
    const uint64_t until_ns = fx_clock_ns() + SLICE_NS;
    while (job->at_object < json_array_size(job->page)) {
        if (must_pause(job)) {
            existing_job_wait(job, PAUSE_MS, existing_job_next_object);
            return;
        }
        if (fx_clock_ns() > until_ns) {
            existing_job_wait(job, 0, existing_job_next_object);
            return;
        }
        if (handle_object(job) == STEP_WAITS) {
            return;
        }
    }
    end_page(job);
}
