/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/cel_functions_oom_test.c - each function of CEL's libraries, in each of its
 * overloads, with every allocation refused in turn: it says that there is no memory, or
 * has the result that it has otherwise, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "location/cel_library/cost_testing.h"
#include "location/cel_library/kyverno.h"
#include "refuse.h"

#define RUNS_MAX 100000
#define SIZE     40u /* bytes of each argument */
#define MESSAGE  512

/* Texts that some function reads, and other values. */
static const unsigned shapes[] = {
    FX_SHAPE_DIGITS,  FX_SHAPE_WORDS, FX_SHAPE_INVALID, FX_SHAPE_URL,
    FX_SHAPE_PATTERN, CEL_COST_TEXTS, CEL_COST_NESTED,  CEL_COST_MAPS,
};

/* What a call gives: the kind of its value, and the message of an error. */
struct outcome {
    bool has_memory;
    uint8_t kind;
    char error[MESSAGE];
};

static void call(const struct fx_cel_overload *overload, struct fx_cel_run *run,
                 const struct fx_cel_value *args, struct outcome *ret_outcome) {
    const struct fx_cel_value result = overload->call(run, args);
    const bool is_fatal = fx_cel_is_error(result) && (result.flags & FX_CEL_FATAL) != 0;
    assert_int_not_equal(result.kind, FX_CEL_UNSET);
    assert_true(!is_fatal || run->err->code != FX_OK);
    *ret_outcome = (struct outcome){
        .has_memory = !is_fatal || run->err->code != FX_ENOMEM, .kind = result.kind};
    (void)snprintf(ret_outcome->error, MESSAGE, "%s",
                   fx_cel_is_error(result) ? result.error : "");
}

/* Calls the overload with new arguments, as some functions write to theirs, in an arena
 * of their own. False if there are none of this shape. */
static bool act(const struct fx_cel_overload *overload, unsigned shape,
                struct outcome *ret_outcome) {
    struct fx_cel_value args[FX_CEL_MOST_ARGUMENTS] = {{0}};
    struct fx_arena given;
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_cel_run run = {
        .arena = &given, .cost_limit = FX_CEL_COST_LIMIT, .err = &err};
    const struct cel_cost_case of = {
        .run = &run, .overload = overload, .shape = shape, .large = ~0u, .size = SIZE};
    fx_arena_init(&given, FX_LIMIT_ARENA_BYTES);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    refuse_pause();
    const bool ok = cel_cost_arguments(&of, args);
    refuse_resume();
    if (ok) {
        fx_err_reset(&err);
        run.arena = &arena;
        call(overload, &run, args, ret_outcome);
    }
    fx_arena_finish(&arena);
    fx_arena_finish(&given);
    return ok;
}

static bool is_same(const struct outcome *a, const struct outcome *b) {
    return a->kind == b->kind && strcmp(a->error, b->error) == 0;
}

/* Refuses one allocation after the other until it needs no more. False if there are no
 * arguments of this shape. */
static bool refuse_all(const struct fx_cel_overload *overload, unsigned shape,
                       bool ever_after) {
    struct outcome expected;
    struct outcome outcome;
    if (!act(overload, shape, &expected)) { /* what is allocated once, is */
        return false;
    }
    assert_true(expected.has_memory);
    long live = refuse_live();
    bool refused = true;
    for (long n = 0; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        assert_true(act(overload, shape, &outcome));
        refused = refuse_stop();
        const bool ok = outcome.has_memory ? is_same(&outcome, &expected) : refused;
        if (!ok || !refuse_lost_nothing(&live, true)) {
            fail_msg("%s: refused %ld: %s", overload->function, n, outcome.error);
        }
    }
    return true;
}

/* With the arguments of each shape. False if there are none. */
static bool refuse_shapes(const struct fx_cel_overload *overload) {
    bool called = false;
    for (size_t i = 0; i < FX_COUNT(shapes); i++) {
        called = (refuse_all(overload, shapes[i], false) &&
                  refuse_all(overload, shapes[i], true)) ||
                 called;
    }
    return called;
}

static void refuse_library(const struct fx_cel_overload *overload) {
    for (; overload->function != NULL; overload++) {
        if (overload->call != NULL && !refuse_shapes(overload)) {
            fail_msg("%s: there are no arguments for it", overload->function);
        }
    }
}

static void test_functions(void **state) {
    for (size_t i = 0; fx_cel_kyverno_libraries[i] != NULL; i++) {
        refuse_library(fx_cel_kyverno_libraries[i]);
    }
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions)};
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
