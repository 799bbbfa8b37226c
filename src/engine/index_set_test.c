/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/index_set_test.c - members at the edges of words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/converge_run.h"

#define N 10000u

static void expect(const struct fx_index_set *set, const uint32_t *members, size_t n) {
    struct fx_arena arena;
    fx_arena_init(&arena, 4096);
    uint32_t *items = NULL;
    size_t n_items = 0;
    assert_true(fx_index_set_list(set, &arena, &items, &n_items));
    assert_int_equal(n_items, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(items[i], members[i]);
        assert_true(fx_index_set_has(set, members[i]));
    }
    fx_arena_finish(&arena);
}

static void test_members(void **state) {
    (void)state;
    static const uint32_t given[] = {129, 0, 9999, 63, 64, 0, 127};
    static const uint32_t members[] = {0, 63, 64, 127, 129, 9999};
    struct fx_index_set set, more;
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    assert_true(fx_index_set_init(&set, &arena, N));
    assert_true(fx_index_set_init(&more, &arena, N));
    expect(&set, NULL, 0);
    for (size_t i = 0; i < FX_COUNT(given); i++) {
        fx_index_set_add(&set, given[i]);
    }
    expect(&set, members, FX_COUNT(members));
    assert_false(fx_index_set_has(&set, 1));
    assert_false(fx_index_set_has(&set, 128));

    fx_index_set_add(&more, 64);
    fx_index_set_add(&more, 65);
    fx_index_set_unite(&more, &set);
    expect(&more, (const uint32_t[]){0, 63, 64, 65, 127, 129, 9999}, 7);
    fx_index_set_clear(&more);
    expect(&more, NULL, 0);
    expect(&set, members, FX_COUNT(members));
    fx_arena_finish(&arena);
}

static void test_no_memory(void **state) {
    (void)state;
    struct fx_index_set set;
    struct fx_arena enough, arena;
    fx_arena_init(&enough, FX_LIMIT_ARENA_BYTES);
    assert_true(fx_index_set_init(&set, &enough, N));
    for (uint32_t i = 0; i < 128; i++) {
        fx_index_set_add(&set, i);
    }
    fx_arena_init(&arena, 100);
    uint32_t *items = NULL;
    size_t n_items = 1;
    assert_false(fx_index_set_list(&set, &arena, &items, &n_items));
    assert_int_equal(n_items, 0);
    assert_false(fx_index_set_init(&set, &arena, 10000));
    fx_arena_finish(&arena);
    fx_arena_finish(&enough);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_members),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
