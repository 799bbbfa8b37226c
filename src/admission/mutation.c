/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/mutation.c - mutates an object to its fixed point, and verifies the patch.
 */
#include "admission/mutation.h"

#include "engine/dialect.h"
#include "engine/webhook.h"
#include "value/equal.h"
#include "value/tree.h"

/* ---- metadata.namespace ------------------------------------------------------------ */

#define METADATA  FX_TEXT("metadata")
#define NAMESPACE FX_TEXT("namespace")

static json_t *view_namespace(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "metadata"), "namespace");
}

/* Returns the object's metadata, writable; made if it is missing. NULL without memory. */
static json_t *own_metadata(json_t **root) {
    if (fx_tree_own_root(root) == NULL) {
        return NULL;
    }
    if (fx_tree_view_key(*root, "metadata") == NULL &&
        !fx_tree_set_take(*root, METADATA, json_object())) {
        return NULL;
    }
    return fx_tree_own_key(*root, METADATA);
}

/* Can it have a namespace? Its metadata must be an object, or missing. */
static bool can_hold_namespace(const json_t *object) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    return json_is_object(object) && (metadata == NULL || json_is_object(metadata));
}

bool fx_namespace_enter(json_t **root, struct fx_text namespace_, struct fx_err *err) {
    const struct fx_text own = fx_tree_text(view_namespace(*root));
    if (namespace_.len == 0 || fx_text_equal(own, namespace_) ||
        !can_hold_namespace(*root)) {
        return true;
    }
    json_t *metadata = own_metadata(root);
    if (metadata == NULL ||
        !fx_tree_set_take(metadata, NAMESPACE, fx_tree_new_string(namespace_))) {
        return fx_fail_nomem(err);
    }
    return true;
}

/* Removes the namespace, and the metadata if it was made for the namespace. */
static void remove_namespace(json_t *root, json_t *metadata, const json_t *object) {
    fx_tree_remove_key(metadata, NAMESPACE);
    if (json_object_size(metadata) == 0 && fx_tree_view_key(object, "metadata") == NULL) {
        fx_tree_remove_key(root, METADATA);
    }
}

/* Gives *root the namespace of `object`, which may have none, so that no patch from
 * `object` to *root changes it. Errors: FX_ENOMEM. */
static bool restore_namespace(json_t **root, const json_t *object, struct fx_err *err) {
    json_t *original = view_namespace(object);
    if (view_namespace(*root) == original || !can_hold_namespace(*root)) {
        return true;
    }
    json_t *metadata = own_metadata(root);
    if (metadata == NULL) {
        return fx_fail_nomem(err);
    }
    if (original == NULL) {
        remove_namespace(*root, metadata, object);
        return true;
    }
    return fx_tree_set_take(metadata, NAMESPACE, json_incref(original)) ||
           fx_fail_nomem(err);
}

/* ---- the patch --------------------------------------------------------------------- */

/* The removed values no longer exist after the patch was applied to the object itself. */
static void forget_old(struct fx_patch *patch) {
    for (size_t i = 0; i < patch->n_ops; i++) {
        patch->ops[i].old = NULL;
    }
}

bool fx_mutation_verify(const struct fx_patch *patch, json_t **root, const json_t *wanted,
                        struct fx_err *err) {
    if (!fx_patch_apply(patch, root, err)) {
        if (err->code != FX_ENOMEM) {
            err->code = FX_EINTERNAL;
            (void)fx_err_prefix(err, "our own patch does not apply: ");
        }
        return false;
    }
    return fx_equal(*root, wanted) ||
           fx_fail(err, FX_EINTERNAL, "our own patch does not give the result");
}

/* Verifies the patch on the incoming object, or on a copy if it is shared. */
static bool verify(struct fx_mutation *mutation, struct fx_err *err) {
    json_t *own = mutation->spent == NULL ? json_incref(mutation->object) : NULL;
    json_t **tried = mutation->spent == NULL ? &own : mutation->spent;
    const bool ok = fx_mutation_verify(&mutation->patch, tried, mutation->root, err);
    if (mutation->spent != NULL) {
        forget_old(&mutation->patch);
    }
    json_decref(own);
    return ok;
}

/* Makes the set of placeholders if a policy calls a provider. */
static bool make_placeholders(struct fx_mutation *mutation) {
    if (!mutation->snapshot->has_inputs_after) {
        return true;
    }
    mutation->placeholders = fx_placeholders_create();
    mutation->request.placeholders = mutation->placeholders;
    if (mutation->trace != NULL) {
        mutation->trace->placeholders = mutation->placeholders;
    }
    return mutation->placeholders != NULL;
}

static bool can_ask(const struct fx_mutation *mutation, struct fx_err *err) {
    return mutation->external_fault == NULL || mutation->calls.n_places == 0 ||
           fx_fail(err, FX_EMUTATE, "failed to resolve external data placeholders: %s",
                   mutation->external_fault);
}

bool fx_mutation_begin(struct fx_mutation *mutation, struct fx_err *err) {
    fx_patch_init(&mutation->patch, mutation->arena);
    mutation->outcome = (struct fx_outcome){0};
    mutation->root = json_incref(mutation->object);
    if (mutation->request.namespace_.data == NULL && mutation->namespace_.len > 0) {
        mutation->request.namespace_ = mutation->namespace_;
    }
    mutation->request.inputs = mutation->inputs;
    if (!make_placeholders(mutation)) {
        return fx_fail_nomem(err);
    }
    if (!fx_namespace_enter(&mutation->root, mutation->namespace_, err) ||
        !fx_converge(mutation->snapshot, &mutation->request, mutation->arena,
                     mutation->trace, &mutation->root, &mutation->outcome, err)) {
        if (err->code == FX_EINPUT && mutation->trace != NULL) {
            fx_trace_reset(mutation->trace);
        }
        return false;
    }
    return !mutation->outcome.mutated ||
           (fx_external_collect(mutation->placeholders, mutation->root,
                                mutation->snapshot, mutation->inputs, &mutation->calls,
                                err) &&
            can_ask(mutation, err));
}

/* Replaces the placeholders by the values of the providers, and records that. */
static bool resolve_placeholders(struct fx_mutation *mutation, struct fx_err *err) {
    if (!fx_placeholders_exist(mutation->placeholders)) {
        return true;
    }
    json_t *before = json_incref(mutation->root);
    bool ok = fx_external_resolve(&mutation->calls, mutation->placeholders,
                                  &mutation->root, err);
    if (ok && mutation->trace != NULL && before != mutation->root) {
        ok = fx_trace_record_external(mutation->trace, mutation->outcome.iterations + 1,
                                      before, mutation->root) ||
             fx_fail_nomem(err);
    }
    json_decref(before);
    return ok;
}

/* Annotates the object if it differs from the incoming one. A value may have been written
 * that was already there. */
static bool annotate_object(struct fx_mutation *mutation, struct fx_err *err) {
    if (!mutation->request.annotates || fx_equal(mutation->root, mutation->object)) {
        return true;
    }
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_webhook *webhook = fx_dialects[i]->webhook;
        if (webhook != NULL && webhook->annotate != NULL &&
            !webhook->annotate(mutation->snapshot, &mutation->outcome,
                               mutation->request.mutation_id, mutation->arena,
                               &mutation->root, err)) {
            return false;
        }
    }
    return true;
}

/* Does the work between the loop and the answer. */
static bool settle_mutation(struct fx_mutation *mutation, struct fx_err *err) {
    struct fx_patch *patch = &mutation->patch;
    json_t *object = mutation->object;
    if (!resolve_placeholders(mutation, err) ||
        !restore_namespace(&mutation->root, object, err) ||
        !annotate_object(mutation, err) ||
        !fx_patch_diff_brief(patch, object, mutation->root, err)) {
        return false;
    }
    mutation->wants_whole = mutation->is_part && !fx_patch_is_whole(patch);
    return mutation->wants_whole || patch->n_ops == 0 || verify(mutation, err);
}

bool fx_mutation_end(struct fx_mutation *mutation, struct fx_err *err) {
    if (mutation->outcome.mutated && !settle_mutation(mutation, err)) {
        return false;
    }
    if (mutation->wants_whole) {
        return true;
    }
    mutation->outcome.mutated = mutation->patch.n_ops > 0;
    /* If nothing changed, the result is the object itself, not an equal one. */
    mutation->result =
        json_incref(mutation->outcome.mutated ? mutation->root : mutation->object);
    return true;
}

void fx_mutation_finish(struct fx_mutation *mutation) {
    if (mutation->trace != NULL) {
        mutation->trace->placeholders = NULL;
    }
    fx_outcome_finish(&mutation->outcome);
    json_decref(mutation->result);
    json_decref(mutation->root);
    fx_placeholders_destroy(mutation->placeholders);
    mutation->result = NULL;
    mutation->root = NULL;
    mutation->placeholders = NULL;
}
