/* SPDX-License-Identifier: Apache-2.0
 *
 * relations.c - `== < <= > >= in`.
 */
#include <math.h>

#include "base/budget.h"
#include "location/cel/map.h"
#include "location/cel/number.h"
#include "location/cel/operators.h"

/* Optional values are as comparable as what is in them. */
struct fx_cel_value fx_cel_equals(struct fx_cel_value a, struct fx_cel_value b) {
    while (a.kind == FX_CEL_OPTIONAL && b.kind == FX_CEL_OPTIONAL && a.inner != NULL &&
           b.inner != NULL) {
        a = *a.inner;
        b = *b.inner;
    }
    if (a.kind == FX_CEL_OPAQUE && b.kind != FX_CEL_NULL) {
        const bool fits = b.kind == FX_CEL_OPAQUE && a.opaque.ops->equal != NULL &&
                          a.opaque.ops->type == b.opaque.ops->type &&
                          !b.opaque.ops->fits_no_left;
        if (!fits) {
            return fx_cel_no_overload();
        }
    }
    return fx_cel_make_bool(fx_cel_equal(a, b));
}

static bool is_nan(struct fx_cel_value value) {
    return value.kind == FX_CEL_DOUBLE && isnan(value.real);
}

/* Can values of this kind be ordered among themselves? */
static bool is_ordered(struct fx_cel_value value) {
    return fx_cel_is_number(value) || value.kind == FX_CEL_BOOL ||
           value.kind == FX_CEL_BYTES;
}

/* The error of two values that fx_cel_compare() does not order. */
static struct fx_cel_value unordered(struct fx_cel_run *run,
                                     const struct fx_cel_value *args, const char *name) {
    if (is_nan(args[0]) || (fx_cel_is_number(args[0]) && is_nan(args[1]))) {
        return (struct fx_cel_value){.kind = FX_CEL_ERROR,
                                     .error = "NaN values cannot be ordered"};
    }
    return fx_cel_operator_unfit(run, args[0], is_ordered(args[0]), name);
}

struct fx_cel_value fx_cel_less(struct fx_cel_run *run, const struct fx_cel_value *args) {
    int order = 0;
    return fx_cel_compare(args[0], args[1], &order) ? fx_cel_make_bool(order < 0)
                                                    : unordered(run, args, "_<_");
}

struct fx_cel_value fx_cel_less_equal(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    int order = 0;
    return fx_cel_compare(args[0], args[1], &order) ? fx_cel_make_bool(order <= 0)
                                                    : unordered(run, args, "_<=_");
}

struct fx_cel_value fx_cel_greater(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    int order = 0;
    return fx_cel_compare(args[0], args[1], &order) ? fx_cel_make_bool(order > 0)
                                                    : unordered(run, args, "_>_");
}

struct fx_cel_value fx_cel_greater_equal(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    int order = 0;
    return fx_cel_compare(args[0], args[1], &order) ? fx_cel_make_bool(order >= 0)
                                                    : unordered(run, args, "_>=_");
}

/* Values that cannot be compared are not equal here. */
static struct fx_cel_value is_in_list(struct fx_cel_run *run, struct fx_cel_value value,
                                      struct fx_cel_value list) {
    bool found = false;
    const size_t n = fx_cel_list_size(list);
    for (size_t i = 0; i < n && !found; i++) {
        if (!fx_spend(1)) {
            return fx_cel_exceeded(run);
        }
        found = fx_cel_equal(value, fx_cel_list_at(list, i));
    }
    return fx_cel_make_bool(found);
}

static struct fx_cel_value is_in_map(struct fx_cel_run *run, struct fx_cel_value key,
                                     struct fx_cel_value map) {
    const char *unhashable = fx_cel_unhashable(key);
    if (unhashable != NULL && (map.flags & FX_CEL_IN_TREE) == 0 &&
        fx_cel_map_size(map) > 0) {
        return fx_cel_fail_unhashable(run, unhashable);
    }
    struct fx_cel_value value;
    return fx_cel_make_bool(fx_cel_map_find(map, key, &value));
}

struct fx_cel_value fx_cel_in(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return args[1].kind == FX_CEL_LIST  ? is_in_list(run, args[0], args[1])
           : args[1].kind == FX_CEL_MAP ? is_in_map(run, args[0], args[1])
                                        : fx_cel_no_overload();
}
