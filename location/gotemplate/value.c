/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/value.c - making values, and asking what they are.
 */
#include "location/gotemplate/value.h"

#include "location/gotemplate/run.h"
#include "value/tree.h"

struct list *value_list_new(struct run *run, size_t n) {
    struct list *list = run_alloc(run, sizeof *list);
    struct value *values = list == NULL ? NULL : run_alloc(run, n * sizeof *values);
    if (values == NULL) {
        return NULL;
    }
    *list = (struct list){.type = TYPE_LIST, .n = n, .values = values};
    return list;
}

static bool list_of_json(struct run *run, json_t *array, bool integers,
                         struct value *ret_value) {
    const size_t n = json_array_size(array);
    struct list *list = run_spend(run, n / 4) ? value_list_new(run, n) : NULL;
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!value_of_json(run, json_array_get(array, i), integers, &list->values[i])) {
            return false;
        }
    }
    *ret_value = value_list(list);
    return true;
}

static bool map_of_json(struct run *run, json_t *object, bool integers,
                        struct value *ret_value) {
    struct map *map = value_map_new(run);
    if (map == NULL) {
        return false;
    }
    map->source = object;
    map->integers = integers;
    *ret_value = value_map(map);
    return true;
}

static struct value integer_of_json(const json_t *node, bool integers) {
    const json_int_t integer = json_integer_value(node);
    return integers ? value_int(integer) : value_float64((double)integer);
}

/* As deep as lists lie in lists (FX_LIMIT_JSON_DEPTH). */
bool value_of_json(struct run *run, json_t *node, bool integers,
                   struct value *ret_value) {
    if (node == NULL) {
        *ret_value = (struct value){.kind = VALUE_MISSING};
        return true;
    }
    switch (json_typeof(node)) {
    case JSON_OBJECT: return map_of_json(run, node, integers, ret_value);
    case JSON_ARRAY: return list_of_json(run, node, integers, ret_value);
    case JSON_STRING: *ret_value = value_string(fx_tree_text(node)); break;
    case JSON_INTEGER: *ret_value = integer_of_json(node, integers); break;
    case JSON_REAL: *ret_value = value_float64(json_real_value(node)); break;
    case JSON_TRUE: *ret_value = value_bool(true); break;
    case JSON_FALSE: *ret_value = value_bool(false); break;
    case JSON_NULL: *ret_value = value_nil(); break;
    }
    return true;
}

size_t value_length(const struct value *value) {
    if (value->kind == VALUE_STRING) {
        return value->string.len;
    }
    if (value->kind == VALUE_LIST) {
        return value->list->n;
    }
    if (value->kind != VALUE_MAP) {
        return 0;
    }
    const struct map *map = value->map;
    return map->source != NULL ? json_object_size(map->source) : map->n;
}

bool value_is_true(const struct value *value) {
    switch (value->kind) {
    case VALUE_MISSING:
    case VALUE_NIL: return false;
    case VALUE_BOOL: return value->boolean;
    case VALUE_INT:
    case VALUE_INT64:
    case VALUE_UINT64: return value->integer != 0;
    case VALUE_FLOAT64: return value->number != 0;
    case VALUE_STRING:
    case VALUE_LIST:
    case VALUE_MAP: return value_length(value) > 0;
    case VALUE_OBJECT:
    case VALUE_STRUCT: break;
    }
    return true;
}

/* NULL: the value itself knows its type. */
static const struct {
    const char *type, *kind;
} names[] = {
    [VALUE_MISSING] = {"<nil>", "invalid"},   [VALUE_NIL] = {"<nil>", "invalid"},
    [VALUE_BOOL] = {"bool", "bool"},          [VALUE_INT] = {"int", "int"},
    [VALUE_INT64] = {"int64", "int64"},       [VALUE_UINT64] = {"uint64", "uint64"},
    [VALUE_FLOAT64] = {"float64", "float64"}, [VALUE_STRING] = {"string", "string"},
    [VALUE_LIST] = {NULL, "slice"},           [VALUE_MAP] = {NULL, "map"},
    [VALUE_STRUCT] = {"struct", "struct"},
};

const char *value_type_name(const struct value *value) {
    if (value->kind == VALUE_LIST) {
        return value->list->type;
    }
    if (value->kind == VALUE_OBJECT) {
        return value->object.type->name;
    }
    return value->kind == VALUE_MAP ? value->map->type : names[value->kind].type;
}

const char *value_kind_name(const struct value *value) {
    return value->kind == VALUE_OBJECT ? value->object.type->kind
                                       : names[value->kind].kind;
}
