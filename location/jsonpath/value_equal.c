/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/value_equal.c - deep equality, counted in steps.
 */
#include "location/go/time.h"
#include "location/jsonpath/value.h"

/* What must agree before anything else is looked at. */
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

static enum type type_of(const struct value *value) {
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

static bool equal_numbers(const struct value *a, const struct value *b) {
    struct number left = {0};
    struct number right = {0};
    bool ordered = false;
    return fx_jsonpath_as_number(a, &left) && fx_jsonpath_as_number(b, &right) &&
           fx_jsonpath_compare_numbers(&left, &right, &ordered) == 0 && ordered;
}

static bool equal_texts(struct run *run, const struct value *a, const struct value *b) {
    struct fx_text left = {0};
    struct fx_text right = {0};
    return fx_jsonpath_as_text(a, &left) && fx_jsonpath_as_text(b, &right) &&
           left.len == right.len && fx_jsonpath_spend(run, left.len / FX_BUDGET_BYTES) &&
           fx_text_equal(left, right);
}

static bool equal_lists(struct run *run, const struct value *a, const struct value *b) {
    size_t n_left = 0;
    size_t n_right = 0;
    (void)fx_jsonpath_is_list(a, &n_left);
    (void)fx_jsonpath_is_list(b, &n_right);
    bool equal = n_left == n_right;
    for (size_t i = 0; equal && i < n_left; i++) {
        const struct value left = fx_jsonpath_list_at(a, i);
        const struct value right = fx_jsonpath_list_at(b, i);
        equal = fx_jsonpath_equal(run, &left, &right);
    }
    return equal;
}

static bool has_equal(struct run *run, const struct value *map, struct fx_text key,
                      const struct value *value) {
    struct value own;
    return fx_jsonpath_map_find(run, map, key, &own) &&
           fx_jsonpath_equal(run, &own, value);
}

/* Every member of `a`, in whatever order. */
static bool equal_members(struct run *run, const struct value *a, const struct value *b) {
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
        const struct value value = fx_jsonpath_of_node(json_object_iter_value(i));
        equal = has_equal(
            run, b,
            (struct fx_text){json_object_iter_key(i), json_object_iter_key_len(i)},
            &value);
    }
    return equal;
}

static bool equal_of_type(struct run *run, enum type type, const struct value *a,
                          const struct value *b) {
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
    case TYPE_UNDEFINED: break; /* it is NaN */
    }
    return false;
}

bool fx_jsonpath_equal(struct run *run, const struct value *a, const struct value *b) {
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
