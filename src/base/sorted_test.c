/* SPDX-License-Identifier: Apache-2.0
 *
 * base/sorted_test.c - sorted arrays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/sorted.h"

static int compare(const void *key, const void *item) {
    const int a = *(const int *)key, b = *(const int *)item;
    return a < b ? -1 : a > b;
}

static void items_are_found_inserted_and_removed(void **state) {
    (void)state;
    static const int added[] = {7, 3, 9, 1, 5, 3, 8, 2, 6, 4};
    static const int sorted[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    int items[10] = {0};
    size_t n = 0;
    bool found = true;
    assert_int_equal(fx_sorted_find(items, 0, sizeof *items, &added[0], compare, &found),
                     0);
    assert_false(found);
    for (size_t i = 0; i < FX_COUNT(added); i++) {
        const size_t at =
            fx_sorted_find(items, n, sizeof *items, &added[i], compare, &found);
        assert_int_equal(found, i == 5);
        if (!found) {
            FX_SORTED_INSERT(items, n, at);
            items[at] = added[i];
        }
    }
    assert_int_equal(n, FX_COUNT(sorted));
    assert_memory_equal(items, sorted, sizeof sorted);
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        const size_t at =
            fx_sorted_find(items, n, sizeof *items, &sorted[i], compare, &found);
        assert_true(found && at == 0);
        FX_SORTED_REMOVE(items, n, at);
    }
    assert_int_equal(n, 0);
}

/* Each item is a letter, by which it is ordered, and a number. */
static int compare_letters(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}

static void the_last_of_equal_pointers_stays(void **state) {
    (void)state;
    const char *items[] = {"c1", "a1", "b1", "a2", "c2", "a3"};
    size_t n = 0;
    assert_true(fx_sorted_keep_last(items, &n, compare_letters));
    assert_int_equal(n, 0);
    n = FX_COUNT(items);
    assert_true(fx_sorted_keep_last(items, &n, compare_letters));
    assert_int_equal(n, 3);
    assert_string_equal(items[0], "a3");
    assert_string_equal(items[1], "b1");
    assert_string_equal(items[2], "c2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_found_inserted_and_removed),
        cmocka_unit_test(the_last_of_equal_pointers_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
