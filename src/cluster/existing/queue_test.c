/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/queue_test.c - the queue of jobs, and the count of changes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "cluster/existing/existing_testing.h"

#define NS_IN_MS UINT64_C(1000000)
#define NOW      (UINT64_C(1) << 40)
#define DUE      (NOW + NS_IN_MS * FX_LIMIT_EXISTING_DELAY_MS)

static enum fx_existing_put put(struct fx_existing_queue *queue,
                                struct fx_snapshot *snapshot, size_t rule,
                                const char *name) {
    struct fx_trigger *trigger = make_trigger(snapshot, name, "x");
    assert_non_null(trigger);
    const enum fx_existing_put result =
        fx_existing_queue_put(queue, snapshot->mutators[rule], trigger, NOW);
    fx_trigger_unref(trigger);
    return result;
}

/* Takes the first task: "RULE IDENTITY". */
static void expect_next(struct fx_existing_queue *queue, const char *wanted) {
    char text[128] = "nothing";
    struct fx_existing_task *task = fx_existing_queue_pop(queue, DUE);
    if (task != NULL) {
        (void)snprintf(text, sizeof text, "%s %s", task->rule->name,
                       task->trigger == NULL ? "all" : task->trigger->identity);
    }
    assert_string_equal(text, wanted);
    fx_existing_task_destroy(task);
}

static void one_job_for_each_rule_and_object(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_rules();
    struct fx_existing_queue queue = {.n_tasks = 0};
    assert_int_equal(put(&queue, snapshot, 0, "web"), FX_EXISTING_ADDED);
    assert_int_equal(put(&queue, snapshot, 1, "web"), FX_EXISTING_ADDED);
    assert_int_equal(put(&queue, snapshot, 0, "api"), FX_EXISTING_ADDED);
    assert_int_equal(fx_existing_queue_put(&queue, snapshot->mutators[1], NULL, NOW),
                     FX_EXISTING_ADDED);
    assert_int_equal(put(&queue, snapshot, 0, "web"), FX_EXISTING_REPLACED);
    assert_int_equal(fx_existing_queue_put(&queue, snapshot->mutators[1], NULL, NOW),
                     FX_EXISTING_REPLACED);
    assert_int_equal(queue.n_tasks, 4);
    expect_next(&queue, "b /Pod/shop/web");
    expect_next(&queue, "a /Pod/shop/api");
    expect_next(&queue, "a /Pod/shop/web");
    expect_next(&queue, "b all");
    expect_next(&queue, "nothing");
    assert_int_equal(queue.n_bytes, 0);
    assert_int_equal(put(&queue, snapshot, 0, "web"), FX_EXISTING_ADDED);
    fx_existing_queue_finish(&queue);
    fx_snapshot_unref(snapshot);
}

/* A task that waits runs with the last trigger. */
static void the_last_trigger_counts(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_rules();
    struct fx_existing_queue queue = {.n_tasks = 0};
    struct fx_trigger *first = make_trigger(snapshot, "web", "1");
    struct fx_trigger *last = make_trigger(snapshot, "web", "22");
    (void)fx_existing_queue_put(&queue, snapshot->mutators[0], first, NOW);
    (void)fx_existing_queue_put(&queue, snapshot->mutators[0], last, NOW);
    assert_int_equal(queue.n_bytes, last->parts.len);
    struct fx_existing_task *task = fx_existing_queue_pop(&queue, DUE);
    assert_ptr_equal(task->trigger, last);
    fx_existing_task_destroy(task);
    fx_trigger_unref(first);
    fx_trigger_unref(last);
    fx_snapshot_unref(snapshot);
}

/* A task begins after the delay; a newer trigger puts it off, but not for ever. */
static void a_task_waits_until_its_object_is_stored(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_rules();
    struct fx_mutator *rule = snapshot->mutators[0];
    struct fx_existing_queue queue = {.n_tasks = 0};
    uint64_t now = NOW;
    assert_int_equal(fx_existing_queue_put(&queue, rule, NULL, now), FX_EXISTING_ADDED);
    assert_null(fx_existing_queue_pop(&queue, DUE - 1));
    while (now < NOW + NS_IN_MS * FX_LIMIT_EXISTING_PUT_OFF_MS) {
        assert_int_equal(fx_existing_queue_put(&queue, rule, NULL, now),
                         FX_EXISTING_REPLACED);
        now += DUE - NOW - 1;
        assert_null(fx_existing_queue_pop(&queue, now));
    }
    assert_int_equal(fx_existing_queue_put(&queue, rule, NULL, now),
                     FX_EXISTING_REPLACED);
    struct fx_existing_task *task = fx_existing_queue_pop(&queue, now + 1);
    assert_non_null(task);
    fx_existing_task_destroy(task);
    fx_snapshot_unref(snapshot);
}

static void the_queue_is_bounded(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_rules();
    struct fx_existing_queue queue = {.n_tasks = 0};
    char name[32];
    for (unsigned i = 0; i < FX_LIMIT_EXISTING_JOBS; i++) {
        (void)snprintf(name, sizeof name, "web-%u", i);
        assert_int_equal(put(&queue, snapshot, 0, name), FX_EXISTING_ADDED);
    }
    assert_int_equal(put(&queue, snapshot, 0, "more"), FX_EXISTING_FULL);
    assert_int_equal(put(&queue, snapshot, 0, "web-7"), FX_EXISTING_REPLACED);
    expect_next(&queue, "a /Pod/shop/web-0");
    assert_int_equal(put(&queue, snapshot, 0, "more"), FX_EXISTING_ADDED);
    fx_existing_queue_finish(&queue);
    assert_int_equal(queue.n_tasks, 0);
    fx_snapshot_unref(snapshot);
}

static void its_memory_is_bounded(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_rules();
    struct fx_existing_queue queue = {.n_tasks = 0};
    const size_t size = FX_LIMIT_EXISTING_BYTES / 4;
    char *data = malloc(size);
    assert_non_null(data);
    memset(data, 'x', size - 1);
    data[size - 1] = '\0';
    unsigned n_added = 0;
    for (char name[] = "a"; name[0] < 'f'; name[0]++) {
        struct fx_trigger *trigger = make_trigger(snapshot, name, data);
        assert_non_null(trigger);
        n_added += fx_existing_queue_put(&queue, snapshot->mutators[0], trigger, NOW) ==
                   FX_EXISTING_ADDED;
        fx_trigger_unref(trigger);
    }
    assert_int_equal(n_added, 3);
    assert_true(queue.n_bytes <= FX_LIMIT_EXISTING_BYTES);
    fx_existing_queue_finish(&queue);
    free(data);
    fx_snapshot_unref(snapshot);
}

/* ---- changes ----------------------------------------------------------------------- */

#define MINUTE_NS (UINT64_C(1000000) * FX_LIMIT_EXISTING_CHANGES_MS)

static void a_target_is_changed_a_few_times_a_minute(void **state) {
    (void)state;
    struct fx_existing_changes changes = {0};
    const uint64_t now = UINT64_C(1) << 40;
    for (unsigned i = 0; i < FX_LIMIT_EXISTING_CHANGES; i++) {
        assert_true(fx_existing_changes_take(&changes, 7, now + i));
    }
    assert_false(fx_existing_changes_take(&changes, 7, now + 10));
    assert_true(fx_existing_changes_take(&changes, 8, now + 10));
    assert_false(fx_existing_changes_take(&changes, 7, now + MINUTE_NS - 1));
    assert_true(fx_existing_changes_take(&changes, 7, now + MINUTE_NS));
    fx_existing_changes_finish(&changes);
}

static void old_counts_make_room(void **state) {
    (void)state;
    struct fx_existing_changes changes = {0};
    const uint64_t now = UINT64_C(1) << 40;
    for (uint64_t i = 0; i < FX_LIMIT_EXISTING_TARGETS; i++) {
        assert_true(fx_existing_changes_take(&changes, i, now + i));
    }
    assert_false(fx_existing_changes_take(&changes, UINT64_MAX, now + MINUTE_NS - 1));
    assert_true(fx_existing_changes_take(&changes, UINT64_MAX, now + MINUTE_NS + 9));
    assert_int_equal(changes.n_items, FX_LIMIT_EXISTING_TARGETS - 10 + 1);
    fx_existing_changes_finish(&changes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_job_for_each_rule_and_object),
        cmocka_unit_test(the_last_trigger_counts),
        cmocka_unit_test(a_task_waits_until_its_object_is_stored),
        cmocka_unit_test(the_queue_is_bounded),
        cmocka_unit_test(its_memory_is_bounded),
        cmocka_unit_test(a_target_is_changed_a_few_times_a_minute),
        cmocka_unit_test(old_counts_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
