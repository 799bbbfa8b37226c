/* SPDX-License-Identifier: Apache-2.0
 *
 * overlay.c - applies overlays. The trees are those of a policy and of an object, whose
 * depth the readers limit.
 */
#include "overlay.h"

#include "anchor.h"
#include "base/budget.h"
#include "base/limits.h"
#include "pattern.h"
#include "scalar.h"
#include "value/equal.h"
#include "value/measure.h"
#include "value/tree.h"

/* Where a part of the object is: labels and annotations are texts. */
enum overlay_place {
    OVERLAY_ANYWHERE,
    OVERLAY_METADATA, /* `metadata` */
    OVERLAY_TEXTS,    /* its `labels` or `annotations` */
    OVERLAY_TEXT,     /* one of them */
};

struct overlay_walk {
    struct fx_arena *arena;
    struct fx_err *err;
};

/* A part of an overlay, and what the object has there. */
struct overlay_part {
    json_t *overlay;
    json_t *live; /* NULL: the object has nothing there */
    enum overlay_place place;
    unsigned depth;
};

static bool spend(const struct overlay_walk *walk, uint64_t units) {
    return fx_spend(units) || fx_fail_exceeded(walk->err);
}

static enum overlay_place place_below(enum overlay_place place, struct fx_text name) {
    if (place == OVERLAY_TEXTS) {
        return OVERLAY_TEXT;
    }
    if (place == OVERLAY_METADATA &&
        (fx_text_is(name, "labels") || fx_text_is(name, "annotations"))) {
        return OVERLAY_TEXTS;
    }
    return fx_text_is(name, "metadata") ? OVERLAY_METADATA : OVERLAY_ANYWHERE;
}

static bool is_condition(struct kyverno_key key) {
    return key.anchor == KYVERNO_ANCHOR_CONDITION || key.anchor == KYVERNO_ANCHOR_GLOBAL;
}

/* ---- conditions ----------------------------------------------------------------------
 */

/* Has the part of an overlay a condition in it? Conditions are not entered. */
static bool has_condition(const json_t *overlay) {
    bool found = !fx_spend(1);
    for (void *iter = fx_node_first(overlay); !found && iter != NULL;
         iter = fx_node_next(overlay, iter)) {
        found = is_condition(fx_kyverno_key(fx_node_key(iter))) ||
                has_condition(json_object_iter_value(iter));
    }
    for (size_t i = 0; !found && i < json_array_size(overlay); i++) {
        found = has_condition(json_array_get(overlay, i));
    }
    return found;
}

/* Two scalars are compared as texts, everything else as patterns are. */
static bool field_holds(const struct overlay_walk *walk, struct fx_text name,
                        const json_t *pattern, const json_t *live) {
    char number[2][FX_NUMBER_SIZE];
    if (live == NULL) {
        return false;
    }
    if (json_is_object(pattern) || json_is_array(pattern) || json_is_object(live) ||
        json_is_array(live)) {
        return fx_kyverno_match_pattern(name, live, pattern, walk->arena);
    }
    return fx_kyverno_match_texts(fx_kyverno_scalar_text(live, number[0]),
                                  fx_kyverno_scalar_text(pattern, number[1]),
                                  walk->arena);
}

static bool holds(const struct overlay_walk *walk, const json_t *overlay,
                  const json_t *live);

static bool map_holds(const struct overlay_walk *walk, const json_t *overlay,
                      const json_t *live) {
    bool ok = true;
    for (void *iter = fx_node_first(overlay); ok && iter != NULL;
         iter = fx_node_next(overlay, iter)) {
        const struct kyverno_key key = fx_kyverno_key(fx_node_key(iter));
        const json_t *value = json_object_iter_value(iter);
        if (is_condition(key)) {
            ok = field_holds(walk, key.name, value, fx_tree_view_text(live, key.name));
        } else if (key.anchor != KYVERNO_ANCHOR_ADD) {
            ok = holds(walk, value, fx_tree_view_text(live, fx_node_key(iter)));
        }
    }
    return ok;
}

/* Does an element of the overlay that has conditions hold for an element of the object?
 * Without such an element there is nothing to hold. */
static bool list_holds(const struct overlay_walk *walk, const json_t *overlay,
                       const json_t *live) {
    bool has_any = false;
    for (size_t i = 0; i < json_array_size(overlay); i++) {
        const json_t *element = json_array_get(overlay, i);
        if (!has_condition(element)) {
            continue;
        }
        has_any = true;
        for (size_t k = 0; k < json_array_size(live); k++) {
            if (holds(walk, element, json_array_get(live, k))) {
                return true;
            }
        }
    }
    return !has_any;
}

/* Do the conditions in the overlay hold? The caller checks the budget. */
static bool holds(const struct overlay_walk *walk, const json_t *overlay,
                  const json_t *live) {
    if (!fx_spend(1)) {
        return false;
    }
    return json_is_object(overlay)  ? map_holds(walk, overlay, live)
           : json_is_array(overlay) ? list_holds(walk, overlay, live)
                                    : true;
}

/* ---- what is added -------------------------------------------------------------------
 */

/* Gives a new reference to what the overlay adds where the object has nothing: without
 * marks, nulls, and elements with conditions. *ret is NULL if nothing is left. */
static bool added(const struct overlay_walk *walk, json_t *overlay,
                  enum overlay_place place, json_t **ret);

static bool added_map(const struct overlay_walk *walk, const json_t *overlay,
                      enum overlay_place place, json_t **ret) {
    json_t *made = json_object();
    bool ok = made != NULL || fx_fail_nomem(walk->err);
    for (void *iter = fx_node_first(overlay); ok && iter != NULL;
         iter = fx_node_next(overlay, iter)) {
        const struct kyverno_key key = fx_kyverno_key(fx_node_key(iter));
        const struct fx_text name =
            key.anchor == KYVERNO_ANCHOR_ADD ? key.name : fx_node_key(iter);
        json_t *value = NULL;
        ok = added(walk, json_object_iter_value(iter), place_below(place, name), &value);
        if (ok && value != NULL) {
            ok = fx_tree_set_take(made, name, value) || fx_fail_nomem(walk->err);
        }
    }
    *ret = fx_tree_keep_if(ok, made);
    return ok;
}

static bool added_list(const struct overlay_walk *walk, const json_t *overlay,
                       json_t **ret) {
    json_t *made = json_array();
    bool ok = made != NULL || fx_fail_nomem(walk->err);
    for (size_t i = 0; ok && i < json_array_size(overlay); i++) {
        json_t *element = NULL;
        ok = added(walk, json_array_get(overlay, i), OVERLAY_ANYWHERE, &element);
        if (ok && element != NULL) {
            ok = fx_tree_append_take(made, element) || fx_fail_nomem(walk->err);
        }
    }
    *ret = fx_tree_keep_if(ok, made);
    return ok;
}

/* A scalar; in labels and annotations its text. */
static bool added_scalar(const struct overlay_walk *walk, json_t *scalar,
                         enum overlay_place place, json_t **ret) {
    char number[FX_NUMBER_SIZE];
    *ret = place == OVERLAY_TEXT && !json_is_string(scalar)
               ? fx_tree_new_string(fx_kyverno_scalar_text(scalar, number))
               : json_incref(scalar);
    return *ret != NULL || fx_fail_nomem(walk->err);
}

static bool added(const struct overlay_walk *walk, json_t *overlay,
                  enum overlay_place place, json_t **ret) {
    *ret = NULL;
    if (!spend(walk, 1)) {
        return false;
    }
    if (json_is_null(overlay) || (json_is_object(overlay) && has_condition(overlay))) {
        return fx_budget_exceeded() == FX_EXCEEDED_NOTHING || fx_fail_exceeded(walk->err);
    }
    if (json_is_object(overlay)) {
        return added_map(walk, overlay, place, ret);
    }
    return json_is_array(overlay) ? added_list(walk, overlay, ret)
                                  : added_scalar(walk, overlay, place, ret);
}

/* Gives what is left of the part if it takes the place of what the object has; the
 * latter if nothing is left, or both are equal. */
static bool replace(const struct overlay_walk *walk, const struct overlay_part *part,
                    json_t **ret) {
    size_t unbounded = SIZE_MAX;
    json_t *made = NULL;
    if (!added(walk, part->overlay, part->place, &made)) {
        return false;
    }
    if (made != NULL &&
        (part->depth > FX_LIMIT_JSON_DEPTH ||
         !fx_tree_measure(made, FX_LIMIT_JSON_DEPTH - part->depth, &unbounded))) {
        json_decref(made);
        return fx_budget_exceeded() != FX_EXCEEDED_NOTHING
                   ? fx_fail_exceeded(walk->err)
                   : fx_fail(walk->err, FX_ELIMIT, "exceeded max depth");
    }
    if (made == NULL || (part->live != NULL && fx_equal(made, part->live))) {
        json_decref(made);
        made = json_incref(part->live);
    }
    *ret = made;
    return true;
}

/* ---- merging -------------------------------------------------------------------------
 */

/* Gives a new reference to the part of the object with the overlay: the same node if
 * nothing changes; NULL if there is nothing. */
static bool merge(const struct overlay_walk *walk, const struct overlay_part *part,
                  json_t **ret);

/* Puts a value into *copy, which is made from `live` for the first change. */
static bool own_copy(const struct overlay_walk *walk, const json_t *live, json_t **copy) {
    if (*copy == NULL) {
        *copy = fx_tree_copy(live);
    }
    return *copy != NULL || fx_fail_nomem(walk->err);
}

static bool merge_member(const struct overlay_walk *walk, const struct overlay_part *part,
                         void *iter, json_t **copy) {
    const struct kyverno_key key = fx_kyverno_key(fx_node_key(iter));
    const bool adds = key.anchor == KYVERNO_ANCHOR_ADD;
    const struct fx_text name = adds ? key.name : fx_node_key(iter);
    json_t *live = fx_tree_view_text(part->live, name);
    json_t *merged = NULL;
    if (is_condition(key) || (adds && live != NULL)) {
        return true;
    }
    const struct overlay_part below = {json_object_iter_value(iter), live,
                                       place_below(part->place, name), part->depth + 1};
    if (!merge(walk, &below, &merged)) {
        return false;
    }
    if (merged == live) {
        json_decref(merged);
        return true;
    }
    if (!own_copy(walk, part->live, copy)) {
        json_decref(merged);
        return false;
    }
    return fx_tree_set_take(*copy, name, merged) || fx_fail_nomem(walk->err);
}

static bool merge_map(const struct overlay_walk *walk, const struct overlay_part *part,
                      json_t **ret) {
    json_t *copy = NULL;
    bool ok = true;
    for (void *iter = fx_node_first(part->overlay); ok && iter != NULL;
         iter = fx_node_next(part->overlay, iter)) {
        ok = merge_member(walk, part, iter, &copy);
    }
    *ret = fx_tree_keep_if(ok, copy != NULL ? copy : json_incref(part->live));
    return ok;
}

/* Merges an element of the overlay into each element of the object for which its
 * conditions hold. */
static bool merge_each(const struct overlay_walk *walk, const struct overlay_part *part,
                       json_t *element, json_t **copy) {
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(part->live); i++) {
        json_t *live = json_array_get(*copy != NULL ? *copy : part->live, i);
        const struct overlay_part below = {element, live, OVERLAY_ANYWHERE,
                                           part->depth + 1};
        json_t *merged = NULL;
        if (!holds(walk, element, live)) {
            ok = spend(walk, 0);
            continue;
        }
        ok = merge(walk, &below, &merged);
        if (!ok || merged == live) {
            json_decref(merged);
            continue;
        }
        ok = own_copy(walk, part->live, copy);
        if (!ok) {
            json_decref(merged);
            continue;
        }
        ok = fx_tree_set_index_take(*copy, i, merged) || fx_fail_nomem(walk->err);
    }
    return ok;
}

/* Appends an element unless an equal one is there. */
static bool append(const struct overlay_walk *walk, const struct overlay_part *part,
                   json_t *element, json_t **copy) {
    const struct overlay_part below = {element, NULL, OVERLAY_ANYWHERE, part->depth + 1};
    const json_t *list = *copy != NULL ? *copy : part->live;
    json_t *made = NULL;
    bool found = false;
    if (!replace(walk, &below, &made)) {
        return false;
    }
    for (size_t i = 0; made != NULL && !found && i < json_array_size(list); i++) {
        found = !fx_spend(1) || fx_equal(json_array_get(list, i), made);
    }
    bool ok = spend(walk, 0);
    if (ok && made != NULL && !found) {
        ok = own_copy(walk, part->live, copy);
        if (ok) {
            return fx_tree_append_take(*copy, made) || fx_fail_nomem(walk->err);
        }
    }
    json_decref(made);
    return ok;
}

/* Consists the element of lists, or of maps of such? Then it is no element itself, but
 * speaks of what is in each element. */
static bool is_for_each(const json_t *element) {
    bool ok = json_is_object(element) && json_object_size(element) > 0;
    for (void *iter = fx_node_first(element); ok && iter != NULL;
         iter = fx_node_next(element, iter)) {
        const json_t *value = json_object_iter_value(iter);
        ok = fx_spend(1) && (json_is_array(value) || is_for_each(value));
    }
    return ok;
}

static bool merge_list(const struct overlay_walk *walk, const struct overlay_part *part,
                       json_t **ret) {
    json_t *copy = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(part->overlay); i++) {
        json_t *element = json_array_get(part->overlay, i);
        const bool each = json_is_object(element) &&
                          (fx_kyverno_has_anchor(element) || is_for_each(element));
        ok = spend(walk, 1) && (each ? merge_each(walk, part, element, &copy)
                                     : append(walk, part, element, &copy));
    }
    *ret = fx_tree_keep_if(ok, copy != NULL ? copy : json_incref(part->live));
    return ok;
}

static bool merge(const struct overlay_walk *walk, const struct overlay_part *part,
                  json_t **ret) {
    *ret = NULL;
    if (!spend(walk, 1)) {
        return false;
    }
    if (json_is_object(part->overlay) && json_is_object(part->live)) {
        return merge_map(walk, part, ret);
    }
    return json_is_array(part->overlay) && json_is_array(part->live)
               ? merge_list(walk, part, ret)
               : replace(walk, part, ret);
}

bool fx_kyverno_overlay_apply(json_t *overlay, json_t **root, struct fx_arena *arena,
                              struct fx_err *err) {
    const struct overlay_walk walk = {arena, err};
    const struct overlay_part part = {overlay, *root, OVERLAY_ANYWHERE, 1};
    json_t *merged = NULL;
    const bool applies = holds(&walk, overlay, *root);
    if (!applies || !spend(&walk, 0)) {
        return spend(&walk, 0);
    }
    if (!merge(&walk, &part, &merged)) {
        return false;
    }
    json_decref(*root);
    *root = merged;
    return true;
}
