/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/value_equal.c - reflect.DeepEqual.
 */
#include "location/gotemplate/value.h"

#include <string.h>

#include "location/gotemplate/run.h"

static bool equal(struct run *run, const struct value *a, const struct value *b,
                  size_t depth, bool *ret_equal);

static bool lists_equal(struct run *run, const struct list *a, const struct list *b,
                        size_t depth, bool *ret_equal) {
    *ret_equal = a->n == b->n;
    if (a == b) {
        return true;
    }
    for (size_t i = 0; i < a->n && *ret_equal; i++) {
        if (!equal(run, &a->values[i], &b->values[i], depth, ret_equal)) {
            return false;
        }
    }
    return true;
}

static bool maps_equal(struct run *run, struct map *a, struct map *b, size_t depth,
                       bool *ret_equal) {
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
        if (*ret_equal &&
            !equal(run, &a->entries[i].value, &b->entries[i].value, depth, ret_equal)) {
            return false;
        }
    }
    return true;
}

/* Of one type, and no list, map or nil. */
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

static bool equal(struct run *run, const struct value *a, const struct value *b,
                  size_t depth, bool *ret_equal) {
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

bool value_deep_equal(struct run *run, const struct value *a, const struct value *b,
                      bool *ret_equal) {
    return equal(run, a, b, 0, ret_equal);
}
