/* SPDX-License-Identifier: Apache-2.0
 *
 * strategic_clean.c - removes conditions and what is empty, from the leaves up.
 */
#include "strategic_clean.h"

#include "anchor.h"
#include "base/budget.h"
#include "value/tree.h"

/* Cleans a node: a new reference, to the node itself if it does not change. Sets
 * *ret_is_empty if nothing is left of it. NULL on failure. */
static json_t *clean(json_t *node, bool *ret_is_empty, struct fx_err *err);

static bool is_condition(struct kyverno_key key) {
    return key.anchor == KYVERNO_ANCHOR_CONDITION || key.anchor == KYVERNO_ANCHOR_GLOBAL;
}

static bool is_container(const json_t *node) {
    return json_is_object(node) || json_is_array(node);
}

/* ---- maps ----------------------------------------------------------------------------
 */

/* A map while it is cleaned: `copy` is made for the first change. */
struct map_clean {
    json_t *map, *copy;
    bool keeps_condition; /* a condition has something in it that is no condition */
    struct fx_err *err;
};

/* Makes the copy writable; NULL without memory. */
static json_t *copy_of(struct map_clean *clean_) {
    if (clean_->copy == NULL) {
        clean_->copy = fx_tree_copy(clean_->map);
        if (clean_->copy == NULL) {
            (void)fx_fail_nomem(clean_->err);
        }
    }
    return clean_->copy;
}

static bool clean_member(struct map_clean *clean_, struct fx_text key, json_t *value) {
    const bool condition = is_condition(fx_kyverno_key(key));
    bool is_empty = false;
    json_t *cleaned = clean(value, &is_empty, clean_->err);
    if (cleaned == NULL) {
        return false;
    }
    if (is_empty || (condition && !is_container(value))) {
        json_decref(cleaned);
        if (copy_of(clean_) == NULL) {
            return false;
        }
        fx_tree_remove_key(clean_->copy, key);
        return true;
    }
    clean_->keeps_condition = clean_->keeps_condition || condition;
    if (cleaned == value) {
        json_decref(cleaned);
        return true;
    }
    if (copy_of(clean_) == NULL) {
        json_decref(cleaned);
        return false;
    }
    return fx_tree_set_take(clean_->copy, key, cleaned) || fx_fail_nomem(clean_->err);
}

/* Copies the entries with an anchor, without its mark, or the plain entries. */
static bool copy_entries(const json_t *map, bool with_anchor, json_t *plain) {
    bool ok = true;
    for (void *iter = fx_node_first(map); ok && iter != NULL;
         iter = fx_node_next(map, iter)) {
        const struct kyverno_key key = fx_kyverno_key(fx_node_key(iter));
        const bool has_anchor = fx_kyverno_is_patch_anchor(key.anchor);
        ok = has_anchor != with_anchor ||
             fx_tree_set_take(plain, has_anchor ? key.name : fx_node_key(iter),
                              json_incref(json_object_iter_value(iter)));
    }
    return ok;
}

/* The same map with the marks of all its anchors removed. An entry with an anchor
 * replaces a plain one of its name. */
static json_t *without_marks(const json_t *map, struct fx_err *err) {
    json_t *plain = json_object();
    const bool ok = plain != NULL && copy_entries(map, false, plain) &&
                    copy_entries(map, true, plain);
    if (!ok) {
        (void)fx_fail_nomem(err);
    }
    return fx_tree_keep_if(ok, plain);
}

static json_t *clean_map(json_t *map, bool *ret_is_empty, struct fx_err *err) {
    struct map_clean clean_ = {.map = map, .err = err};
    bool ok = true;
    for (void *iter = fx_node_first(map); ok && iter != NULL;
         iter = fx_node_next(map, iter)) {
        ok = clean_member(&clean_, fx_node_key(iter), json_object_iter_value(iter));
    }
    json_t *cleaned = clean_.copy == NULL ? json_incref(map) : clean_.copy;
    if (ok && clean_.keeps_condition) {
        json_t *plain = without_marks(cleaned, err);
        json_decref(cleaned);
        cleaned = plain;
        ok = plain != NULL;
    }
    *ret_is_empty = ok && json_object_size(cleaned) == 0;
    return fx_tree_keep_if(ok, cleaned);
}

/* ---- lists ---------------------------------------------------------------------------
 */

static json_t *clean_list(json_t *list, bool *ret_is_empty, struct fx_err *err) {
    json_t *cleaned = json_array();
    bool changes = false;
    bool ok = cleaned != NULL || fx_fail_nomem(err);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        json_t *element = json_array_get(list, i);
        bool is_empty = fx_kyverno_has_anchor(element);
        json_t *kept = is_empty ? NULL : clean(element, &is_empty, err);
        changes = changes || is_empty || kept != element;
        if (is_empty) {
            json_decref(kept);
            continue;
        }
        ok = kept != NULL && (fx_tree_append_take(cleaned, kept) || fx_fail_nomem(err));
    }
    if (ok && !changes) {
        json_decref(cleaned);
        return json_incref(list);
    }
    *ret_is_empty = ok && json_array_size(cleaned) == 0;
    return fx_tree_keep_if(ok, cleaned);
}

static json_t *clean(json_t *node, bool *ret_is_empty, struct fx_err *err) {
    if (!fx_spend(1)) {
        (void)fx_fail_exceeded(err);
        return NULL;
    }
    if (json_is_object(node)) {
        return clean_map(node, ret_is_empty, err);
    }
    if (json_is_array(node)) {
        return clean_list(node, ret_is_empty, err);
    }
    return json_incref(node);
}

bool fx_kyverno_clean(json_t **patch, struct fx_err *err) {
    bool is_empty = false;
    json_t *cleaned = clean(*patch, &is_empty, err);
    if (cleaned == NULL) {
        return false;
    }
    json_decref(*patch);
    *patch = cleaned;
    return true;
}
