/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/mutation.c - one object to its fixed point, and the proven difference.
 */
#include "admission/mutation.h"

#include "admission/annotate.h"
#include "value/equal.h"
#include "value/tree.h"

#define METADATA  FX_TEXT("metadata")
#define NAMESPACE FX_TEXT("namespace")

static json_t *view_namespace(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "metadata"), "namespace");
}

/* The object's metadata, writable; made where there is none. NULL without memory. */
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

/* Can it hold a namespace: metadata is an object, or may become one? */
static bool can_hold_namespace(const json_t *object) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    return json_is_object(object) && (metadata == NULL || json_is_object(metadata));
}

/* Puts the request's namespace into the object, for matching and fromMetadata (spec
 * section 8, step 6). Nothing is copied where it stands there already. */
static bool enter_namespace(json_t **root, struct fx_text namespace_,
                            struct fx_err *err) {
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

/* Takes the namespace out again, and with it the metadata that was made for it. */
static void remove_namespace(json_t *root, json_t *metadata, const json_t *object) {
    fx_tree_remove_key(metadata, NAMESPACE);
    if (json_object_size(metadata) == 0 && fx_tree_view_key(object, "metadata") == NULL) {
        fx_tree_remove_key(root, METADATA);
    }
}

/* Gives the result the namespace that `object` came with, perhaps none, so that no patch
 * ever touches it. */
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

/* Applies the patch to the object as it came: what comes of it must be the result, since
 * a patch that does not apply would block the user. A failure is our own bug. */
static bool prove(const struct fx_patch *patch, json_t *object, const json_t *result,
                  struct fx_err *err) {
    json_t *copy = json_incref(object);
    bool ok = fx_patch_apply(patch, &copy, err);
    if (!ok && err->code != FX_ENOMEM) {
        err->code = FX_EINTERNAL;
        (void)fx_err_prefix(err, "our own patch does not apply: ");
    } else if (ok && !fx_equal(copy, result)) {
        ok = fx_fail(err, FX_EINTERNAL, "our own patch does not give the result");
    }
    json_decref(copy);
    return ok;
}

/* What comes between the loop and the answer: `root` is what the loop left. */
static bool settle(json_t **root, json_t *object, struct fx_patch *patch,
                   struct fx_err *err) {
    return restore_namespace(root, object, err) &&
           fx_patch_diff(patch, object, *root, err) &&
           (patch->n_ops == 0 || prove(patch, object, *root, err));
}

/* NOLINTNEXTLINE(readability-function-size): ten things, each needed by a caller. */
bool fx_mutate(const struct fx_snapshot *snapshot, const struct fx_request *request,
               struct fx_text namespace_, json_t *object, struct fx_arena *arena,
               struct fx_trace *trace, json_t **ret_result, struct fx_patch *ret_patch,
               struct fx_outcome *ret_outcome, struct fx_err *err) {
    fx_patch_init(ret_patch, arena);
    *ret_outcome = (struct fx_outcome){0};
    json_t *root = json_incref(object);
    if (!enter_namespace(&root, namespace_, err) ||
        !fx_converge(snapshot, request, arena, trace, &root, ret_outcome, err) ||
        (ret_outcome->mutated && request->annotates &&
         !fx_annotate(snapshot, ret_outcome, request->mutation_id, arena, &root, err)) ||
        (ret_outcome->mutated && !settle(&root, object, ret_patch, err))) {
        json_decref(root);
        return false;
    }
    ret_outcome->mutated = ret_patch->n_ops > 0;
    if (!ret_outcome->mutated) { /* the object itself, not an equal one */
        json_decref(root);
        root = json_incref(object);
    }
    *ret_result = root;
    return true;
}
