/* SPDX-License-Identifier: Apache-2.0
 *
 * base/printable_test.c - which runes are printable. Another test compares the whole
 * table with Go's own (base_printable_table in CMakeLists.txt).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/printable.h"

#define RUNES     0x110000u
#define PRINTABLE 143680u /* Go 1.18 and 1.19 count so many */

static void knows_runes(void **state) {
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

static void knows_how_many_there_are(void **state) {
    (void)state;
    unsigned n = 0;
    for (uint32_t rune = 0; rune < RUNES; rune++) {
        n += fx_rune_is_printable(rune) ? 1 : 0;
    }
    assert_int_equal(n, PRINTABLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_runes),
        cmocka_unit_test(knows_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
