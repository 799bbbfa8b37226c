/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/pace_test.c - at once, then after pauses that double, then at once again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kube/pace.h"

#define MS UINT64_C(1000000)

static const struct fx_kube_throttle usual = {
    .first_ms = 100, .last_ms = 1000, .calm_ms = 500};

/* A write that takes no time. */
static void write_at(struct fx_kube_throttle *pace, uint64_t ms) {
    fx_kube_throttle_started(pace, ms * MS);
    fx_kube_throttle_ended(pace, ms * MS);
}

static void the_first_waits_for_nothing(void **state) {
    (void)state;
    struct fx_kube_throttle pace = usual;
    assert_int_equal(fx_kube_throttle_wait_ms(&pace, 5 * MS), 0);
}

static void who_writes_again_at_once_waits_longer_and_longer(void **state) {
    (void)state;
    static const uint64_t waits[] = {100, 200, 400, 800, 1000, 1000, 1000};
    struct fx_kube_throttle pace = usual;
    uint64_t now = 10000;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        write_at(&pace, now);
        assert_int_equal(fx_kube_throttle_wait_ms(&pace, now * MS), waits[i]);
        assert_int_equal(fx_kube_throttle_wait_ms(&pace, (now + 40) * MS), waits[i] - 40);
        now += waits[i];
        assert_int_equal(fx_kube_throttle_wait_ms(&pace, now * MS), 0);
    }
}

/* The calm begins when the pause is over, so a long pause alone is none. */
static void after_a_calm_it_begins_anew(void **state) {
    (void)state;
    struct fx_kube_throttle pace = usual;
    uint64_t now = 10000;
    for (int i = 0; i < 5; i++) {
        write_at(&pace, now);
        now += pace.pause_ms;
    }
    write_at(&pace, now + 500); /* not yet */
    assert_int_equal(pace.pause_ms, 1000);
    now += 500 + 1000 + 501;
    write_at(&pace, now);
    assert_int_equal(fx_kube_throttle_wait_ms(&pace, now * MS), 100);
}

static void a_write_that_takes_long_is_waited_after(void **state) {
    (void)state;
    struct fx_kube_throttle pace = usual;
    fx_kube_throttle_started(&pace, 1000 * MS);
    fx_kube_throttle_ended(&pace, 31000 * MS);
    assert_int_equal(fx_kube_throttle_wait_ms(&pace, 31000 * MS), 100);
    assert_int_equal(fx_kube_throttle_wait_ms(&pace, 31099 * MS + 1),
                     1); /* never too early */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_waits_for_nothing),
        cmocka_unit_test(who_writes_again_at_once_waits_longer_and_longer),
        cmocka_unit_test(after_a_calm_it_begins_anew),
        cmocka_unit_test(a_write_that_takes_long_is_waited_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
