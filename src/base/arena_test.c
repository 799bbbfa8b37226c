/* SPDX-License-Identifier: Apache-2.0
 *
 * base/arena_test.c - pieces, alignment and the bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"

static void gives_aligned_zeroed_pieces(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, 1u << 20);
    char *pieces[300];
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < 300; i++) {
            pieces[i] = fx_arena_alloc(&arena, i);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
            for (size_t k = 0; k < i; k++) {
                assert_int_equal(pieces[i][k], 0);
            }
            memset(pieces[i], (int)(i & 0x7F), i);
        }
        for (size_t i = 1; i < 300; i++) { /* no piece overwrote another */
            assert_int_equal(pieces[i][0], (int)(i & 0x7F));
            assert_int_equal(pieces[i][i - 1], (int)(i & 0x7F));
        }
        fx_arena_reset(&arena);
        assert_int_equal(arena.total, 0);
    }
    assert_non_null(fx_arena_alloc(&arena, 100000));
    fx_arena_reset(&arena);
    fx_arena_finish(&arena);
    fx_arena_finish(&arena);
    fx_arena_finish(NULL);
}

static void keeps_the_bound(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, 100);
    assert_non_null(fx_arena_alloc(&arena, 60));
    assert_null(fx_arena_alloc(&arena, 41));
    assert_null(fx_arena_alloc(&arena, SIZE_MAX));
    assert_non_null(fx_arena_alloc(&arena, 40));
    assert_null(fx_arena_alloc(&arena, 1));
    assert_null(fx_arena_copy(&arena, FX_TEXT("")));
    assert_null(fx_arena_printf(&arena, "%d", 1));
    fx_arena_reset(&arena);
    assert_non_null(fx_arena_alloc(&arena, 100));
    fx_arena_finish(&arena);
}

static void copies_text(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, 1000);
    assert_string_equal(fx_arena_copy(&arena, FX_TEXT("abc")), "abc");
    assert_string_equal(fx_arena_copy(&arena, (struct fx_text){0}), "");
    assert_string_equal(fx_arena_printf(&arena, "%s-%d", "x", 7), "x-7");
    fx_arena_finish(&arena);
}

static void grows_arrays(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, 40 * sizeof(int));
    int *items = NULL;
    size_t cap = 0;
    for (int i = 0; i < 16; i++) {
        assert_true((size_t)i < cap ||
                    fx_arena_grown(&arena, &items, &cap, sizeof *items));
        items[i] = i;
    }
    assert_int_equal(cap, 16);
    assert_false(fx_arena_grown(&arena, &items, &cap, sizeof *items)); /* 8 + 16 + 32 */
    assert_true(cap == 16 && items[0] == 0 && items[15] == 15);
    fx_arena_finish(&arena);
}

/* A borrowed block is used first, and again after a reset; what does not fit it comes
 * from elsewhere. */
static void begins_in_a_borrowed_block(void **state) {
    (void)state;
    max_align_t block[16];
    const char *const start = (const char *)block;
    struct fx_arena arena;
    fx_arena_init_within(&arena, 10000, block, sizeof block);
    for (int round = 0; round < 3; round++) {
        const char *first = fx_arena_alloc(&arena, 100);
        assert_non_null(first);
#ifndef FX_ARENA_DEBUG
        assert_true(first > start && first + 100 <= start + sizeof block);
#endif
        const char *large = fx_arena_alloc(&arena, 5000);
        assert_non_null(large);
        assert_true(large + 5000 <= start || large >= start + sizeof block);
        assert_null(fx_arena_alloc(&arena, 5000));
        fx_arena_reset(&arena);
    }
    assert_non_null(fx_arena_alloc(&arena, 1));
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_aligned_zeroed_pieces),
        cmocka_unit_test(keeps_the_bound),
        cmocka_unit_test(copies_text),
        cmocka_unit_test(grows_arrays),
        cmocka_unit_test(begins_in_a_borrowed_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
