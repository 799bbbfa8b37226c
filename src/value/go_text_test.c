/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_text_test.c - %v. The decimal numbers were run through Go's fmt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "value/go_text.h"
#include "value/json.h"

static void expect_double(double value, const char *expected) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_go_text_add_double(&buf, value);
    assert_string_equal(buf.data, expected);
    fx_buf_finish(&buf);
}

static void test_numbers(void **state) {
    static const char *const rows[][2] = {
        {"0", "0"},
        {"-0.0", "-0"},
        {"1", "1"},
        {"-1", "-1"},
        {"5", "5"},
        {"80", "80"},
        {"1.5", "1.5"},
        {"0.1", "0.1"},
        {"0.2", "0.2"},
        {"0.0001", "0.0001"},
        {"1e-05", "1e-05"},
        {"0.00012345", "0.00012345"},
        {"1.2345e-05", "1.2345e-05"},
        {"99999", "99999"},
        {"100000", "100000"},
        {"123456", "123456"},
        {"999999", "999999"},
        {"999999.5", "999999.5"},
        {"1000000", "1e+06"},
        {"1234567.8", "1.2345678e+06"},
        {"12345678", "1.2345678e+07"},
        {"1000650000", "1.00065e+09"},
        {"2147483647", "2.147483647e+09"},
        {"4294967296", "4.294967296e+09"},
        {"9007199254740991", "9.007199254740991e+15"},
        {"9007199254740993", "9.007199254740992e+15"},
        {"1000000000000000.0", "1e+15"},
        {"123456789012345680", "1.2345678901234568e+17"},
        {"1e+20", "1e+20"},
        {"1e+21", "1e+21"},
        {"1e+22", "1e+22"},
        {"1.7976931348623157e+308", "1.7976931348623157e+308"},
        {"5e-324", "5e-324"},
        {"100", "100"},
        {"250", "250"},
        {"3.14159265358979", "3.14159265358979"},
        {"1.0", "1"},
        {"2.5", "2.5"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        expect_double(strtod(rows[i][0], NULL), rows[i][1]);
    }
    (void)state;
}

static void test_no_numbers(void **state) {
    expect_double((double)NAN, "NaN");
    expect_double(-(double)NAN, "NaN");
    expect_double((double)INFINITY, "+Inf");
    expect_double(-(double)INFINITY, "-Inf");
    (void)state;
}

/* Below a power of two the doubles lie closer than above it. */
static void test_powers_of_two(void **state) {
    expect_double(0x1p-44, "5.684341886080802e-14");
    expect_double(0x1p-1021, "4.450147717014403e-308");
    expect_double(0x1p-1022, "2.2250738585072014e-308");
    expect_double(0x1p30, "1.073741824e+09");
    expect_double(0x1p122, "5.316911983139664e+36");
    (void)state;
}

/* What was printed reads back as the same, and has as few digits as possible. */
static void test_all_magnitudes(void **state) {
    for (int exponent = -1074; exponent < 1024; exponent++) {
        const double values[] = {ldexp(1, exponent), nextafter(ldexp(1, exponent), 0),
                                 ldexp(1.1, exponent)};
        for (size_t i = 0; i < FX_COUNT(values); i++) {
            struct fx_buf buf;
            fx_buf_init(&buf, 0);
            fx_go_text_add_double(&buf, -values[i]);
            assert_true(strtod(buf.data, NULL) == -values[i]);
            assert_true(buf.len <= sizeof "-2.2250738585072014e-308" - 1);
            fx_buf_finish(&buf);
        }
    }
    (void)state;
}

static void test_values(void **state) {
    static const struct {
        const char *json;
        enum fx_go_integers integers;
        const char *expected;
    } rows[] = {
        {"null", FX_GO_INTEGERS, "<nil>"},
        {"[true,false,null,\"a b\",[]]", FX_GO_INTEGERS, "[true false <nil> a b []]"},
        {"{\"b\":{},\"a\":[1,\"x\"],\"\":2}", FX_GO_INTEGERS, "map[:2 a:[1 x] b:map[]]"},
        {"[1000000,-1000000]", FX_GO_INTEGERS, "[1000000 -1000000]"},
        {"[1000000,-1000000]", FX_GO_DOUBLES, "[1e+06 -1e+06]"},
        {"[1.0,0.5,1e6]", FX_GO_INTEGERS, "[1 0.5 1e+06]"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_buf buf;
        struct fx_err err = FX_ERR_INIT;
        json_t *value = fx_json_read(fx_text_of(rows[i].json), NULL, &err);
        fx_buf_init(&buf, 0);
        fx_go_text_add(&buf, value, rows[i].integers);
        assert_string_equal(buf.data, rows[i].expected);
        fx_buf_finish(&buf);
        json_decref(value);
    }
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_powers_of_two), cmocka_unit_test(test_all_magnitudes),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
