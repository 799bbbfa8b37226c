/* SPDX-License-Identifier: Apache-2.0
 *
 * equal.c - equality and order of values (spec/cel.md section 4).
 */
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/map.h"
#include "location/cel/number.h"
#include "location/cel/value.h"

static bool equal_at(struct fx_cel_value a, struct fx_cel_value b, unsigned depth);

static bool is_same_node(struct fx_cel_value a, struct fx_cel_value b) {
    return (a.flags & b.flags & FX_CEL_IN_TREE) != 0 && a.node == b.node;
}

static bool equal_lists(struct fx_cel_value a, struct fx_cel_value b, unsigned depth) {
    const size_t n = fx_cel_list_size(a);
    if (n != fx_cel_list_size(b)) {
        return false;
    }
    if (is_same_node(a, b)) {
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        if (!fx_spend(1) ||
            !equal_at(fx_cel_list_at(a, i), fx_cel_list_at(b, i), depth)) {
            return false;
        }
    }
    return true;
}

/* Spends for an entry that is looked up in another map. */
static bool spend_entry(struct fx_cel_value key) {
    return fx_spend(1) && (key.kind != FX_CEL_STRING || fx_spend_text(key.text.len));
}

static bool equal_maps(struct fx_cel_value a, struct fx_cel_value b, unsigned depth) {
    if (fx_cel_map_size(a) != fx_cel_map_size(b)) {
        return false;
    }
    if (is_same_node(a, b)) {
        return true;
    }
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    fx_cel_map_walk_start(&walk, a);
    while (fx_cel_map_walk_next(&walk, &entry)) {
        struct fx_cel_value other;
        if (!spend_entry(entry.key) || !fx_cel_map_find(b, entry.key, &other) ||
            !equal_at(entry.value, other, depth)) {
            return false;
        }
    }
    return true;
}

static bool equal_structs(const struct fx_cel_value *a, const struct fx_cel_value *b,
                          unsigned depth) {
    return fx_cel_type_equal(a->structure->type, b->structure->type) &&
           equal_maps(fx_cel_fields(a->structure), fx_cel_fields(b->structure), depth);
}

static bool equal_optionals(struct fx_cel_value a, struct fx_cel_value b,
                            unsigned depth) {
    if (a.inner == NULL || b.inner == NULL) {
        return a.inner == b.inner;
    }
    return equal_at(*a.inner, *b.inner, depth);
}

/* Two values of one kind. */
static bool equal_of_kind(struct fx_cel_value a, struct fx_cel_value b, unsigned depth) {
    switch ((enum fx_cel_kind)a.kind) {
    case FX_CEL_NULL: return true;
    case FX_CEL_BOOL: return a.boolean == b.boolean;
    case FX_CEL_INT: return a.integer == b.integer;
    case FX_CEL_UINT: return a.uinteger == b.uinteger;
    case FX_CEL_DOUBLE: return a.real == b.real;
    case FX_CEL_STRING:
    case FX_CEL_BYTES: return fx_spend_text(a.text.len) && fx_text_equal(a.text, b.text);
    case FX_CEL_DURATION: return a.duration == b.duration;
    case FX_CEL_TIMESTAMP:
        return a.timestamp.seconds == b.timestamp.seconds &&
               a.timestamp.nanoseconds == b.timestamp.nanoseconds;
    case FX_CEL_TYPE:
        return strcmp(fx_cel_type_long_name(a.type), fx_cel_type_long_name(b.type)) == 0;
    case FX_CEL_LIST: return equal_lists(a, b, depth);
    case FX_CEL_MAP: return equal_maps(a, b, depth);
    case FX_CEL_OPTIONAL: return equal_optionals(a, b, depth);
    case FX_CEL_STRUCT: return equal_structs(&a, &b, depth);
    case FX_CEL_OPAQUE:
        return a.opaque.ops->type == b.opaque.ops->type && !b.opaque.ops->fits_no_left &&
               a.opaque.ops->equal != NULL &&
               a.opaque.ops->equal(a.opaque.data, b.opaque.data);
    case FX_CEL_UNSET:
    case FX_CEL_ERROR: break;
    }
    return false;
}

/* Values deeper than the limit are not equal: no expression can build them. */
static bool equal_at(struct fx_cel_value a, struct fx_cel_value b, unsigned depth) {
    if (a.kind == b.kind) {
        return depth < FX_LIMIT_CEL_VALUE_DEPTH && equal_of_kind(a, b, depth + 1);
    }
    int order = 0;
    return fx_cel_is_number(a) && fx_cel_is_number(b) &&
           fx_cel_number_compare(a, b, &order) && order == 0;
}

bool fx_cel_equal(struct fx_cel_value a, struct fx_cel_value b) {
    return equal_at(a, b, 0);
}

static int order_times(struct fx_cel_value a, struct fx_cel_value b) {
    const int seconds = (a.timestamp.seconds > b.timestamp.seconds) -
                        (a.timestamp.seconds < b.timestamp.seconds);
    return seconds != 0 ? seconds
                        : (a.timestamp.nanoseconds > b.timestamp.nanoseconds) -
                              (a.timestamp.nanoseconds < b.timestamp.nanoseconds);
}

bool fx_cel_compare(struct fx_cel_value a, struct fx_cel_value b, int *ret_order) {
    if (fx_cel_is_number(a) && fx_cel_is_number(b)) {
        return fx_cel_number_compare(a, b, ret_order);
    }
    if (a.kind != b.kind) {
        return false;
    }
    if (a.kind == FX_CEL_STRING || a.kind == FX_CEL_BYTES) {
        (void)fx_spend_text(a.text.len);
        *ret_order = fx_text_compare(a.text, b.text);
    } else if (a.kind == FX_CEL_BOOL) {
        *ret_order = (int)a.boolean - (int)b.boolean;
    } else if (a.kind == FX_CEL_DURATION) {
        *ret_order = (a.duration > b.duration) - (a.duration < b.duration);
    } else if (a.kind == FX_CEL_TIMESTAMP) {
        *ret_order = order_times(a, b);
    } else {
        return false;
    }
    return true;
}
