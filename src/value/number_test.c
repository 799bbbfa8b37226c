/* SPDX-License-Identifier: Apache-2.0
 *
 * value/number_test.c - numbers read and written exactly as Go does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slow_testing.h"
#include "value/double_digits_testing.h"
#include "value/number.h"
#include "value/tree.h"

static const struct {
    const char *in, *out, *type;
} cases[] = {
    {"0", "0", "int64"},
    {"-0", "0", "int64"},
    {"-0.0", "-0", "float64"},
    {"1e0", "1", "float64"},
    {"1.50", "1.5", "float64"},
    {"12e-1", "1.2", "float64"},
    {"1e20", "100000000000000000000", "float64"},
    {"1e21", "1e+21", "float64"},
    {"1.5e300", "1.5e+300", "float64"},
    {"1e-6", "0.000001", "float64"},
    {"0.00000123456789", "0.00000123456789", "float64"},
    {"1e-7", "1e-7", "float64"},
    {"-1.5e-10", "-1.5e-10", "float64"},
    {"9223372036854775807", "9223372036854775807", "int64"},
    {"-9223372036854775808", "-9223372036854775808", "int64"},
    {"9223372036854775808", "9223372036854776000", "float64"},
    {"-9223372036854775809", "-9223372036854776000", "float64"},
    {"18446744073709551616", "18446744073709552000", "float64"},
    {"99999999999999999999999", "1e+23", "float64"},
    {"1e-400", "0", "float64"},
    {"5e-324", "5e-324", "float64"},
    {"2.2250738585072014e-308", "2.2250738585072014e-308", "float64"},
    {"2.225073858507201e-308", "2.225073858507201e-308", "float64"},
    {"1.7976931348623157e308", "1.7976931348623157e+308", "float64"},
    {"5.684341886080801486968994140625e-14", "5.684341886080802e-14", "float64"},
    {"9.5367431640625e-7", "9.5367431640625e-7", "float64"},
    {"0.30000000000000004", "0.30000000000000004", "float64"},
    {"123456.75", "123456.75", "float64"},
    {"5.0", "5", "float64"},
    {"-1000000.0", "-1000000", "float64"},
    {"9007199254740991.0", "9007199254740991", "float64"},
    {"9007199254740990.0", "9007199254740990", "float64"},
    {"9007199254740992.0", "9007199254740992", "float64"},
    {"9007199254740994.0", "9007199254740994", "float64"},
};

static void prints_what_it_parses(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        bool overflow = true;
        char text[FX_NUMBER_SIZE];
        json_t *number = fx_number_parse(fx_text_of(cases[i].in), &overflow);
        assert_non_null(number);
        assert_false(overflow);
        const size_t length = fx_number_print(number, text);
        assert_int_equal(length, strlen(text));
        assert_string_equal(text, cases[i].out);
        assert_string_equal(fx_tree_go_type(number), cases[i].type);
        json_decref(number);
    }
}

static void reports_overflow(void **state) {
    (void)state;
    bool overflow = false;
    assert_null(fx_number_parse(FX_TEXT("1e309"), &overflow));
    assert_true(overflow);
    overflow = false;
    assert_null(fx_number_parse(FX_TEXT("-1e309"), &overflow));
    assert_true(overflow);
}

/* More digits than fit the small copy. */
static void reads_long_numbers(void **state) {
    (void)state;
    char text[1000];
    bool overflow = false;
    memset(text, '0', sizeof text);
    text[0] = '1';
    text[1] = '.';
    text[sizeof text - 1] = '5';
    json_t *number = fx_number_parse((struct fx_text){text, sizeof text}, &overflow);
    assert_true(json_real_value(number) == 1.0);
    json_decref(number);
}

/* Digits of the mantissa in the text. */
static int count_digits(const char *text) {
    char digits[FX_NUMBER_SIZE];
    int count = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0')) {
            digits[count++] = *text;
        }
    }
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    return count;
}

static void check_shortest(double value) {
    char text[FX_NUMBER_SIZE];
    char other[64];
    const size_t length = fx_number_print_double(value, text);
    assert_int_equal(length, strlen(text));
    assert_true(strtod(text, NULL) == value);
    int n = 1;
    do {
        (void)snprintf(other, sizeof other, "%.*e", n - 1, value);
    } while (strtod(other, NULL) != value && n++ < 17);
    assert_true(count_digits(text) <= n);
}

/* Doubles of any bits, by a linear congruence (Knuth), and all powers of two. */
static void prints_the_shortest_that_reads_back(void **state) {
    (void)state;
    uint64_t bits = 1;
    for (unsigned i = 0; i < 20000 / slow(); i++) {
        double value = 0;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            check_shortest(value);
        }
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_shortest(ldexp(1, exponent));
    }
}

static void check_digits(double value) {
    struct fx_double_digits digits;
    const struct decimal decimal = shortest_decimal(value);
    fx_double_digits_find(value, false, &digits);
    if (strcmp(digits.text, decimal.digits) != 0 || digits.point != decimal.point ||
        digits.n != decimal.n_digits) {
        fail_msg("%a: 0.%s e%d, not 0.%s e%d", value, digits.text, digits.point,
                 decimal.digits, decimal.point);
    }
}

static double double_of(uint64_t bits) {
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The same bits without the sign, with the exponent of a subnormal number, and shortened
 * to an integer of some size. */
static void check_family(uint64_t bits) {
    const double values[] = {
        double_of(bits & UINT64_C(0x7fffffffffffffff)),
        double_of(bits & UINT64_C(0x000fffffffffffff)),
        double_of((bits & UINT64_C(0x000fffffffffffff)) >> (bits >> 58)),
        (double)(bits >> (bits >> 58)),
        (double)(bits % 1000000) / 1000,
    };
    for (size_t i = 0; i < FX_COUNT(values); i++) {
        if (isfinite(values[i]) && values[i] > 0) {
            check_digits(values[i]);
        }
    }
}

/* Every power of two and of ten with its two neighbours, and doubles of any bits. */
static void finds_the_digits_of_the_slow_way(void **state) {
    (void)state;
    for (int exponent = -1074; exponent < 1024; exponent++) {
        const double power = ldexp(1, exponent);
        check_digits(power);
        check_digits(nextafter(power, HUGE_VAL));
        if (exponent > -1074) {
            check_digits(nextafter(power, 0));
        }
    }
    for (int exponent = -323; exponent <= 308; exponent++) {
        const double power = pow(10, exponent);
        check_digits(power);
        check_digits(nextafter(power, HUGE_VAL));
        check_digits(nextafter(power, 0) > 0 ? nextafter(power, 0) : power);
    }
    check_digits(DBL_MAX);
    uint64_t bits = 7;
    for (unsigned i = 0; i < 20000 / slow(); i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        check_family(bits);
    }
}

static void prints_integers(void **state) {
    (void)state;
    const struct {
        int64_t value;
        const char *text;
    } integers[] = {
        {0, "0"},
        {-7, "-7"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    for (size_t i = 0; i < FX_COUNT(integers); i++) {
        char text[FX_NUMBER_SIZE];
        assert_int_equal(fx_number_print_integer(integers[i].value, text),
                         strlen(integers[i].text));
        assert_string_equal(text, integers[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_it_parses),
        cmocka_unit_test(reports_overflow),
        cmocka_unit_test(reads_long_numbers),
        cmocka_unit_test(prints_the_shortest_that_reads_back),
        cmocka_unit_test(finds_the_digits_of_the_slow_way),
        cmocka_unit_test(prints_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
