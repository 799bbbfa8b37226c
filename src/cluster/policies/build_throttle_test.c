/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/build_throttle_test.c - pauses between builds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cluster/policies/build_throttle.h"

#define GATHER_MS 20u

/* Half of a core at most, and never before the others have come. */
static void builds_rest(void **state) {
    (void)state;
    struct fx_build_throttle throttle;
    fx_build_throttle_init(&throttle);
    assert_int_equal(fx_build_throttle_wait_ms(&throttle, GATHER_MS), GATHER_MS);
    assert_false(fx_build_throttle_succeeded(&throttle, 5));
    assert_int_equal(fx_build_throttle_wait_ms(&throttle, GATHER_MS), GATHER_MS);
    assert_false(fx_build_throttle_succeeded(&throttle, 3000));
    assert_int_equal(fx_build_throttle_wait_ms(&throttle, GATHER_MS), 3000);
    assert_false(fx_build_throttle_succeeded(&throttle, 0));
    assert_int_equal(fx_build_throttle_wait_ms(&throttle, GATHER_MS), GATHER_MS);
}

/* What is between half and one and a half of a doubling pause, and new only once. */
static void failures_pause(void **state) {
    (void)state;
    struct fx_build_throttle throttle;
    fx_build_throttle_init(&throttle);
    uint64_t about_ms = FX_BUILD_PAUSE_MIN_MS;
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(fx_build_throttle_failed(&throttle, 1), i == 0);
        const uint64_t wait_ms = fx_build_throttle_wait_ms(&throttle, GATHER_MS);
        assert_in_range(wait_ms, about_ms / 2, about_ms + about_ms / 2);
        about_ms =
            about_ms < FX_BUILD_PAUSE_MAX_MS / 2 ? 2 * about_ms : FX_BUILD_PAUSE_MAX_MS;
    }
    assert_true(fx_build_throttle_succeeded(&throttle, 1));
    assert_int_equal(fx_build_throttle_wait_ms(&throttle, GATHER_MS), GATHER_MS);
    assert_false(fx_build_throttle_succeeded(&throttle, 1));
    assert_true(fx_build_throttle_failed(&throttle, 1)); /* from the beginning */
    assert_in_range(fx_build_throttle_wait_ms(&throttle, GATHER_MS),
                    FX_BUILD_PAUSE_MIN_MS / 2,
                    FX_BUILD_PAUSE_MIN_MS + FX_BUILD_PAUSE_MIN_MS / 2);
}

/* A failure that took long is no reason to be quicker than half of a core. */
static void slow_failures_rest(void **state) {
    (void)state;
    struct fx_build_throttle throttle;
    fx_build_throttle_init(&throttle);
    assert_true(fx_build_throttle_failed(&throttle, 90000));
    assert_int_equal(fx_build_throttle_wait_ms(&throttle, GATHER_MS), 90000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_rest),
        cmocka_unit_test(failures_pause),
        cmocka_unit_test(slow_failures_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
