/* SPDX-License-Identifier: Apache-2.0
 *
 * base/budget_test.c - bounds within bounds, the clock, and exchanging budgets.
 */
#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

#define AN_HOUR_NS UINT64_C(3600000000000)

/* Each test leaves the thread without a bound. */
static int reset(void **state) {
    (void)state;
    fx_thread_budget = (struct fx_budget){0};
    return 0;
}

static void test_no_bound(void **state) {
    (void)state;
    assert_true(fx_spend(UINT64_C(1) << 60));
    assert_true(fx_spend(1));
    assert_int_equal(fx_budget_spent(), (UINT64_C(1) << 60) + 1);
    assert_int_equal(fx_budget_exceeded(), FX_EXCEEDED_NOTHING);
}

/* As many units as given, and not one more. */
static void test_units(void **state) {
    (void)state;
    const struct fx_bound before = fx_budget_narrow(10, 0);
    assert_true(fx_spend(4));
    assert_true(fx_spend(6));
    assert_false(fx_spend(1));
    assert_false(fx_spend(0)); /* it stays so */
    assert_int_equal(fx_budget_exceeded(), FX_EXCEEDED_UNITS);
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_UNITS);
    assert_int_equal(fx_budget_exceeded(), FX_EXCEEDED_NOTHING);
    assert_true(fx_spend(1000));
}

/* The narrower of two bounds counts, whichever was set first. */
static void test_nested_units(void **state) {
    (void)state;
    const struct fx_bound none = fx_budget_narrow(10, 0);
    const struct fx_bound ten = fx_budget_narrow(100, 0);
    assert_true(fx_spend(10));
    assert_false(fx_spend(1));
    assert_int_equal(fx_budget_widen(ten), FX_EXCEEDED_UNITS);
    assert_int_equal(fx_budget_exceeded(), FX_EXCEEDED_UNITS); /* of the outer one, too */
    assert_false(fx_spend(1));
    assert_int_equal(fx_budget_widen(none), FX_EXCEEDED_UNITS);
    assert_true(fx_spend(1));
}

static void test_inner_exceeded(void **state) {
    (void)state;
    const struct fx_bound none = fx_budget_narrow(100, 0);
    const struct fx_bound hundred = fx_budget_narrow(5, 0);
    assert_false(fx_spend(6));
    assert_int_equal(fx_budget_widen(hundred), FX_EXCEEDED_UNITS);
    assert_true(fx_spend(94));
    assert_false(fx_spend(1));
    (void)fx_budget_widen(none);
}

/* A deadline that has passed is noticed at the first check. */
static void test_deadline(void **state) {
    (void)state;
    const struct fx_bound before = fx_budget_narrow(0, 1);
    assert_false(fx_spend(1));
    assert_int_equal(fx_budget_exceeded(), FX_EXCEEDED_TIME);
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_TIME);
    assert_true(fx_spend(1));
}

/* Work that runs past its deadline ends within one interval between checks, also where a
 * bound of units that is farther away is set in it. */
static void test_looks(void **state) {
    (void)state;
    const struct fx_bound before = fx_budget_narrow(0, fx_clock_ns() + UINT64_C(1000000));
    assert_true(fx_spend(1));
    const struct fx_bound timed = fx_budget_narrow(UINT64_C(1) << 40, 0);
    while (fx_clock_ns() < timed.deadline_ns) {
    }
    uint64_t units = 0;
    while (units <= FX_BUDGET_UNITS_PER_CHECK && fx_spend(1)) {
        units++;
    }
    assert_in_range(units, 0, FX_BUDGET_UNITS_PER_CHECK);
    assert_int_equal(fx_budget_widen(timed), FX_EXCEEDED_TIME);
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_TIME);
}

static void test_far_deadline(void **state) {
    (void)state;
    const struct fx_bound before = fx_budget_narrow(0, fx_clock_ns() + AN_HOUR_NS);
    for (int i = 0; i < 100; i++) {
        assert_true(fx_spend(FX_BUDGET_UNITS_PER_CHECK));
    }
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_NOTHING);
}

/* An earlier deadline outside is not lifted by a later one inside. */
static void test_nested_deadlines(void **state) {
    (void)state;
    const struct fx_bound none = fx_budget_narrow(0, 1);
    const struct fx_bound early = fx_budget_narrow(0, fx_clock_ns() + AN_HOUR_NS);
    assert_false(fx_spend(1));
    assert_int_equal(fx_budget_widen(early), FX_EXCEEDED_TIME);
    assert_int_equal(fx_budget_exceeded(), FX_EXCEEDED_TIME);
    (void)fx_budget_widen(none);
}

static void test_swap(void **state) {
    (void)state;
    struct fx_budget late = {.bound = {.deadline_ns = 1}};
    assert_true(fx_spend(7));
    fx_budget_swap(&late);
    assert_int_equal(fx_budget_spent(), 0);
    assert_false(fx_spend(3));
    fx_budget_swap(&late);
    assert_int_equal(late.spent, 3);
    assert_int_equal(late.exceeded, FX_EXCEEDED_TIME);
    assert_int_equal(fx_budget_spent(), 7);
    assert_true(fx_spend(1));
}

static void test_words(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_bound before = fx_budget_narrow(0, 1);
    assert_false(fx_spend(1) || fx_fail_exceeded(&err));
    assert_int_equal(err.code, FX_EDEADLINE);
    (void)fx_budget_widen(before);
    before = fx_budget_narrow(1, 0);
    assert_false(fx_spend(2) || fx_fail_exceeded(&err));
    assert_int_equal(err.code, FX_ELIMIT);
    (void)fx_budget_widen(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_no_bound, reset),
        cmocka_unit_test_setup(test_units, reset),
        cmocka_unit_test_setup(test_nested_units, reset),
        cmocka_unit_test_setup(test_inner_exceeded, reset),
        cmocka_unit_test_setup(test_deadline, reset),
        cmocka_unit_test_setup(test_looks, reset),
        cmocka_unit_test_setup(test_far_deadline, reset),
        cmocka_unit_test_setup(test_nested_deadlines, reset),
        cmocka_unit_test_setup(test_swap, reset),
        cmocka_unit_test_setup(test_words, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
