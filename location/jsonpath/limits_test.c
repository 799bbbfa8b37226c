/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/limits_test.c - expressions and objects that would take very long:
 * each ends with an error or a result.
 */
#include "base/limits.h"
#include "base/slow_testing.h"
#include "location/jsonpath/testing.h"

/* Makes a list that has the element so many times. */
static json_t *list_of(size_t count, json_t *element) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(json_array_append(list, element), 0);
    }
    json_decref(element);
    return list;
}

/* Lists in one another. */
static json_t *nested(size_t depth) {
    json_t *root = json_array();
    for (size_t i = 1; i < depth; i++) {
        json_t *outer = json_array();
        assert_int_equal(json_array_append_new(outer, root), 0);
        root = outer;
    }
    return root;
}

static enum fx_code evaluate(const char *text, json_t *root, size_t *ret_count) {
    struct fx_jsonpath *path = compile(text, FX_JSONPATH_EXPRESSION);
    struct fx_jsonpath_result result = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_jsonpath_eval(path, root, &result, &err);
    *ret_count = result.n_values;
    fx_jsonpath_result_finish(&result);
    fx_jsonpath_destroy(path);
    return ok ? FX_OK : err.code;
}

static void test_steps(void **state) {
    static const char *const rows[] = {
        "$..[? $..[? $..[? @ == 1]]]",
        "$..*($)..*",
        "$[*]($)[*]($)[*]",
        "$[? [$[*]] == [$[:]]]",
        "$[? $ =~ \"x\"]",
        "$[? length({#: $..*}) == 0]",
        "$[? 1 in $[*][*]]",
        "$[? (\"\" + $) < (\"\" + $)]",
        "$[? $..[1, 2, 3] == 1]",
    };
    json_t *root = list_of(3000, list_of(3, json_integer(5)));
    size_t count = 0;
    for (size_t i = 0; i < FX_COUNT(rows); i += slow()) {
        if (evaluate(rows[i], root, &count) != FX_ELIMIT) {
            fail_msg("%s: is not stopped", rows[i]);
        }
    }
    json_decref(root);
    (void)state;
}

static void test_places(void **state) {
    json_t *root = list_of(3000, list_of(3, json_integer(5)));
    struct fx_jsonpath *path = compile("$..*($)..*", FX_JSONPATH_PATH);
    struct fx_jsonpath_matches matches = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_jsonpath_find(path, root, &matches, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_jsonpath_destroy(path);
    json_decref(root);
    (void)state;
}

/* Large but reasonable input passes. */
static void test_large(void **state) {
    json_t *root = list_of(100000, json_integer(5));
    size_t count = 0;
    assert_int_equal(evaluate("$..*", root, &count), FX_OK);
    assert_int_equal(count, 100000);
    assert_int_equal(evaluate("$[? @ == 5]", root, &count), FX_OK);
    assert_int_equal(count, 100000);
    assert_int_equal(evaluate("$ =~ \"^.5 5\"", root, &count), FX_OK);
    assert_int_equal(evaluate("$ == [5]", root, &count), FX_OK);
    json_decref(root);
    (void)state;
}

static void test_depth(void **state) {
    json_t *root = nested(FX_LIMIT_JSON_DEPTH);
    size_t count = 0;
    assert_int_equal(evaluate("$..*", root, &count), FX_OK);
    assert_int_equal(count, FX_LIMIT_JSON_DEPTH - 1);
    assert_int_equal(evaluate("$ == $[*]", root, &count), FX_OK);
    assert_int_equal(evaluate("\"\" + $", root, &count), FX_OK);
    assert_int_equal(evaluate("$..($)..($)..($)..($)..($)", root, &count), FX_ELIMIT);
    json_decref(root);
    (void)state;
}

/* An invalid pattern counts, too, but once. */
static void test_bad_patterns(void **state) {
    json_t *root = list_of(100, json_string("("));
    size_t count = 0;
    assert_int_equal(evaluate("$[? \"a\" =~ @]", root, &count), FX_OK);
    assert_int_equal(count, 0);
    for (unsigned i = 0; i < FX_LIMIT_JSONPATH_OBJECT_PATTERNS; i++) {
        const char text[] = {(char)('a' + i), '(', '\0'};
        assert_int_equal(json_array_append_new(root, json_string(text)), 0);
    }
    assert_int_equal(evaluate("$[? \"a\" =~ @]", root, &count), FX_ELIMIT);
    json_decref(root);
    (void)state;
}

static void test_patterns(void **state) {
    json_t *root = json_array();
    size_t count = 0;
    for (unsigned i = 0; i < FX_LIMIT_JSONPATH_OBJECT_PATTERNS; i++) {
        const char text[] = {(char)('a' + i), '\0'};
        assert_int_equal(json_array_append_new(root, json_string(text)), 0);
    }
    assert_int_equal(evaluate("$[? \"a\" =~ @]", root, &count), FX_OK);
    assert_int_equal(evaluate("$[? $[? \"a\" =~ @] == [\"a\"]]", root, &count), FX_OK);
    assert_int_equal(count, FX_LIMIT_JSONPATH_OBJECT_PATTERNS);
    assert_int_equal(json_array_append_new(root, json_string("z")), 0);
    assert_int_equal(evaluate("$[? \"a\" =~ @]", root, &count), FX_ELIMIT);
    json_decref(root);

    char text[FX_LIMIT_JSONPATH_OBJECT_PATTERN_BYTES + 2];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    root = json_string(text);
    assert_int_equal(evaluate("\"a\" =~ $", root, &count), FX_ELIMIT);
    json_decref(root);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),    cmocka_unit_test(test_places),
        cmocka_unit_test(test_large),    cmocka_unit_test(test_depth),
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_bad_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
