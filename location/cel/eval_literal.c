/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_literal.c - list, map and struct literals that are not constant.
 */
#include "location/cel/eval.h"
#include "location/cel/map.h"
#include "location/cel/print_key.h"

#define COST_OF_LIST   10u
#define COST_OF_MAP    30u
#define COST_OF_STRUCT 40u

/* The elements, until one is an error, which is returned. */
static struct fx_cel_value add_elements(struct fx_cel_run *run,
                                        const struct fx_cel_node *node,
                                        struct fx_cel_value list) {
    for (size_t i = 0; i < node->list.n; i++) {
        struct fx_cel_value element = fx_cel_eval_node(run, node->list.items[i]);
        if (fx_cel_is_error(element)) {
            return element;
        }
        if (node->list.is_optional != NULL && node->list.is_optional[i]) {
            if (element.kind != FX_CEL_OPTIONAL) {
                return fx_cel_fail_key(
                    run,
                    "cannot initialize optional list element from non-optional value ",
                    element, "");
            }
            if (element.inner == NULL) {
                continue;
            }
            element = *element.inner;
        }
        if (!fx_cel_list_add(run, list, element)) {
            return fx_cel_no_memory(run);
        }
    }
    return list;
}

struct fx_cel_value fx_cel_eval_list(struct fx_cel_run *run,
                                     const struct fx_cel_node *node) {
    const struct fx_cel_value list = fx_cel_new_list(run, node->list.n);
    const struct fx_cel_value result =
        fx_cel_is_error(list) ? list : add_elements(run, node, list);
    run->cost += COST_OF_LIST;
    return result;
}

/* Sets the entry; an optional one without a value removes it. Returns an error, or any
 * other value. */
static struct fx_cel_value set_entry(struct fx_cel_run *run, struct fx_cel_map *map,
                                     struct fx_cel_value key, struct fx_cel_value value,
                                     bool is_optional) {
    if (is_optional && value.kind != FX_CEL_OPTIONAL) {
        const struct fx_cel_value before = fx_cel_fail_key(
            run, "cannot initialize optional entry '", key, "' from non-optional value ");
        return fx_cel_is_fatal(before) ? before
                                       : fx_cel_fail_key(run, before.error, value, "");
    }
    if (is_optional && value.inner == NULL) {
        fx_cel_map_drop(map, key);
        return value;
    }
    return fx_cel_map_put(run->arena, map, key, is_optional ? *value.inner : value)
               ? value
               : fx_cel_no_memory(run);
}

static struct fx_cel_value eval_entry(struct fx_cel_run *run, struct fx_cel_map *map,
                                      const struct fx_cel_entry *entry) {
    const struct fx_cel_value key = entry->key == NULL
                                        ? fx_cel_make_string(entry->field)
                                        : fx_cel_eval_node(run, entry->key);
    if (fx_cel_is_error(key)) {
        return key;
    }
    const struct fx_cel_value value = fx_cel_eval_node(run, entry->value);
    if (fx_cel_is_error(value)) {
        return value;
    }
    const char *unhashable = fx_cel_unhashable(key);
    if (unhashable != NULL) {
        return fx_cel_fail(
            run, "internal error: runtime error: hash of unhashable type %s", unhashable);
    }
    return set_entry(run, map, key, value, entry->is_optional);
}

/* All entries, until one is an error, which is returned. */
static struct fx_cel_value eval_entries(struct fx_cel_run *run, struct fx_cel_map *map,
                                        const struct fx_cel_node *node) {
    struct fx_cel_value last = fx_cel_make_null();
    for (size_t i = 0; i < node->map.n && !fx_cel_is_error(last); i++) {
        last = eval_entry(run, map, &node->map.entries[i]);
    }
    return last;
}

struct fx_cel_value fx_cel_eval_map(struct fx_cel_run *run,
                                    const struct fx_cel_node *node) {
    const struct fx_cel_value map = fx_cel_new_map(run, node->map.n);
    const struct fx_cel_value last =
        fx_cel_is_error(map) ? map : eval_entries(run, map.map, node);
    run->cost += COST_OF_MAP;
    return fx_cel_is_error(last) ? last : map;
}

struct fx_cel_value fx_cel_eval_struct(struct fx_cel_run *run,
                                       const struct fx_cel_node *node) {
    struct fx_cel_struct *structure = fx_arena_alloc(run->arena, sizeof *structure);
    if (structure == NULL) {
        return fx_cel_no_memory(run);
    }
    structure->type = node->checked;
    const struct fx_cel_value last = eval_entries(run, &structure->fields, node);
    run->cost += COST_OF_STRUCT;
    return fx_cel_is_error(last)
               ? last
               : (struct fx_cel_value){.kind = FX_CEL_STRUCT, .structure = structure};
}
