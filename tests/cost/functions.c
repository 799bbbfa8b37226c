/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/functions.c - each function and operator of the libraries of CEL, in each of
 * its overloads, called with arguments of each shape: one of them large, or all.
 */
#include "meter.h"

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "location/cel_library/cost_testing.h"

#define ALL (~0u)

/* Do texts of each shape make a difference? */
static bool takes_texts(const struct fx_cel_overload *overload) {
    for (size_t i = 0; i < overload->n_args; i++) {
        const enum fx_cel_type_kind kind = overload->args[i]->kind;
        if (kind == FX_CEL_TYPE_STRING || kind == FX_CEL_TYPE_BYTES) {
            return true;
        }
    }
    return false;
}

/* All shapes, or those of other values than texts. */
static size_t count_shapes(const struct fx_cel_overload *overload) {
    return takes_texts(overload) ? N_CEL_COST_SHAPES : N_CEL_COST_SHAPES - CEL_COST_TEXTS;
}

/* One argument is large, then all of them are. */
static size_t count_variations(const struct fx_cel_overload *overload) {
    return overload->n_args < 2 ? 1 : overload->n_args + 1u;
}

static size_t count_cases(const struct fx_cel_overload *overload) {
    return overload->call == NULL ? 0
                                  : count_shapes(overload) * count_variations(overload);
}

static void set_case(struct cel_cost_case *of, const struct fx_cel_overload *overload,
                     size_t index) {
    const size_t n = count_variations(overload);
    *of = (struct cel_cost_case){.overload = overload, .large = ALL};
    of->shape = (unsigned)(N_CEL_COST_SHAPES - count_shapes(overload) + index / n);
    if (index % n + 1 < n) {
        of->large = 1u << index % n;
    }
}

static bool find(size_t index, struct cel_cost_case *ret_case) {
    for (size_t i = 0; fx_cel_mutation_libraries[i] != NULL; i++) {
        const struct fx_cel_overload *overload = fx_cel_mutation_libraries[i];
        for (; overload->function != NULL; overload++) {
            const size_t n = count_cases(overload);
            if (index < n) {
                set_case(ret_case, overload, index);
                return true;
            }
            index -= n;
        }
    }
    return false;
}

static bool describe(size_t index, struct meter_case *ret_case) {
    struct cel_cost_case of;
    if (!find(index, &of)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "%s",
                   of.overload->function);
    if (of.large == ALL) {
        (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                       cel_cost_shape_name(of.shape));
    } else {
        (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s, argument %d",
                       cel_cost_shape_name(of.shape), __builtin_ctz(of.large) + 1);
    }
    return true;
}

/* The evaluator spends a unit for each node of an expression: for the call, and for each
 * argument. */
static void call(const struct cel_cost_case *of, const struct fx_cel_value *args) {
    const struct fx_cel_overload *overload = of->overload;
    meter_start();
    (void)fx_spend(1u + overload->n_args);
    const struct fx_cel_value result = overload->call(of->run, args);
    if (overload->cost != NULL) {
        (void)overload->cost(args, result);
    }
    meter_stop(!fx_cel_is_error(result));
}

static void run(size_t index, size_t size) {
    struct cel_cost_case of;
    struct fx_cel_value args[FX_CEL_MOST_ARGUMENTS] = {{0}};
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_cel_run run = {
        .arena = &arena, .cost_limit = FX_CEL_COST_LIMIT, .err = &err};
    if (find(index, &of)) {
        of.run = &run;
        of.size = size;
        if (cel_cost_arguments(&of, args)) {
            fx_err_reset(&err);
            call(&of, args);
        }
    }
    fx_arena_finish(&arena);
}

const struct meter_set meter_functions = {"functions", describe, run};
