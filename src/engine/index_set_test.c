/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/index_set_test.c - members at the edges of words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/index_set.h"

#define N 130u

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
    static const uint32_t given[] = {129, 0, 63, 64, 0, 127};
    static const uint32_t members[] = {0, 63, 64, 127, 129};
    uint64_t words[2][FX_INDEX_SET_WORDS(N)] = {{0}};
    struct fx_index_set set = {words[0], FX_INDEX_SET_WORDS(N)};
    struct fx_index_set more = {words[1], FX_INDEX_SET_WORDS(N)};
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
    expect(&more, (const uint32_t[]){0, 63, 64, 65, 127, 129}, 6);
    fx_index_set_clear(&more);
    expect(&more, NULL, 0);
    expect(&set, members, FX_COUNT(members));
}

static void test_no_memory(void **state) {
    (void)state;
    uint64_t words[FX_INDEX_SET_WORDS(N)] = {~UINT64_C(0), ~UINT64_C(0)};
    const struct fx_index_set set = {words, FX_INDEX_SET_WORDS(N)};
    struct fx_arena arena;
    fx_arena_init(&arena, 100);
    uint32_t *items = NULL;
    size_t n_items = 1;
    assert_false(fx_index_set_list(&set, &arena, &items, &n_items));
    assert_int_equal(n_items, 0);
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_members),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
