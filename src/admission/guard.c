/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/guard.c - the steps of a review by a guard.
 */
#include "admission/guard.h"

#include "admission/steps.h"

static struct fx_guard_request request_of(const struct fx_review *review) {
    return (struct fx_guard_request){
        .operation = review->request.operation,
        .group = review->result.group,
        .kind = review->result.kind,
        .subresource = review->subresource,
        .object = review->object,
        .old_object = review->old_object,
        .exempt = review->exempt,
    };
}

static enum fx_next step_concern(struct fx_review *review) {
    const struct fx_guard_request request = request_of(review);
    const char *message = review->guard->passes(&request);
    return message == NULL ? FX_NEXT
                           : fx_answer_allow(review, FX_DECISION_UNCHANGED, message);
}

static enum fx_next answer_guard(struct fx_review *review, bool is_allowed,
                                 const struct fx_buf *message) {
    const char *copy = message->failed
                           ? NULL
                           : fx_arena_copy(&review->arena,
                                           (struct fx_text){message->data, message->len});
    if (copy == NULL) {
        (void)fx_fail_nomem(&review->err);
        return fx_answer_fail(review);
    }
    if (is_allowed) {
        return fx_answer_allow(review, FX_DECISION_UNCHANGED, copy);
    }
    (void)fx_fail(&review->err, FX_EINVALID, "%s", copy);
    return fx_answer_deny(review, 403);
}

static enum fx_next step_guard(struct fx_review *review) {
    const struct fx_guard_request request = request_of(review);
    struct fx_buf message;
    fx_buf_init(&message, 0);
    const bool is_allowed = review->guard->allows(&request, &message);
    const enum fx_next next = answer_guard(review, is_allowed, &message);
    fx_buf_finish(&message);
    return next;
}

static fx_step *const steps[] = {fx_step_decode, step_concern, fx_step_object, step_guard,
                                 NULL};

static bool answers_path(const struct fx_webhook *webhook, struct fx_text path) {
    for (const struct fx_webhook_path *at = webhook->paths;
         at != NULL && at->path != NULL; at++) {
        if (at->endpoint == FX_ENDPOINT_GUARD && fx_text_is(path, at->path)) {
            return true;
        }
    }
    return false;
}

const struct fx_guard *fx_guard_find(struct fx_text path) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_webhook *webhook = fx_dialects[i]->webhook;
        if (webhook != NULL && answers_path(webhook, path)) {
            return webhook->guard;
        }
    }
    return NULL;
}

struct fx_review *fx_guard_create(const struct fx_guard *guard,
                                  const struct fx_exemptions *exempt, struct fx_text text,
                                  uint64_t deadline_ns) {
    struct fx_review *review = fx_review_begin(steps, text, deadline_ns);
    if (review != NULL) {
        review->guard = guard;
        review->exempt = exempt;
    }
    return review;
}
