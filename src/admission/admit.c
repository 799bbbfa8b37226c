/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit.c - the steps of the reviews that are not mutation by policies.
 */
#include "admission/admit.h"

#include <stdlib.h>

#include "admission/paths.h"
#include "admission/steps.h"
#include "base/dns_name.h"
#include "policy/check.h"
#include "value/tree.h"

/* ---- is a policy valid? ------------------------------------------------------------ */

#define NAME_MAX_BYTES 63u

/* Go's message for a value of the wrong type begins with this. */
#define DECODE_PREFIX FX_TEXT("json: cannot unmarshal")

/* Has a dialect reserved its group (engine/webhook.h)? Such policies are also checked on
 * DELETE, and their names must be short. */
static bool is_reserved(const struct fx_review *review) {
    return fx_reserved_group(review->result.group) != NULL;
}

static bool is_policy(const struct fx_review *review) {
    return is_reserved(review) ||
           fx_policy_is_kind(review->result.group, review->result.kind);
}

/* Allows requests that need no check. A DELETE is checked by its old object. Deletions of
 * collections are allowed, and so are objects that are certainly not policies. */
static enum fx_next step_skip_unchecked(struct fx_review *review) {
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

/* Sets metadata.namespace, which an API server may set later; the request names the
 * namespace. Only the review has a reference to the object. */
static bool enter_namespace(struct fx_review *review) {
    const bool ok = fx_namespace_enter(&review->envelope.of_request.object.node,
                                       review->result.namespace_, &review->err);
    review->object = review->envelope.of_request.object.node;
    return ok;
}

static enum fx_next step_check(struct fx_review *review) {
    struct fx_err *err = &review->err;
    bool is_policy_kind = false;
    if (!is_reserved(review) && !enter_namespace(review)) {
        return fx_answer_fail(review);
    }
    review->compilation.settings = review->admission->settings;
    if (fx_policy_check(review->object, &review->compilation, &is_policy_kind, err)) {
        return fx_answer_allow_policy(review);
    }
    if (!fx_err_is_ours(err) && review->compilation.n_faults > 0) {
        return fx_answer_invalid(review);
    }
    const bool is_decoding = fx_text_starts(fx_text_of(err->msg), DECODE_PREFIX);
    return fx_answer_deny(review, is_decoding ? 500 : 422);
}

static fx_step *const admit_steps[] = {
    fx_step_decode, fx_step_self, step_skip_unchecked, fx_step_object, step_name,
    step_check,     NULL,
};

struct fx_review *fx_admit_create(const struct fx_admission *admission,
                                  struct fx_text text, uint64_t deadline_ns) {
    struct fx_review *review = fx_review_begin(admit_steps, text, deadline_ns);
    if (review != NULL) {
        review->admission = admission;
    }
    return review;
}

/* ---- the defaults of a policy ------------------------------------------------------ */

static enum fx_next step_skip_other_operations(struct fx_review *review) {
    const enum fx_operation operation = review->request.operation;
    if (operation != FX_OPERATION_CREATE && operation != FX_OPERATION_UPDATE) {
        return fx_answer_allow(review, FX_DECISION_UNCHANGED, "");
    }
    return FX_NEXT;
}

/* Makes the patch, and verifies it. */
static bool make_patch(struct fx_review *review) {
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
    if (!fx_policy_set_defaults(&review->defaulted, &review->err) ||
        !make_patch(review)) {
        return fx_answer_fail(review);
    }
    return review->patch.n_ops == 0 ? fx_answer_allow(review, FX_DECISION_UNCHANGED, "")
                                    : fx_answer_defaulted(review);
}

static fx_step *const defaults_steps[] = {fx_step_decode, step_skip_other_operations,
                                          fx_step_object, step_defaults, NULL};

struct fx_review *fx_defaults_create(struct fx_text text, uint64_t deadline_ns) {
    return fx_review_begin(defaults_steps, text, deadline_ns);
}

/* ---- guards ------------------------------------------------------------------------ */

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

static enum fx_next step_skip_unguarded(struct fx_review *review) {
    const struct fx_guard_request request = request_of(review);
    const char *message = review->guard->passes(&request);
    return message == NULL ? FX_NEXT
                           : fx_answer_allow(review, FX_DECISION_UNCHANGED, message);
}

static enum fx_next answer_guard(struct fx_review *review, bool is_allowed,
                                 const struct fx_buf *message) {
    const char *copy =
        message->failed ? NULL : fx_arena_copy(&review->arena, fx_buf_view(message));
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

static fx_step *const guard_steps[] = {fx_step_decode, step_skip_unguarded,
                                       fx_step_object, step_guard, NULL};

const struct fx_guard *fx_guard_find(struct fx_text path) {
    const struct fx_webhook *webhook = NULL;
    struct fx_text argument;
    const struct fx_webhook_path *at = fx_webhook_path_find(path, &webhook, &argument);
    return at != NULL && at->endpoint == FX_ENDPOINT_GUARD ? webhook->guard : NULL;
}

struct fx_review *fx_guard_create(const struct fx_guard *guard,
                                  const struct fx_exemptions *exempt, struct fx_text text,
                                  uint64_t deadline_ns) {
    struct fx_review *review = fx_review_begin(guard_steps, text, deadline_ns);
    if (review != NULL) {
        review->guard = guard;
        review->exempt = exempt;
    }
    return review;
}

/* ---- bindings ---------------------------------------------------------------------- */

static enum fx_next allow_unchanged(struct fx_review *review) {
    return fx_answer_allow(review, FX_DECISION_UNCHANGED, NULL);
}

static enum fx_next step_skip_other_objects(struct fx_review *review) {
    const bool concerns = review->request.operation == FX_OPERATION_CREATE &&
                          review->result.group.len == 0 &&
                          fx_text_is(review->result.kind, "Binding") &&
                          !review->result.dry_run;
    return concerns ? FX_NEXT : allow_unchanged(review);
}

/* Returns the value in the request; if it is empty, that of the object's metadata. */
static struct fx_text either(struct fx_text of_request, const json_t *metadata,
                             const char *key) {
    return of_request.len > 0 ? of_request : fx_tree_view_string(metadata, key);
}

/* Is the target a Node? A target without a kind is. */
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
        return allow_unchanged(review);
    }
    if (fx_dns_is_subdomain(binding.namespace_) && fx_dns_is_subdomain(binding.pod) &&
        fx_dns_is_subdomain(binding.node)) {
        review->binding = binding;
    } else {
        fx_binding_warn(review, "the Pod was not annotated with its Node: a name in the "
                                "Binding is not a lowercase RFC 1123 subdomain");
    }
    return allow_unchanged(review);
}

static fx_step *const binding_steps[] = {fx_step_decode, step_skip_other_objects,
                                         fx_step_object, step_binding, NULL};

struct fx_review *fx_binding_create(struct fx_text text, uint64_t deadline_ns) {
    return fx_review_begin(binding_steps, text, deadline_ns);
}

const struct fx_pod_binding *fx_binding_view(const struct fx_review *review) {
    const bool is_answered = review->is_done && review->result.status == 200;
    return is_answered && review->binding.node.len > 0 ? &review->binding : NULL;
}

/* Without memory for the message, the Binding is allowed without a warning. */
void fx_binding_warn(struct fx_review *review, const char *message) {
    free(review->warning);
    review->warning = fx_text_dup(fx_text_of(message));
    (void)allow_unchanged(review);
}
