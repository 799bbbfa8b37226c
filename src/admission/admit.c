/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit.c - is a policy sound? Asked before a cluster stores it.
 */
#include "admission/admit.h"

#include "admission/namespace_field.h"
#include "admission/steps.h"
#include "policy/check.h"

#define NAME_MAX_BYTES 63u

/* What Go says of a value of the wrong type, before anybody reads what it means. */
#define DECODE_WORDS FX_TEXT("json: cannot unmarshal")

/* Is its group reserved by a dialect (engine/webhook.h)? Then it is checked on DELETE,
 * too, and its name must be short. */
static bool is_reserved(const struct fx_review *review) {
    return fx_reserved_group(review->result.group) != NULL;
}

static bool is_policy(const struct fx_review *review) {
    return is_reserved(review) ||
           fx_policy_is_kind(review->result.group, review->result.kind);
}

/* Of a DELETE the object that was. What is deleted as a collection is nobody's concern,
 * and neither is what is no policy for sure. */
static enum fx_next step_concern(struct fx_review *review) {
    const bool is_delete = review->request.operation == FX_OPERATION_DELETE;
    if (is_delete) {
        review->object = review->old_object;
    }
    if ((is_delete && (!is_reserved(review) || review->result.name.len == 0)) ||
        (!is_policy(review) && review->object == NULL)) {
        return fx_answer_allow(review, FX_DECISION_UNCHANGED, "");
    }
    if (is_delete && review->object == NULL) {
        (void)fx_fail(&review->err, FX_EINVALID,
                      "For admission webhooks registered for DELETE operations, please "
                      "use Kubernetes v1.15.0+.");
        return fx_answer_deny(review, 500);
    }
    return FX_NEXT;
}

static enum fx_next step_name(struct fx_review *review) {
    const size_t len = review->result.name.len;
    if (is_reserved(review) && len > NAME_MAX_BYTES) {
        (void)fx_fail(&review->err, FX_EINVALID,
                      "resource cannot have metadata.name larger than 63 char; length: "
                      "%zu",
                      len);
        return fx_answer_deny(review, 500);
    }
    return FX_NEXT;
}

/* An API server that enters the namespace later says in the request which one it is. The
 * object is nobody else's. */
static bool enter_namespace(struct fx_review *review) {
    const bool ok = fx_namespace_enter(&review->envelope.of_request.object.node,
                                       review->result.namespace_, &review->err);
    review->object = review->envelope.of_request.object.node;
    return ok;
}

static enum fx_next step_check(struct fx_review *review) {
    struct fx_err *err = &review->err;
    bool is_spoken = false;
    if (!is_reserved(review) && !enter_namespace(review)) {
        return fx_answer_fail(review);
    }
    review->told.settings = review->admission->settings;
    if (fx_policy_check(review->object, &review->told, &is_spoken, err)) {
        return fx_answer_allow_policy(review);
    }
    if (!fx_err_is_ours(err) && review->told.n_faults > 0) {
        return fx_answer_invalid(review);
    }
    const bool is_decoding = fx_text_starts(fx_text_of(err->msg), DECODE_WORDS);
    return fx_answer_deny(review, is_decoding ? 500 : 422);
}

static fx_step *const steps[] = {
    fx_step_decode, fx_step_self, step_concern, fx_step_object,
    step_name,      step_check,   NULL,
};

struct fx_review *fx_admit_create(const struct fx_admission *admission,
                                  struct fx_text text, uint64_t deadline_ns) {
    struct fx_review *review = fx_review_begin(steps, text, deadline_ns);
    if (review != NULL) {
        review->admission = admission;
    }
    return review;
}
