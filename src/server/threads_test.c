/* SPDX-License-Identifier: Apache-2.0
 *
 * server/threads_test.c - which thread gets a connection, and how evenly they are spread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "server/thread.h"

static void test_choice(void **state) {
    (void)state;
    static const struct {
        struct fx_thread_load loads[3];
        size_t chosen;
    } cases[] = {
        {{{0, 0, false}, {0, 0, false}, {0, 0, false}}, 0},
        {{{1, 1, false}, {0, 0, false}, {0, 0, false}}, 1},
        {{{1, 1, false}, {1, 2, false}, {0, 3, false}}, 2},
        {{{1, 3, false}, {1, 1, false}, {1, 2, false}}, 1},
        {{{0, 0, true}, {9, 1, false}, {8, 2, false}}, 2},
        {{{5, 1, true}, {4, 2, true}, {4, 1, true}}, 2},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_int_equal(fx_threads_choose(cases[i].loads, 3), cases[i].chosen);
    }
    assert_int_equal(fx_threads_choose(cases[0].loads, 1), 0);
}

/* While connections are only added, the loads of two threads differ by at most one; a
 * thread that lost connections gets the next ones. */
static void test_evenness(void **state) {
    (void)state;
    struct fx_thread_load loads[7] = {{0}};
    uint64_t n_given = 0;
    for (int i = 0; i < 700; i++) {
        struct fx_thread_load *chosen = &loads[fx_threads_choose(loads, 7)];
        chosen->n_connections++;
        chosen->assigned_at = ++n_given;
        for (size_t a = 0; a < 7; a++) {
            assert_true(loads[a].n_connections * 7 <= (size_t)i + 7);
        }
    }
    loads[3].n_connections -= 50;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(fx_threads_choose(loads, 7), 3);
        loads[3].n_connections++;
    }
}

/* Connections that end at once go round all the same. */
static void test_round(void **state) {
    (void)state;
    struct fx_thread_load loads[3] = {{0}};
    for (uint64_t i = 1; i < 10; i++) {
        const size_t chosen = fx_threads_choose(loads, 3);
        assert_int_equal(chosen, (i - 1) % 3);
        loads[chosen].assigned_at = i;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_evenness),
        cmocka_unit_test(test_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
