/* SPDX-License-Identifier: Apache-2.0
 *
 * sets.c - lists as sets (spec/cel.md sections 7 and 11): quadratic, as their cost says.
 */
#include "location/cel_library/library.h"

#include "location/cel/cost.h"
#include "location/cel_library/functions.h"

bool cel_list_has(struct fx_cel_value list, struct fx_cel_value element) {
    const size_t n = fx_cel_list_size(list);
    for (size_t i = 0; i < n && fx_spend(1); i++) {
        if (fx_cel_equal(element, fx_cel_list_at(list, i))) {
            return true;
        }
    }
    return false;
}

/* Has the list all elements of the other one, or one of them (`any`)? */
static bool has_those(struct fx_cel_value list, struct fx_cel_value other, bool any) {
    const size_t n = fx_cel_list_size(other);
    for (size_t i = 0; i < n; i++) {
        if (cel_list_has(list, fx_cel_list_at(other, i)) == any) {
            return any;
        }
        if (!fx_spend(1)) {
            break;
        }
    }
    return !any;
}

static struct fx_cel_value answer(struct fx_cel_run *run, bool is) {
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING ? fx_cel_make_bool(is)
                                                       : fx_cel_exceeded(run);
}

static struct fx_cel_value contains(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    return answer(run, has_those(args[0], args[1], false));
}

static struct fx_cel_value intersects(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    return answer(run, has_those(args[1], args[0], true));
}

static struct fx_cel_value equivalent(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    return answer(run, has_those(args[0], args[1], false) &&
                           has_those(args[1], args[0], false));
}

static uint64_t pairs(const struct fx_cel_value *args) {
    return fx_cel_cost_length(args[0]) * fx_cel_cost_length(args[1]);
}

static uint64_t pairs_cost(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)result;
    return 1 + pairs(args);
}

static uint64_t double_pairs_cost(const struct fx_cel_value *args,
                                  struct fx_cel_value result) {
    (void)result;
    return 1 + 2 * pairs(args);
}

#define PAIR(name, call_, cost_)                         \
    {                                                    \
        .function = (name),                              \
        FX_CEL_FUNCTION(&fx_cel_list_t, &fx_cel_list_t), \
        .result = &fx_cel_bool,                          \
        .call = (call_),                                 \
        .cost = (cost_),                                 \
    }

const struct fx_cel_overload fx_cel_sets[] = {
    PAIR("sets.contains", contains, pairs_cost),
    PAIR("sets.equivalent", equivalent, double_pairs_cost),
    PAIR("sets.intersects", intersects, pairs_cost),
    {.function = NULL},
};
