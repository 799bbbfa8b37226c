/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_queue_test.c - what is due when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "cluster/status/status_internal.h"

#define S UINT64_C(1000000000)

static void add(struct fx_status_queue *queue, const char *key, uint64_t wanted,
                uint64_t now_ns) {
    assert_true(fx_status_queue_add(queue, key, wanted, now_ns));
}

static void expect_next(struct fx_status_queue *queue, const char *key, uint64_t now_ns) {
    const struct fx_status_task *task = fx_status_queue_take(queue, now_ns);
    if (key == NULL) {
        assert_null(task);
        return;
    }
    assert_non_null(task);
    assert_string_equal(task->key, key);
    assert_true(task->writing);
}

static void each_once(void **state) {
    (void)state;
    struct fx_status_queue queue = {0};
    expect_next(&queue, NULL, S);
    assert_true(fx_status_queue_next(&queue) == 0);
    add(&queue, "b", 1, S);
    add(&queue, "a", 1, S);
    add(&queue, "c", 1, S);
    add(&queue, "b", 1, S);
    assert_int_equal(fx_status_queue_count(&queue), 3);
    assert_true(fx_status_queue_next(&queue) == S);
    expect_next(&queue, "a", S);
    expect_next(&queue, "b", S);
    expect_next(&queue, "c", S);
    expect_next(&queue, NULL, S);
    assert_true(fx_status_queue_next(&queue) == 0); /* all are being written */
    fx_status_queue_finish(&queue);
}

/* Some are always due; all others are still taken, whatever is added and dropped. */
static void nobody_starves(void **state) {
    (void)state;
    struct fx_status_queue queue = {0};
    unsigned n_taken[10] = {0};
    char key[2] = "a";
    for (size_t i = 0; i < 10; i++, key[0]++) {
        add(&queue, key, 1, S);
    }
    uint64_t now = S;
    for (uint64_t i = 0; i < 200; i++) {
        now += 3600 * S;
        const struct fx_status_task *task = fx_status_queue_take(&queue, now);
        assert_non_null(task);
        n_taken[task->key[0] - 'a']++;
        fx_status_queue_put_back(&queue, task->key, 0, now);
        key[0] = (char)('A' + i % 26);
        add(&queue, key, 1, now + 999999 * S);
        if (i % 3 == 0) {
            fx_status_queue_drop(&queue, key);
        }
    }
    for (size_t i = 0; i < 10; i++) {
        assert_true(n_taken[i] >= 5);
    }
    fx_status_queue_finish(&queue);
}

static void pauses_double(void **state) {
    (void)state;
    static const uint64_t pauses[] = {2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300};
    struct fx_status_queue queue = {0};
    uint64_t now = S;
    add(&queue, "a", 1, now);
    for (size_t i = 0; i < FX_COUNT(pauses); i++) {
        expect_next(&queue, "a", now);
        add(&queue, "a", 1, now); /* that it still differs is known */
        fx_status_queue_put_back(&queue, "a", 0, now);
        assert_true(fx_status_queue_next(&queue) == now + pauses[i] * S);
        expect_next(&queue, NULL, now + pauses[i] * S - 1);
        now += pauses[i] * S;
    }
    expect_next(&queue, "a", now);
    fx_status_queue_put_back(&queue, "a", 1000 * S, now); /* as the server demands */
    assert_true(fx_status_queue_next(&queue) == now + 1000 * S);
    fx_status_queue_finish(&queue);
}

/* A new status does not wait for the pauses of the old one. */
static void something_new_is_due_at_once(void **state) {
    (void)state;
    struct fx_status_queue queue = {0};
    add(&queue, "a", 1, S);
    for (uint64_t now = S; now < 100 * S; now = fx_status_queue_next(&queue)) {
        expect_next(&queue, "a", now);
        fx_status_queue_put_back(&queue, "a", 0, now);
    }
    add(&queue, "a", 2, 101 * S);
    expect_next(&queue, "a", 101 * S);
    fx_status_queue_put_back(&queue, "a", 0, 101 * S);
    assert_true(fx_status_queue_next(&queue) == 103 * S); /* from the beginning */
    expect_next(&queue, "a", 103 * S);
    add(&queue, "a", 3, 103 * S); /* while the old one is being written */
    fx_status_queue_put_back(&queue, "a", 0, 104 * S);
    expect_next(&queue, "a", 104 * S);
    fx_status_queue_put_back(&queue, "a", 0, 104 * S);
    assert_true(fx_status_queue_next(&queue) == 106 * S);
    fx_status_queue_finish(&queue);
}

/* It is there as soon as it is written, and as soon is something else: the pauses grow
 * all the same. In an hour there are no more than a score of writes. */
static void two_who_disagree(void **state) {
    (void)state;
    struct fx_status_queue queue = {0};
    size_t n = 0;
    for (uint64_t now = S; now < 3600 * S; now += S / 10) {
        add(&queue, "a", 1, now);
        const struct fx_status_task *task = fx_status_queue_take(&queue, now);
        if (task != NULL) {
            n++;
            fx_status_queue_settle(&queue, "a", now); /* seen before the answer */
            fx_status_queue_put_back(&queue, "a", 0, now);
        } else if (now % S == 0) {
            fx_status_queue_settle(&queue, "a", now); /* they agree now and then */
        }
    }
    assert_in_range(n, 15, 25);
    fx_status_queue_finish(&queue);
}

static void what_is_seen_is_done(void **state) {
    (void)state;
    struct fx_status_queue queue = {0};
    add(&queue, "a", 1, S);
    fx_status_queue_settle(&queue, "a", S); /* before it was ever written */
    assert_int_equal(queue.n_items, 0);
    fx_status_queue_settle(&queue, "b", S);
    add(&queue, "a", 1, S);
    expect_next(&queue, "a", S);
    fx_status_queue_put_back(&queue, "a", 0, S);
    fx_status_queue_settle(&queue, "a", 2 * S);
    fx_status_queue_settle(&queue, "a", 3 * S);
    assert_int_equal(fx_status_queue_count(&queue), 0);
    expect_next(&queue, NULL, 500 * S);
    assert_int_equal(queue.n_items, 1); /* it is remembered for a while */
    assert_true(fx_status_queue_next(&queue) == 602 * S);
    expect_next(&queue, NULL, 602 * S);
    assert_int_equal(queue.n_items, 0);
    assert_true(fx_status_queue_next(&queue) == 0);
    add(&queue, "a", 1, 700 * S);
    expect_next(&queue, "a", 700 * S);
    fx_status_queue_finish(&queue);
}

static void many_are_forgotten(void **state) {
    (void)state;
    struct fx_status_queue queue = {0};
    char key[8];
    for (unsigned i = 0; i < 1000; i++) {
        (void)snprintf(key, sizeof key, "k%04u", (i * 7) % 1000);
        add(&queue, key, 1, i * S);
        expect_next(&queue, key, i * S);
        fx_status_queue_put_back(&queue, key, 0, i * S);
        if (i % 10 != 0) {
            fx_status_queue_settle(&queue, key, i * S);
        } else {
            fx_status_queue_drop(&queue, key);
        }
        assert_int_equal(fx_status_queue_count(&queue), 0);
        assert_in_range(queue.n_items, 0, 800);
    }
    for (uint64_t now = 1000 * S; fx_status_queue_next(&queue) != 0; now += 100 * S) {
        expect_next(&queue, NULL, now);
        assert_true(now < 3000 * S);
    }
    assert_int_equal(queue.n_items, 0);
    fx_status_queue_finish(&queue);
}

static void one_that_is_gone(void **state) {
    (void)state;
    struct fx_status_queue queue = {0};
    fx_status_queue_drop(&queue, "a");
    fx_status_queue_put_back(&queue, "a", 0, S);
    add(&queue, "a", 1, S);
    add(&queue, "b", 1, S);
    expect_next(&queue, "a", S);
    fx_status_queue_drop(&queue, "a"); /* while it is being written */
    fx_status_queue_put_back(&queue, "a", 0, S);
    assert_int_equal(fx_status_queue_count(&queue), 1);
    expect_next(&queue, "b", S);
    fx_status_queue_settle(&queue, "b", S);
    fx_status_queue_drop(&queue, "b");
    assert_int_equal(queue.n_settled, 0);
    assert_int_equal(queue.n_items, 0);
    fx_status_queue_finish(&queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once),
        cmocka_unit_test(nobody_starves),
        cmocka_unit_test(pauses_double),
        cmocka_unit_test(something_new_is_due_at_once),
        cmocka_unit_test(two_who_disagree),
        cmocka_unit_test(what_is_seen_is_done),
        cmocka_unit_test(many_are_forgotten),
        cmocka_unit_test(one_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
