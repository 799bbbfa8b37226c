/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/gate.c - what is let through untouched (spec section 8, steps 1 to 4).
 */
#include "admission/steps.h"
#include "engine/exclusion.h"
#include "policy/check.h"

/* The groups of Gatekeeper's policies, and of our own. */
#define OWN_GROUPS(X)               \
    X("templates.gatekeeper.sh")    \
    X("constraints.gatekeeper.sh")  \
    X("mutations.gatekeeper.sh")    \
    X("config.gatekeeper.sh")       \
    X("externaldata.gatekeeper.sh") \
    X("expansion.gatekeeper.sh")    \
    X("status.gatekeeper.sh")       \
    X("mutations.fixpoint.dev")

#define DEFAULT_OWN_NAMESPACE "gatekeeper-system"

/* Takes `part` off the front or the back of `text`; false where it is not there. */
static bool take_start(struct fx_text *text, struct fx_text part) {
    if (!fx_text_starts(*text, part)) {
        return false;
    }
    text->data += part.len;
    text->len -= part.len;
    return true;
}

static bool take_end(struct fx_text *text, struct fx_text part) {
    if (!fx_text_ends(*text, part)) {
        return false;
    }
    text->len -= part.len;
    return true;
}

enum fx_next fx_step_self(struct fx_review *review) {
    const char *own = review->admission->own_namespace;
    struct fx_text user = review->result.username;
    if (take_start(&user, FX_TEXT("system:serviceaccount:")) &&
        take_end(&user, FX_TEXT(":gatekeeper-admin")) &&
        fx_text_is(user, own == NULL ? DEFAULT_OWN_NAMESPACE : own)) {
        return fx_answer_allow(review, FX_DECISION_SKIPPED,
                               "Gatekeeper does not self-manage");
    }
    return FX_NEXT;
}

enum fx_next fx_step_operation(struct fx_review *review) {
    const enum fx_operation operation = review->request.operation;
    if (operation == FX_OPERATION_DELETE && review->snapshot->judges_deletes) {
        return fx_review_delete(review);
    }
    if (operation != FX_OPERATION_CREATE && operation != FX_OPERATION_UPDATE) {
        return fx_answer_allow(review, FX_DECISION_SKIPPED,
                               "Mutating only on create or update");
    }
    return FX_NEXT;
}

bool fx_is_own_group(struct fx_text group) {
    static const char *const own_groups[] = {
#define X(name) name,
        OWN_GROUPS(X)
#undef X
    };
    for (size_t i = 0; i < FX_COUNT(own_groups); i++) {
        if (fx_text_is(group, own_groups[i])) {
            return true;
        }
    }
    return false;
}

enum fx_next fx_step_group(struct fx_review *review) {
    if (fx_is_own_group(review->result.group)) {
        return fx_answer_allow(review, FX_DECISION_SKIPPED,
                               "Not mutating gatekeeper resources");
    }
    if (fx_policy_is_kind(review->result.group, review->result.kind)) {
        return fx_answer_allow(review, FX_DECISION_SKIPPED, "Not mutating policies");
    }
    return FX_NEXT;
}

/* The namespace that counts for exclusions: a Namespace's own name, else the request's;
 * empty for what is in none. */
static struct fx_text excludable_namespace(const struct fx_review *review) {
    struct fx_subject subject;
    fx_subject_read(review->object, &subject);
    return subject.is_namespace ? subject.name : review->result.namespace_;
}

enum fx_next fx_step_exclusion(struct fx_review *review) {
    const struct fx_resource *config =
        fx_snapshot_find(review->snapshot, FX_RESOURCE_EXCLUSION, FX_TEXT("config"));
    if (config != NULL &&
        fx_exclusion_covers((const struct fx_exclusion *)config, "mutation-webhook",
                            excludable_namespace(review))) {
        return fx_answer_allow(review, FX_DECISION_EXCLUDED,
                               "Namespace is set to be ignored by Gatekeeper config");
    }
    return FX_NEXT;
}
