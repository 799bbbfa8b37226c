/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review.c - the steps of an AdmissionReview.
 */
#include "admission/review.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "admission/steps.h"
#include "base/clock.h"
#include "base/limits.h"
#include "engine/trigger.h"
#include "value/node_pool.h"

/* Starts again with the whole object, because partial decoding was not enough. Inputs
 * stay. */
static enum fx_next start_over(struct fx_review *review) {
    fx_mutation_finish(&review->mutation);
    review->mutation = (struct fx_mutation){0};
    review->namespace_ = NULL;
    review->request.namespace_ = (struct fx_text){0}; /* a text of the envelope */
    review->request.namespace_object = NULL;
    fx_envelope_finish(&review->envelope);
    review->result = (struct fx_review_result){
        .body = &review->body,
        .snapshot = review->snapshot,
    };
    fx_err_reset(&review->err);
    fx_arena_reset(&review->arena);
    review->partial_decode = false;
    return FX_NEXT_AGAIN;
}

enum fx_next fx_review_delete(struct fx_review *review) {
    if (review->partial_decode) {
        return start_over(review);
    }
    review->request.only_validators = true;
    review->object = review->old_object;
    return FX_NEXT;
}

/* Handles a failure. With partial decoding it starts again: the message may quote any
 * part of the object, and the error may be caused by missing parts. */
static enum fx_next fail_review(struct fx_review *review) {
    const enum fx_code code = review->err.code;
    const bool is_final = code == FX_ENOMEM || code == FX_EDEADLINE || code == FX_EIO;
    return review->partial_decode && !is_final ? start_over(review)
                                               : fx_answer_fail(review);
}

/* Returns to the step that fetches inputs, because rules need more. Then the loop begins
 * again. */
static enum fx_next go_back(struct fx_review *review) {
    fx_mutation_finish(&review->mutation);
    review->mutation = (struct fx_mutation){0};
    fx_err_reset(&review->err);
    return FX_NEXT_BACK;
}

/* Is the object of the kind of the request, by which a part of it was chosen? */
static bool is_of_kind(const struct fx_review *review) {
    struct fx_subject subject;
    fx_subject_read(review->object, &subject);
    return fx_text_equal(subject.group, review->result.group) &&
           fx_text_equal(subject.version, review->result.version) &&
           fx_text_equal(subject.kind, review->result.kind);
}

/* Copies the namespace of the request, which is a text of the body, for a trigger. */
static bool keep_namespace(struct fx_review *review) {
    const struct fx_text namespace_ = review->result.namespace_;
    review->trigger_namespace =
        (struct fx_text){fx_arena_copy(&review->arena, namespace_), namespace_.len};
    return review->trigger_namespace.data != NULL;
}

/* Runs the loop to the fixed point. */
static enum fx_next step_converge(struct fx_review *review) {
    const struct fx_admission *admission = review->admission;
    if (review->partial_decode && review->snapshot->n_whole > 0 && !is_of_kind(review)) {
        return start_over(review);
    }
    fx_uuid_make(review->mutation_id);
    review->request.mutation_id = review->mutation_id;
    review->request.annotates = admission->annotates;
    review->request.reports_passes = admission->reports_passes;
    review->request.collects_stats = admission->collects_stats;
    review->request.schemas = admission->schemas;
    review->request.variables = admission->variables;
    review->request.roles = admission->roles;
    review->request.cluster_roles = admission->cluster_roles;
    review->request.choice = admission->choice;
    review->request.share_percent = admission->share_percent;
    review->request.namespace_ =
        review->matching_namespace.len > 0 ? review->matching_namespace : FX_TEXT("");
    review->request.namespace_object = fx_review_namespace(review);
    review->mutation = (struct fx_mutation){
        .snapshot = review->snapshot,
        .request = review->request,
        .namespace_ = review->matching_namespace,
        .object = review->object,
        .spent = review->request.only_validators
                     ? NULL
                     : &review->envelope.of_request.object.node,
        .is_part = review->partial_decode,
        .inputs = &review->inputs,
        .arena = &review->arena,
        .trace = admission->trace,
    };
    review->result.mutation_id = review->mutation_id;
    review->result.outcome = &review->mutation.outcome;
    if (!fx_mutation_begin(&review->mutation, &review->err)) {
        return review->err.code == FX_EINPUT ? go_back(review) : fail_review(review);
    }
    /* As with failures, the messages may quote any part of the object. */
    const struct fx_outcome *outcome = &review->mutation.outcome;
    const bool has_messages = outcome->n_skipped > 0 || outcome->n_violations > 0;
    const bool has_triggers = outcome->n_triggered > 0; /* they keep the whole object */
    if (review->partial_decode && (has_messages || has_triggers)) {
        return start_over(review);
    }
    if (has_triggers && !keep_namespace(review)) {
        (void)fx_fail_nomem(&review->err);
        return fx_answer_fail(review);
    }
    return FX_NEXT;
}

/* Makes the patch and checks that it applies. Later steps do not need the incoming
 * object.
 */
static enum fx_next step_settle(struct fx_review *review) {
    if (!fx_mutation_end(&review->mutation, &review->err)) {
        return fail_review(review);
    }
    return review->mutation.wants_whole ? start_over(review) : FX_NEXT;
}

static enum fx_next step_encode(struct fx_review *review) {
    if (review->mutation.outcome.mutated) {
        return fx_answer_patch(review);
    }
    return fx_answer_allow(review, FX_DECISION_UNCHANGED, "Resource was not mutated");
}

/* All steps. Only fx_step_fetch may wait: before the loop, and after it for values that
 * replace placeholders. */
static fx_step *const steps[] = {
    fx_step_decode, fx_step_self,      fx_step_operation, fx_step_group,
    fx_step_object, fx_step_exclusion, fx_step_wants,     fx_step_fetch,
    step_converge,  fx_step_fetch,     step_settle,       step_encode,
    NULL,
};

/* Answers that the deadline is exceeded. The result of a step that exceeded its budget
 * may be wrong. */
static enum fx_next answer_late(struct fx_review *review) {
    if (review->err.code != FX_EDEADLINE) {
        (void)fx_fail(&review->err, FX_EDEADLINE, "review deadline exceeded");
    }
    return fx_answer_fail(review);
}

static enum fx_next run_step(struct fx_review *review) {
    assert(review->steps[review->at] != NULL);
    const enum fx_next next = review->steps[review->at](review);
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING ? next : answer_late(review);
}

static enum fx_review_state run_steps(struct fx_review *review) {
    if (!review->is_done && !fx_budget_check()) {
        (void)answer_late(review);
        review->is_done = true;
    }
    while (!review->is_done) {
        switch (run_step(review)) {
        case FX_NEXT: review->at++; break;
        case FX_NEXT_BACK: review->at--; break;
        case FX_NEXT_AGAIN: review->at = 0; break;
        case FX_NEXT_WAIT: return FX_REVIEW_WANTS_INPUTS;
        case FX_NEXT_DONE: review->is_done = true; break;
        }
    }
    return FX_REVIEW_DONE;
}

/* All nodes that a review makes are dropped when it is destroyed, or earlier. */
enum fx_review_state fx_review_run(struct fx_review *review) {
    fx_node_pool_enter();
    fx_budget_swap(&review->budget);
    const enum fx_review_state state = run_steps(review);
    fx_budget_swap(&review->budget);
    fx_node_pool_leave();
    return state;
}

struct fx_review *fx_review_begin(fx_step *const *review_steps, struct fx_text text,
                                  uint64_t deadline_ns) {
    struct fx_review *review = malloc(sizeof *review);
    if (review == NULL) {
        return NULL;
    }
    memset(review, 0, offsetof(struct fx_review, err));
    fx_err_reset(&review->err);
    review->steps = review_steps;
    review->text = text;
    review->budget.bound.deadline_ns = deadline_ns;
    review->result.body = &review->body;
    fx_arena_init_within(&review->arena, FX_LIMIT_ARENA_BYTES, review->scratch,
                         sizeof review->scratch);
    fx_inputs_init(&review->inputs, review->input_scratch, sizeof review->input_scratch);
    fx_buf_init(&review->body, FX_LIMIT_RESPONSE_BYTES);
    return review;
}

struct fx_review *fx_review_create(const struct fx_admission *admission,
                                   struct fx_snapshot *snapshot, struct fx_text text,
                                   uint64_t deadline_ns) {
    struct fx_review *review = fx_review_begin(steps, text, deadline_ns);
    if (review != NULL) {
        review->admission = admission;
        review->request.activity = admission->activity;
        review->snapshot = fx_snapshot_ref(snapshot);
        review->partial_decode = admission->partial_decode && !snapshot->has_inputs_after;
        review->result.snapshot = snapshot;
    }
    return review;
}

void fx_review_destroy(struct fx_review *review) {
    if (review == NULL) {
        return;
    }
    fx_mutation_finish(&review->mutation);
    fx_compilation_finish(&review->compilation);
    json_decref(review->defaulted);
    fx_inputs_finish(&review->inputs);
    free(review->warning);
    fx_envelope_finish(&review->envelope);
    fx_arena_finish(&review->arena);
    fx_buf_finish(&review->body);
    fx_snapshot_unref(review->snapshot);
    free(review);
}

bool fx_review_has_trigger(const struct fx_review *review) {
    const enum fx_decision decision = review->result.decision;
    return (decision == FX_DECISION_UNCHANGED || decision == FX_DECISION_MUTATED) &&
           !review->result.dry_run && review->mutation.outcome.n_triggered > 0;
}

struct fx_trigger *fx_review_trigger(const struct fx_review *review) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    struct fx_request request = review->request;
    request.namespace_ = review->trigger_namespace;
    return fx_trigger_create(review->snapshot, outcome->triggered, outcome->n_triggered,
                             &request, review->mutation.result);
}

const struct fx_review_result *fx_review_result(const struct fx_review *review) {
    assert(review->is_done);
    return &review->result;
}
