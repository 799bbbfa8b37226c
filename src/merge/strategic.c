/* SPDX-License-Identifier: Apache-2.0
 *
 * strategic.c - merges the maps and scalars of a strategic merge patch.
 */
#include "merge/strategic.h"

#include "base/budget.h"
#include "merge/strategic_internal.h"
#include "value/equal.h"
#include "value/number.h"
#include "value/tree.h"

#define DIRECTIVE "$patch"

/* ---- slots ---------------------------------------------------------------------------
 */

struct strategic_slot fx_strategic_member(struct strategic_slot *map,
                                          struct fx_text key) {
    return (struct strategic_slot){
        .above = map, .key = key, .node = fx_tree_view_text(map->node, key)};
}

struct strategic_slot fx_strategic_element(struct strategic_slot *list, size_t index) {
    return (struct strategic_slot){
        .above = list, .index = index, .node = json_array_get(list->node, index)};
}

/* Makes the node of the slot writable; NULL without memory (an error was set). */
static json_t *own_slot(const struct strategic_merge *merge,
                        struct strategic_slot *slot) {
    if (slot->is_owned) {
        return slot->node;
    }
    json_t *owned = NULL;
    if (slot->above == NULL) {
        owned = fx_tree_own_root(slot->root);
    } else {
        json_t *above = own_slot(merge, slot->above);
        if (above == NULL) {
            return NULL;
        }
        owned = slot->key.data == NULL ? fx_tree_own_index(above, slot->index)
                                       : fx_tree_own_key(above, slot->key);
    }
    if (owned == NULL) {
        (void)fx_fail_nomem(merge->err);
        return NULL;
    }
    slot->node = owned;
    slot->is_owned = true;
    return owned;
}

static void note_change(const struct strategic_merge *merge) {
    if (merge->changed != NULL) {
        *merge->changed = true;
    }
}

bool fx_strategic_put_take(const struct strategic_merge *merge,
                           struct strategic_slot *slot, json_t *node) {
    note_change(merge);
    if (slot->above == NULL) {
        json_decref(*slot->root);
        *slot->root = slot->node = node;
        return true;
    }
    json_t *above = own_slot(merge, slot->above);
    if (above == NULL) {
        json_decref(node);
        return false;
    }
    const bool ok = slot->key.data == NULL
                        ? fx_tree_set_index_take(above, slot->index, node)
                        : fx_tree_set_take(above, slot->key, node);
    slot->node = node;
    slot->is_owned = false;
    return ok || fx_fail_nomem(merge->err);
}

bool fx_strategic_remove(const struct strategic_merge *merge,
                         struct strategic_slot *slot) {
    if (slot->node == NULL || !merge->writes) {
        return true;
    }
    note_change(merge);
    if (slot->above == NULL) {
        return json_array_clear(slot->node) == 0;
    }
    json_t *map = own_slot(merge, slot->above);
    if (map != NULL) {
        fx_tree_remove_key(map, slot->key);
        slot->node = NULL;
    }
    return map != NULL;
}

/* ---- what is added -------------------------------------------------------------------
 */

enum strategic_directive fx_strategic_directive(const struct strategic_merge *merge,
                                                const json_t *patch) {
    const json_t *given = fx_tree_view_key(patch, DIRECTIVE);
    const struct fx_text word = fx_tree_text(given);
    if (given == NULL || fx_text_is(word, "merge")) {
        return STRATEGIC_MERGE;
    }
    if (fx_text_is(word, "replace")) {
        return STRATEGIC_REPLACE;
    }
    if (fx_text_is(word, "delete")) {
        return STRATEGIC_DELETE;
    }
    (void)fx_fail_in(merge->err, given, FX_EMUTATE,
                     "unknown value of $patch: expected merge, replace or delete");
    return STRATEGIC_UNKNOWN;
}

/* The schema of a field; `set` NULL: the schema, which may be none, does not have it. */
static struct fx_schema field_of(struct fx_schema schema, struct fx_text name) {
    const struct fx_schema none = {NULL, 0};
    return schema.set == NULL || fx_schema_node(schema)->type != FX_SCHEMA_STRUCT
               ? none
               : fx_schema_field(schema, name);
}

/* Puts what is left of a member into *copy, which is made from `map` when the first
 * member differs from what is left of it. */
static bool add_member(const struct strategic_merge *merge, struct fx_schema schema,
                       const json_t *map, void *iter, json_t **copy) {
    const struct fx_text key = fx_node_key(iter);
    json_t *node = NULL;
    if (!fx_text_is(key, DIRECTIVE) &&
        !fx_strategic_added(merge, field_of(schema, key), json_object_iter_value(iter),
                            &node)) {
        return false;
    }
    if (node == json_object_iter_value(iter)) {
        json_decref(node);
        return true;
    }
    if (*copy == NULL) {
        *copy = fx_tree_copy(map);
    }
    if (*copy == NULL) {
        json_decref(node);
        return fx_fail_nomem(merge->err);
    }
    if (node == NULL) {
        fx_tree_remove_key(*copy, key);
        return true;
    }
    return fx_tree_set_take(*copy, key, node) || fx_fail_nomem(merge->err);
}

static bool added_map(const struct strategic_merge *merge, struct fx_schema schema,
                      json_t *patch, json_t **ret_node) {
    const enum strategic_directive directive = fx_strategic_directive(merge, patch);
    if (directive == STRATEGIC_UNKNOWN || directive == STRATEGIC_DELETE) {
        return directive == STRATEGIC_DELETE;
    }
    json_t *copy = NULL;
    for (void *iter = fx_node_first(patch); iter != NULL;
         iter = fx_node_next(patch, iter)) {
        if (!add_member(merge, schema, patch, iter, &copy)) {
            json_decref(copy);
            return false;
        }
    }
    *ret_node = copy == NULL ? json_incref(patch) : copy;
    return true;
}

static bool added_list(const struct strategic_merge *merge, struct fx_schema schema,
                       json_t *patch, json_t **ret_node) {
    const struct strategic_merge writes = {.writes = true, .err = merge->err};
    json_t *list = json_array();
    struct strategic_slot slot = {.root = &list, .node = list, .is_owned = true};
    const bool ok = list == NULL ? fx_fail_nomem(merge->err)
                                 : fx_strategic_merge_list(&writes, schema, &slot, patch);
    *ret_node = fx_tree_keep_if(ok, list);
    return ok;
}

bool fx_strategic_added(const struct strategic_merge *merge, struct fx_schema schema,
                        json_t *patch, json_t **ret_node) {
    *ret_node = NULL;
    if (!fx_spend(1)) {
        return fx_fail_exceeded(merge->err);
    }
    if (json_is_null(patch)) {
        return true;
    }
    if (json_is_object(patch)) {
        return added_map(merge, schema, patch, ret_node);
    }
    if (json_is_array(patch) && schema.set != NULL && json_array_size(patch) > 0) {
        return added_list(merge, schema, patch, ret_node);
    }
    *ret_node = json_incref(patch);
    return true;
}

/* ---- merging -------------------------------------------------------------------------
 */

/* The word of an error for the type of a node. */
static const char *type_name(const json_t *node) {
    return json_is_object(node)  ? "a map"
           : json_is_array(node) ? "a list"
                                 : "a single value";
}

static bool check_types(const struct strategic_merge *merge, const json_t *live,
                        const json_t *patch) {
    return (json_is_object(live) == json_is_object(patch) &&
            json_is_array(live) == json_is_array(patch)) ||
           fx_fail_in(merge->err, patch, FX_EMUTATE,
                      "wrong node kind: expected %s but got %s", type_name(live),
                      type_name(patch));
}

/* What a number or a boolean becomes where the object has a string: its text (the
 * original keeps the quotes of the value that it replaces). */
static json_t *scalar_text(const json_t *scalar) {
    if (json_is_boolean(scalar)) {
        return json_string(json_is_true(scalar) ? "true" : "false");
    }
    char text[FX_NUMBER_SIZE];
    const size_t len = fx_number_print(scalar, text);
    return fx_tree_new_string((struct fx_text){text, len});
}

static bool merge_scalar(const struct strategic_merge *merge, struct strategic_slot *slot,
                         json_t *patch) {
    if (!merge->writes) {
        return true;
    }
    json_t *value = json_is_string(slot->node) && !json_is_string(patch)
                        ? scalar_text(patch)
                        : json_incref(patch);
    if (value == NULL) {
        return fx_fail_nomem(merge->err);
    }
    if (fx_equal(slot->node, value)) {
        json_decref(value);
        return true;
    }
    return fx_strategic_put_take(merge, slot, value);
}

/* Puts what is left of the patch in the place of what the object has. */
static bool replace_member(const struct strategic_merge *merge, struct fx_schema schema,
                           struct strategic_slot *slot, json_t *patch) {
    json_t *node;
    if (!fx_strategic_added(merge, schema, patch, &node)) {
        return false;
    }
    if (node == NULL) {
        return fx_strategic_remove(merge, slot);
    }
    if (!merge->writes || (slot->node != NULL && fx_equal(slot->node, node))) {
        json_decref(node);
        return true;
    }
    return fx_strategic_put_take(merge, slot, node);
}

static bool merge_member(const struct strategic_merge *merge, struct fx_schema schema,
                         struct strategic_slot *slot, json_t *patch) {
    if (!fx_spend(1)) {
        return fx_fail_exceeded(merge->err);
    }
    if (json_is_null(patch) || slot->node == NULL || json_is_null(slot->node)) {
        return replace_member(merge, schema, slot, patch);
    }
    if (!check_types(merge, slot->node, patch)) {
        return false;
    }
    if (json_is_array(patch)) {
        return schema.set == NULL ? replace_member(merge, schema, slot, patch)
                                  : fx_strategic_merge_list(merge, schema, slot, patch);
    }
    if (!json_is_object(patch)) {
        return merge_scalar(merge, slot, patch);
    }
    switch (fx_strategic_directive(merge, patch)) {
    case STRATEGIC_MERGE: return fx_strategic_merge_map(merge, schema, slot, patch);
    case STRATEGIC_UNKNOWN: return false;
    case STRATEGIC_REPLACE:
    case STRATEGIC_DELETE: break;
    }
    return replace_member(merge, schema, slot, patch);
}

bool fx_strategic_merge_map(const struct strategic_merge *merge, struct fx_schema schema,
                            struct strategic_slot *slot, json_t *patch) {
    for (void *iter = fx_node_first(patch); iter != NULL;
         iter = fx_node_next(patch, iter)) {
        const struct fx_text key = fx_node_key(iter);
        if (fx_text_is(key, DIRECTIVE)) {
            continue;
        }
        struct strategic_slot member = fx_strategic_member(slot, key);
        if (!merge_member(merge, field_of(schema, key), &member,
                          json_object_iter_value(iter))) {
            return false;
        }
    }
    return true;
}

static bool merge_root(const struct strategic_merge *merge, struct fx_schema schema,
                       json_t **root, json_t *patch) {
    struct strategic_slot slot = {.root = root, .node = *root};
    switch (fx_strategic_directive(merge, patch)) {
    case STRATEGIC_MERGE:
        return fx_strategic_merge_map(merge, schema, &slot, patch) &&
               (!merge->writes || schema.set == NULL ||
                fx_strategic_settle(merge, schema, &slot));
    case STRATEGIC_UNKNOWN: return false;
    case STRATEGIC_REPLACE:
    case STRATEGIC_DELETE: break;
    }
    return fx_fail_in(merge->err, patch, FX_EMUTATE,
                      "$patch cannot delete or replace the whole object");
}

bool fx_strategic_merge(struct fx_schema schema, json_t **root, json_t *patch,
                        bool *ret_changed, struct fx_err *err) {
    const struct strategic_merge checks = {.writes = false, .err = err};
    const struct strategic_merge writes = {
        .writes = true, .changed = ret_changed, .err = err};
    if (ret_changed != NULL) {
        *ret_changed = false;
    }
    return check_types(&checks, *root, patch) &&
           merge_root(&checks, schema, root, patch) &&
           merge_root(&writes, schema, root, patch);
}
