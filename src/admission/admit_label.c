/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit_label.c - who may set the label that exempts a namespace.
 */
#include "admission/admit_label.h"

#include "admission/steps.h"
#include "value/tree.h"

#define LABEL "admission.gatekeeper.sh/ignore"

static enum fx_next allow(struct fx_review *review, const char *message) {
    return fx_answer_allow(review, FX_DECISION_UNCHANGED, message);
}

static enum fx_next step_concern(struct fx_review *review) {
    if (review->request.operation == FX_OPERATION_DELETE) {
        return allow(review, "Delete is always allowed");
    }
    if (review->result.group.len > 0 || !fx_text_is(review->result.kind, "Namespace")) {
        return allow(review, "Not a namespace");
    }
    return FX_NEXT;
}

static bool is_exempt(const struct fx_exemptions *exempt, struct fx_text name) {
    for (size_t i = 0; i < exempt->n_names; i++) {
        if (fx_text_is(name, exempt->names[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < exempt->n_prefixes; i++) {
        if (fx_text_starts(name, fx_text_of(exempt->prefixes[i]))) {
            return true;
        }
    }
    for (size_t i = 0; i < exempt->n_suffixes; i++) {
        if (fx_text_ends(name, fx_text_of(exempt->suffixes[i]))) {
            return true;
        }
    }
    return false;
}

static enum fx_next allow_exempt(struct fx_review *review, struct fx_text name) {
    const char *message = fx_arena_printf(
        &review->arena, "Namespace %.*s is allowed to set " LABEL, FX_TEXT_ARG(name));
    if (message == NULL) {
        (void)fx_fail_nomem(&review->err);
        return fx_answer_fail(review);
    }
    return allow(review, message);
}

static bool has_label(const json_t *object) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    return fx_tree_view_key(fx_tree_view_key(metadata, "labels"), LABEL) != NULL;
}

/* A write of `status` or `finalize` may bring labels along, so it is asked about too. One
 * that only keeps the label is let pass: the controller that empties and ends a Namespace
 * writes both, and a denial would keep the Namespace for ever. */
static bool only_keeps_label(const struct fx_review *review) {
    return review->subresource.len > 0 && has_label(review->object) &&
           has_label(review->old_object);
}

static enum fx_next step_label(struct fx_review *review) {
    const json_t *metadata = fx_tree_view_key(review->object, "metadata");
    const struct fx_text name = fx_tree_view_string(metadata, "name");
    if (is_exempt(review->exempt, name)) {
        return allow_exempt(review, name);
    }
    if (only_keeps_label(review)) {
        return allow(review, "Namespace has the " LABEL " label already");
    }
    if (has_label(review->object)) {
        (void)fx_fail(&review->err, FX_EINVALID,
                      "Only exempt namespace can have the " LABEL " label");
        return fx_answer_deny(review, 403);
    }
    return allow(review, "Namespace is not setting the " LABEL " label");
}

static fx_step *const steps[] = {fx_step_decode, step_concern, fx_step_object, step_label,
                                 NULL};

struct fx_review *fx_admit_label_create(const struct fx_exemptions *exempt,
                                        struct fx_text text, uint64_t deadline_ns) {
    struct fx_review *review = fx_review_begin(steps, text, deadline_ns);
    if (review != NULL) {
        review->exempt = exempt;
    }
    return review;
}
