/* SPDX-License-Identifier: Apache-2.0
 *
 * lists_order.c - the functions of lists whose elements have an order (spec/cel.md
 * sections 7, 10 and 11). Lists that were not checked may have elements of several types:
 * what cannot be compared counts as neither less nor greater.
 */
#include "location/cel_library/functions.h"

#include <string.h>

#include "location/cel/cost.h"
#include "location/cel/operators.h"

static bool has_order(struct fx_cel_value value) {
    switch ((enum fx_cel_kind)value.kind) {
    case FX_CEL_BOOL:
    case FX_CEL_INT:
    case FX_CEL_UINT:
    case FX_CEL_DOUBLE:
    case FX_CEL_STRING:
    case FX_CEL_BYTES:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP: return true;
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_NULL:
    case FX_CEL_TYPE:
    case FX_CEL_LIST:
    case FX_CEL_MAP:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: break;
    }
    return false;
}

static size_t text_bytes(struct fx_cel_value value) {
    return value.kind == FX_CEL_STRING || value.kind == FX_CEL_BYTES ? value.text.len : 0;
}

/* The order of two values; 0 if they have none. Spends for the comparison. */
static int order_of(struct fx_cel_value a, struct fx_cel_value b) {
    int order = 0;
    if (!fx_cel_spend_bytes(text_bytes(a)) || !fx_cel_compare(a, b, &order)) {
        return 0;
    }
    return order;
}

struct fx_cel_value cel_is_sorted(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    const size_t n = fx_cel_list_size(args[0]);
    struct fx_cel_value last = {.kind = FX_CEL_UNSET};
    for (size_t i = 0; i < n; i++) {
        const struct fx_cel_value element = fx_cel_list_at(args[0], i);
        if (!has_order(element)) {
            return fx_cel_no_overload();
        }
        if (i > 0 && order_of(last, element) > 0) {
            return fx_cel_make_bool(false);
        }
        last = element;
    }
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING ? fx_cel_make_bool(true)
                                                       : fx_cel_exceeded(run);
}

/* The first of the elements that are least (`sign` 1) or greatest (-1). */
static struct fx_cel_value find_extreme(struct fx_cel_run *run, struct fx_cel_value list,
                                        int sign, const char *name) {
    const size_t n = fx_cel_list_size(list);
    struct fx_cel_value found = {.kind = FX_CEL_UNSET};
    for (size_t i = 0; i < n; i++) {
        const struct fx_cel_value element = fx_cel_list_at(list, i);
        if (!has_order(element)) {
            return fx_cel_no_overload();
        }
        if (i == 0 || sign * order_of(found, element) > 0) {
            found = element;
        }
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_cel_exceeded(run);
    }
    return n > 0 ? found : fx_cel_fail(run, "%s called on empty list", name);
}

struct fx_cel_value cel_min(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return find_extreme(run, args[0], 1, "min");
}

struct fx_cel_value cel_max(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return find_extreme(run, args[0], -1, "max");
}

/* ---- sums
 * -------------------------------------------------------------------------------- */

static bool has_sum(struct fx_cel_value value) {
    return (has_order(value) && value.kind != FX_CEL_BOOL) || value.kind == FX_CEL_LIST;
}

static struct fx_cel_value sum(struct fx_cel_run *run, struct fx_cel_value list,
                               struct fx_cel_value so_far) {
    const size_t n = fx_cel_list_size(list);
    for (size_t i = 0; i < n; i++) {
        const struct fx_cel_value pair[] = {so_far, fx_cel_list_at(list, i)};
        if (!fx_spend(1)) {
            return fx_cel_exceeded(run);
        }
        if (!has_sum(pair[1])) {
            return fx_cel_no_overload();
        }
        so_far = fx_cel_add(run, pair);
        if (fx_cel_is_error(so_far)) {
            break;
        }
    }
    return so_far;
}

struct fx_cel_value cel_sum_ints(struct fx_cel_run *run,
                                 const struct fx_cel_value *args) {
    return sum(run, args[0], fx_cel_make_int(0));
}

struct fx_cel_value cel_sum_uints(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    return sum(run, args[0], fx_cel_make_uint(0));
}

struct fx_cel_value cel_sum_doubles(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    return sum(run, args[0], fx_cel_make_double(0));
}

struct fx_cel_value cel_sum_durations(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    return sum(run, args[0], fx_cel_make_duration(0));
}

/* ---- sorting
 * ----------------------------------------------------------------------------- */

/* The numbers of elements, in the order of their keys. */
struct sorting {
    const struct fx_cel_value *keys;
    size_t *order, *other; /* arrays; `other` is for merging */
};

#define SHORT_RUN 12u /* elements that are sorted by insertion, as in the original */

static void insert_each(struct sorting *sorting, size_t from, size_t to) {
    size_t *order = sorting->order;
    for (size_t i = from + 1; i < to; i++) {
        const size_t moved = order[i];
        size_t at = i;
        while (at > from &&
               order_of(sorting->keys[moved], sorting->keys[order[at - 1]]) < 0) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = moved;
    }
}

/* Merges the sorted parts of `order` before and after `middle` into `other`. */
static void merge(struct sorting *sorting, size_t from, size_t middle, size_t to) {
    size_t left = from;
    size_t right = middle;
    for (size_t at = from; at < to; at++) {
        const bool takes_right =
            left == middle ||
            (right < to && order_of(sorting->keys[sorting->order[right]],
                                    sorting->keys[sorting->order[left]]) < 0);
        sorting->other[at] = sorting->order[takes_right ? right++ : left++];
    }
}

/* Stable: elements of equal keys stay in their order. */
static void sort_order(struct sorting *sorting, size_t n) {
    for (size_t from = 0; from < n; from += SHORT_RUN) {
        insert_each(sorting, from, n - from < SHORT_RUN ? n : from + SHORT_RUN);
    }
    for (size_t width = SHORT_RUN; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            const size_t middle = n - from < width ? n : from + width;
            const size_t to = n - middle < width ? n : middle + width;
            merge(sorting, from, middle, to);
        }
        size_t *merged = sorting->other;
        sorting->other = sorting->order;
        sorting->order = merged;
    }
}

/* Copies the keys; false with *ret_failure if they are not of one ordered type. */
static bool take_keys(struct fx_cel_run *run, struct fx_cel_value list, size_t n,
                      struct fx_cel_value *keys, struct fx_cel_value *ret_failure) {
    for (size_t i = 0; i < n; i++) {
        keys[i] = fx_cel_list_at(list, i);
        if (!has_order(keys[0])) {
            *ret_failure = fx_cel_fail(run, "list elements must be comparable");
            return false;
        }
        if (keys[i].kind != keys[0].kind) {
            *ret_failure = fx_cel_fail(run, "list elements must have the same type");
            return false;
        }
    }
    return true;
}

static struct fx_cel_value list_in_order(struct fx_cel_run *run, struct fx_cel_value list,
                                         const size_t *order, size_t n) {
    struct fx_cel_value sorted = fx_cel_new_list(run, n);
    if (fx_cel_is_error(sorted)) {
        return sorted;
    }
    for (size_t i = 0; i < n; i++) {
        if (!fx_cel_list_add(run, sorted, fx_cel_list_at(list, order[i]))) {
            return fx_cel_no_memory(run);
        }
    }
    return sorted;
}

static struct fx_cel_value sort_by(struct fx_cel_run *run, struct fx_cel_value list,
                                   struct fx_cel_value key_list) {
    const size_t n = fx_cel_list_size(list);
    struct fx_cel_value failure;
    if (n != fx_cel_list_size(key_list)) {
        return fx_cel_fail(run,
                           "@sortByAssociatedKeys() expected a list of the same size as "
                           "the associated keys list, but got %zu and %zu elements "
                           "respectively",
                           n, fx_cel_list_size(key_list));
    }
    if (n == 0) {
        return list;
    }
    if (!fx_spend(n)) {
        return fx_cel_exceeded(run);
    }
    struct fx_cel_value *keys = fx_arena_alloc(run->arena, n * sizeof *keys);
    size_t *numbers = fx_arena_alloc(run->arena, 2 * n * sizeof *numbers);
    if (keys == NULL || numbers == NULL) {
        return fx_cel_no_memory(run);
    }
    if (!take_keys(run, key_list, n, keys, &failure)) {
        return failure;
    }
    for (size_t i = 0; i < n; i++) {
        numbers[i] = i;
    }
    struct sorting sorting = {.keys = keys, .order = numbers, .other = numbers + n};
    sort_order(&sorting, n);
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING
               ? list_in_order(run, list, sorting.order, n)
               : fx_cel_exceeded(run);
}

struct fx_cel_value cel_sort(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return args[0].kind == FX_CEL_LIST ? sort_by(run, args[0], args[0])
                                       : fx_cel_no_overload_for(run, "sort");
}

struct fx_cel_value cel_sort_by_keys(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    return args[0].kind == FX_CEL_LIST && args[1].kind == FX_CEL_LIST
               ? sort_by(run, args[0], args[1])
               : fx_cel_no_overload_for(run, "@sortByAssociatedKeys");
}

/* ---- costs
 * ------------------------------------------------------------------------------- */

uint64_t cel_pairs_cost(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)result;
    if (args[0].kind != FX_CEL_LIST) {
        return 1;
    }
    const double n = (double)fx_cel_list_size(args[0]);
    double factor = 2;
    if (n > 0) {
        const struct fx_cel_value first = fx_cel_list_at(args[0], 0);
        factor = first.kind == FX_CEL_STRING || first.kind == FX_CEL_BYTES ? 2.1 : 2;
    }
    return LIST_COST + (uint64_t)(n * n * factor);
}

uint64_t cel_key_pairs_cost(const struct fx_cel_value *args, struct fx_cel_value result) {
    return cel_pairs_cost(args + 1, result);
}
