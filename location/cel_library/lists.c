/* SPDX-License-Identifier: Apache-2.0
 *
 * lists.c - the functions of lists (spec/cel.md sections 7, 10 and 11).
 */
#include "location/cel_library/library.h"

#include "base/limits.h"
#include "location/cel/cost.h"
#include "location/cel_library/functions.h"

/* ---- elements
 * ---------------------------------------------------------------------------- */

static struct fx_cel_value first(struct fx_cel_run *run,
                                 const struct fx_cel_value *args) {
    return fx_cel_list_size(args[0]) == 0
               ? fx_cel_optional_none()
               : fx_cel_new_optional(run, fx_cel_list_at(args[0], 0));
}

static struct fx_cel_value last(struct fx_cel_run *run, const struct fx_cel_value *args) {
    const size_t n = fx_cel_list_size(args[0]);
    return n == 0 ? fx_cel_optional_none()
                  : fx_cel_new_optional(run, fx_cel_list_at(args[0], n - 1));
}

static struct fx_cel_value index_of(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    const size_t n = fx_cel_list_size(args[0]);
    for (size_t i = 0; i < n; i++) {
        if (!fx_spend(1)) {
            return fx_cel_exceeded(run);
        }
        if (fx_cel_equal(fx_cel_list_at(args[0], i), args[1])) {
            return fx_cel_make_int((int64_t)i);
        }
    }
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING ? fx_cel_make_int(-1)
                                                       : fx_cel_exceeded(run);
}

static struct fx_cel_value last_index_of(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    for (size_t i = fx_cel_list_size(args[0]); i > 0; i--) {
        if (!fx_spend(1)) {
            return fx_cel_exceeded(run);
        }
        if (fx_cel_equal(fx_cel_list_at(args[0], i - 1), args[1])) {
            return fx_cel_make_int((int64_t)i - 1);
        }
    }
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING ? fx_cel_make_int(-1)
                                                       : fx_cel_exceeded(run);
}

/* ---- new lists
 * --------------------------------------------------------------------------- */

/* Appends, and spends for it. False with *list the failure. */
static bool append(struct fx_cel_run *run, struct fx_cel_value *list,
                   struct fx_cel_value element) {
    if (!fx_spend(1)) {
        *list = fx_cel_exceeded(run);
        return false;
    }
    if (!fx_cel_list_add(run, *list, element)) {
        *list = fx_cel_no_memory(run);
        return false;
    }
    return true;
}

static struct fx_cel_value reverse(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    const size_t n = fx_cel_list_size(args[0]);
    struct fx_cel_value list = fx_cel_new_list(run, n);
    bool ok = !fx_cel_is_error(list);
    for (size_t i = n; ok && i > 0; i--) {
        ok = append(run, &list, fx_cel_list_at(args[0], i - 1));
    }
    return list;
}

static struct fx_cel_value slice(struct fx_cel_run *run,
                                 const struct fx_cel_value *args) {
    const int64_t from = args[1].integer;
    const int64_t to = args[2].integer;
    const size_t n = fx_cel_list_size(args[0]);
    const char *mistake = NULL;
    if (from < 0 || to < 0) {
        mistake = "negative indexes not supported";
    } else if (from > to) {
        mistake = "start index must be less than or equal to end index";
    } else if ((uint64_t)to > n) {
        return fx_cel_fail(run, "cannot slice(%lld, %lld), list is length %zu",
                           (long long)from, (long long)to, n);
    }
    if (mistake != NULL) {
        return fx_cel_fail(run, "cannot slice(%lld, %lld), %s", (long long)from,
                           (long long)to, mistake);
    }
    struct fx_cel_value list = fx_cel_new_list(run, (size_t)(to - from));
    bool ok = !fx_cel_is_error(list);
    for (size_t i = (size_t)from; ok && i < (size_t)to; i++) {
        ok = append(run, &list, fx_cel_list_at(args[0], i));
    }
    return list;
}

/* A range that the cost limit does not allow is not built. */
static struct fx_cel_value range(struct fx_cel_run *run,
                                 const struct fx_cel_value *args) {
    const int64_t n = args[0].integer > 0 ? args[0].integer : 0;
    if ((uint64_t)n + LIST_COST > run->cost_limit - run->cost) {
        run->cost = run->cost_limit + 1;
        return fx_cel_over_cost(run);
    }
    struct fx_cel_value list = fx_cel_new_list(run, (size_t)n);
    bool ok = !fx_cel_is_error(list);
    for (int64_t i = 0; ok && i < n; i++) {
        ok = append(run, &list, fx_cel_make_int(i));
    }
    return list;
}

/* Appends the elements of the list, and of the lists in it down to `depth` levels, of
 * which values have no more than FX_LIMIT_CEL_VALUE_DEPTH. */
static bool add_flattened(struct fx_cel_run *run, struct fx_cel_value *to,
                          struct fx_cel_value list, int64_t depth) {
    const size_t n = fx_cel_list_size(list);
    for (size_t i = 0; i < n; i++) {
        const struct fx_cel_value element = fx_cel_list_at(list, i);
        const bool is_nested = element.kind == FX_CEL_LIST && depth > 0;
        if (is_nested ? !fx_spend(1) || !add_flattened(run, to, element, depth - 1)
                      : !append(run, to, element)) {
            return false;
        }
    }
    return true;
}

static struct fx_cel_value flatten_to(struct fx_cel_run *run, struct fx_cel_value list,
                                      int64_t depth) {
    struct fx_cel_value flat = fx_cel_new_list(run, 0);
    if (depth > FX_LIMIT_CEL_VALUE_DEPTH) {
        depth = FX_LIMIT_CEL_VALUE_DEPTH;
    }
    if (!fx_cel_is_error(flat) && !add_flattened(run, &flat, list, depth) &&
        !fx_cel_is_error(flat)) {
        return fx_cel_exceeded(run);
    }
    return flat;
}

/* Its argument may be any list: one that is flat stays as it is. */
static struct fx_cel_value flatten(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    return args[0].kind == FX_CEL_LIST ? flatten_to(run, args[0], 1)
                                       : fx_cel_no_overload_for(run, "flatten");
}

static struct fx_cel_value flatten_levels(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    if (args[0].kind != FX_CEL_LIST || args[1].kind != FX_CEL_INT) {
        return fx_cel_fail(run, "no such overload: %s.flatten(%s)",
                           fx_cel_type_name(args[0]), fx_cel_type_name(args[1]));
    }
    return args[1].integer < 0 ? fx_cel_fail(run, "level must be non-negative")
                               : flatten_to(run, args[0], args[1].integer);
}

/* Quadratic, as its cost. */
static struct fx_cel_value distinct(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    const size_t n = fx_cel_list_size(args[0]);
    struct fx_cel_value list = fx_cel_new_list(run, 0);
    bool ok = !fx_cel_is_error(list);
    for (size_t i = 0; ok && i < n; i++) {
        const struct fx_cel_value element = fx_cel_list_at(args[0], i);
        ok = cel_list_has(list, element) || append(run, &list, element);
    }
    return ok && fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_cel_exceeded(run)
                                                             : list;
}

/* ---- costs
 * ------------------------------------------------------------------------------- */

/* The cost of reading a value: 1 for a scalar, a tenth of the bytes of a text, which is
 * 0 for a short one, and the sum of what is in a list or map. */
static uint64_t traverse(struct fx_cel_value value, unsigned depth) {
    uint64_t cost = 0;
    if (value.kind == FX_CEL_STRING || value.kind == FX_CEL_BYTES) {
        return (uint64_t)((double)value.text.len * 0.1);
    }
    if ((value.kind != FX_CEL_LIST && value.kind != FX_CEL_MAP) || depth == 0) {
        return 1;
    }
    if (value.kind == FX_CEL_LIST) {
        const size_t n = fx_cel_list_size(value);
        for (size_t i = 0; i < n && fx_spend(1); i++) {
            cost += traverse(fx_cel_list_at(value, i), depth - 1);
        }
        return cost;
    }
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    fx_cel_map_walk_start(&walk, value);
    while (fx_cel_map_walk_next(&walk, &entry) && fx_spend(1)) {
        cost += traverse(entry.key, depth - 1) + traverse(entry.value, depth - 1);
    }
    return cost;
}

uint64_t cel_traversal_cost(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)result;
    return traverse(args[0], FX_LIMIT_CEL_VALUE_DEPTH);
}

static uint64_t result_cost(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)args;
    return LIST_COST + fx_cel_cost_length(result);
}

#define MOST_COST (UINT64_MAX / 4) /* far over each limit */

static uint64_t flatten_cost(const struct fx_cel_value *args,
                             struct fx_cel_value result) {
    (void)result;
    return LIST_COST + fx_cel_cost_length(args[0]);
}

static uint64_t flatten_levels_cost(const struct fx_cel_value *args,
                                    struct fx_cel_value result) {
    (void)result;
    uint64_t cost = 0;
    if (args[1].kind != FX_CEL_INT || args[1].integer < 0) {
        return LIST_COST;
    }
    if (__builtin_mul_overflow(fx_cel_cost_length(args[0]), (uint64_t)args[1].integer,
                               &cost) ||
        cost > MOST_COST) {
        return MOST_COST;
    }
    return LIST_COST + cost;
}

/* A row for each type of elements that can be ordered: its lists, and itself. */
#define FOR_ORDERED(X)                                                          \
    X(fx_cel_list_int, fx_cel_int), X(fx_cel_list_uint, fx_cel_uint),           \
        X(fx_cel_list_double, fx_cel_double), X(fx_cel_list_bool, fx_cel_bool), \
        X(fx_cel_list_duration, fx_cel_duration),                               \
        X(fx_cel_list_timestamp, fx_cel_timestamp),                             \
        X(fx_cel_list_string, fx_cel_string), X(fx_cel_list_bytes, fx_cel_bytes)

/* A function of these lists; its cost holds for the function. */
#define ORDERED(name, list, result_, call_) \
    {                                       \
        .function = (name),                 \
        FX_CEL_METHOD(&(list)),             \
        .result = &(result_),               \
        .call = (call_),                    \
        .cost = cel_traversal_cost,         \
        .always_costs = true,               \
    }
#define IS_SORTED(list, element) ORDERED("isSorted", list, fx_cel_bool, cel_is_sorted)
#define LEAST(list, element)     ORDERED("min", list, element, cel_min)
#define GREATEST(list, element)  ORDERED("max", list, element, cel_max)
#define SORT(list, element)     \
    {                           \
        .function = "sort",     \
        FX_CEL_METHOD(&(list)), \
        .result = &(list),      \
        .call = cel_sort,       \
        .cost = cel_pairs_cost, \
        .takes_all = true,      \
        .ends_on_error = true,  \
    }
#define SORT_BY_KEYS(list, element)             \
    {                                           \
        .function = "@sortByAssociatedKeys",    \
        FX_CEL_METHOD(&fx_cel_list_t, &(list)), \
        .result = &fx_cel_list_t,               \
        .call = cel_sort_by_keys,               \
        .cost = cel_key_pairs_cost,             \
        .takes_all = true,                      \
        .ends_on_error = true,                  \
    }

const struct fx_cel_overload fx_cel_lists[] = {
    FOR_ORDERED(IS_SORTED),
    ORDERED("sum", fx_cel_list_int, fx_cel_int, cel_sum_ints),
    ORDERED("sum", fx_cel_list_uint, fx_cel_uint, cel_sum_uints),
    ORDERED("sum", fx_cel_list_double, fx_cel_double, cel_sum_doubles),
    ORDERED("sum", fx_cel_list_duration, fx_cel_duration, cel_sum_durations),
    FOR_ORDERED(LEAST),
    FOR_ORDERED(GREATEST),
    {.function = "indexOf",
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_t),
     .result = &fx_cel_int,
     .call = index_of,
     .cost = cel_traversal_cost,
     .always_costs = true},
    {.function = "lastIndexOf",
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_t),
     .result = &fx_cel_int,
     .call = last_index_of,
     .cost = cel_traversal_cost,
     .always_costs = true},
    {.function = "slice",
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_int, &fx_cel_int),
     .result = &fx_cel_list_t,
     .call = slice,
     .cost = result_cost},
    {.function = "flatten",
     FX_CEL_METHOD(&fx_cel_list_list_t),
     .result = &fx_cel_list_t,
     .call = flatten,
     .cost = flatten_cost,
     .takes_all = true},
    {.function = "flatten",
     FX_CEL_METHOD(&fx_cel_list_dyn, &fx_cel_int),
     .result = &fx_cel_list_dyn,
     .call = flatten_levels,
     .cost = flatten_levels_cost,
     .takes_all = true},
    FOR_ORDERED(SORT),
    FOR_ORDERED(SORT_BY_KEYS),
    {.function = "lists.range",
     FX_CEL_FUNCTION(&fx_cel_int),
     .result = &fx_cel_list_int,
     .call = range,
     .cost = result_cost},
    {.function = "reverse",
     FX_CEL_METHOD(&fx_cel_list_t),
     .result = &fx_cel_list_t,
     .call = reverse,
     .cost = result_cost},
    {.function = "distinct",
     FX_CEL_METHOD(&fx_cel_list_t),
     .result = &fx_cel_list_t,
     .call = distinct,
     .cost = cel_pairs_cost,
     .ends_on_error = true},
    {.function = "first",
     FX_CEL_METHOD(&fx_cel_list_t),
     .result = &fx_cel_optional_t,
     .call = first},
    {.function = "last",
     FX_CEL_METHOD(&fx_cel_list_t),
     .result = &fx_cel_optional_t,
     .call = last},
    {.function = NULL},
};
