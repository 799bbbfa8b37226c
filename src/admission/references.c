/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/references.c - the other objects that a review needs: the Namespace that its
 * object is in (spec section 8, step 5), of which name and labels are enough unless a
 * policy looks at the rest, and the Node that its object names, where a policy wants it.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "admission/steps.h"
#include "base/dns_name.h"
#include "engine/object_view.h"

/* ---- what is needed -------------------------------------------------------------- */

static bool is_namespace(const struct fx_review *review) {
    return review->result.group.len == 0 && fx_text_is(review->result.kind, "Namespace");
}

static void note_wants(struct fx_review *review, const struct fx_mutator *mutator,
                       const struct fx_subject *subject) {
    const struct fx_object_view *view = mutator->ops->view;
    review->wants_namespace = review->wants_namespace || mutator->wants_namespace;
    if (mutator->wants_node && view != NULL && view->node_name != NULL &&
        review->node_name.len == 0) {
        review->node_name = view->node_name(subject);
    }
}

/* Only those are asked who may act on this object: policies for others cost it nothing.
 */
static bool ask_candidates(struct fx_review *review) {
    const struct fx_snapshot *snapshot = review->snapshot;
    struct fx_candidates candidates = {0};
    struct fx_subject subject;
    fx_subject_read(review->object, &subject);
    if (review->matching_namespace.len > 0) {
        subject.namespace_ = review->matching_namespace;
    }
    const bool ok = fx_snapshot_candidates(snapshot, &review->request, &subject,
                                           &candidates, &review->err);
    for (size_t i = 0; ok && i < candidates.n_indices; i++) {
        note_wants(review, snapshot->mutators[candidates.indices[i]], &subject);
    }
    fx_candidates_finish(&candidates);
    return ok;
}

enum fx_next fx_step_wants(struct fx_review *review) {
    const struct fx_snapshot *snapshot = review->snapshot;
    review->matching_namespace =
        is_namespace(review) ? (struct fx_text){0} : review->result.namespace_;
    review->wants_namespace = false;
    review->node_name = (struct fx_text){0};
    if (!snapshot->wants_namespace && !snapshot->wants_node) {
        return FX_NEXT;
    }
    return ask_candidates(review) ? FX_NEXT : fx_answer_fail(review);
}

/* ---- having it ------------------------------------------------------------------- */

/* Has it looked up, or waits for it. */
static enum fx_next obtain(struct fx_review *review, struct fx_obtained *what,
                           enum fx_reference_type type, struct fx_text name) {
    const struct fx_admission *admission = review->admission;
    if (what->state == FX_OBTAINED_UNASKED && admission->find_object != NULL) {
        review->reference = (struct fx_reference){type, name};
        review->awaited = what;
        switch (admission->find_object(admission->user, &review->reference, &what->object,
                                       &review->err)) {
        case FX_LOOKUP_FOUND: what->state = FX_OBTAINED_GIVEN; break;
        case FX_LOOKUP_FAILED: what->state = FX_OBTAINED_FAILED; break;
        case FX_LOOKUP_WAIT: what->state = FX_OBTAINED_AWAITED; break;
        }
    }
    return what->state == FX_OBTAINED_AWAITED ? FX_NEXT_WAIT : FX_NEXT;
}

/* A Namespace is its own context, and in none. */
enum fx_next fx_step_namespace(struct fx_review *review) {
    struct fx_obtained *namespace_ = &review->namespace_;
    if (is_namespace(review)) {
        json_decref(namespace_->object);
        namespace_->object = json_incref(review->object);
        return FX_NEXT;
    }
    if (review->matching_namespace.len == 0) {
        return FX_NEXT;
    }
    const enum fx_next next =
        obtain(review, namespace_,
               review->wants_namespace ? FX_REFERENCE_NAMESPACE : FX_REFERENCE_LABELS,
               review->matching_namespace);
    return namespace_->state == FX_OBTAINED_FAILED ? fx_answer_fail(review) : next;
}

/* Policies do without the Node, and the user hears why. */
static enum fx_next do_without(struct fx_review *review, struct fx_text why) {
    free(review->warning);
    review->warning = fx_text_dup(why);
    if (review->warning == NULL) {
        (void)fx_fail_nomem(&review->err);
        return fx_answer_fail(review);
    }
    review->node.state = FX_OBTAINED_GIVEN;
    fx_err_reset(&review->err);
    return FX_NEXT;
}

enum fx_next fx_step_node(struct fx_review *review) {
    struct fx_obtained *node = &review->node;
    if (review->node_name.len == 0 || node->state == FX_OBTAINED_GIVEN) {
        return FX_NEXT;
    }
    if (!fx_dns_is_subdomain(review->node_name)) {
        return do_without(review, FX_TEXT("policies see no Node: the name in the object "
                                          "is not a lowercase RFC 1123 subdomain"));
    }
    const enum fx_next next = obtain(review, node, FX_REFERENCE_NODE, review->node_name);
    if (node->state != FX_OBTAINED_FAILED) {
        return next;
    }
    if (review->err.code != FX_EMUTATE) {
        return fx_answer_fail(review);
    }
    (void)fx_err_prefix(&review->err, "policies see no Node: ");
    return do_without(review, fx_text_of(review->err.msg));
}

const struct fx_reference *fx_review_wanted(const struct fx_review *review) {
    assert(review->awaited->state == FX_OBTAINED_AWAITED);
    return &review->reference;
}

void fx_review_give(struct fx_review *review, json_t *object_take,
                    const struct fx_err *failure) {
    assert(review->awaited->state == FX_OBTAINED_AWAITED);
    assert((object_take == NULL) == (failure != NULL));
    review->awaited->object = object_take;
    review->awaited->state = failure == NULL ? FX_OBTAINED_GIVEN : FX_OBTAINED_FAILED;
    if (failure != NULL) {
        review->err = *failure;
    }
}

/* ---- the end --------------------------------------------------------------------- */

static void drop(struct fx_obtained *what) {
    json_decref(what->object);
    *what = (struct fx_obtained){.state = FX_OBTAINED_UNASKED};
}

/* A Namespace that is its own context is another node when it is read again. */
void fx_references_reset(struct fx_review *review) {
    if (review->namespace_.state != FX_OBTAINED_GIVEN) {
        drop(&review->namespace_);
    }
}

void fx_references_finish(struct fx_review *review) {
    drop(&review->namespace_);
    drop(&review->node);
    free(review->warning);
    review->warning = NULL;
}
