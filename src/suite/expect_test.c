/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/expect_test.c - what is equal, what is contained, and in which order it is shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "suite/run.h"
#include "value/json.h"

static json_t *tree(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(root);
    return root;
}

static void test_arranging(void **state) {
    (void)state;
    static const struct {
        const char *value, *like;
        bool part;
        const char *expected;
    } cases[] = {
        {"{\"a\":1,\"b\":2,\"c\":3}", "{\"c\":0,\"a\":0}", false,
         "{\"c\":3,\"a\":1,\"b\":2}"},
        {"{\"a\":1,\"b\":2,\"c\":3}", "{\"c\":0,\"a\":0}", true, "{\"c\":3,\"a\":1}"},
        {"{\"a\":1}", "{\"b\":1}", true, "{}"},
        {"{\"a\":{\"x\":1,\"y\":2}}", "{\"a\":{\"y\":2}}", true, "{\"a\":{\"y\":2}}"},
        {"[{\"a\":1,\"b\":2}]", "[{\"b\":0}]", true, "[{\"b\":2}]"},
        {"[{\"a\":1,\"b\":2}]", "[{\"b\":0}]", false, "[{\"b\":2,\"a\":1}]"},
        /* Items of lists of different lengths cannot be paired. */
        {"[{\"a\":1,\"b\":2}]", "[{\"b\":0},{}]", true, "[{\"a\":1,\"b\":2}]"},
        {"[{\"a\":1,\"b\":2},3]", "[{\"b\":0}]", false, "[{\"b\":2,\"a\":1},3]"},
        {"{\"a\":null}", "{\"a\":1}", true, "{\"a\":null}"},
        {"[]", "{}", true, "[]"},
        {"5", "\"5\"", false, "5"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *value = tree(cases[i].value);
        json_t *like = tree(cases[i].like);
        json_t *made = fx_expect_arrange(value, like, cases[i].part);
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_json_write(&buf, made, FX_JSON_COMPACT);
        assert_string_equal(buf.data, cases[i].expected);
        fx_buf_finish(&buf);
        json_decref(made);
        json_decref(like);
        json_decref(value);
    }
}

static char *compare(const char *expected, const char *got, bool part, bool *ret_same) {
    struct fx_objects sides[2] = {{0}, {0}};
    json_t *roots[2] = {tree(expected), tree(got)};
    assert_true(fx_objects_add(&sides[0], roots[0]));
    assert_true(fx_objects_add(&sides[1], roots[1]));
    const struct fx_expectation expectation = {&sides[0],  &sides[1], part,
                                               "expected", "got",     false};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf diff;
    fx_buf_init(&diff, 0);
    assert_true(fx_expect_compare(&expectation, ret_same, &diff, &err));
    for (size_t i = 0; i < 2; i++) {
        fx_objects_finish(&sides[i]);
        json_decref(roots[i]);
    }
    return fx_buf_steal(&diff);
}

static void test_comparing(void **state) {
    (void)state;
    static const struct {
        const char *expected, *got;
        bool whole, part; /* is it the same? */
    } cases[] = {
        {"{}", "{}", true, true},
        {"{}", "{\"a\":1}", false, true},
        {"{\"a\":5}", "{\"a\":5.0}", true, true},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true, true},
        {"{\"a\":null}", "{}", false, false},
        {"{\"a\":{}}", "{\"a\":{\"b\":1}}", false, true},
        {"{\"a\":{}}", "{\"a\":[]}", false, false},
        {"{\"a\":[1]}", "{\"a\":[1,2]}", false, false},
        {"{\"a\":[{},{\"x\":1}]}", "{\"a\":[{\"y\":1},{\"x\":1,\"y\":2}]}", false, true},
        {"{\"a\":[{},{\"x\":1}]}", "{\"a\":[{\"y\":1},{\"x\":2}]}", false, false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        for (unsigned part = 0; part < 2; part++) {
            bool same = false;
            char *diff = compare(cases[i].expected, cases[i].got, part == 1, &same);
            assert_int_equal(same, part == 1 ? cases[i].part : cases[i].whole);
            assert_int_equal(same, diff[0] == '\0');
            free(diff);
        }
    }
}

static void test_the_difference_is_all_that_is_shown(void **state) {
    (void)state;
    bool same = true;
    char *diff = compare("{\"kind\":\"Pod\",\"a\":{\"z\":1,\"b\":2}}",
                         "{\"a\":{\"b\":3,\"z\":1},\"kind\":\"Pod\"}", false, &same);
    assert_false(same);
    assert_string_equal(diff, "--- expected\n+++ got\n@@ -1,4 +1,4 @@\n kind: Pod\n a:\n"
                              "   z: 1\n-  b: 2\n+  b: 3\n");
    free(diff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arranging),
        cmocka_unit_test(test_comparing),
        cmocka_unit_test(test_the_difference_is_all_that_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
