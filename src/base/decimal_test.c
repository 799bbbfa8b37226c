/* SPDX-License-Identifier: Apache-2.0
 *
 * base/decimal_test.c - exact decimal numbers.
 */
#include "base/decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"

#define MEMORY ((size_t)1 << 20)

/* Reads "-12.5". */
static struct fx_decimal read_decimal(struct fx_arena *arena, const char *text) {
    struct fx_text fraction = fx_text_of(text);
    struct fx_decimal number;
    struct fx_err err = FX_ERR_INIT;
    const bool is_negative = fx_text_take(&fraction, '-');
    const struct fx_text whole = fx_text_cut(&fraction, '.');
    assert_true(fx_decimal_parse(arena, whole, fraction, 0, &number, &err));
    number.is_negative = is_negative;
    return number;
}

/* Checks the integer and the scale. */
static void expect_number(const struct fx_decimal *number, const char *digits,
                          int64_t scale) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, number->is_negative && number->n > 0 ? "-" : "");
    fx_decimal_print_digits(&buf, number);
    assert_string_equal(buf.data, digits);
    assert_int_equal(number->scale, scale);
    fx_buf_finish(&buf);
}

static void sums(void **state) {
    static const struct {
        const char *a, *b, *digits;
        int64_t scale;
    } cases[] = {
        {"999999999", "1", "1000000000", 0},
        {"1000000000000000000", "-1", "999999999999999999", 0},
        {"1", "-1.000000000000000000001", "-1", 21},
        {"0.1", "-0.1", "0", 1},
        {"-5", "3.25", "-175", 2},
        {"123456789012345678901234567890", "0.1", "1234567890123456789012345678901", 1},
        {"0", "0.001", "1", 3},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        struct fx_decimal sum;
        fx_arena_init(&arena, MEMORY);
        const struct fx_decimal a = read_decimal(&arena, cases[i].a);
        const struct fx_decimal b = read_decimal(&arena, cases[i].b);
        assert_true(fx_decimal_add(&arena, &a, &b, &sum, &err));
        expect_number(&sum, cases[i].digits, cases[i].scale);
        fx_arena_finish(&arena);
    }
}

static void scales(void **state) {
    static const struct {
        const char *number;
        int64_t scale;
        const char *digits;
    } cases[] = {
        {"1.5", 9, "1500000000"},
        {"999999999.9999999991", 9, "1000000000000000000"},
        {"-0.00000000001", 9, "-1"},
        {"1.10", 1, "11"},
        {"12.3", -1, "2"},
        {"7", -30, "1"},
        {"0", 12, "0"},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        fx_arena_init(&arena, MEMORY);
        struct fx_decimal number = read_decimal(&arena, cases[i].number);
        assert_true(fx_decimal_rescale(&arena, &number, cases[i].scale, &number, &err));
        expect_number(&number, cases[i].digits, cases[i].scale);
        fx_arena_finish(&arena);
    }
}

/* Each number is less than the next one. */
static void orders(void **state) {
    static const char *const numbers[] = {
        "-1000000000000000000000",
        "-999999999999999999999.9",
        "-1",
        "-0.001",
        "0.000",
        "0.00000000000000000000001",
        "0.1",
        "0.11",
        "1",
        "999999999",
        "1000000000.5",
    };
    struct fx_arena arena;
    (void)state;
    fx_arena_init(&arena, MEMORY);
    for (size_t i = 0; i < FX_COUNT(numbers); i++) {
        for (size_t j = 0; j < FX_COUNT(numbers); j++) {
            const struct fx_decimal a = read_decimal(&arena, numbers[i]);
            const struct fx_decimal b = read_decimal(&arena, numbers[j]);
            const int order = fx_decimal_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
    const struct fx_decimal long_one = read_decimal(&arena, "1.000000000000");
    const struct fx_decimal one = read_decimal(&arena, "1");
    assert_int_equal(fx_decimal_compare(&long_one, &one), 0);
    fx_arena_finish(&arena);
}

static void powers_of_two(void **state) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    (void)state;
    fx_arena_init(&arena, MEMORY);
    struct fx_decimal number = read_decimal(&arena, "3");
    assert_true(fx_decimal_shift(&arena, &number, 60, &number, &err));
    expect_number(&number, "3458764513820540928", 0);
    for (unsigned i = 0; i < 6; i++) {
        assert_true(fx_decimal_divide_by_1024(&arena, &number, &number, &err));
    }
    expect_number(&number, "3", 0);
    assert_false(fx_decimal_divide_by_1024(&arena, &number, &number, &err));
    assert_int_equal(err.code, FX_OK);
    fx_arena_finish(&arena);
}

static void products(void **state) {
    static const struct {
        const char *a, *b, *digits;
        int64_t scale;
    } cases[] = {
        {"999999999", "999999999", "999999998000000001", 0},
        {"-2.50", "4", "-1000", 2},
        {"0", "-7.5", "0", 1},
        {"1000000000000000000", "0.001", "1000000000000000000", 3},
        {"123456789012345678901234567890", "987654321098765432109876543210",
         "121932631137021795226185032733622923332237463801111263526900", 0},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        struct fx_decimal product;
        fx_arena_init(&arena, MEMORY);
        const struct fx_decimal a = read_decimal(&arena, cases[i].a);
        const struct fx_decimal b = read_decimal(&arena, cases[i].b);
        assert_true(fx_decimal_multiply(&arena, &a, &b, &product, &err));
        expect_number(&product, cases[i].digits, cases[i].scale);
        assert_true(fx_decimal_multiply(&arena, &b, &a, &product, &err));
        expect_number(&product, cases[i].digits, cases[i].scale);
        fx_arena_finish(&arena);
    }
}

static void quotients(void **state) {
    static const struct {
        const char *a, *b;
        int64_t scale;
        const char *digits;
    } cases[] = {
        {"7", "2", 0, "3"},
        {"-7", "2", 0, "-3"},
        {"7", "-2", 1, "-35"},
        {"0.5", "3", 9, "166666666"},
        {"1073741824", "3", 2, "35791394133"},
        {"1000000", "1000", 0, "1000"},
        {"1", "0.0001", 0, "10000"},
        {"1234.5678", "0.25", 1, "49382"},
        {"1", "1000000", 3, "0"},
        {"0", "5", 4, "0"},
        {"123456789012345678901234567890", "999999999999999999", 0, "123456789012"},
        {"123456789012345678901234567890", "1", -20, "1234567890"},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        struct fx_decimal quotient;
        fx_arena_init(&arena, MEMORY);
        const struct fx_decimal a = read_decimal(&arena, cases[i].a);
        const struct fx_decimal b = read_decimal(&arena, cases[i].b);
        assert_true(fx_decimal_divide(&arena, &a, &b, cases[i].scale, &quotient, &err));
        expect_number(&quotient, cases[i].digits, cases[i].scale);
        fx_arena_finish(&arena);
    }
}

static void divisors_are_short(void **state) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_decimal quotient;
    (void)state;
    fx_arena_init(&arena, MEMORY);
    const struct fx_decimal one = read_decimal(&arena, "1");
    const struct fx_decimal zeros = read_decimal(&arena, "50000000000000000000000");
    const struct fx_decimal digits = read_decimal(&arena, "1234567890123456789");
    assert_true(fx_decimal_divide(&arena, &one, &zeros, 24, &quotient, &err));
    expect_number(&quotient, "20", 24);
    assert_false(fx_decimal_divide(&arena, &one, &digits, 0, &quotient, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_arena_finish(&arena);
}

static void limits(void **state) {
    static const uint32_t one = 1;
    const struct fx_decimal large = {false, 1, &one, -(int64_t)FX_LIMIT_DECIMAL_DIGITS};
    const struct fx_decimal small = {false, 1, &one, 0};
    struct fx_decimal sum;
    (void)state;
    for (size_t max = 0; max < 256; max += 16) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        fx_arena_init(&arena, max);
        assert_true(fx_decimal_add(&arena, &small, &small, &sum, &err) ||
                    err.code == FX_ENOMEM);
        fx_err_reset(&err);
        assert_false(fx_decimal_add(&arena, &large, &small, &sum, &err));
        assert_int_equal(err.code, FX_ELIMIT);
        fx_arena_finish(&arena);
    }
    assert_int_equal(fx_decimal_compare(&large, &small), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(scales),
        cmocka_unit_test(orders),
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(products),
        cmocka_unit_test(quotients),
        cmocka_unit_test(divisors_are_short),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
