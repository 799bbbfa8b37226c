/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/defaults.c - the steps of a review that sets defaults.
 */
#include "admission/defaults.h"

#include "admission/steps.h"
#include "policy/check.h"

static enum fx_next step_concern(struct fx_review *review) {
    const enum fx_operation operation = review->request.operation;
    if (operation != FX_OPERATION_CREATE && operation != FX_OPERATION_UPDATE) {
        return fx_answer_allow(review, FX_DECISION_UNCHANGED, "");
    }
    return FX_NEXT;
}

/* Makes the patch, and verifies it. */
static bool settle(struct fx_review *review) {
    json_t *tried = json_incref(review->object);
    fx_patch_init(&review->patch, &review->arena);
    const bool ok =
        fx_patch_diff(&review->patch, review->object, review->defaulted, &review->err) &&
        fx_mutation_verify(&review->patch, &tried, review->defaulted, &review->err);
    json_decref(tried);
    return ok;
}

static enum fx_next step_defaults(struct fx_review *review) {
    review->defaulted = json_incref(review->object);
    if (!fx_policy_set_defaults(&review->defaulted, &review->err) || !settle(review)) {
        return fx_answer_fail(review);
    }
    return review->patch.n_ops == 0 ? fx_answer_allow(review, FX_DECISION_UNCHANGED, "")
                                    : fx_answer_defaulted(review);
}

static fx_step *const steps[] = {fx_step_decode, step_concern, fx_step_object,
                                 step_defaults, NULL};

struct fx_review *fx_defaults_create(struct fx_text text, uint64_t deadline_ns) {
    return fx_review_begin(steps, text, deadline_ns);
}
