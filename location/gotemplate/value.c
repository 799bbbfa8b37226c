/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/value.c - making and comparing values; maps, whose entries are
 * sorted by key.
 */
#include "location/gotemplate/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "location/gotemplate/run.h"
#include "value/tree.h"

struct template_list *value_list_new(struct template_run *run, size_t n) {
    struct template_list *list = run_alloc(run, sizeof *list);
    struct value *values = list == NULL ? NULL : run_alloc(run, n * sizeof *values);
    if (values == NULL) {
        return NULL;
    }
    *list = (struct template_list){.type = TYPE_LIST, .n = n, .values = values};
    return list;
}

struct template_list *value_strings_new(struct template_run *run, size_t n) {
    struct template_list *list = value_list_new(run, n);
    if (list != NULL) {
        list->type = TYPE_STRINGS;
    }
    return list;
}

static bool list_of_json(struct template_run *run, json_t *array, bool integers,
                         struct value *ret_value) {
    const size_t n = json_array_size(array);
    struct template_list *list = run_spend(run, n / 4) ? value_list_new(run, n) : NULL;
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

static bool map_of_json(struct template_run *run, json_t *object, bool integers,
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

/* Recursion is limited by the depth of nested lists (FX_LIMIT_JSON_DEPTH). */
bool value_of_json(struct template_run *run, json_t *node, bool integers,
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

/* The names of the types and kinds. `type` is NULL if the value itself has its type. */
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

/* ---- reflect.DeepEqual ------------------------------------------------------------- */

static bool values_equal(struct template_run *run, const struct value *a,
                         const struct value *b, size_t depth, bool *ret_equal);

static bool lists_equal(struct template_run *run, const struct template_list *a,
                        const struct template_list *b, size_t depth, bool *ret_equal) {
    *ret_equal = a->n == b->n;
    if (a == b) {
        return true;
    }
    for (size_t i = 0; i < a->n && *ret_equal; i++) {
        if (!values_equal(run, &a->values[i], &b->values[i], depth, ret_equal)) {
            return false;
        }
    }
    return true;
}

static bool maps_equal(struct template_run *run, struct map *a, struct map *b,
                       size_t depth, bool *ret_equal) {
    *ret_equal = true;
    if (a == b) {
        return true;
    }
    if (!value_map_fill(run, a) || !value_map_fill(run, b)) {
        return false;
    }
    *ret_equal = a->n == b->n;
    for (size_t i = 0; i < a->n && *ret_equal; i++) {
        *ret_equal = fx_text_equal(a->entries[i].key, b->entries[i].key);
        if (*ret_equal && !values_equal(run, &a->entries[i].value, &b->entries[i].value,
                                        depth, ret_equal)) {
            return false;
        }
    }
    return true;
}

/* Compares values of one type other than lists, maps and nil. */
static bool scalars_equal(const struct value *a, const struct value *b) {
    if (value_is_integer(a)) {
        return a->integer == b->integer;
    }
    if (a->kind == VALUE_BOOL) {
        return a->boolean == b->boolean;
    }
    if (a->kind == VALUE_FLOAT64) {
        return a->number == b->number;
    }
    if (a->kind == VALUE_STRING) {
        return fx_text_equal(a->string, b->string);
    }
    return a->kind == VALUE_OBJECT
               ? a->object.type->deep_equal(a->object.data, b->object.data)
               : a->context == b->context;
}

static bool values_equal(struct template_run *run, const struct value *a,
                         const struct value *b, size_t depth, bool *ret_equal) {
    if (!run_spend(run, 1) || !run_check_depth(run, depth)) {
        return false;
    }
    *ret_equal = strcmp(value_type_name(a), value_type_name(b)) == 0;
    if (!*ret_equal || value_is_nil(a)) {
        return true;
    }
    if (a->kind == VALUE_LIST) {
        return lists_equal(run, a->list, b->list, depth + 1, ret_equal);
    }
    if (a->kind == VALUE_MAP) {
        return maps_equal(run, a->map, b->map, depth + 1, ret_equal);
    }
    if (a->kind == VALUE_STRING && !run_spend_copy(run, a->string.len)) {
        return false;
    }
    *ret_equal = scalars_equal(a, b);
    return true;
}

bool value_deep_equal(struct template_run *run, const struct value *a,
                      const struct value *b, bool *ret_equal) {
    return values_equal(run, a, b, 0, ret_equal);
}

/* ---- maps -------------------------------------------------------------------------- */

struct map *value_map_new(struct template_run *run) {
    struct map *map = run_alloc(run, sizeof *map);
    if (map != NULL) {
        map->type = TYPE_MAP;
    }
    return map;
}

static int compare_keys(const void *a, const void *b) {
    const struct map_entry *left = a;
    const struct map_entry *right = b;
    return fx_text_compare(left->key, right->key);
}

static bool is_sorted(const struct map_entry *entries, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (compare_keys(&entries[i - 1], &entries[i]) > 0) {
            return false;
        }
    }
    return true;
}

bool value_map_sort(struct template_run *run, struct map *map) {
    size_t bytes = 0;
    for (size_t i = 0; i < map->n; i++) {
        bytes += map->entries[i].key.len;
    }
    if (!run_spend_sort(run, map->n, bytes)) {
        return false;
    }
    if (!is_sorted(map->entries, map->n)) {
        qsort(map->entries, map->n, sizeof *map->entries, compare_keys);
    }
    return true;
}

bool value_map_fill(struct template_run *run, struct map *map) {
    if (map->source == NULL) {
        return true;
    }
    const size_t n = json_object_size(map->source);
    struct map_entry *entries =
        run_spend(run, n) ? run_alloc(run, n * sizeof *entries) : NULL;
    if (entries == NULL) {
        return false;
    }
    size_t at = 0;
    for (void *i = json_object_iter(map->source); i != NULL;
         i = json_object_iter_next(map->source, i), at++) {
        entries[at].key = fx_node_key(i);
        if (!value_of_json(run, json_object_iter_value(i), map->integers,
                           &entries[at].value)) {
            return false;
        }
    }
    map->source = NULL;
    map->n = n;
    map->capacity = n;
    map->entries = entries;
    return value_map_sort(run, map);
}

static int compare_key(const void *key, const void *entry) {
    return fx_text_compare(*(const struct fx_text *)key,
                           ((const struct map_entry *)entry)->key);
}

/* Returns the index of the key, or the index at which to insert it. */
static size_t find_entry(const struct map *map, struct fx_text key, bool *ret_found) {
    return fx_sorted_find(map->entries, map->n, sizeof *map->entries, &key, compare_key,
                          ret_found);
}

bool value_map_get(struct template_run *run, struct map *map, struct fx_text key,
                   struct value *ret_value) {
    if (!value_map_fill(run, map)) {
        return false;
    }
    bool found = false;
    const size_t at = find_entry(map, key, &found);
    *ret_value = found ? map->entries[at].value : (struct value){.kind = VALUE_MISSING};
    return true;
}

/* Makes the entries writable, with room for `more`. The old entries stay in the arena. */
static bool own_entries(struct template_run *run, struct map *map, size_t more) {
    if (map->n + more <= map->capacity && !map->lent) {
        return true;
    }
    const size_t capacity = map->n < 4 ? 8 : map->n * 2;
    if (!run_spend_copy(run, map->n * sizeof *map->entries)) {
        return false;
    }
    struct map_entry *entries = run_alloc(run, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    if (map->n > 0) {
        memcpy(entries, map->entries, map->n * sizeof *entries);
    }
    map->entries = entries;
    map->capacity = capacity;
    map->lent = false;
    return true;
}

bool value_map_put(struct template_run *run, struct map *map, struct fx_text key,
                   struct value value) {
    if (map->nil) {
        return fx_fail(run->err, FX_EMUTATE, "assignment to entry in nil map");
    }
    if (!value_map_fill(run, map) || !own_entries(run, map, 1)) {
        return false;
    }
    value.boxed = false;
    if (value.kind == VALUE_MISSING) {
        value.kind = VALUE_NIL;
    }
    bool found = false;
    const size_t at = find_entry(map, key, &found);
    if (found) {
        map->entries[at].value = value;
        return true;
    }
    if (!run_spend_copy(run, (map->n - at) * sizeof *map->entries)) {
        return false;
    }
    FX_SORTED_INSERT(map->entries, map->n, at);
    map->entries[at] = (struct map_entry){key, value};
    return true;
}

bool value_map_remove(struct template_run *run, struct map *map, struct fx_text key) {
    if (!value_map_fill(run, map) || !own_entries(run, map, 0)) {
        return false;
    }
    bool found = false;
    const size_t at = find_entry(map, key, &found);
    if (found) {
        if (!run_spend_copy(run, (map->n - at) * sizeof *map->entries)) {
            return false;
        }
        FX_SORTED_REMOVE(map->entries, map->n, at);
    }
    return true;
}

struct map *value_map_copy(struct template_run *run, struct map *map) {
    struct map *copy = value_map_fill(run, map) ? value_map_new(run) : NULL;
    if (copy == NULL) {
        return NULL;
    }
    copy->entries = run_alloc(run, map->n * sizeof *copy->entries);
    if (copy->entries == NULL) {
        return NULL;
    }
    if (map->n > 0) {
        memcpy(copy->entries, map->entries, map->n * sizeof *copy->entries);
    }
    copy->type = map->type;
    copy->n = map->n;
    copy->capacity = map->n;
    return copy;
}
