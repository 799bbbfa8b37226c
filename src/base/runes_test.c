/* SPDX-License-Identifier: Apache-2.0
 *
 * base/runes_test.c - the tables of runes: some runes, and the number of runes of each
 * class in Unicode 13. Another test compares the tables with Go's own (base_runes_table
 * in CMakeLists.txt).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/runes.h"

#define RUNES 0x110000u

static void maps_case(void **state) {
    (void)state;
    static const struct {
        uint32_t rune, upper, lower, title;
    } cases[] = {
        {'a', 'A', 'a', 'A'},
        {'Z', 'Z', 'z', 'Z'},
        {'1', '1', '1', '1'},
        {0xB5, 0x39C, 0xB5, 0x39C},       /* micro */
        {0xDF, 0xDF, 0xDF, 0xDF},         /* sharp s: SS is two runes */
        {0xFF, 0x178, 0xFF, 0x178},       /* y with diaeresis */
        {0x130, 0x130, 0x69, 0x130},      /* capital dotted I */
        {0x131, 0x49, 0x131, 0x49},       /* small dotless i */
        {0x1C4, 0x1C4, 0x1C6, 0x1C5},     /* DŽ */
        {0x1C5, 0x1C4, 0x1C6, 0x1C5},     /* Dž */
        {0x3A3, 0x3A3, 0x3C3, 0x3A3},     /* Sigma */
        {0x3C2, 0x3A3, 0x3C2, 0x3A3},     /* final sigma */
        {0x10D0, 0x1C90, 0x10D0, 0x10D0}, /* Georgian has no title case */
        {0x1F80, 0x1F88, 0x1F80, 0x1F88},
        {0xA7C0, 0xA7C0, 0xA7C0, 0xA7C0}, /* of Unicode 14 */
        {0x1E921, 0x1E921, 0x1E943, 0x1E921},
        {0x10FFFF, 0x10FFFF, 0x10FFFF, 0x10FFFF},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_int_equal(fx_rune_to_upper(cases[i].rune), cases[i].upper);
        assert_int_equal(fx_rune_to_lower(cases[i].rune), cases[i].lower);
        assert_int_equal(fx_rune_to_title(cases[i].rune), cases[i].title);
    }
}

static void knows_classes(void **state) {
    (void)state;
    static const struct {
        bool (*is)(uint32_t rune);
        uint32_t member, other;
        size_t n;
    } classes[] = {
        {fx_rune_is_letter, 0x4E2D, '1', 131241},
        {fx_rune_is_upper, 'A', 'a', 1791},
        {fx_rune_is_lower, 'a', 'A', 2155},
        {fx_rune_is_title, 0x1C5, 'A', 31},
        {fx_rune_is_digit, 0x663, 0xB2, 650},
        {fx_rune_is_number, 0xB2, 'a', 1781},
        {fx_rune_is_punct, '.', '+', 798},
        {fx_rune_is_space, 0x3000, 0x200B, 25},
        {fx_rune_is_printable, 0xA1, 0xA0, 143680},
    };
    for (size_t i = 0; i < FX_COUNT(classes); i++) {
        size_t n = 0;
        for (uint32_t rune = 0; rune < RUNES; rune++) {
            n += classes[i].is(rune) ? 1 : 0;
        }
        assert_int_equal(n, classes[i].n);
        assert_true(classes[i].is(classes[i].member));
        assert_false(classes[i].is(classes[i].other));
    }
}

static void counts_mappings(void **state) {
    (void)state;
    size_t upper = 0;
    size_t lower = 0;
    size_t title = 0;
    for (uint32_t rune = 0; rune < RUNES; rune++) {
        upper += fx_rune_to_upper(rune) != rune ? 1 : 0;
        lower += fx_rune_to_lower(rune) != rune ? 1 : 0;
        title += fx_rune_to_title(rune) != rune ? 1 : 0;
    }
    assert_int_equal(upper, 1410);
    assert_int_equal(lower, 1393);
    assert_int_equal(title, 1364);
}

static void knows_printable_runes(void **state) {
    (void)state;
    static const uint32_t shown[] = {' ',    '~',    0xA1,    0xE9,    0x301,
                                     0x377,  0x37A,  0x4E2D,  0x9FFC,  0xD7FB,
                                     0xFFFC, 0xFFFD, 0x1F600, 0x30000, 0xE01EF};
    static const uint32_t escaped[] = {
        0,      0x1F,    0x7F,    0xA0,    0xAD,    0x378,    0x1680,
        0x200B, 0x2028,  0x3000,  0xD7FF,  0xD800,  0xE000,   0xFEFF,
        0xFFFE, 0x3134B, 0xE0001, 0xE01F0, 0xF0000, 0x10FFFF, 0x110000};
    for (size_t i = 0; i < FX_COUNT(shown); i++) {
        if (!fx_rune_is_printable(shown[i])) {
            fail_msg("U+%04X is printable", (unsigned)shown[i]);
        }
    }
    for (size_t i = 0; i < FX_COUNT(escaped); i++) {
        if (fx_rune_is_printable(escaped[i])) {
            fail_msg("U+%04X is not printable", (unsigned)escaped[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_case),
        cmocka_unit_test(knows_classes),
        cmocka_unit_test(counts_mappings),
        cmocka_unit_test(knows_printable_runes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
