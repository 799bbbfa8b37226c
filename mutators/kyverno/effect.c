/* SPDX-License-Identifier: Apache-2.0
 *
 * effect.c - compares an object before and after a rule, or says from the patch what can
 * differ.
 */
#include "effect.h"

#include "base/budget.h"
#include "engine/request.h"
#include "value/equal.h"
#include "value/tree.h"

/* Has the object still its type and its names, and its labels and annotations? */
static void compare_names(const json_t *before, const json_t *after,
                          struct fx_effect *effect) {
    struct fx_subject was;
    struct fx_subject is;
    fx_subject_read(before, &was);
    fx_subject_read(after, &is);
    effect->keeps_names =
        fx_text_equal(was.api_version, is.api_version) &&
        fx_text_equal(was.kind, is.kind) && fx_text_equal(was.name, is.name) &&
        fx_text_equal(was.generate_name, is.generate_name) &&
        fx_text_equal(was.namespace_, is.namespace_) && was.name.data == is.name.data &&
        was.namespace_.data == is.namespace_.data &&
        was.api_version.data == is.api_version.data && was.kind.data == is.kind.data &&
        was.generate_name.data == is.generate_name.data;
    effect->keeps_metadata = was.labels == is.labels && was.annotations == is.annotations;
}

void fx_kyverno_effect_compare(json_t *before, json_t **root, struct fx_effect *effect) {
    effect->changed = before != *root && !fx_equal(before, *root);
    if (effect->changed) {
        compare_names(before, *root, effect);
        json_decref(before);
        return;
    }
    json_decref(*root);
    *root = before;
}

/* Is there no list in it? A tree of a policy or of an object, whose depth readers
 * limit. */
static bool has_only_maps(const json_t *patch) {
    for (void *iter = fx_node_first(patch); iter != NULL;
         iter = fx_node_next(patch, iter)) {
        const json_t *member = json_object_iter_value(iter);
        if (!fx_spend(1) || json_is_array(member) ||
            (json_is_object(member) && !has_only_maps(member))) {
            return false;
        }
    }
    return true;
}

static bool has(const json_t *map, const char *name) {
    return fx_tree_view_key(map, name) != NULL;
}

bool fx_kyverno_effect_foresee(const json_t *patch, struct fx_effect *effect) {
    const json_t *metadata = fx_tree_view_key(patch, "metadata");
    if (has(patch, "kind") || has(patch, "apiVersion") ||
        (metadata != NULL && !json_is_object(metadata)) || !has_only_maps(patch)) {
        return false;
    }
    effect->keeps_names = !has(metadata, "name") && !has(metadata, "namespace") &&
                          !has(metadata, "generateName") && !has(metadata, "$patch");
    effect->keeps_metadata = !has(metadata, "labels") && !has(metadata, "annotations") &&
                             !has(metadata, "$patch");
    return true;
}
