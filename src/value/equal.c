/* SPDX-License-Identifier: Apache-2.0
 *
 * value/equal.c - deep equality, numbers by value.
 */
#include "value/equal.h"

#include "base/budget.h"
#include "value/tree.h"

/* Is the double exactly this integer? In the range of integers the cast drops only a
 * fraction, and then the comparison with the result fails. */
static bool is_integer(double real, json_int_t integer) {
    if (!(real >= -0x1p63 && real < 0x1p63)) {
        return false;
    }
    const json_int_t whole = (json_int_t)real;
    return whole == integer && (double)whole == real;
}

/* Compares two numbers (integer or real) by value. Neither is rounded. */
static bool equal_numbers(const json_t *a, const json_t *b) {
    if (json_is_integer(a) && json_is_integer(b)) {
        return json_integer_value(a) == json_integer_value(b);
    }
    if (json_is_integer(a)) {
        return is_integer(json_real_value(b), json_integer_value(a));
    }
    if (json_is_integer(b)) {
        return is_integer(json_real_value(a), json_integer_value(b));
    }
    return json_real_value(a) == json_real_value(b);
}

/* Keys usually have the same order, so `beside`, the member of b at the same index, is
 * compared first. */
static bool equal_objects(const json_t *a, const json_t *b) {
    if (json_object_size(a) != json_object_size(b) || !fx_spend(json_object_size(a))) {
        return false;
    }
    void *beside = fx_node_first(b);
    for (void *iter = fx_node_first(a); iter != NULL; iter = fx_node_next(a, iter)) {
        const struct fx_text key = fx_node_key(iter);
        if (!fx_spend_text(key.len)) {
            return false;
        }
        const bool is_beside = beside != NULL && fx_node_has_key(beside, key);
        const json_t *value = json_object_iter_value(iter);
        const json_t *other =
            is_beside ? json_object_iter_value(beside) : fx_tree_view_text(b, key);
        if (value != other && !fx_equal(value, other)) {
            return false;
        }
        beside = beside == NULL ? NULL : fx_node_next(b, beside);
    }
    return true;
}

static bool equal_arrays(const json_t *a, const json_t *b) {
    const size_t size = json_array_size(a);
    if (size != json_array_size(b) || !fx_spend(size)) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (!fx_equal(json_array_get(a, i), json_array_get(b, i))) {
            return false;
        }
    }
    return true;
}

static bool equal_strings(struct fx_text a, struct fx_text b) {
    return a.len == b.len && fx_spend(a.len / FX_BUDGET_BYTES) && fx_text_equal(a, b);
}

bool fx_equal(const json_t *a, const json_t *b) {
    if (a == b) {
        return true;
    }
    if (a == NULL || b == NULL) {
        return false;
    }
    if (json_is_number(a) && json_is_number(b)) {
        return equal_numbers(a, b);
    }
    if (json_typeof(a) != json_typeof(b)) {
        return false;
    }
    switch (json_typeof(a)) {
    case JSON_OBJECT: return equal_objects(a, b);
    case JSON_ARRAY: return equal_arrays(a, b);
    case JSON_STRING: return equal_strings(fx_tree_text(a), fx_tree_text(b));
    case JSON_INTEGER:
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        return true; /* numbers are compared above, and the others are singletons */
    }
    return false;
}
