/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_literal.c - list, map and struct literals that are not constant.
 */
#include "location/cel/eval.h"
#include "location/cel/map.h"
#include "location/cel/messages.h"
#include "location/cel/print_key.h"

#define COST_OF_LIST   10u
#define COST_OF_MAP    30u
#define COST_OF_STRUCT 40u

/* The elements, until one is an error, which is returned. */
static struct fx_cel_value add_elements(struct fx_cel_run *run,
                                        const struct fx_cel_node *node,
                                        struct fx_cel_value list) {
    for (size_t i = 0; i < node->list.n; i++) {
        struct fx_cel_value element;
        fx_cel_eval_node(run, node->list.items[i], &element);
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

void fx_cel_eval_list(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret) {
    *ret = fx_cel_new_list(run, node->list.n);
    if (!fx_cel_is_error(*ret)) {
        *ret = add_elements(run, node, *ret);
    }
    run->cost += COST_OF_LIST;
}

/* Sets the entry; an optional one without a value removes it. Returns an error, or any
 * other value. */
static struct fx_cel_value set_entry(struct fx_cel_run *run, struct fx_cel_map *map,
                                     struct fx_cel_value key, struct fx_cel_value value,
                                     bool is_optional) {
    if (is_optional && value.kind != FX_CEL_OPTIONAL) {
        const struct fx_cel_value before = fx_cel_fail_key(
            run, "cannot initialize optional entry '", key, "' from non-optional value ");
        return fx_cel_is_fatal(&before) ? before
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
    struct fx_cel_value key = fx_cel_make_string(entry->field);
    struct fx_cel_value value;
    if (entry->key != NULL) {
        fx_cel_eval_node(run, entry->key, &key);
    }
    if (fx_cel_is_error(key)) {
        return key;
    }
    fx_cel_eval_node(run, entry->value, &value);
    if (fx_cel_is_error(value)) {
        return value;
    }
    const char *unhashable = fx_cel_unhashable(key);
    if (unhashable != NULL) {
        return fx_cel_fail_unhashable(run, unhashable);
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

void fx_cel_eval_map(struct fx_cel_run *run, const struct fx_cel_node *node,
                     struct fx_cel_value *ret) {
    *ret = fx_cel_new_map(run, node->map.n);
    if (!fx_cel_is_error(*ret)) {
        const struct fx_cel_value last = eval_entries(run, ret->map, node);
        if (fx_cel_is_error(last)) {
            *ret = last;
        }
    }
    run->cost += COST_OF_MAP;
}

/* Fields that are declared as strings (of JSONPatch) must be that, also if the expression
 * gives a value of type dyn. Returns the error, or any other value. */
static struct fx_cel_value check_fields(struct fx_cel_run *run,
                                        const struct fx_cel_struct *structure) {
    const struct fx_cel_field *field = structure->type->fields;
    for (; field != NULL && field->name != NULL; field++) {
        struct fx_cel_value value;
        if (field->type->kind == FX_CEL_TYPE_STRING &&
            fx_cel_map_find_text(fx_cel_fields(structure), fx_text_of(field->name),
                                 &value) &&
            value.kind != FX_CEL_STRING) {
            return fx_cel_fail(run, "unexpected type %s for %s field '%s'",
                               fx_cel_type_name(value), structure->type->name,
                               field->name);
        }
    }
    return fx_cel_make_null();
}

void fx_cel_eval_struct(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct fx_cel_value *ret) {
    struct fx_cel_struct *structure = fx_arena_alloc(run->arena, sizeof *structure);
    if (structure == NULL) {
        *ret = fx_cel_no_memory(run);
        return;
    }
    structure->type = node->checked;
    *ret = eval_entries(run, &structure->fields, node);
    run->cost += COST_OF_STRUCT;
    if (fx_cel_is_error(*ret)) {
        return;
    }
    const struct fx_cel_message *message = fx_cel_message_find(node->map.name);
    if (message != NULL) {
        *ret = fx_cel_message_value(
            run, message,
            (struct fx_cel_value){.kind = FX_CEL_MAP, .map = &structure->fields});
        return;
    }
    *ret = check_fields(run, structure);
    if (!fx_cel_is_error(*ret)) {
        *ret = (struct fx_cel_value){.kind = FX_CEL_STRUCT, .structure = structure};
    }
}
