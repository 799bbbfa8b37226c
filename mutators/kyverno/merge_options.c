/* SPDX-License-Identifier: Apache-2.0
 *
 * merge_options.c - prepares a patch for one object, as the options of its policy say.
 * The trees are those of a policy and of an object, whose depth the readers limit.
 */
#include "merge_options.h"

#include "base/budget.h"
#include "base/wildcard.h"
#include "merge/strategic.h"
#include "merge_options_internal.h"
#include "value/equal.h"
#include "value/tree.h"

struct options_walk {
    bool has_wildcards;
    struct fx_err *err;
};

/* Gives a new reference to the patch with what it says about this part of the object:
 * `patch` itself if nothing changes. `place` may be NULL. */
static bool extend(const struct options_walk *walk,
                   const struct kyverno_merge_place *place, json_t *patch,
                   const json_t *live, json_t **ret);

static bool own_copy(const struct options_walk *walk, const json_t *node, json_t **copy) {
    if (*copy == NULL) {
        *copy = fx_tree_copy(node);
    }
    return *copy != NULL || fx_fail_nomem(walk->err);
}

/* ---- maps ----------------------------------------------------------------------------
 */

static const struct kyverno_merge_place *
place_below(const struct kyverno_merge_place *place, struct fx_text name) {
    const struct kyverno_merge_place *below = place == NULL ? NULL : place->below;
    while (below != NULL && !fx_text_equal(below->name, name)) {
        below = below->next;
    }
    return below;
}

/* Removes from the patch a name with a wildcard, and puts each field that it matches
 * there instead. */
static bool spread(const struct options_walk *walk, const json_t *patch,
                   struct fx_text name, const json_t *live, json_t **copy) {
    if (!own_copy(walk, patch, copy)) {
        return false;
    }
    fx_tree_remove_key(*copy, name);
    bool ok = true;
    for (void *iter = fx_node_first(live); ok && iter != NULL;
         iter = fx_node_next(live, iter)) {
        const struct fx_text field = fx_node_key(iter);
        if (!fx_spend(1)) {
            return fx_fail_exceeded(walk->err);
        }
        if (fx_wildcard_match(name, field) && fx_tree_view_text(patch, field) == NULL) {
            ok = fx_tree_set_take(*copy, field, json_null()) || fx_fail_nomem(walk->err);
        }
    }
    return ok;
}

static bool extend_member(const struct options_walk *walk,
                          const struct kyverno_merge_place *place, const json_t *patch,
                          void *iter, const json_t *live, json_t **copy) {
    const struct fx_text name = fx_node_key(iter);
    json_t *value = json_object_iter_value(iter);
    json_t *extended = NULL;
    if (walk->has_wildcards && json_is_null(value) && fx_wildcard_is_pattern(name)) {
        return spread(walk, patch, name, live, copy);
    }
    if (!extend(walk, place_below(place, name), value, fx_tree_view_text(live, name),
                &extended)) {
        return false;
    }
    if (extended == value) {
        json_decref(extended);
        return true;
    }
    if (!own_copy(walk, patch, copy)) {
        json_decref(extended);
        return false;
    }
    return fx_tree_set_take(*copy, name, extended) || fx_fail_nomem(walk->err);
}

static bool extend_map(const struct options_walk *walk,
                       const struct kyverno_merge_place *place, json_t *patch,
                       const json_t *live, json_t **ret) {
    json_t *copy = NULL;
    bool ok = true;
    for (void *iter = fx_node_first(patch); ok && iter != NULL;
         iter = fx_node_next(patch, iter)) {
        ok = extend_member(walk, place, patch, iter, live, &copy);
    }
    *ret = fx_tree_keep_if(ok, copy != NULL ? copy : json_incref(patch));
    return ok;
}

/* ---- lists to which elements are appended --------------------------------------------
 */

static bool has_equal(const json_t *list, const json_t *element) {
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(list); i++) {
        found = !fx_spend(1) || fx_equal(json_array_get(list, i), element);
    }
    return found;
}

static bool append_missing(const struct options_walk *walk, const json_t *patch,
                           const json_t *live, json_t **ret) {
    json_t *list = fx_tree_copy(live);
    bool ok = list != NULL || fx_fail_nomem(walk->err);
    for (size_t i = 0; ok && i < json_array_size(patch); i++) {
        json_t *element = json_array_get(patch, i);
        if (!has_equal(list, element)) {
            ok = fx_tree_append_take(list, json_incref(element)) ||
                 fx_fail_nomem(walk->err);
        }
        ok = ok && (fx_spend(1) || fx_fail_exceeded(walk->err));
    }
    *ret = fx_tree_keep_if(ok, list);
    return ok;
}

/* ---- lists with keys -----------------------------------------------------------------
 */

/* Finds the element with the same keys: json_array_size() if there is none. */
static bool find_keyed(const struct options_walk *walk,
                       const struct kyverno_merge_place *place, const json_t *list,
                       const json_t *element, size_t *ret_index) {
    for (size_t k = 0; k < place->n_keys; k++) {
        if (fx_tree_view_text(element, place->keys[k]) == NULL) {
            return fx_fail(walk->err, FX_EMUTATE,
                           "an element of the list `%.*s` lacks the key `%.*s`",
                           FX_TEXT_ARG(place->name), FX_TEXT_ARG(place->keys[k]));
        }
    }
    size_t i = 0;
    for (; i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        bool same = true;
        for (size_t k = 0; same && k < place->n_keys; k++) {
            const json_t *key = fx_tree_view_text(other, place->keys[k]);
            if (!fx_spend(1)) {
                return fx_fail_exceeded(walk->err);
            }
            same =
                key != NULL && fx_equal(key, fx_tree_view_text(element, place->keys[k]));
        }
        if (same) {
            break;
        }
    }
    *ret_index = i;
    return true;
}

/* Gives the element of the object with that of the patch merged into it. */
static bool merge_element(const struct options_walk *walk,
                          const struct kyverno_merge_place *place, json_t *patch,
                          json_t *live, json_t **ret) {
    static const struct fx_schema none = {NULL, 0};
    json_t *extended = NULL;
    if (!extend(walk, place, patch, live, &extended)) {
        return false;
    }
    *ret = json_incref(live);
    const bool ok = fx_strategic_merge(none, ret, extended, walk->err);
    json_decref(extended);
    if (!ok) {
        json_decref(*ret);
    }
    return ok;
}

/* An element without `$patch`, to be added. */
static bool plain_element(const struct options_walk *walk, json_t *patch, json_t **ret) {
    static const struct fx_schema none = {NULL, 0};
    json_t *plain = json_incref(patch);
    *ret = json_object();
    if (fx_tree_view_key(patch, "$patch") != NULL) {
        json_decref(plain);
        plain = fx_tree_copy(patch);
        if (plain != NULL) {
            fx_tree_remove_key(plain, FX_TEXT("$patch"));
        }
    }
    const bool ok = *ret == NULL || plain == NULL
                        ? fx_fail_nomem(walk->err)
                        : fx_strategic_merge(none, ret, plain, walk->err);
    json_decref(plain);
    if (!ok) {
        json_decref(*ret);
    }
    return ok;
}

/* Merges one element of the patch into the list, which is owned. `$patch: delete` removes
 * the element, `replace` replaces it. */
static bool merge_keyed(const struct options_walk *walk,
                        const struct kyverno_merge_place *place, json_t *element,
                        json_t *list) {
    const struct fx_text directive = fx_tree_view_string(element, "$patch");
    size_t index = 0;
    json_t *merged = NULL;
    if (!find_keyed(walk, place, list, element, &index)) {
        return false;
    }
    const bool found = index < json_array_size(list);
    if (fx_text_is(directive, "delete")) {
        if (found) {
            fx_tree_remove_index(list, index);
        }
        return true;
    }
    if (!found || fx_text_is(directive, "replace")) {
        return plain_element(walk, element, &merged) &&
               ((found ? fx_tree_set_index_take(list, index, merged)
                       : fx_tree_append_take(list, merged)) ||
                fx_fail_nomem(walk->err));
    }
    return merge_element(walk, place, element, json_array_get(list, index), &merged) &&
           (fx_tree_set_index_take(list, index, merged) || fx_fail_nomem(walk->err));
}

static bool merge_list(const struct options_walk *walk,
                       const struct kyverno_merge_place *place, const json_t *patch,
                       const json_t *live, json_t **ret) {
    json_t *list = fx_tree_copy(live);
    bool ok = list != NULL || fx_fail_nomem(walk->err);
    for (size_t i = 0; ok && i < json_array_size(patch); i++) {
        ok = merge_keyed(walk, place, json_array_get(patch, i), list);
    }
    *ret = fx_tree_keep_if(ok, list);
    return ok;
}

/* ---- other lists ---------------------------------------------------------------------
 */

/* The element of the object that has the same `name`, or NULL. */
static const json_t *find_named(const json_t *live, const json_t *element) {
    const struct fx_text name = fx_tree_view_string(element, "name");
    for (size_t i = 0; name.data != NULL && i < json_array_size(live); i++) {
        const json_t *other = json_array_get(live, i);
        const struct fx_text given = fx_tree_view_string(other, "name");
        if (!fx_spend(1) || (given.data != NULL && fx_text_equal(given, name))) {
            return other;
        }
    }
    return NULL;
}

/* A list that is merged as always: only what is below its elements is extended. */
static bool extend_elements(const struct options_walk *walk,
                            const struct kyverno_merge_place *place, json_t *patch,
                            const json_t *live, json_t **ret) {
    json_t *copy = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(patch); i++) {
        json_t *element = json_array_get(patch, i);
        json_t *extended = NULL;
        ok = extend(walk, place, element, find_named(live, element), &extended);
        if (!ok || extended == element) {
            json_decref(extended);
            continue;
        }
        ok = own_copy(walk, patch, &copy);
        if (!ok) {
            json_decref(extended);
            continue;
        }
        ok = fx_tree_set_index_take(copy, i, extended) || fx_fail_nomem(walk->err);
    }
    *ret = fx_tree_keep_if(ok, copy != NULL ? copy : json_incref(patch));
    return ok;
}

static bool extend(const struct options_walk *walk,
                   const struct kyverno_merge_place *place, json_t *patch,
                   const json_t *live, json_t **ret) {
    *ret = NULL;
    if (!fx_spend(1)) {
        return fx_fail_exceeded(walk->err);
    }
    if ((place == NULL && !walk->has_wildcards) ||
        (!json_is_object(patch) && !json_is_array(patch))) {
        *ret = json_incref(patch);
        return true;
    }
    if (json_is_object(patch)) {
        return extend_map(walk, place, patch, live, ret);
    }
    if (place != NULL && json_is_array(live) && place->appends) {
        return append_missing(walk, patch, live, ret);
    }
    return place != NULL && json_is_array(live) && place->n_keys > 0
               ? merge_list(walk, place, patch, live, ret)
               : extend_elements(walk, place, patch, live, ret);
}

bool fx_kyverno_merge_options_apply(const struct kyverno_merge_options *options,
                                    json_t **patch, const json_t *object,
                                    struct fx_err *err) {
    json_t *extended = NULL;
    if (options == NULL) {
        return true;
    }
    const struct options_walk walk = {options->has_wildcards, err};
    if (!extend(&walk, &options->root, *patch, object, &extended)) {
        return false;
    }
    json_decref(*patch);
    *patch = extended;
    return true;
}
