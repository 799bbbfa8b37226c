/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/synthetic_refs.c - adds syntheticRefs to the object, and hides
 * managedFields.
 */
#include "mutators/kubemod/synthetic_refs.h"

#include "mutators/kubemod/last_applied.h"
#include "mutators/kubemod/modrule.h"
#include "value/tree.h"

#define REFS           FX_TEXT(SYNTHETIC_REFS)
#define METADATA       FX_TEXT("metadata")
#define MANAGED_FIELDS FX_TEXT("managedFields")
#define ANNOTATIONS    FX_TEXT("annotations")

static json_t *view_metadata(const json_t *object) {
    return fx_tree_view_key(object, "metadata");
}

/* Removes the field from metadata. Copies nothing if it is missing. */
static bool drop_managed_fields(json_t **root) {
    if (fx_tree_view_text(view_metadata(*root), MANAGED_FIELDS) == NULL) {
        return true;
    }
    json_t *own = fx_tree_own_root(root);
    json_t *metadata = own == NULL ? NULL : fx_tree_own_key(own, METADATA);
    if (metadata == NULL) {
        return false;
    }
    fx_tree_remove_key(metadata, MANAGED_FIELDS);
    return true;
}

static bool drop_last_applied(json_t **root) {
    const json_t *annotations = fx_tree_view_text(view_metadata(*root), ANNOTATIONS);
    if (fx_tree_view_text(annotations, LAST_APPLIED) == NULL) {
        return true;
    }
    json_t *own = fx_tree_own_root(root);
    json_t *metadata = own == NULL ? NULL : fx_tree_own_key(own, METADATA);
    json_t *written = metadata == NULL ? NULL : fx_tree_own_key(metadata, ANNOTATIONS);
    if (written == NULL) {
        return false;
    }
    fx_tree_remove_key(written, LAST_APPLIED);
    return true;
}

/* Adds a manifest without the fields that KubeMod drops. Takes the reference. */
static bool add_ref_take(json_t *refs, struct fx_text name, json_t *manifest,
                         bool is_namespace) {
    if (!drop_managed_fields(&manifest) ||
        (is_namespace && !drop_last_applied(&manifest))) {
        json_decref(manifest);
        return false;
    }
    return fx_tree_set_take(refs, name, manifest);
}

const struct fx_node_annotations fx_synthetic_node = {
    .asks = "ref.kubemod.io/inject-node-ref",
    .names = "ref.kubemod.io/nodename",
};

static struct fx_text node_name(const struct fx_subject *subject) {
    return fx_text_is(subject->kind, "Pod")
               ? fx_tree_view_string(subject->annotations, fx_synthetic_node.names)
               : (struct fx_text){0};
}

/* Makes the key of the input of a rule that reads the Node. */
static bool node_key(const struct fx_request *request, const struct fx_subject *subject,
                     struct fx_input_key *ret_key) {
    (void)request;
    *ret_key = fx_input_core_key("Node", node_name(subject));
    return ret_key->name.len > 0;
}

const struct fx_input fx_synthetic_inputs[2] = {
    {.type = FX_INPUT_OBJECT, .phase = FX_INPUT_BEFORE, .key = fx_input_namespace_key},
    {.type = FX_INPUT_OBJECT, .phase = FX_INPUT_BEFORE, .key = node_key, .warns = true},
};

/* Returns the Node that the object names now. Returns NULL if the review has not fetched
 * it, because a rule has written the annotation. A dry run may have a Node without a
 * name, which counts as the named one. */
static json_t *find_node(const struct fx_request *request,
                         const struct fx_subject *subject) {
    struct fx_input_key key;
    if (!node_key(request, subject, &key)) {
        return NULL;
    }
    const struct fx_input_entry *entry = fx_inputs_find(request->inputs, &key);
    if (entry == NULL) {
        key.name = (struct fx_text){0};
        entry = fx_inputs_find(request->inputs, &key);
    }
    return entry == NULL ? NULL : entry->value;
}

static json_t *make_refs(const struct fx_request *request, const json_t *object) {
    struct fx_subject subject;
    json_t *refs = json_object();
    fx_subject_read(object, &subject);
    bool ok = refs != NULL;
    if (ok && request->namespace_object != NULL &&
        fx_modrule_namespace(request, &subject).len > 0) {
        ok = add_ref_take(refs, FX_TEXT("namespace"),
                          json_incref(request->namespace_object), true);
    }
    json_t *node = ok ? find_node(request, &subject) : NULL;
    if (node != NULL) {
        ok = add_ref_take(refs, FX_TEXT("node"), json_incref(node), false);
    }
    if (!ok) {
        json_decref(refs);
        return NULL;
    }
    return refs;
}

/* Saves the fields that the view replaces: {"syntheticRefs": …, "managedFields": …}. */
static bool keep_fields(const json_t *object, json_t **ret_kept) {
    json_t *const theirs = fx_tree_view_text(object, REFS);
    json_t *const managed = fx_tree_view_text(view_metadata(object), MANAGED_FIELDS);
    *ret_kept = NULL;
    if (theirs == NULL && managed == NULL) {
        return true;
    }
    *ret_kept = json_object();
    const bool ok =
        *ret_kept != NULL &&
        (theirs == NULL || fx_tree_set_take(*ret_kept, REFS, json_incref(theirs))) &&
        (managed == NULL ||
         fx_tree_set_take(*ret_kept, MANAGED_FIELDS, json_incref(managed)));
    if (!ok) {
        json_decref(*ret_kept);
        *ret_kept = NULL;
    }
    return ok;
}

static bool show_view(const struct fx_request *request, json_t **root, json_t **ret_kept,
                      struct fx_err *err) {
    if (!keep_fields(*root, ret_kept)) {
        return fx_fail_nomem(err);
    }
    json_t *refs = make_refs(request, *root);
    if (refs == NULL || !drop_managed_fields(root) || fx_tree_own_root(root) == NULL) {
        json_decref(refs);
        return fx_fail_nomem(err);
    }
    return fx_tree_set_take(*root, REFS, refs) || fx_fail_nomem(err);
}

/* Puts the hidden fields back into the object. If a rule has removed metadata, they are
 * lost. */
static bool return_managed_fields(json_t *root, json_t *managed) {
    if (managed == NULL || !json_is_object(view_metadata(root))) {
        return true;
    }
    json_t *metadata = fx_tree_own_key(root, METADATA);
    return metadata != NULL &&
           fx_tree_set_take(metadata, MANAGED_FIELDS, json_incref(managed));
}

static bool restore_object(json_t **root, const json_t *kept, struct fx_err *err) {
    json_t *own = fx_tree_own_root(root);
    json_t *const theirs = fx_tree_view_text(kept, REFS);
    if (own == NULL) {
        return fx_fail_nomem(err);
    }
    if (theirs == NULL) {
        fx_tree_remove_key(own, REFS);
    } else if (!fx_tree_set_take(own, REFS, json_incref(theirs))) {
        return fx_fail_nomem(err);
    }
    return return_managed_fields(own, fx_tree_view_text(kept, MANAGED_FIELDS)) ||
           fx_fail_nomem(err);
}

const struct fx_object_view fx_synthetic_refs = {.show = show_view,
                                                 .restore = restore_object};
