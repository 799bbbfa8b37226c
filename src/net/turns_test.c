/* SPDX-License-Identifier: Apache-2.0
 *
 * net/turns_test.c - who comes when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/turns.h"

#define N_ITEMS 6

struct item {
    struct fx_turn turn;
    int number;
    struct item *again; /* queued by its turn */
};

static struct item items[N_ITEMS];
static int order[2 * N_ITEMS];
static size_t n_taken;
static struct fx_turns turns;
static bool closed;

static void on_turn(struct fx_turn *turn) {
    struct item *item = (struct item *)(void *)turn;
    assert_false(turn->waits);
    order[n_taken++] = item->number;
    if (item->again != NULL) {
        fx_turns_wait(&turns, &item->again->turn, true);
        item->again = NULL;
    }
}

static void on_closed(void *user) {
    assert_ptr_equal(user, &turns);
    closed = true;
}

static int begin(void **state) {
    static uv_loop_t loop;
    *state = &loop;
    n_taken = 0;
    closed = false;
    for (int i = 0; i < N_ITEMS; i++) {
        items[i] = (struct item){.number = i};
    }
    assert_int_equal(uv_loop_init(&loop), 0);
    fx_turns_init(&turns, &loop, on_turn);
    return 0;
}

static int end(void **state) {
    fx_turns_close(&turns, on_closed, &turns);
    assert_int_equal(uv_run(*state, UV_RUN_DEFAULT), 0);
    assert_true(closed);
    assert_int_equal(uv_loop_close(*state), 0);
    return 0;
}

static void each_turn_takes_one(void **state) {
    for (int i = 0; i < N_ITEMS; i++) {
        fx_turns_wait(&turns, &items[i].turn, i % 3 == 2);
        assert_int_equal(fx_turns_waiting(&turns), i + 1);
    }
    static const int wanted[N_ITEMS] = {2, 5, 0, 1, 3, 4}; /* the urgent come first */
    for (size_t i = 0; i < N_ITEMS; i++) {
        assert_int_equal(n_taken, i);
        (void)uv_run(*state, UV_RUN_ONCE); /* which does not sleep */
        assert_int_equal(order[i], wanted[i]);
    }
    assert_int_equal(fx_turns_waiting(&turns), 0);
    assert_int_equal(uv_run(*state, UV_RUN_DEFAULT), 0); /* and nothing keeps it */
}

static void who_leaves_is_not_called(void **state) {
    for (int i = 0; i < N_ITEMS; i++) {
        fx_turns_wait(&turns, &items[i].turn, false);
    }
    fx_turns_leave(&turns, &items[0].turn);
    fx_turns_leave(&turns, &items[3].turn);
    fx_turns_leave(&turns, &items[3].turn); /* twice is fine */
    fx_turns_leave(&turns, &items[5].turn);
    assert_ptr_equal(fx_turns_take(&turns), &items[1].turn); /* before its turn */
    (void)uv_run(*state, UV_RUN_DEFAULT);
    assert_int_equal(n_taken, 2);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 4);
    assert_null(fx_turns_take(&turns));
}

static void held_turns_come_later(void **state) {
    fx_turns_wait(&turns, &items[0].turn, false);
    fx_turns_hold(&turns);
    fx_turns_wait(&turns, &items[1].turn, false);
    (void)uv_run(*state, UV_RUN_DEFAULT); /* which has nothing to wait for */
    assert_int_equal(n_taken, 0);
    fx_turns_leave(&turns, &items[0].turn);
    fx_turns_go_on(&turns);
    (void)uv_run(*state, UV_RUN_DEFAULT);
    assert_int_equal(n_taken, 1);
    assert_int_equal(order[0], 1);
}

static void a_turn_may_queue_another(void **state) {
    items[0].again = &items[0];
    items[1].again = &items[2];
    fx_turns_wait(&turns, &items[0].turn, false);
    fx_turns_wait(&turns, &items[1].turn, false);
    (void)uv_run(*state, UV_RUN_DEFAULT);
    static const int wanted[] = {0, 0, 1, 2};
    assert_int_equal(n_taken, 4);
    assert_memory_equal(order, wanted, sizeof wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_turn_takes_one, begin, end),
        cmocka_unit_test_setup_teardown(who_leaves_is_not_called, begin, end),
        cmocka_unit_test_setup_teardown(held_turns_come_later, begin, end),
        cmocka_unit_test_setup_teardown(a_turn_may_queue_another, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
