/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_foreign_test.c - which ids wait, which are removed, and which are
 * left alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/limits.h"
#include "cluster/status/status_internal.h"

#define A FX_TEXT("gatekeeper-audit-7d4b9c6f5-x2x4q")
#define B FX_TEXT("b")

static void it_is_waited_for(void **state) {
    (void)state;
    struct fx_sweep_foreign all = {0};
    assert_true(fx_sweep_foreign_next(&all) == UINT64_MAX);
    assert_false(fx_sweep_foreign_is_due(&all, A, UINT64_MAX));
    assert_true(fx_sweep_foreign_see(&all, A, 100));
    assert_true(fx_sweep_foreign_see(&all, B, 50));
    assert_true(fx_sweep_foreign_see(&all, A, 900)); /* it has been seen before */
    assert_int_equal(all.n_items, 2);
    assert_int_equal(fx_sweep_foreign_next(&all), 50);
    assert_false(fx_sweep_foreign_is_due(&all, A, 99));
    assert_true(fx_sweep_foreign_is_due(&all, A, 100));
    assert_null(fx_sweep_foreign_end_pass(&all, 60, 1000));
    assert_int_equal(all.n_items, 2);
    fx_sweep_foreign_finish(&all);
    assert_int_equal(all.n_items, 0);
}

/* One whose entries are gone is forgotten: it is new where it is seen again. */
static void it_is_gone(void **state) {
    (void)state;
    struct fx_sweep_foreign all = {0};
    assert_true(fx_sweep_foreign_see(&all, A, 100));
    assert_true(fx_sweep_foreign_see(&all, B, 100));
    assert_null(fx_sweep_foreign_end_pass(&all, 0, 1000));
    assert_true(fx_sweep_foreign_see(&all, B, 100));
    assert_null(fx_sweep_foreign_end_pass(&all, 150, 1000));
    assert_int_equal(all.n_items, 1);
    assert_false(fx_sweep_foreign_is_due(&all, A, 150));
    assert_true(fx_sweep_foreign_is_due(&all, B, 150));
    assert_true(fx_sweep_foreign_see(&all, A, 300));
    assert_false(fx_sweep_foreign_is_due(&all, A, 150));
    fx_sweep_foreign_finish(&all);
}

/* An id that comes back again and again is still written by some program. */
static void it_comes_back(void **state) {
    (void)state;
    struct fx_sweep_foreign all = {0};
    const char *left_alone = NULL;
    assert_true(fx_sweep_foreign_see(&all, A, 100));
    assert_null(fx_sweep_foreign_end_pass(&all, 99, 1000)); /* not yet ripe: no try */
    for (uint64_t i = 0; i < FX_SWEEP_TRIES; i++) {
        assert_null(left_alone);
        assert_true(fx_sweep_foreign_see(&all, A, 0));
        assert_true(fx_sweep_foreign_is_due(&all, A, 100 + i));
        left_alone = fx_sweep_foreign_end_pass(&all, 100 + i, 1000);
    }
    assert_true(fx_text_is(A, left_alone));
    const uint64_t again = 100 + FX_SWEEP_TRIES - 1 + 1000;
    assert_int_equal(fx_sweep_foreign_next(&all), again);
    assert_false(fx_sweep_foreign_is_due(&all, A, again - 1));
    assert_true(fx_sweep_foreign_is_due(&all, A, again));
    assert_true(fx_sweep_foreign_see(&all, A, 0));
    assert_null(fx_sweep_foreign_end_pass(&all, again, 1000)); /* all tries anew */
    fx_sweep_foreign_finish(&all);
}

static void there_is_an_end_to_them(void **state) {
    (void)state;
    struct fx_sweep_foreign all = {0};
    char name[16];
    for (unsigned i = 0; i < FX_LIMIT_SWEEP_FOREIGN_IDS; i++) {
        (void)snprintf(name, sizeof name, "s%u", i);
        assert_true(fx_sweep_foreign_see(&all, fx_text_of(name), 1));
    }
    assert_true(fx_sweep_foreign_see(&all, A, 1));
    assert_false(fx_sweep_foreign_is_due(&all, A, 1));
    assert_int_equal(all.n_items, FX_LIMIT_SWEEP_FOREIGN_IDS);
    fx_sweep_foreign_finish(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_waited_for),
        cmocka_unit_test(it_is_gone),
        cmocka_unit_test(it_comes_back),
        cmocka_unit_test(there_is_an_end_to_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
