/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/fill_in.c - a policy as it came, and with what its author left out.
 */
#include "admission/fill_in.h"

#include "admission/proof.h"
#include "admission/steps.h"
#include "policy/fill_in.h"

static enum fx_next step_concern(struct fx_review *review) {
    const enum fx_operation operation = review->request.operation;
    if (operation != FX_OPERATION_CREATE && operation != FX_OPERATION_UPDATE) {
        return fx_answer_allow(review, FX_DECISION_UNCHANGED, "");
    }
    return FX_NEXT;
}

/* The difference, and the proof that it applies. */
static bool settle(struct fx_review *review) {
    json_t *tried = json_incref(review->object);
    fx_patch_init(&review->patch, &review->arena);
    const bool ok =
        fx_patch_diff(&review->patch, review->object, review->filled_in, &review->err) &&
        fx_proof_try(&review->patch, &tried, review->filled_in, &review->err);
    json_decref(tried);
    return ok;
}

static enum fx_next step_fill_in(struct fx_review *review) {
    review->filled_in = json_incref(review->object);
    if (!fx_policy_fill_in(&review->filled_in, &review->err) || !settle(review)) {
        return fx_answer_fail(review);
    }
    return review->patch.n_ops == 0 ? fx_answer_allow(review, FX_DECISION_UNCHANGED, "")
                                    : fx_answer_filled_in(review);
}

static fx_step *const steps[] = {fx_step_decode, step_concern, fx_step_object,
                                 step_fill_in, NULL};

struct fx_review *fx_fill_in_create(struct fx_text text, uint64_t deadline_ns) {
    return fx_review_begin(steps, text, deadline_ns);
}
