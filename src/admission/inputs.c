/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/inputs.c - what a review needs besides its object: the Namespace of the
 * object (spec section 8, step 5), the inputs that its rules declare, and those that they
 * ask for.
 */
#include <assert.h>
#include <stdlib.h>

#include "admission/steps.h"
#include "base/clock.h"
#include "base/dns_name.h"

/* ---- what is needed -------------------------------------------------------------- */

static bool is_namespace(const struct fx_review *review) {
    return review->result.group.len == 0 && fx_text_is(review->result.kind, "Namespace");
}

/* Adds the Namespace of the object. Selectors need only its name and labels. */
static bool add_namespace(struct fx_review *review) {
    if (review->matching_namespace.len == 0) {
        return true;
    }
    struct fx_input_key key = fx_input_core_key("Namespace", review->matching_namespace);
    key.labels_only = true;
    review->namespace_ = fx_inputs_add(&review->inputs, &key, &review->err);
    return review->namespace_ != NULL;
}

static bool add_input(struct fx_review *review, const struct fx_input *input,
                      const struct fx_subject *subject) {
    struct fx_input_key key;
    if (input->phase != FX_INPUT_BEFORE || input->key == NULL ||
        !input->key(&review->request, subject, &key)) {
        return true;
    }
    struct fx_input_entry *entry = fx_inputs_add(&review->inputs, &key, &review->err);
    if (entry == NULL) {
        return false;
    }
    entry->warns = entry->warns || input->warns;
    if (input->warns && entry->state == FX_INPUT_WANTED &&
        !fx_dns_is_subdomain(key.name)) {
        struct fx_err why = FX_ERR_INIT;
        (void)fx_fail(&why, FX_EMUTATE,
                      "the name in the object is not a lowercase RFC 1123 subdomain");
        fx_inputs_give(entry, NULL, &why);
    }
    return true;
}

static bool add_inputs(struct fx_review *review, const struct fx_candidates *candidates,
                       const struct fx_subject *subject) {
    for (size_t i = 0; i < candidates->n_indices; i++) {
        const struct fx_mutator *rule =
            review->snapshot->mutators[candidates->indices[i]];
        for (size_t k = 0; k < rule->n_inputs; k++) {
            if (!add_input(review, &rule->inputs[k], subject)) {
                return false;
            }
        }
    }
    return true;
}

/* Adds the inputs of rules that may act on this object, and no others. */
static bool add_candidate_inputs(struct fx_review *review) {
    struct fx_candidates candidates = {0};
    struct fx_subject subject;
    fx_subject_read(review->object, &subject);
    if (review->matching_namespace.len > 0) {
        subject.namespace_ = review->matching_namespace;
    }
    bool ok = fx_snapshot_candidates(review->snapshot, &review->request, &subject,
                                     &candidates, &review->err);
    review->request.namespace_ =
        review->matching_namespace.len > 0 ? review->matching_namespace : FX_TEXT("");
    ok = ok && add_inputs(review, &candidates, &subject);
    fx_candidates_finish(&candidates);
    return ok;
}

enum fx_next fx_step_wants(struct fx_review *review) {
    review->matching_namespace =
        is_namespace(review) ? (struct fx_text){0} : review->result.namespace_;
    const bool ok = add_namespace(review) && (!review->snapshot->has_inputs_before ||
                                              add_candidate_inputs(review));
    return ok ? FX_NEXT : fx_answer_fail(review);
}

/* ---- fetching it ----------------------------------------------------------------- */

/* Adds a warning that policies do not see the object, and why. False without memory. */
static bool warn_missing(struct fx_review *review, const struct fx_input_entry *entry) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "policies see no %.*s: %s", FX_TEXT_ARG(entry->key.kind),
                  entry->reason);
    free(review->warning);
    review->warning = text.failed ? NULL : fx_text_dup(fx_buf_view(&text));
    fx_buf_finish(&text);
    return review->warning != NULL || fx_fail_nomem(&review->err);
}

/* Checks the result of an input that the review itself added. A missing Namespace counts
 * as a failure of a policy. */
static bool check_entry(struct fx_review *review, const struct fx_input_entry *entry) {
    const bool is_own = entry == review->namespace_;
    if (entry->state == FX_INPUT_GIVEN || entry->code == FX_OK ||
        (!is_own && !entry->warns)) {
        return true;
    }
    if (entry->state == FX_INPUT_ABSENT && !is_own) {
        return warn_missing(review, entry);
    }
    return fx_input_fail(entry, &review->err);
}

enum fx_next fx_step_fetch(struct fx_review *review) {
    const struct fx_admission *admission = review->admission;
    fx_inputs_look_up(&review->inputs, admission->find_input, admission->user);
    if (fx_inputs_are_missing(&review->inputs)) {
        return FX_NEXT_WAIT;
    }
    for (const struct fx_input_entry *entry = review->inputs.first; entry != NULL;
         entry = entry->next) {
        if (!check_entry(review, entry)) {
            return fx_answer_fail(review);
        }
    }
    return FX_NEXT;
}

json_t *fx_review_namespace(const struct fx_review *review) {
    if (is_namespace(review)) {
        return review->object; /* a Namespace is its own context */
    }
    return review->namespace_ == NULL ? NULL : review->namespace_->value;
}

struct fx_inputs *fx_review_inputs(struct fx_review *review, uint64_t *ret_deadline_ns) {
    assert(fx_inputs_are_missing(&review->inputs));
    const uint64_t deadline = review->budget.bound.deadline_ns;
    const uint64_t now = fx_clock_ns();
    *ret_deadline_ns = deadline > now ? deadline - (deadline - now) / 10 : deadline;
    return &review->inputs;
}
