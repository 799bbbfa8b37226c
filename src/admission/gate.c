/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/gate.c - what is let through untouched (spec section 8, steps 1 to 3).
 */
#include "admission/steps.h"

/* The groups of the policies themselves. */
#define OWN_GROUPS(X)               \
    X("templates.gatekeeper.sh")    \
    X("constraints.gatekeeper.sh")  \
    X("mutations.gatekeeper.sh")    \
    X("config.gatekeeper.sh")       \
    X("externaldata.gatekeeper.sh") \
    X("expansion.gatekeeper.sh")    \
    X("status.gatekeeper.sh")

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
    if (operation != FX_OPERATION_CREATE && operation != FX_OPERATION_UPDATE) {
        return fx_answer_allow(review, FX_DECISION_SKIPPED,
                               "Mutating only on create or update");
    }
    return FX_NEXT;
}

enum fx_next fx_step_group(struct fx_review *review) {
    static const char *const own_groups[] = {
#define X(name) name,
        OWN_GROUPS(X)
#undef X
    };
    for (size_t i = 0; i < FX_COUNT(own_groups); i++) {
        if (fx_text_is(review->result.group, own_groups[i])) {
            return fx_answer_allow(review, FX_DECISION_SKIPPED,
                                   "Not mutating gatekeeper resources");
        }
    }
    return FX_NEXT;
}
