/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/value.c - properties of values, and deep equality, whose steps are
 * charged.
 */
#include "location/jsonpath/value.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "location/go/time.h"
#include "value/tree.h"

struct path_value fx_jsonpath_of_bool(bool truth) {
    return fx_jsonpath_of_node(truth ? json_true() : json_false());
}

struct path_value fx_jsonpath_of_number(double number) {
    return (struct path_value){.kind = VALUE_NUMBER, .as.number = number};
}

bool fx_jsonpath_is_null(const struct path_value *value) {
    return value->kind == VALUE_NODE && json_is_null(value->as.node);
}

bool fx_jsonpath_as_bool(const struct path_value *value, bool *ret_truth) {
    if (value->kind != VALUE_NODE || !json_is_boolean(value->as.node)) {
        return false;
    }
    *ret_truth = json_is_true(value->as.node);
    return true;
}

bool fx_jsonpath_as_text(const struct path_value *value, struct fx_text *ret_text) {
    if (value->kind == VALUE_TEXT) {
        *ret_text = value->as.text;
        return true;
    }
    if (value->kind == VALUE_NODE && json_is_string(value->as.node)) {
        *ret_text = fx_tree_text(value->as.node);
        return true;
    }
    return false;
}

/* ---- numbers --------------------------------------------------------------------- */

static struct number exact_number(int64_t integer) {
    return (struct number){(double)integer, true, integer};
}

#define BYTES_OF_NUMBER_A_UNIT 64u /* bytes that are parsed as a number for one unit */

static bool text_as_number(struct fx_text text, struct number *ret_number) {
    if (!fx_spend(text.len / BYTES_OF_NUMBER_A_UNIT)) {
        return false;
    }
    *ret_number = (struct number){0};
    return fx_jsonpath_parse_float(text, &ret_number->real);
}

static bool node_as_number(const json_t *node, struct number *ret_number) {
    if (json_is_integer(node)) {
        *ret_number = exact_number(json_integer_value(node));
        return true;
    }
    if (json_is_real(node)) {
        *ret_number = (struct number){.real = json_real_value(node)};
        return true;
    }
    return json_is_string(node) && text_as_number(fx_tree_text(node), ret_number);
}

bool fx_jsonpath_as_number(const struct path_value *value, struct number *ret_number) {
    switch (value->kind) {
    case VALUE_UNDEFINED: *ret_number = (struct number){.real = (double)NAN}; return true;
    case VALUE_NODE: return node_as_number(value->as.node, ret_number);
    case VALUE_NUMBER:
        *ret_number = (struct number){.real = value->as.number};
        return true;
    case VALUE_INTEGER:
    case VALUE_COUNT: *ret_number = exact_number(value->as.integer); return true;
    case VALUE_TEXT: return text_as_number(value->as.text, ret_number);
    case VALUE_DATE:
    case VALUE_LIST:
    case VALUE_MAP: break;
    }
    return false;
}

int fx_jsonpath_compare_numbers(const struct number *a, const struct number *b,
                                bool *ret_ordered) {
    *ret_ordered = true;
    if (a->is_exact && b->is_exact) {
        return (a->integer > b->integer) - (a->integer < b->integer);
    }
    *ret_ordered = !isnan(a->real) && !isnan(b->real);
    return (a->real > b->real) - (a->real < b->real);
}

int64_t fx_jsonpath_truncate(double number) {
    const bool fits = number >= -0x1p63 && number < 0x1p63; /* false for NaN */
    return fits ? (int64_t)number : INT64_MIN;
}

/* ---- lists and maps -------------------------------------------------------------- */

bool fx_jsonpath_is_list(const struct path_value *value, size_t *ret_count) {
    if (value->kind == VALUE_LIST) {
        *ret_count = value->as.list->n_values;
        return true;
    }
    if (value->kind == VALUE_NODE && json_is_array(value->as.node)) {
        *ret_count = json_array_size(value->as.node);
        return true;
    }
    return false;
}

struct path_value fx_jsonpath_list_at(const struct path_value *list, size_t index) {
    return list->kind == VALUE_LIST
               ? list->as.list->values[index]
               : fx_jsonpath_of_node(json_array_get(list->as.node, index));
}

bool fx_jsonpath_is_map(const struct path_value *value) {
    return value->kind == VALUE_MAP ||
           (value->kind == VALUE_NODE && json_is_object(value->as.node));
}

size_t fx_jsonpath_map_size(const struct path_value *map) {
    return map->kind == VALUE_MAP ? map->as.map->n_members
                                  : json_object_size(map->as.node);
}

static int compare_members(const void *a, const void *b) {
    const struct value_member *left = a;
    const struct value_member *right = b;
    return fx_text_compare(left->key, right->key);
}

/* Returns log2(count), the comparisons of each item in a sort. */
static size_t sorting_levels(size_t count) {
    size_t levels = 0;
    while (count >> levels > 1) {
        levels++;
    }
    return levels;
}

/* Spends units for sorting the members; `bytes` is the total size of the keys. */
static bool spend_sorting(struct path_run *run, size_t count, size_t bytes) {
    const size_t levels = sorting_levels(count);
    return fx_jsonpath_spend(run, (count / 2 + bytes / FX_BUDGET_BYTES) * levels);
}

bool fx_jsonpath_members(struct path_run *run, const struct path_value *value,
                         const struct value_map **ret_map) {
    if (value->kind == VALUE_MAP) {
        *ret_map = value->as.map;
        return true;
    }
    json_t *object = value->as.node;
    const size_t count = json_object_size(object);
    struct value_map *map = fx_jsonpath_alloc(run, sizeof *map);
    size_t bytes = 0; /* total size of the keys */
    if (map == NULL || !fx_jsonpath_spend(run, count)) {
        return false;
    }
    map->members = fx_jsonpath_alloc(run, count * sizeof *map->members);
    if (map->members == NULL) {
        return false;
    }
    for (void *i = json_object_iter(object); i != NULL;
         i = json_object_iter_next(object, i)) {
        map->members[map->n_members++] = (struct value_member){
            {json_object_iter_key(i), json_object_iter_key_len(i)},
            fx_jsonpath_of_node(json_object_iter_value(i)),
        };
        bytes += json_object_iter_key_len(i);
    }
    if (!spend_sorting(run, count, bytes)) {
        return false;
    }
    qsort(map->members, count, sizeof *map->members, compare_members);
    *ret_map = map;
    return true;
}

bool fx_jsonpath_map_find(struct path_run *run, const struct path_value *map,
                          struct fx_text key, struct path_value *ret_value) {
    if (!fx_jsonpath_spend(run, key.len / FX_BUDGET_BYTES)) {
        return false;
    }
    if (map->kind == VALUE_NODE) {
        json_t *node = fx_tree_view_text(map->as.node, key);
        if (node != NULL) {
            *ret_value = fx_jsonpath_of_node(node);
        }
        return node != NULL;
    }
    const struct value_map *own = map->as.map;
    const struct value_member wanted = {.key = key};
    const struct value_member *found =
        own->n_members == 0 ? NULL
                            : bsearch(&wanted, own->members, own->n_members,
                                      sizeof *own->members, compare_members);
    if (found != NULL) {
        *ret_value = found->value;
    }
    return found != NULL;
}

bool fx_jsonpath_append(struct path_run *run, struct value_list *list,
                        const struct path_value *value) {
    if (list->n_values == list->cap_values &&
        !fx_jsonpath_grow(run, &list->values, &list->cap_values, sizeof *list->values)) {
        return false;
    }
    list->values[list->n_values++] = *value;
    return true;
}

/* ---- words ----------------------------------------------------------------------- */

static const char *node_type_name(const json_t *node) {
    switch (json_typeof(node)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a text";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE:
    case JSON_FALSE: return "a boolean";
    case JSON_NULL: return "null";
    }
    assert(false);
    return "";
}

const char *fx_jsonpath_type_name(const struct path_value *value) {
    switch (value->kind) {
    case VALUE_UNDEFINED: return "undefined";
    case VALUE_NODE: return node_type_name(value->as.node);
    case VALUE_NUMBER:
    case VALUE_INTEGER:
    case VALUE_COUNT: return "a number";
    case VALUE_TEXT: return "a text";
    case VALUE_DATE: return "a date";
    case VALUE_LIST: return "a list";
    case VALUE_MAP: return "an object";
    }
    assert(false);
    return "";
}

/* ---- deep equality ----------------------------------------------------------------- */

/* Types, which are compared first. */
enum type {
    TYPE_NULL,
    TYPE_BOOL,
    TYPE_DOUBLE,
    TYPE_COUNT,
    TYPE_TEXT,
    TYPE_DATE,
    TYPE_LIST,
    TYPE_MAP,
    TYPE_UNDEFINED
};

static enum type type_of_node(const json_t *node) {
    switch (json_typeof(node)) {
    case JSON_OBJECT: return TYPE_MAP;
    case JSON_ARRAY: return TYPE_LIST;
    case JSON_STRING: return TYPE_TEXT;
    case JSON_INTEGER:
    case JSON_REAL: return TYPE_DOUBLE;
    case JSON_TRUE:
    case JSON_FALSE: return TYPE_BOOL;
    case JSON_NULL: break;
    }
    return TYPE_NULL;
}

static enum type type_of(const struct path_value *value) {
    switch (value->kind) {
    case VALUE_NODE: return type_of_node(value->as.node);
    case VALUE_NUMBER:
    case VALUE_INTEGER: return TYPE_DOUBLE;
    case VALUE_COUNT: return TYPE_COUNT;
    case VALUE_TEXT: return TYPE_TEXT;
    case VALUE_DATE: return TYPE_DATE;
    case VALUE_LIST: return TYPE_LIST;
    case VALUE_MAP: return TYPE_MAP;
    case VALUE_UNDEFINED: break;
    }
    return TYPE_UNDEFINED;
}

static bool equal_numbers(const struct path_value *a, const struct path_value *b) {
    struct number left = {0};
    struct number right = {0};
    bool ordered = false;
    return fx_jsonpath_as_number(a, &left) && fx_jsonpath_as_number(b, &right) &&
           fx_jsonpath_compare_numbers(&left, &right, &ordered) == 0 && ordered;
}

static bool equal_texts(struct path_run *run, const struct path_value *a,
                        const struct path_value *b) {
    struct fx_text left = {0};
    struct fx_text right = {0};
    return fx_jsonpath_as_text(a, &left) && fx_jsonpath_as_text(b, &right) &&
           left.len == right.len && fx_jsonpath_spend(run, left.len / FX_BUDGET_BYTES) &&
           fx_text_equal(left, right);
}

static bool equal_lists(struct path_run *run, const struct path_value *a,
                        const struct path_value *b) {
    size_t n_left = 0;
    size_t n_right = 0;
    (void)fx_jsonpath_is_list(a, &n_left);
    (void)fx_jsonpath_is_list(b, &n_right);
    bool equal = n_left == n_right;
    for (size_t i = 0; equal && i < n_left; i++) {
        const struct path_value left = fx_jsonpath_list_at(a, i);
        const struct path_value right = fx_jsonpath_list_at(b, i);
        equal = fx_jsonpath_equal(run, &left, &right);
    }
    return equal;
}

static bool has_equal(struct path_run *run, const struct path_value *map,
                      struct fx_text key, const struct path_value *value) {
    struct path_value own;
    return fx_jsonpath_map_find(run, map, key, &own) &&
           fx_jsonpath_equal(run, &own, value);
}

/* Compares every member of `a`, in any order. */
static bool equal_members(struct path_run *run, const struct path_value *a,
                          const struct path_value *b) {
    bool equal = true;
    if (a->kind == VALUE_MAP) {
        for (size_t i = 0; equal && i < a->as.map->n_members; i++) {
            const struct value_member *member = &a->as.map->members[i];
            equal = has_equal(run, b, member->key, &member->value);
        }
        return equal;
    }
    for (void *i = json_object_iter(a->as.node); equal && i != NULL;
         i = json_object_iter_next(a->as.node, i)) {
        const struct path_value value = fx_jsonpath_of_node(json_object_iter_value(i));
        equal = has_equal(
            run, b,
            (struct fx_text){json_object_iter_key(i), json_object_iter_key_len(i)},
            &value);
    }
    return equal;
}

static bool equal_of_type(struct path_run *run, enum type type,
                          const struct path_value *a, const struct path_value *b) {
    switch (type) {
    case TYPE_NULL: return true;
    case TYPE_BOOL: return a->as.node == b->as.node;
    case TYPE_DOUBLE: return equal_numbers(a, b);
    case TYPE_COUNT: return a->as.integer == b->as.integer;
    case TYPE_TEXT: return equal_texts(run, a, b);
    case TYPE_DATE: return fx_go_time_equal(a->as.date, b->as.date);
    case TYPE_LIST: return equal_lists(run, a, b);
    case TYPE_MAP:
        return fx_jsonpath_map_size(a) == fx_jsonpath_map_size(b) &&
               equal_members(run, a, b);
    case TYPE_UNDEFINED: break; /* undefined equals nothing, as NaN */
    }
    return false;
}

bool fx_jsonpath_equal(struct path_run *run, const struct path_value *a,
                       const struct path_value *b) {
    const enum type type = type_of(a);
    if (!fx_jsonpath_spend(run, 1) || type != type_of(b)) {
        return false;
    }
    if (a->kind == VALUE_NODE && b->kind == VALUE_NODE && a->as.node == b->as.node) {
        return true;
    }
    if (!fx_jsonpath_enter(run)) {
        return false;
    }
    const bool equal = equal_of_type(run, type, a, b);
    fx_jsonpath_leave(run);
    return equal;
}
