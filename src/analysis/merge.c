/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/merge.c - one object on which two mutators act, out of one for each.
 */
#include <string.h>

#include "analysis/sketches.h"
#include "value/equal.h"
#include "value/tree.h"

#define ELEMENTS_MAX 256u /* of a list; sketches are small */

/* What sketches give where any would do. */
#define ANY_NAME      "example"
#define ANY_NAMESPACE "default"

static bool merge(json_t *into, json_t *from);

static bool add_copy(json_t *into, struct fx_text key, const json_t *value) {
    return fx_tree_set_take(into, key, json_deep_copy(value));
}

static bool is_container(const json_t *value) {
    return json_is_object(value) || json_is_array(value);
}

/* Is there just any value, where the other one needs something to be in? */
static bool is_filler(const json_t *present, const json_t *value) {
    return !is_container(present) && is_container(value);
}

static bool merge_objects(json_t *into, json_t *from) {
    for (void *at = json_object_iter(from); at != NULL;
         at = json_object_iter_next(from, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        json_t *value = json_object_iter_value(at);
        json_t *present = fx_tree_view_text(into, key);
        if (present == NULL || is_filler(present, value) ? !add_copy(into, key, value)
                                                         : !merge(present, value)) {
            return false;
        }
    }
    return true;
}

/* Elements with an equal scalar under one key (`name: example`) are the same one. */
static bool are_one(const json_t *a, json_t *b) {
    for (void *at = json_object_iter(b); at != NULL; at = json_object_iter_next(b, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        const json_t *value = json_object_iter_value(at);
        if (!json_is_object(value) && !json_is_array(value) &&
            fx_equal(value, fx_tree_view_text(a, key))) {
            return true;
        }
    }
    return fx_equal(a, b);
}

static bool merge_lists(json_t *into, const json_t *from) {
    for (size_t i = 0; i < json_array_size(from) && i < ELEMENTS_MAX; i++) {
        json_t *element = json_array_get(from, i);
        json_t *same = NULL;
        for (size_t k = 0; same == NULL && k < json_array_size(into); k++) {
            json_t *candidate = json_array_get(into, k);
            same = are_one(candidate, element) ? candidate : NULL;
        }
        if (same != NULL ? !merge(same, element)
                         : !fx_tree_append_take(into, json_deep_copy(element))) {
            return false;
        }
    }
    return true;
}

/* `into` is a deep copy of our own. False without memory. */
static bool merge(json_t *into, json_t *from) {
    if (json_is_object(into) && json_is_object(from)) {
        return merge_objects(into, from);
    }
    if (json_is_array(into) && json_is_array(from)) {
        return merge_lists(into, from);
    }
    return true;
}

/* Does everything that `a` and `b` both have agree? */
static bool agree(const json_t *a, json_t *b) {
    for (void *at = json_object_iter(b); at != NULL; at = json_object_iter_next(b, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        const json_t *other = fx_tree_view_text(a, key);
        if (other != NULL && !fx_equal(other, json_object_iter_value(at))) {
            return false;
        }
    }
    return true;
}

static bool same_where_given(const json_t *a, const json_t *b, const char *key) {
    const struct fx_text x = fx_tree_view_string(a, key);
    const struct fx_text y = fx_tree_view_string(b, key);
    return x.data == NULL || y.data == NULL || fx_text_equal(x, y) ||
           fx_text_is(x, ANY_NAME) || fx_text_is(y, ANY_NAME);
}

/* Are they in one namespace, or may one of them be in any? */
static bool share_namespace(const json_t *a, const json_t *b) {
    const struct fx_text x = fx_tree_view_string(a, "namespace");
    const struct fx_text y = fx_tree_view_string(b, "namespace");
    return fx_text_equal(x, y) || fx_text_is(x, ANY_NAMESPACE) ||
           fx_text_is(y, ANY_NAMESPACE);
}

/* Can the two be one object? Not asked of their namespaces. */
static bool may_be_one(const json_t *a, const json_t *b) {
    return same_where_given(a, b, "name") &&
           agree(fx_tree_view_key(a, "labels"), fx_tree_view_key(b, "labels")) &&
           agree(fx_tree_view_key(a, "annotations"), fx_tree_view_key(b, "annotations"));
}

/* The name, the namespace that was asked for, not the one that stands for any. */
static bool take_choice(json_t *into, const json_t *from, const char *key,
                        const char *any) {
    json_t *chosen = fx_tree_view_key(from, key);
    return chosen == NULL || !fx_text_is(fx_tree_view_string(into, key), any) ||
           fx_tree_set_take(into, fx_text_of(key), json_incref(chosen));
}

static bool take_names(json_t *metadata, const json_t *theirs,
                       struct fx_text namespace_) {
    if (!take_choice(metadata, theirs, "name", ANY_NAME)) {
        return false;
    }
    return namespace_.data != NULL
               ? fx_tree_set_take(metadata, FX_TEXT("namespace"),
                                  fx_tree_new_string(namespace_))
               : take_choice(metadata, theirs, "namespace", ANY_NAMESPACE);
}

json_t *fx_sketch_merge(const json_t *a, const json_t *b, struct fx_text namespace_,
                        struct fx_err *err) {
    const json_t *ours = fx_tree_view_key(a, "metadata");
    const json_t *theirs = fx_tree_view_key(b, "metadata");
    if (!may_be_one(ours, theirs) ||
        (namespace_.data == NULL && !share_namespace(ours, theirs))) {
        return NULL;
    }
    json_t *merged = json_deep_copy(a);
    json_t *other = json_deep_copy(b);
    json_t *metadata = fx_tree_view_key(merged, "metadata");
    if (merged == NULL || other == NULL || !merge(merged, other) ||
        (metadata != NULL && !take_names(metadata, theirs, namespace_))) {
        (void)fx_fail_nomem(err);
        json_decref(merged);
        merged = NULL;
    }
    json_decref(other);
    return merged;
}
