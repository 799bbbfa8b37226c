/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/same_test.c - results that are the same when the order of lists is ignored,
 * and where others differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analyzer.h"
#include "engine/fake_mutator.h"
#include "value/equal.h"

static const struct {
    const char *a, *b;
    const char *path; /* NULL: they are the same */
    const char *at_a, *at_b;
} cases[] = {
    {"{}", "{}", NULL, NULL, NULL},
    {"5", "5.0", NULL, NULL, NULL},
    {"[1, 2, 2]", "[2, 1, 2]", NULL, NULL, NULL},
    {"{\"a\": [{\"n\": [1, 2]}, 3], \"b\": 1}", "{\"b\": 1, \"a\": [3, {\"n\": [2, 1]}]}",
     NULL, NULL, NULL},
    {"[1, 2, 2]", "[2, 1, 1]", "/2", "2", "1"},
    {"[1]", "[1, 2]", "", "[1]", "[1, 2]"},
    {"{\"a\": 1}", "{\"a\": 2}", "/a", "1", "2"},
    {"{\"a\": {}}", "{\"a\": {\"b\": 2}}", "/a/b", NULL, "2"},
    {"{\"a\": {\"b\": 2}}", "{\"a\": {}}", "/a/b", "2", NULL},
    {"{\"a/b\": [1]}", "{\"a/b\": {}}", "/a~1b", "[1]", "{}"},
    {"[{\"n\": \"x\", \"v\": 1}, {\"n\": \"y\"}]",
     "[{\"n\": \"y\"}, {\"n\": \"x\", \"v\": 2}]", "/0/v", "1", "2"},
};

static void check_value(const json_t *value, const char *expected) {
    json_t *wanted = expected == NULL ? NULL : fake_json(expected);
    assert_true(fx_equal(value, wanted));
    json_decref(wanted);
}

static void compares(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *a = fake_json(cases[i].a);
        json_t *b = fake_json(cases[i].b);
        assert_int_equal(fx_same(a, b), cases[i].path == NULL);
        assert_int_equal(fx_same(b, a), cases[i].path == NULL);
        if (cases[i].path != NULL) {
            struct fx_buf path;
            json_t *at_a = NULL;
            json_t *at_b = NULL;
            fx_buf_init(&path, 0);
            fx_buf_str(&path, "");
            fx_same_find(a, b, &path, &at_a, &at_b);
            assert_string_equal(path.data, cases[i].path);
            check_value(at_a, cases[i].at_a);
            check_value(at_b, cases[i].at_b);
            fx_buf_finish(&path);
        }
        json_decref(a);
        json_decref(b);
    }
}

/* Nested lists that differ at the very end: the number of comparisons is limited. */
static void is_bounded(void **state) {
    (void)state;
    json_t *a = json_integer(1);
    json_t *b = json_integer(2);
    for (int depth = 0; depth < 6; depth++) {
        json_t *outer_a = json_array();
        json_t *outer_b = json_array();
        for (int i = 0; i < 60; i++) {
            assert_int_equal(json_array_append(outer_a, a), 0);
            assert_int_equal(json_array_append(outer_b, b), 0);
        }
        json_decref(a);
        json_decref(b);
        a = outer_a;
        b = outer_b;
    }
    (void)fx_same(a, b); /* it ends */
    json_decref(a);
    json_decref(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
