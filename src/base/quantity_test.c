/* SPDX-License-Identifier: Apache-2.0
 *
 * base/quantity_test.c - products and quotients of quantities. (Reading, sums, order and
 * writing: the tests of CEL's functions, and quantity_fuzz.c.)
 */
#include "base/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MEMORY ((size_t)1 << 20)

typedef bool operation(struct fx_arena *arena, const struct fx_quantity *a,
                       const struct fx_quantity *b, struct fx_quantity *ret_result,
                       struct fx_err *err);

static void expect_result(operation *operate, const char *a, const char *b,
                          const char *wanted) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_quantity left;
    struct fx_quantity right;
    struct fx_quantity result;
    struct fx_buf buf;
    fx_arena_init(&arena, MEMORY);
    fx_buf_init(&buf, 0);
    assert_true(fx_quantity_parse(&arena, fx_text_of(a), &left, &err));
    assert_true(fx_quantity_parse(&arena, fx_text_of(b), &right, &err));
    assert_true(operate(&arena, &left, &right, &result, &err));
    fx_quantity_print(&buf, &result);
    assert_string_equal(buf.data, wanted);
    fx_buf_finish(&buf);
    fx_arena_finish(&arena);
}

static void products_keep_the_format_of_the_left_operand(void **state) {
    (void)state;
    expect_result(fx_quantity_multiply, "12Ki", "2", "24Ki");
    expect_result(fx_quantity_multiply, "12Ki", "2.5", "30Ki");
    expect_result(fx_quantity_multiply, "1Ki", "0.1", "102400m");
    expect_result(fx_quantity_multiply, "1e3", "1000", "1e6");
    expect_result(fx_quantity_multiply, "1k", "-1", "-1k");
    expect_result(fx_quantity_multiply, "100m", "0", "0");
    expect_result(fx_quantity_multiply, "7E", "1e+06", "7000000E");
}

static void quotients_are_cut(void **state) {
    (void)state;
    expect_result(fx_quantity_divide, "1Gi", "2", "512Mi");
    expect_result(fx_quantity_divide, "1", "3", "0");
    expect_result(fx_quantity_divide, "1.00", "3", "330m");
    expect_result(fx_quantity_divide, "-1.0", "3", "-300m");
    expect_result(fx_quantity_divide, "0.5Gi", "3", "178956970666666666n");
    expect_result(fx_quantity_divide, "1M", "1e+06", "1");
    expect_result(fx_quantity_divide, "250m", "0.5", "500m");
}

static void numbers_that_are_too_long_fail(void **state) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_quantity large;
    struct fx_quantity small;
    struct fx_quantity result;
    (void)state;
    fx_arena_init(&arena, MEMORY);
    assert_true(fx_quantity_parse(&arena, FX_TEXT("1e9000"), &large, &err));
    assert_true(fx_quantity_parse(&arena, FX_TEXT("3"), &small, &err));
    assert_false(fx_quantity_divide(&arena, &large, &small, &result, &err));
    assert_int_equal(err.code, FX_EMUTATE);
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_keep_the_format_of_the_left_operand),
        cmocka_unit_test(quotients_are_cut),
        cmocka_unit_test(numbers_that_are_too_long_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
