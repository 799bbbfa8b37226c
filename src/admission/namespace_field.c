/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/namespace_field.c - put in, and taken out again.
 */
#include "admission/namespace_field.h"

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

/* Takes the namespace out again, and with it the metadata that was made for it. */
static void remove_namespace(json_t *root, json_t *metadata, const json_t *object) {
    fx_tree_remove_key(metadata, NAMESPACE);
    if (json_object_size(metadata) == 0 && fx_tree_view_key(object, "metadata") == NULL) {
        fx_tree_remove_key(root, METADATA);
    }
}

bool fx_namespace_restore(json_t **root, const json_t *object, struct fx_err *err) {
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
