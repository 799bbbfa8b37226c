/* SPDX-License-Identifier: Apache-2.0 */
#include "base/find.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"

static bool is_at(struct fx_text text, struct fx_text part, size_t at) {
    return part.len <= text.len - at && memcmp(text.data + at, part.data, part.len) == 0;
}

static size_t slow_find(struct fx_text text, struct fx_text part, bool last) {
    size_t found = FX_NOT_FOUND;
    for (size_t at = 0; at <= text.len; at++) {
        if (is_at(text, part, at)) {
            found = at;
            if (!last) {
                break;
            }
        }
    }
    return found;
}

/* Writes the lower digits of the number, in base 2 or 3, as letters. */
static struct fx_text letters(uint32_t number, uint32_t base, size_t len, char *out) {
    for (size_t i = 0; i < len; i++, number /= base) {
        out[i] = (char)('a' + number % base);
    }
    return (struct fx_text){out, len};
}

/* All short parts in texts of two and three letters, which have all kinds of periods. */
static void test_like_slow_search(void **state) {
    (void)state;
    uint32_t random = 1;
    for (size_t round = 0; round < 200000; round++) {
        char text_bytes[24];
        char part_bytes[12];
        random = random * 1664525u + 1013904223u;
        const uint32_t base = 2 + (random >> 30) % 2;
        const size_t part_len = 1 + (random >> 8) % 8;
        const struct fx_text text =
            letters(random >> 7, base, (random >> 12) % 20, text_bytes);
        random = random * 1664525u + 1013904223u;
        const struct fx_text part = letters(random >> 9, base, part_len, part_bytes);
        assert_int_equal(fx_text_find(text, part), slow_find(text, part, false));
        assert_int_equal(fx_text_find_last(text, part), slow_find(text, part, true));
    }
}

static void test_ends(void **state) {
    (void)state;
    const struct fx_text text = FX_TEXT("abcab");
    assert_int_equal(fx_text_find(text, FX_TEXT("")), 0);
    assert_int_equal(fx_text_find_last(text, FX_TEXT("")), 5);
    assert_int_equal(fx_text_find(text, text), 0);
    assert_int_equal(fx_text_find_last(text, FX_TEXT("ab")), 3);
    assert_int_equal(fx_text_find(text, FX_TEXT("abcabc")), FX_NOT_FOUND);
    assert_int_equal(fx_text_find(FX_TEXT(""), FX_TEXT("a")), FX_NOT_FOUND);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_slow_search),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
