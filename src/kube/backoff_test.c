/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/backoff_test.c - pauses: their bounds, and that they differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kube/backoff.h"

#define MIN 500u
#define MAX 30000u
#define MS  UINT64_C(1000000)

static void it_grows_to_its_bound(void **state) {
    (void)state;
    static const uint64_t wanted[] = {500,   1000,  2000,  4000, 8000,
                                      16000, 30000, 30000, 30000};
    struct fx_kube_random random = {1};
    for (size_t round = 0; round < 200; round++) {
        struct fx_kube_backoff backoff = {.min_ms = MIN, .max_ms = MAX};
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
            const uint64_t pause = fx_kube_backoff_next(&backoff, 0, 60000, &random);
            assert_in_range(pause, wanted[i] / 2, wanted[i] * 3 / 2);
        }
        fx_kube_backoff_reset(&backoff);
        assert_in_range(fx_kube_backoff_next(&backoff, 0, 60000, &random), 250, 750);
    }
}

/* In a thousand draws, both halves of the range are about as full. */
static void it_is_spread(void **state) {
    (void)state;
    struct fx_kube_random random = {7};
    size_t low = 0;
    for (size_t i = 0; i < 1000; i++) {
        struct fx_kube_backoff backoff = {.min_ms = MIN, .max_ms = MAX};
        low += fx_kube_backoff_next(&backoff, 0, 0, &random) < MIN;
    }
    assert_in_range(low, 400, 600);
}

static void the_server_may_wish(void **state) {
    (void)state;
    struct fx_kube_random random = {7};
    struct fx_kube_backoff backoff = {.min_ms = MIN, .max_ms = MAX};
    assert_int_equal(fx_kube_backoff_next(&backoff, 7000, 60000, &random), 7000);
    assert_int_equal(fx_kube_backoff_next(&backoff, 3600000, 60000, &random), 60000);
    /* Retry-After is only the least pause. */
    fx_kube_backoff_reset(&backoff);
    assert_in_range(fx_kube_backoff_next(&backoff, 1, 60000, &random), 250, 750);
}

static void numbers_between(void **state) {
    (void)state;
    struct fx_kube_random random = {0};
    unsigned seen = 0;
    for (size_t i = 0; i < 1000; i++) {
        const uint64_t drawn = fx_kube_random_between(&random, 3, 7);
        assert_in_range(drawn, 3, 7);
        seen |= 1u << drawn;
    }
    assert_int_equal(seen, 0xF8);
    assert_int_equal(fx_kube_random_between(&random, 5, 5), 5);
}

static void no_two_are_seeded_alike(void **state) {
    (void)state;
    struct fx_kube_random a, b;
    fx_kube_random_init(&a);
    fx_kube_random_init(&b);
    assert_true(a.state != b.state);
}

/* ---- the throttle ---------------------------------------------------------------- */

static const struct fx_kube_throttle usual = {
    .first_ms = 100, .last_ms = 1000, .calm_ms = 500};

/* A write that takes no time. */
static void write_at(struct fx_kube_throttle *throttle, uint64_t ms) {
    fx_kube_throttle_started(throttle, ms * MS);
    fx_kube_throttle_ended(throttle, ms * MS);
}

static void the_first_waits_for_nothing(void **state) {
    (void)state;
    struct fx_kube_throttle throttle = usual;
    assert_int_equal(fx_kube_throttle_wait_ms(&throttle, 5 * MS), 0);
}

static void repeated_writes_wait_longer(void **state) {
    (void)state;
    static const uint64_t waits[] = {100, 200, 400, 800, 1000, 1000, 1000};
    struct fx_kube_throttle throttle = usual;
    uint64_t now = 10000;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        write_at(&throttle, now);
        assert_int_equal(fx_kube_throttle_wait_ms(&throttle, now * MS), waits[i]);
        assert_int_equal(fx_kube_throttle_wait_ms(&throttle, (now + 40) * MS),
                         waits[i] - 40);
        now += waits[i];
        assert_int_equal(fx_kube_throttle_wait_ms(&throttle, now * MS), 0);
    }
}

/* The calm begins when the pause is over, so a long pause alone is none. */
static void after_a_calm_it_begins_anew(void **state) {
    (void)state;
    struct fx_kube_throttle throttle = usual;
    uint64_t now = 10000;
    for (int i = 0; i < 5; i++) {
        write_at(&throttle, now);
        now += throttle.pause_ms;
    }
    write_at(&throttle, now + 500); /* not yet */
    assert_int_equal(throttle.pause_ms, 1000);
    now += 500 + 1000 + 501;
    write_at(&throttle, now);
    assert_int_equal(fx_kube_throttle_wait_ms(&throttle, now * MS), 100);
}

static void a_write_that_takes_long_is_waited_after(void **state) {
    (void)state;
    struct fx_kube_throttle throttle = usual;
    fx_kube_throttle_started(&throttle, 1000 * MS);
    fx_kube_throttle_ended(&throttle, 31000 * MS);
    assert_int_equal(fx_kube_throttle_wait_ms(&throttle, 31000 * MS), 100);
    assert_int_equal(fx_kube_throttle_wait_ms(&throttle, 31099 * MS + 1),
                     1); /* never too early */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_to_its_bound),
        cmocka_unit_test(it_is_spread),
        cmocka_unit_test(the_server_may_wish),
        cmocka_unit_test(numbers_between),
        cmocka_unit_test(no_two_are_seeded_alike),
        cmocka_unit_test(the_first_waits_for_nothing),
        cmocka_unit_test(repeated_writes_wait_longer),
        cmocka_unit_test(after_a_calm_it_begins_anew),
        cmocka_unit_test(a_write_that_takes_long_is_waited_after),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
