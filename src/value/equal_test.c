/* SPDX-License-Identifier: Apache-2.0
 *
 * value/equal_test.c - pairs that are equal and pairs that are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "value/equal.h"
#include "value/json.h"

static const struct {
    const char *a, *b;
    bool equal;
} cases[] = {
    {"5", "5.0", true},
    {"0", "-0.0", true},
    {"-3", "-3.0", true},
    {"5", "5.5", false},
    {"9007199254740993", "9007199254740992.0", false},
    {"9007199254740992", "9007199254740992.0", true},
    {"9223372036854775807", "9223372036854775807.0", false},
    {"-9223372036854775808", "-9223372036854775808.0", true},
    {"9223372036854775807", "1e300", false},
    {"9223372036854775807", "-1e300", false},
    {"1.5", "1.5", true},
    {"1", "true", false},
    {"1", "\"1\"", false},
    {"0", "null", false},
    {"true", "true", true},
    {"true", "false", false},
    {"\"a\\u0000b\"", "\"a\\u0000b\"", true},
    {"\"a\\u0000b\"", "\"a\\u0000c\"", false},
    {"[]", "[]", true},
    {"[1,2]", "[1.0,2]", true},
    {"[1,2]", "[2,1]", false},
    {"[1,2]", "[1]", false},
    {"[]", "{}", false},
    {"{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}", true},
    {"{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"c\":3,\"b\":2}", true},
    {"{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false},
    {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
    {"{\"a\":null}", "{}", false},
    {"{\"a\":null}", "{\"b\":null}", false},
    {"{\"a\\u0000x\":1}", "{\"a\\u0000y\":1}", false},
    {"{\"a\":{\"b\":[{\"c\":1}]}}", "{\"a\":{\"b\":[{\"c\":2}]}}", false},
};

static void decides_each_pair_both_ways(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *a = fx_json_read(fx_text_of(cases[i].a), NULL, &err);
        json_t *b = fx_json_read(fx_text_of(cases[i].b), NULL, &err);
        assert_non_null(a);
        assert_non_null(b);
        if (fx_equal(a, b) != cases[i].equal || fx_equal(b, a) != cases[i].equal) {
            fail_msg("%s and %s", cases[i].a, cases[i].b);
        }
        assert_true(fx_equal(a, a));
        assert_false(fx_equal(a, NULL));
        assert_false(fx_equal(NULL, a));
        json_decref(a);
        json_decref(b);
    }
    assert_true(fx_equal(NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_each_pair_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
