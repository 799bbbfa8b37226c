/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/templates.c - each function of the tables of templates, called with
 * arguments of each shape: one of them large, or all, or very many small ones.
 */
#include "meter.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "location/sprig/cost_testing.h"

/* Has a function before this one the same code? */
static bool is_alias(size_t index) {
    const struct function *function = function_at(&fx_sprig, index);
    for (size_t i = 0; i < index; i++) {
        if (function_at(&fx_sprig, i)->call == function->call) {
            return true;
        }
    }
    return false;
}

#define ALL (~0u)

/* Variations of a call: one argument large, then all of them, then many small ones. */
static size_t count_variations(const struct function *function) {
    const size_t n = cost_count_parameters(function);
    return (n < 2 ? 1 : n + 1) + (function->variadic ? 1 : 0);
}

static size_t count_cases(const struct function *function) {
    const size_t n_shapes = cost_takes_shapes(function) ? N_COST_SHAPES : 1;
    return n_shapes * count_variations(function);
}

/* A case of the set, taken apart. */
struct variation {
    struct cost_case of;
    bool is_many;
};

static void vary(struct variation *variation, size_t which) {
    const struct function *function = variation->of.function;
    const size_t n = cost_count_parameters(function);
    variation->of.n_arguments = n;
    variation->of.large = ALL;
    variation->is_many = function->variadic && which + 1 == count_variations(function);
    if (variation->is_many) {
        variation->of.large = 0;
    } else if (n > 1 && which < n) {
        variation->of.large = 1u << which;
    }
}

/* The functions that are called, each under its first name. */
#define MOST_FUNCTIONS 512

static const struct function *called[MOST_FUNCTIONS];
static size_t n_called;

static void collect(void) {
    for (size_t i = 0; function_at(&fx_sprig, i) != NULL; i++) {
        if (function_at(&fx_sprig, i)->call != NULL && !is_alias(i)) {
            assert(n_called < MOST_FUNCTIONS);
            called[n_called++] = function_at(&fx_sprig, i);
        }
    }
}

static bool find(size_t index, struct variation *ret_variation) {
    if (n_called == 0) {
        collect();
    }
    for (size_t i = 0; i < n_called; i++) {
        const size_t n = count_cases(called[i]);
        if (index < n) {
            *ret_variation = (struct variation){.of.function = called[i]};
            ret_variation->of.shape = (unsigned)(index / count_variations(called[i]));
            vary(ret_variation, index % count_variations(called[i]));
            return true;
        }
        index -= n;
    }
    return false;
}

static bool describe(size_t index, struct meter_case *ret_case) {
    struct variation variation;
    if (!find(index, &variation)) {
        return false;
    }
    const struct cost_case *of = &variation.of;
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "%s", of->function->name);
    if (variation.is_many) {
        (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s, many arguments",
                       cost_shape_name(of->shape));
    } else if (of->large != ALL) {
        (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s, argument %d",
                       cost_shape_name(of->shape), __builtin_ctz(of->large) + 1);
    } else {
        (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                       cost_shape_name(of->shape));
    }
    return true;
}

static size_t count_many(size_t size) {
    const size_t n = size / 16 + 1;
    return n < COST_MOST_ARGUMENTS ? n : COST_MOST_ARGUMENTS;
}

static void call(struct template_run *built, const struct cost_case *of) {
    struct fx_err err = FX_ERR_INIT;
    const struct value *arguments = cost_arguments(built, of);
    alignas(max_align_t) char block[4096];
    struct template_run run;
    struct value result;
    run_init(&run, block, sizeof block, &err);
    if (arguments != NULL) {
        meter_start();
        meter_stop(
            function_call(&run, of->function, arguments, of->n_arguments, &result));
    }
    run_finish(&run);
}

static void run(size_t index, size_t size) {
    struct variation variation;
    alignas(max_align_t) char block[4096];
    struct fx_err err = FX_ERR_INIT;
    struct template_run built;
    run_init(&built, block, sizeof block, &err);
    if (find(index, &variation)) {
        variation.of.size = size;
        if (variation.is_many) {
            variation.of.n_arguments = count_many(size);
        }
        call(&built, &variation.of);
    }
    run_finish(&built);
}

const struct meter_set meter_templates = {"templates", describe, run};
