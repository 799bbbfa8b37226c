/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/gate.c - the requests that are allowed unchanged (spec section 8, steps 1
 * to 4).
 */
#include "admission/steps.h"
#include "engine/resource.h"
#include "engine/webhook.h"
#include "policy/check.h"

enum fx_next fx_step_self(struct fx_review *review) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_webhook *webhook = fx_dialects[i]->webhook;
        const char *message = webhook != NULL && webhook->skips_user != NULL
                                  ? webhook->skips_user(review->result.username,
                                                        review->admission->own_namespace)
                                  : NULL;
        if (message != NULL) {
            return fx_answer_allow(review, FX_DECISION_SKIPPED, message);
        }
    }
    return FX_NEXT;
}

enum fx_next fx_step_operation(struct fx_review *review) {
    const enum fx_operation operation = review->request.operation;
    if (operation == FX_OPERATION_DELETE && review->snapshot->validates_deletes) {
        return fx_review_delete(review);
    }
    const bool connects = operation == FX_OPERATION_CONNECT &&
                          review->snapshot->mutates_connects && review->object != NULL;
    if (operation != FX_OPERATION_CREATE && operation != FX_OPERATION_UPDATE &&
        !connects) {
        return fx_answer_allow(review, FX_DECISION_SKIPPED,
                               "Mutating only on create or update");
    }
    return FX_NEXT;
}

static bool is_reserved(const struct fx_dialect *dialect, struct fx_text group) {
    const char *const *other = dialect->webhook->reserved_groups;
    for (const struct fx_kind *kind = dialect->kinds; kind->kind != NULL; kind++) {
        if (kind->role != FX_ROLE_PARAMETER && fx_text_is(group, kind->group)) {
            return true;
        }
    }
    while (other != NULL && *other != NULL && !fx_text_is(group, *other)) {
        other++;
    }
    return other != NULL && *other != NULL;
}

const char *fx_reserved_group(struct fx_text group) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_webhook *webhook = fx_dialects[i]->webhook;
        if (webhook != NULL && webhook->reserved_message != NULL &&
            is_reserved(fx_dialects[i], group)) {
            return webhook->reserved_message;
        }
    }
    return NULL;
}

enum fx_next fx_step_group(struct fx_review *review) {
    const char *message = fx_reserved_group(review->result.group);
    if (message == NULL && fx_policy_is_kind(review->result.group, review->result.kind)) {
        message = "Not mutating policies";
    }
    return message == NULL ? FX_NEXT
                           : fx_answer_allow(review, FX_DECISION_SKIPPED, message);
}

/* Returns the namespace to which exclusions apply: the name of a Namespace, otherwise the
 * request's namespace; empty for cluster-scoped objects. */
static struct fx_text excludable_namespace(const struct fx_review *review) {
    struct fx_subject subject;
    fx_subject_read(review->object, &subject);
    return subject.is_namespace ? subject.name : review->result.namespace_;
}

enum fx_next fx_step_exclusion(struct fx_review *review) {
    size_t n_exclusions = 0;
    struct fx_resource *const *exclusions =
        fx_snapshot_resources(review->snapshot, FX_RESOURCE_EXCLUSION, &n_exclusions);
    for (size_t i = 0; i < n_exclusions; i++) {
        const char *message =
            exclusions[i]->ops->excludes(exclusions[i], excludable_namespace(review));
        if (message != NULL) {
            return fx_answer_allow(review, FX_DECISION_EXCLUDED, message);
        }
    }
    return FX_NEXT;
}
