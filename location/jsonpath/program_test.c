/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/program_test.c - properties of an expression that need no object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "location/jsonpath/jsonpath.h"

static struct fx_jsonpath *must_compile(const char *text) {
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jsonpath_compile(fx_text_of(text), FX_JSONPATH_EXPRESSION, &path, &err)) {
        fail_msg("%s: %s", text, err.msg);
    }
    return path;
}

static void ways(void **state) {
    (void)state;
    static const struct {
        const char *text, *way; /* way NULL: it is none */
    } cases[] = {
        {"$.a.b", "a b"},      {"$[\"a.b\"].c", "a.b c"},
        {"$.a[*].b", "a * b"}, {"$.a[? @.x == 1].b", "a * b"},
        {"$.a[0]", NULL},      {"$.a[kind]", NULL},
        {"$..a", NULL},        {"$.a[1:2]", NULL},
        {"$", NULL},           {"@.a", NULL},
        {"$.a == 1", NULL},    {"kind", NULL},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_text names[FX_JSONPATH_MOST_STEPS];
        struct fx_jsonpath *path = must_compile(cases[i].text);
        const size_t n_names = fx_jsonpath_step_names(path, names);
        struct fx_buf got;
        fx_buf_init(&got, 0);
        for (size_t k = 0; k < n_names; k++) {
            fx_buf_str(&got, k > 0 ? " " : "");
            fx_buf_text(&got, names[k].data == NULL ? FX_TEXT("*") : names[k]);
        }
        if (cases[i].way == NULL) {
            assert_int_equal(n_names, 0);
        } else {
            assert_string_equal(got.data, cases[i].way);
        }
        fx_buf_finish(&got);
        fx_jsonpath_destroy(path);
    }
}

/* One that is longer is none. */
static void long_way(void **state) {
    (void)state;
    struct fx_text names[FX_JSONPATH_MOST_STEPS];
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_char(&text, '$');
    for (size_t i = 0; i < FX_JSONPATH_MOST_STEPS; i++) {
        fx_buf_str(&text, ".a");
    }
    struct fx_jsonpath *path = must_compile(text.data);
    assert_int_equal(fx_jsonpath_step_names(path, names), FX_JSONPATH_MOST_STEPS);
    fx_jsonpath_destroy(path);
    fx_buf_str(&text, ".a");
    path = must_compile(text.data);
    assert_int_equal(fx_jsonpath_step_names(path, names), 0);
    fx_jsonpath_destroy(path);
    fx_buf_finish(&text);
}

static void add_part(void *user, const struct fx_jsonpath *part) {
    struct fx_buf *all = user;
    fx_jsonpath_print(all, part);
    fx_buf_char(all, ';');
}

static void parts(void **state) {
    (void)state;
    static const struct {
        const char *text, *parts;
        bool is_path;
    } cases[] = {
        {"$.a.b", "$.a.b;", true},
        {"$.a > 1 && !isDefined($.b[? @.c == $.d])", "$.a;$.b[? @.c == $.d];", false},
        {"$.a ? [$.b] : {\"k\": kind}", "$.a;$.b;kind;", false},
        {"@.a == 1", "", false},
        {"true", "", false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_jsonpath *path = must_compile(cases[i].text);
        struct fx_buf all;
        fx_buf_init(&all, 0);
        fx_buf_str(&all, "");
        fx_jsonpath_paths(path, add_part, &all);
        assert_string_equal(all.data, cases[i].parts);
        assert_int_equal(fx_jsonpath_is_path(path), cases[i].is_path);
        fx_buf_finish(&all);
        fx_jsonpath_destroy(path);
    }
}

/* A path within an expression is evaluated like any other expression. */
static void add_value(void *user, const struct fx_jsonpath *part) {
    struct fx_jsonpath_result result = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_pack("{s:i}", "a", 7);
    assert_non_null(root);
    assert_true(fx_jsonpath_eval(part, root, &result, &err));
    assert_int_equal(result.shape, FX_JSONPATH_VALUE);
    *(json_int_t *)user = json_integer_value(result.values[0]);
    fx_jsonpath_result_finish(&result);
    json_decref(root);
}

static void values_of_parts(void **state) {
    (void)state;
    json_int_t got = 0;
    struct fx_jsonpath *path = must_compile("1 + $.a");
    fx_jsonpath_paths(path, add_value, &got);
    assert_int_equal(got, 7);
    fx_jsonpath_destroy(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways),
        cmocka_unit_test(long_way),
        cmocka_unit_test(parts),
        cmocka_unit_test(values_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
