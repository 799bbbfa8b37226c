/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/binding.c - {"kind": "Binding", "metadata": …, "target": {"name": NODE}}
 */
#include "admission/binding.h"

#include <stdlib.h>

#include "admission/steps.h"
#include "base/dns_name.h"
#include "value/tree.h"

static enum fx_next allow(struct fx_review *review) {
    return fx_answer_allow(review, FX_DECISION_UNCHANGED, NULL);
}

static enum fx_next step_concern(struct fx_review *review) {
    const bool concerns = review->request.operation == FX_OPERATION_CREATE &&
                          review->result.group.len == 0 &&
                          fx_text_is(review->result.kind, "Binding") &&
                          !review->result.dry_run;
    return concerns ? FX_NEXT : allow(review);
}

/* The value in the request; if it is empty, that of the object's metadata. */
static struct fx_text either(struct fx_text of_request, const json_t *metadata,
                             const char *key) {
    return of_request.len > 0 ? of_request : fx_tree_view_string(metadata, key);
}

/* A target without a kind is a Node. */
static bool is_to_node(const json_t *target) {
    const struct fx_text kind = fx_tree_view_string(target, "kind");
    return kind.len == 0 || fx_text_is(kind, "Node");
}

static enum fx_next step_binding(struct fx_review *review) {
    const json_t *metadata = fx_tree_view_key(review->object, "metadata");
    const json_t *target = fx_tree_view_key(review->object, "target");
    const struct fx_pod_binding binding = {
        .namespace_ = either(review->result.namespace_, metadata, "namespace"),
        .pod = either(review->result.name, metadata, "name"),
        .node = fx_tree_view_string(target, "name"),
    };
    if (!is_to_node(target)) {
        return allow(review);
    }
    if (fx_dns_is_subdomain(binding.namespace_) && fx_dns_is_subdomain(binding.pod) &&
        fx_dns_is_subdomain(binding.node)) {
        review->binding = binding;
    } else {
        fx_binding_warn(review, "the Pod was not annotated with its Node: a name in the "
                                "Binding is not a lowercase RFC 1123 subdomain");
    }
    return allow(review);
}

static fx_step *const steps[] = {fx_step_decode, step_concern, fx_step_object,
                                 step_binding, NULL};

struct fx_review *fx_binding_create(struct fx_text text, uint64_t deadline_ns) {
    return fx_review_begin(steps, text, deadline_ns);
}

const struct fx_pod_binding *fx_binding_view(const struct fx_review *review) {
    const bool is_answered = review->is_done && review->result.status == 200;
    return is_answered && review->binding.node.len > 0 ? &review->binding : NULL;
}

/* Without memory for the message, the Binding is allowed without it. */
void fx_binding_warn(struct fx_review *review, const char *words) {
    free(review->warning);
    review->warning = fx_text_dup(fx_text_of(words));
    (void)allow(review);
}
