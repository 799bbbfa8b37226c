/* SPDX-License-Identifier: Apache-2.0
 *
 * net/loop_tasks_test.c - the order of tasks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/loop_tasks.h"

#define N_ITEMS 6

struct item {
    struct fx_loop_task task;
    int number;
    struct item *again; /* queued by its task */
};

static struct item items[N_ITEMS];
static int order[2 * N_ITEMS];
static size_t n_taken;
static struct fx_loop_tasks tasks;
static bool closed;

static void on_task(struct fx_loop_task *task) {
    struct item *item = (struct item *)(void *)task;
    assert_false(task->is_queued);
    order[n_taken++] = item->number;
    if (item->again != NULL) {
        fx_loop_tasks_add(&tasks, &item->again->task, true);
        item->again = NULL;
    }
}

static void on_closed(void *user) {
    assert_ptr_equal(user, &tasks);
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
    fx_loop_tasks_init(&tasks, &loop, on_task);
    return 0;
}

static int end(void **state) {
    fx_loop_tasks_close(&tasks, on_closed, &tasks);
    assert_int_equal(uv_run(*state, UV_RUN_DEFAULT), 0);
    assert_true(closed);
    assert_int_equal(uv_loop_close(*state), 0);
    return 0;
}

static void each_turn_takes_one(void **state) {
    for (int i = 0; i < N_ITEMS; i++) {
        fx_loop_tasks_add(&tasks, &items[i].task, i % 3 == 2);
        assert_int_equal(fx_loop_tasks_count(&tasks), i + 1);
    }
    static const int wanted[N_ITEMS] = {2, 5, 0, 1, 3, 4}; /* the urgent come first */
    for (size_t i = 0; i < N_ITEMS; i++) {
        assert_int_equal(n_taken, i);
        (void)uv_run(*state, UV_RUN_ONCE); /* which does not sleep */
        assert_int_equal(order[i], wanted[i]);
    }
    assert_int_equal(fx_loop_tasks_count(&tasks), 0);
    assert_int_equal(uv_run(*state, UV_RUN_DEFAULT), 0); /* and nothing keeps it */
}

static void removed_tasks_do_not_run(void **state) {
    for (int i = 0; i < N_ITEMS; i++) {
        fx_loop_tasks_add(&tasks, &items[i].task, false);
    }
    fx_loop_tasks_remove(&tasks, &items[0].task);
    fx_loop_tasks_remove(&tasks, &items[3].task);
    fx_loop_tasks_remove(&tasks, &items[3].task); /* twice is fine */
    fx_loop_tasks_remove(&tasks, &items[5].task);
    assert_ptr_equal(fx_loop_tasks_take(&tasks), &items[1].task); /* before it is due */
    (void)uv_run(*state, UV_RUN_DEFAULT);
    assert_int_equal(n_taken, 2);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 4);
    assert_null(fx_loop_tasks_take(&tasks));
}

static void held_turns_come_later(void **state) {
    fx_loop_tasks_add(&tasks, &items[0].task, false);
    fx_loop_tasks_pause(&tasks);
    fx_loop_tasks_add(&tasks, &items[1].task, false);
    (void)uv_run(*state, UV_RUN_DEFAULT); /* which has nothing to wait for */
    assert_int_equal(n_taken, 0);
    fx_loop_tasks_remove(&tasks, &items[0].task);
    fx_loop_tasks_resume(&tasks);
    (void)uv_run(*state, UV_RUN_DEFAULT);
    assert_int_equal(n_taken, 1);
    assert_int_equal(order[0], 1);
}

static void a_turn_may_queue_another(void **state) {
    items[0].again = &items[0];
    items[1].again = &items[2];
    fx_loop_tasks_add(&tasks, &items[0].task, false);
    fx_loop_tasks_add(&tasks, &items[1].task, false);
    (void)uv_run(*state, UV_RUN_DEFAULT);
    static const int wanted[] = {0, 0, 1, 2};
    assert_int_equal(n_taken, 4);
    assert_memory_equal(order, wanted, sizeof wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_turn_takes_one, begin, end),
        cmocka_unit_test_setup_teardown(removed_tasks_do_not_run, begin, end),
        cmocka_unit_test_setup_teardown(held_turns_come_later, begin, end),
        cmocka_unit_test_setup_teardown(a_turn_may_queue_another, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
