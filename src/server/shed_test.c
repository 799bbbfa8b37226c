/* SPDX-License-Identifier: Apache-2.0
 *
 * server/shed_test.c - the estimate of how long a request has waited.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "server/shed.h"

#define MS UINT64_C(1000000)

static void test_one_turn(void **state) {
    (void)state;
    struct fx_wait_estimate estimate = {0};
    assert_int_equal(fx_wait_estimate_get(&estimate, 1000 * MS, 1000 * MS), 0);
    assert_int_equal(fx_wait_estimate_get(&estimate, 1000 * MS, 1007 * MS), 7 * MS);
    assert_int_equal(fx_wait_estimate_get(&estimate, 1010 * MS, 1011 * MS), 1 * MS);
}

/* Iterations have whole milliseconds, and may seem to begin later than now. */
static void test_a_turn_of_the_future(void **state) {
    (void)state;
    struct fx_wait_estimate estimate = {0};
    assert_int_equal(fx_wait_estimate_get(&estimate, 1000 * MS, 999 * MS), 0);
}

static void test_one_marker_at_a_time(void **state) {
    (void)state;
    struct fx_wait_estimate estimate = {.since_ns = 1000 * MS};
    assert_false(fx_wait_estimate_needs_marker(&estimate, 999 * MS, 30 * MS));
    assert_false(fx_wait_estimate_needs_marker(&estimate, 1029 * MS, 30 * MS));
    assert_true(fx_wait_estimate_needs_marker(&estimate, 1030 * MS, 30 * MS));
    assert_false(fx_wait_estimate_needs_marker(&estimate, 1040 * MS, 30 * MS));
    fx_wait_estimate_end_round(&estimate, 1050 * MS);
    assert_false(fx_wait_estimate_needs_marker(&estimate, 1079 * MS, 30 * MS));
    assert_true(fx_wait_estimate_needs_marker(&estimate, 1080 * MS, 30 * MS));
}

/* Until a marker returns, further iterations belong to the same estimate; after that,
 * waiting counts from its return, whenever the iteration began. */
static void test_round_of_several_iterations(void **state) {
    (void)state;
    struct fx_wait_estimate estimate = {0};
    assert_int_equal(fx_wait_estimate_get(&estimate, 1000 * MS, 1030 * MS), 30 * MS);
    assert_true(fx_wait_estimate_needs_marker(&estimate, 1030 * MS, 30 * MS));
    assert_int_equal(fx_wait_estimate_get(&estimate, 1100 * MS, 1140 * MS), 140 * MS);
    assert_int_equal(fx_wait_estimate_get(&estimate, 1200 * MS, 1240 * MS), 240 * MS);
    fx_wait_estimate_end_round(&estimate, 1250 * MS);
    assert_int_equal(fx_wait_estimate_get(&estimate, 1200 * MS, 1260 * MS), 10 * MS);
    assert_int_equal(fx_wait_estimate_get(&estimate, 1270 * MS, 1275 * MS), 5 * MS);
}

/* The process was stopped for two seconds, or one review took them: requests that waited
 * meanwhile are not overload. */
static void test_a_pause_is_forgiven(void **state) {
    (void)state;
    struct fx_wait_estimate estimate = {0};
    assert_int_equal(fx_wait_estimate_get(&estimate, 1000 * MS, 1001 * MS), 1 * MS);
    assert_int_equal(fx_wait_estimate_get(&estimate, 1000 * MS, 3001 * MS), 2001 * MS);
    assert_true(fx_wait_estimate_needs_marker(&estimate, 3001 * MS, 30 * MS));
    assert_int_equal(fx_wait_estimate_get(&estimate, 1000 * MS, 3002 * MS), 31 * MS);
    assert_int_equal(fx_wait_estimate_get(&estimate, 3005 * MS, 3007 * MS), 36 * MS);
}

/* ---- a loop that is played ---- */

#define CLIENTS 5000
#define BATCH   1024 /* sockets in an iteration, as in libuv */
#define MARKER  SIZE_MAX
#define BOUND   (500 * MS)
#define SHED_NS 60000 /* cost of a rejection */
#define PLAYED  (30000 * MS)

/* Clients that ask again as soon as they are answered, in the order of the list. */
struct play {
    struct fx_wait_estimate estimate;
    size_t list[CLIENTS + 1]; /* a ring */
    size_t first, n;
    uint64_t ready_ns[CLIENTS];
    uint64_t now_ns, review_ns, longest_wait_ns;
    size_t n_served, n_shed;
};

static void append(struct play *play, size_t who) {
    play->list[(play->first + play->n++) % FX_COUNT(play->list)] = who;
}

static size_t take(struct play *play) {
    const size_t who = play->list[play->first];
    play->first = (play->first + 1) % FX_COUNT(play->list);
    play->n--;
    return who;
}

static void meet(struct play *play, size_t who, uint64_t turn_ns) {
    const uint64_t waited = fx_wait_estimate_get(&play->estimate, turn_ns, play->now_ns);
    const bool marks =
        fx_wait_estimate_needs_marker(&play->estimate, play->now_ns, BOUND / 16);
    if (marks) {
        append(play, MARKER);
    }
    const bool late = !marks && waited > BOUND;
    const uint64_t truly = play->now_ns - play->ready_ns[who];
    if (!late && truly > play->longest_wait_ns) {
        play->longest_wait_ns = truly;
    }
    *(late ? &play->n_shed : &play->n_served) += 1;
    play->now_ns += late ? SHED_NS : play->review_ns;
    play->ready_ns[who] = play->now_ns;
    append(play, who);
}

static void take_turn(struct play *play) {
    const uint64_t turn_ns = play->now_ns / MS * MS;
    const size_t n = play->n < BATCH ? play->n : BATCH;
    for (size_t i = 0; i < n; i++) {
        const size_t who = take(play);
        if (who == MARKER) {
            fx_wait_estimate_end_round(&play->estimate, play->now_ns);
        } else {
            meet(play, who, turn_ns);
        }
    }
}

static void play(struct play *play, size_t n_clients, uint64_t review_ns) {
    *play = (struct play){.now_ns = 5000 * MS, .review_ns = review_ns};
    for (size_t i = 0; i < n_clients; i++) {
        play->ready_ns[i] = play->now_ns;
        append(play, i);
    }
    while (play->now_ns < 5000 * MS + PLAYED) {
        take_turn(play);
    }
}

/* Nothing is rejected if everything can be served in time. */
static void test_within_capacity(void **state) {
    (void)state;
    static struct play played;
    play(&played, 4000, 100000);
    assert_int_equal(played.n_shed, 0);
    play(&played, 1000, 450000);
    assert_int_equal(played.n_shed, 0);
}

/* Above capacity, served requests have waited little longer than the limit, and most of
 * the capacity is used for reviews. */
static void test_past_capacity(void **state) {
    (void)state;
    static struct play played;
    for (size_t n = 200; n <= CLIENTS; n += 400) {
        for (uint64_t review_ns = MS / 8; review_ns <= 32 * MS; review_ns *= 2) {
            play(&played, n, review_ns);
            if (n * review_ns < 2 * BOUND) {
                continue;
            }
            const uint64_t estimate = BOUND + 2 * review_ns + n * SHED_NS;
            assert_true(played.n_shed > 0);
            assert_true(played.longest_wait_ns <= estimate + BOUND / 4);
            assert_true(played.n_served * review_ns > PLAYED / 2);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_turn),
        cmocka_unit_test(test_a_turn_of_the_future),
        cmocka_unit_test(test_one_marker_at_a_time),
        cmocka_unit_test(test_round_of_several_iterations),
        cmocka_unit_test(test_a_pause_is_forgiven),
        cmocka_unit_test(test_within_capacity),
        cmocka_unit_test(test_past_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
