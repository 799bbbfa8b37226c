/* SPDX-License-Identifier: Apache-2.0
 *
 * net/write_batch_test.c - when pending writes are sent, and in which order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/write_batch.h"

#define N_ITEMS 5
#define FOREVER UINT64_MAX

struct item {
    struct fx_pending_write pending;
    int number;
    struct item *drops, *puts; /* when it is sent */
};

static struct item items[N_ITEMS];
static int order[4 * N_ITEMS];
static size_t n_sent;
static struct fx_write_batch batch;
static bool closed;

static void put(struct item *item, size_t n_bytes) {
    fx_buf_fill(&item->pending.bytes, 'x', n_bytes);
    fx_write_batch_add(&batch, &item->pending);
}

static void on_send(struct fx_pending_write *pending) {
    struct item *item = (struct item *)(void *)pending;
    assert_int_equal(pending->counted, 0);
    order[n_sent++] = item->number;
    fx_buf_finish(&pending->bytes);
    if (item->drops != NULL) {
        fx_write_batch_remove(&batch, &item->drops->pending);
        fx_buf_finish(&item->drops->pending.bytes);
        item->drops = NULL;
    }
    if (item->puts != NULL) {
        struct item *next = item->puts;
        item->puts = NULL;
        put(next, 1);
    }
}

static void expect_order(const int *wanted, size_t n) {
    assert_int_equal(n_sent, n);
    assert_memory_equal(order, wanted, n * sizeof *wanted);
    assert_int_equal(batch.n_bytes, 0);
    n_sent = 0;
}

static void on_closed(void *user) {
    assert_ptr_equal(user, &batch);
    closed = true;
}

static int begin(void **state) {
    static uv_loop_t loop;
    *state = &loop;
    n_sent = 0;
    closed = false;
    for (int i = 0; i < N_ITEMS; i++) {
        items[i] = (struct item){.number = i};
    }
    assert_int_equal(uv_loop_init(&loop), 0);
    fx_write_batch_init(&batch, &loop, on_send);
    batch.max_ns = FOREVER;
    return 0;
}

static int end(void **state) {
    fx_write_batch_close(&batch, on_closed, &batch);
    assert_int_equal(uv_run(*state, UV_RUN_DEFAULT), 0);
    assert_true(closed);
    assert_int_equal(uv_loop_close(*state), 0);
    return 0;
}

static void all_leave_with_the_turn(void **state) {
    for (int i = N_ITEMS - 1; i >= 0; i--) {
        put(&items[i], 10);
    }
    put(&items[4], 10);                            /* keeps its position */
    fx_write_batch_add(&batch, &items[4].pending); /* nothing new */
    assert_int_equal(batch.n_bytes, 10 * N_ITEMS + 10);
    assert_int_equal(n_sent, 0);
    assert_int_equal(uv_run(*state, UV_RUN_DEFAULT), 0); /* and nothing keeps it */
    expect_order((const int[]){4, 3, 2, 1, 0}, 5);
    fx_write_batch_add(&batch, &items[0].pending); /* empty: does not wait */
    assert_int_equal(uv_run(*state, UV_RUN_DEFAULT), 0);
    assert_int_equal(n_sent, 0);
}

static void removed_writes_are_not_sent(void **state) {
    for (int i = 0; i < N_ITEMS; i++) {
        put(&items[i], 1);
    }
    for (int i = 0; i < N_ITEMS; i += 2) { /* the first, one between, the last */
        fx_write_batch_remove(&batch, &items[i].pending);
        fx_write_batch_remove(&batch, &items[i].pending); /* twice is fine */
        fx_buf_finish(&items[i].pending.bytes);
    }
    (void)uv_run(*state, UV_RUN_DEFAULT);
    expect_order((const int[]){1, 3}, 2);
}

static void writes_are_added_and_removed_meanwhile(void **state) {
    for (int i = 0; i < 4; i++) {
        put(&items[i], 1);
    }
    items[0].drops = &items[1]; /* the next one */
    items[0].puts = &items[0];  /* itself again */
    items[2].drops = &items[2]; /* which is out already */
    items[3].puts = &items[4];
    (void)uv_run(*state, UV_RUN_DEFAULT);
    expect_order((const int[]){0, 2, 3, 0, 4}, 5);
}

static void no_write_waits_for_long(void **state) {
    (void)state;
    batch.max_ns = FX_WRITE_BATCH_NS;
    put(&items[0], 1);
    uv_sleep(2);
    put(&items[1], 1); /* takes the other with it */
    expect_order((const int[]){0, 1}, 2);
    put(&items[2], 1);
    uv_sleep(2);
    fx_write_batch_flush_if_due(&batch);
    expect_order((const int[]){2}, 1);
    fx_write_batch_flush_if_due(&batch); /* nothing there */
    assert_int_equal(n_sent, 0);
}

static void there_is_not_room_for_all(void **state) {
    (void)state;
    put(&items[0], FX_WRITE_BATCH_BYTES / 2);
    put(&items[1], FX_WRITE_BATCH_BYTES / 2); /* which just fits */
    fx_write_batch_flush_if_due(&batch);
    assert_int_equal(n_sent, 0);
    put(&items[0], 1);
    expect_order((const int[]){0, 1}, 2);
    put(&items[2], FX_WRITE_BATCH_BYTES + 1);
    expect_order((const int[]){2}, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_leave_with_the_turn, begin, end),
        cmocka_unit_test_setup_teardown(removed_writes_are_not_sent, begin, end),
        cmocka_unit_test_setup_teardown(writes_are_added_and_removed_meanwhile, begin,
                                        end),
        cmocka_unit_test_setup_teardown(no_write_waits_for_long, begin, end),
        cmocka_unit_test_setup_teardown(there_is_not_room_for_all, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
