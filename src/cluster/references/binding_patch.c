/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/binding_patch.c - {"metadata": {"uid": …, "annotations": {…}}}
 */
#include "cluster/references/binding_patch.h"

#include "engine/dialect.h"
#include "kube/body.h"
#include "value/tree.h"

static bool is_to_be_told(const json_t *annotations,
                          const struct fx_node_annotations *names, struct fx_text node) {
    return names != NULL &&
           fx_text_is(fx_tree_view_string(annotations, names->asks), "true") &&
           !fx_text_equal(fx_tree_view_string(annotations, names->names), node);
}

/* What is to be annotated, in an object of its own; NULL without memory. */
static json_t *annotate(const json_t *annotations, struct fx_text node) {
    json_t *made = json_object();
    bool ok = made != NULL;
    for (const struct fx_dialect *const *at = fx_dialects; ok && *at != NULL; at++) {
        const struct fx_node_annotations *names = (*at)->node_annotations;
        if (is_to_be_told(annotations, names, node)) {
            ok = fx_kube_body_set_text(made, names->names, node);
        }
    }
    if (!ok) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* The patch around them, which takes them over. NULL without memory. */
static json_t *wrap(const json_t *metadata, json_t *annotations_take) {
    json_t *patch = json_object();
    json_t *wrapped = json_object();
    const bool ok =
        fx_kube_body_share(wrapped, metadata, "uid") &&
        fx_tree_set_take(wrapped, FX_TEXT("annotations"), json_incref(annotations_take));
    json_decref(annotations_take);
    if (!ok || patch == NULL) {
        json_decref(wrapped);
        json_decref(patch);
        return NULL;
    }
    if (!fx_tree_set_take(patch, FX_TEXT("metadata"), wrapped)) {
        json_decref(patch);
        return NULL;
    }
    return patch;
}

bool fx_binding_patch_make(const json_t *pod, struct fx_text node, json_t **ret_patch) {
    const json_t *metadata = fx_tree_view_key(pod, "metadata");
    *ret_patch = NULL;
    if (fx_tree_view_string(fx_tree_view_key(pod, "spec"), "nodeName").len > 0) {
        return true;
    }
    json_t *made = annotate(fx_tree_view_key(metadata, "annotations"), node);
    if (made == NULL) {
        return false;
    }
    if (json_object_size(made) == 0) {
        json_decref(made);
        return true;
    }
    *ret_patch = wrap(metadata, made);
    return *ret_patch != NULL;
}
