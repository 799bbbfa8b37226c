/* SPDX-License-Identifier: Apache-2.0
 *
 * strategic.c - decides the conditions and additions of a patch for one object.
 */
#include "strategic.h"

#include "anchor.h"
#include "base/budget.h"
#include "pattern.h"
#include "scalar.h"
#include "strategic_clean.h"
#include "value/tree.h"

enum patch_outcome {
    PATCH_APPLIES,
    PATCH_SKIPS,       /* a condition does not hold */
    PATCH_SKIPS_WHOLE, /* a global condition does not hold */
    PATCH_FAILS,       /* an error was set */
};

struct patch_walk {
    struct fx_arena *arena;
    struct fx_err *err;
};

static enum patch_outcome resolve(const struct patch_walk *walk, json_t *patch,
                                  const json_t *object);

static enum patch_outcome fail_nomem(const struct patch_walk *walk) {
    (void)fx_fail_nomem(walk->err);
    return PATCH_FAILS;
}

/* ---- maps ----------------------------------------------------------------------------
 */

/* The keys of a map as they are now, since the walk changes the map. */
static bool list_keys(const struct patch_walk *walk, const json_t *map,
                      struct fx_text **ret_keys, size_t *ret_n) {
    *ret_n = 0;
    *ret_keys =
        fx_arena_alloc(walk->arena, (json_object_size(map) + 1) * sizeof **ret_keys);
    if (*ret_keys == NULL) {
        return fx_fail_nomem(walk->err);
    }
    for (void *iter = fx_node_first(map); iter != NULL; iter = fx_node_next(map, iter)) {
        const struct fx_text key = fx_node_key(iter);
        char *copy = fx_arena_copy(walk->arena, key);
        if (copy == NULL) {
            return fx_fail_nomem(walk->err);
        }
        (*ret_keys)[(*ret_n)++] = (struct fx_text){copy, key.len};
    }
    return fx_spend(*ret_n) || fx_fail_exceeded(walk->err);
}

/* +(k): removes the entry if the object has the field, else makes it a plain one. */
static bool resolve_addition(const struct patch_walk *walk, json_t *map,
                             struct fx_text key, const json_t *object) {
    const struct fx_text name = fx_kyverno_key(key).name;
    if (fx_tree_view_text(object, name) != NULL) {
        fx_tree_remove_key(map, key);
        return true;
    }
    json_t *value = json_incref(fx_tree_view_text(map, key));
    fx_tree_remove_key(map, key);
    return fx_tree_set_take(map, name, value) || fx_fail_nomem(walk->err);
}

static bool resolve_additions(const struct patch_walk *walk, json_t *map,
                              const struct fx_text *keys, size_t n,
                              const json_t *object) {
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = fx_kyverno_key(keys[i]).anchor != KYVERNO_ANCHOR_ADD ||
             resolve_addition(walk, map, keys[i], object);
    }
    return ok;
}

static bool has_addition(const json_t *map) {
    for (void *iter = fx_node_first(map); iter != NULL; iter = fx_node_next(map, iter)) {
        if (fx_kyverno_key(fx_node_key(iter)).anchor == KYVERNO_ANCHOR_ADD) {
            return true;
        }
    }
    return false;
}

/* Compares the value of a condition with the field of the object. Two scalars are
 * compared as texts. */
static bool holds(const struct patch_walk *walk, struct fx_text name,
                  const json_t *pattern, const json_t *field) {
    if (json_is_object(pattern) || json_is_array(pattern) || json_is_object(field) ||
        json_is_array(field)) {
        return fx_kyverno_match_pattern(name, field, pattern, walk->arena);
    }
    char number[2][FX_NUMBER_SIZE];
    return fx_kyverno_match_texts(fx_kyverno_scalar_text(field, number[0]),
                                  fx_kyverno_scalar_text(pattern, number[1]),
                                  walk->arena);
}

/* A condition whose value is a map with additions holds: the additions are resolved. */
static enum patch_outcome resolve_condition(const struct patch_walk *walk, json_t *map,
                                            struct fx_text key, const json_t *object) {
    const struct kyverno_key found = fx_kyverno_key(key);
    const json_t *field = fx_tree_view_text(object, found.name);
    const enum patch_outcome skips =
        found.anchor == KYVERNO_ANCHOR_GLOBAL ? PATCH_SKIPS_WHOLE : PATCH_SKIPS;
    if (field == NULL) {
        return skips;
    }
    const json_t *pattern = fx_tree_view_text(map, key);
    if (!has_addition(pattern)) {
        return holds(walk, found.name, pattern, field) ? PATCH_APPLIES : skips;
    }
    json_t *value = fx_tree_own_key(map, key);
    struct fx_text *keys;
    size_t n;
    if (value == NULL) {
        return fail_nomem(walk);
    }
    return list_keys(walk, value, &keys, &n) &&
                   resolve_additions(walk, value, keys, n, field)
               ? PATCH_APPLIES
               : PATCH_FAILS;
}

static enum patch_outcome resolve_conditions(const struct patch_walk *walk, json_t *map,
                                             const struct fx_text *keys, size_t n,
                                             const json_t *object) {
    static const enum kyverno_anchor order[] = {KYVERNO_ANCHOR_GLOBAL,
                                                KYVERNO_ANCHOR_CONDITION};
    enum patch_outcome outcome = PATCH_APPLIES;
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < n && outcome == PATCH_APPLIES; k++) {
            if (fx_kyverno_key(keys[k]).anchor == order[i]) {
                outcome = resolve_condition(walk, map, keys[k], object);
            }
        }
    }
    return outcome;
}

/* Resolves what is below the plain keys. */
static enum patch_outcome resolve_members(const struct patch_walk *walk, json_t *map,
                                          const json_t *object) {
    struct fx_text *keys;
    size_t n;
    if (!list_keys(walk, map, &keys, &n)) {
        return PATCH_FAILS;
    }
    enum patch_outcome outcome = PATCH_APPLIES;
    for (size_t i = 0; i < n && outcome == PATCH_APPLIES; i++) {
        const json_t *value = fx_tree_view_text(map, keys[i]);
        if (fx_kyverno_is_patch_anchor(fx_kyverno_key(keys[i]).anchor) ||
            !fx_kyverno_has_anchor(value)) {
            continue;
        }
        json_t *owned = fx_tree_own_key(map, keys[i]);
        outcome = owned == NULL
                      ? fail_nomem(walk)
                      : resolve(walk, owned, fx_tree_view_text(object, keys[i]));
    }
    return outcome;
}

static enum patch_outcome resolve_map(const struct patch_walk *walk, json_t *map,
                                      const json_t *object) {
    struct fx_text *keys;
    size_t n;
    if (!list_keys(walk, map, &keys, &n) ||
        !resolve_additions(walk, map, keys, n, object)) {
        return PATCH_FAILS;
    }
    const enum patch_outcome outcome = resolve_conditions(walk, map, keys, n, object);
    return outcome == PATCH_APPLIES ? resolve_members(walk, map, object) : outcome;
}

/* ---- lists ---------------------------------------------------------------------------
 */

/* Has the tree a global condition in it? */
static bool has_global(const json_t *value) {
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(value); i++) {
        found = has_global(json_array_get(value, i));
    }
    for (void *iter = fx_node_first(value); !found && iter != NULL;
         iter = fx_node_next(value, iter)) {
        found = !fx_spend(1) ||
                fx_kyverno_key(fx_node_key(iter)).anchor == KYVERNO_ANCHOR_GLOBAL ||
                has_global(json_object_iter_value(iter));
    }
    return found;
}

/* An element of a list of the patch, tried on each element of the object's list. */
struct element_walk {
    const struct patch_walk *walk;
    json_t *list;    /* of the patch: receives the elements that apply */
    json_t **copy;   /* of the element: what one element of the object decides stays */
    bool has_global; /* the element has a global condition */
    bool global_holds, global_fails;
};

/* Appends what the element of the patch says to one element of the object, by its name.
 */
static bool append_named(const struct element_walk *element, const json_t *object) {
    json_t *name = fx_tree_view_key(object, "name");
    if (fx_tree_text(name).len == 0) {
        return true;
    }
    json_t *plain = json_incref(*element->copy);
    if (!fx_kyverno_clean(&plain, element->walk->err)) {
        json_decref(plain);
        return false;
    }
    if (json_object_size(plain) == 0) {
        json_decref(plain);
        return true;
    }
    if (fx_tree_own_root(&plain) == NULL ||
        !fx_tree_set_take(plain, FX_TEXT("name"), json_incref(name))) {
        json_decref(plain);
        return fx_fail_nomem(element->walk->err);
    }
    return fx_tree_append_take(element->list, plain) || fx_fail_nomem(element->walk->err);
}

static bool resolve_for(struct element_walk *element, const json_t *object) {
    json_t *patch = fx_tree_own_root(element->copy);
    if (patch == NULL) {
        return fx_fail_nomem(element->walk->err);
    }
    const enum patch_outcome outcome = resolve(element->walk, patch, object);
    if (outcome != PATCH_APPLIES) {
        element->global_fails = element->global_fails || outcome == PATCH_SKIPS_WHOLE;
        return outcome != PATCH_FAILS;
    }
    element->global_holds = element->global_holds || element->has_global;
    return element->has_global || append_named(element, object);
}

static enum patch_outcome resolve_element(const struct patch_walk *walk, json_t *list,
                                          const json_t *patch, const json_t *objects) {
    json_t *copy = json_incref(fx_node_unconst(patch));
    struct element_walk element = {
        .walk = walk, .list = list, .copy = &copy, .has_global = has_global(patch)};
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(objects); i++) {
        ok = resolve_for(&element, json_array_get(objects, i));
    }
    if (ok && objects == NULL) {
        ok = resolve_for(&element, NULL);
    }
    json_decref(copy);
    if (!ok) {
        return PATCH_FAILS;
    }
    return element.global_fails && !element.global_holds ? PATCH_SKIPS_WHOLE
                                                         : PATCH_APPLIES;
}

static enum patch_outcome resolve_list(const struct patch_walk *walk, json_t *list,
                                       const json_t *objects) {
    if (!json_is_object(json_array_get(list, 0))) {
        return PATCH_APPLIES;
    }
    const size_t n = json_array_size(list);
    enum patch_outcome outcome = PATCH_APPLIES;
    for (size_t i = 0; i < n && outcome == PATCH_APPLIES; i++) {
        const json_t *element = json_array_get(list, i);
        if (fx_kyverno_has_anchor(element)) {
            outcome = resolve_element(walk, list, element, objects);
        }
    }
    return outcome;
}

/* ---- the whole patch
 * ------------------------------------------------------------------- */

static enum patch_outcome resolve(const struct patch_walk *walk, json_t *patch,
                                  const json_t *object) {
    if (!fx_spend(1)) {
        (void)fx_fail_exceeded(walk->err);
        return PATCH_FAILS;
    }
    if (!json_is_array(patch)) {
        return resolve_map(walk, patch, object);
    }
    const json_t *list = json_is_null(object) ? NULL : object;
    if (list != NULL && !json_is_array(list)) {
        (void)fx_fail(walk->err, FX_EMUTATE,
                      "failed to preProcess rule: wrong node kind: expected a list");
        return PATCH_FAILS;
    }
    return resolve_list(walk, patch, list);
}

/* Replaces the patch by one that changes nothing. */
static bool replace_with_nothing(json_t **patch, struct fx_err *err) {
    json_t *nothing = json_object();
    if (nothing == NULL) {
        return fx_fail_nomem(err);
    }
    json_decref(*patch);
    *patch = nothing;
    return true;
}

bool fx_kyverno_resolve_anchors(json_t **patch, const json_t *object,
                                struct fx_arena *arena, struct fx_err *err) {
    if (!fx_kyverno_has_anchor(*patch)) {
        return fx_kyverno_clean(patch, err);
    }
    const struct patch_walk walk = {arena, err};
    if (fx_tree_own_root(patch) == NULL) {
        return fx_fail_nomem(err);
    }
    const enum patch_outcome outcome = resolve(&walk, *patch, object);
    if (outcome == PATCH_APPLIES) {
        return fx_kyverno_clean(patch, err);
    }
    return outcome != PATCH_FAILS && replace_with_nothing(patch, err);
}
