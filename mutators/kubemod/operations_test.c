/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/operations_test.c - paths and their steps, and what add, replace and
 * remove do with them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "mutators/kubemod/limits.h"
#include "mutators/kubemod/operations.h"
#include "mutators/kubemod/testing.h"

static const struct {
    enum operation operation;
    const char *path, *value, *object;
    const char *expected; /* the object, or "! " and a part of the error */
} cases[] = {
    /* Maps. */
    {OPERATION_ADD, "/a", "1", "{}", "{a: 1}"},
    {OPERATION_ADD, "/a", "1", "{a: 2}", "{a: 1}"},
    {OPERATION_ADD, "/a/b/c", "1", "{}", "{a: {b: {c: 1}}}"},
    {OPERATION_ADD, "/a/b", "1", "{a: null}", "{a: {b: 1}}"},
    {OPERATION_ADD, "/a/b", "1", "{a: x}", "! neither a list nor a map: /a/b"},
    {OPERATION_ADD, "/a/b/c", "1", "{a: {b: 5}}", "! neither a list nor a map"},
    {OPERATION_ADD, "", "1", "{}", "! add operation does not apply: doc is missing path"},
    {OPERATION_ADD, "/", "1", "{}", "{'': 1}"},
    {OPERATION_ADD, "no/a", "1", "{}", "{a: 1}"},
    {OPERATION_ADD, "a", "1", "{}", "! missing path"},
    {OPERATION_ADD, "/a~1b/c~0d", "1", "{}", "{a/b: {c~d: 1}}"},
    {OPERATION_ADD, "/a~01", "1", "{}", "{a~1: 1}"},
    {OPERATION_ADD, "/a~2", "1", "{}", "{a~2: 1}"},
    /* Lists. */
    {OPERATION_ADD, "/l/-", "x", "{l: [a, b]}", "{l: [a, b, x]}"},
    {OPERATION_ADD, "/l/2", "x", "{l: [a, b]}", "{l: [a, b, x]}"},
    {OPERATION_ADD, "/l/0", "x", "{l: [a, b]}", "{l: [x, a, b]}"},
    {OPERATION_ADD, "/l/+1", "x", "{l: [a, b]}", "{l: [a, x, b]}"},
    {OPERATION_ADD, "/l/3", "x", "{l: [a, b]}", "! invalid index: 3"},
    {OPERATION_ADD, "/l/-1", "x", "{l: [a, b]}", "{l: [a, b, x]}"},
    {OPERATION_ADD, "/l/-2", "x", "{l: [a, b]}", "{l: [a, x, b]}"},
    {OPERATION_ADD, "/l/-3", "x", "{l: [a, b]}", "{l: [x, a, b]}"},
    {OPERATION_ADD, "/l/-4", "x", "{l: [a, b]}", "! invalid index: -4"},
    {OPERATION_ADD, "/l/k", "x", "{l: [a, b]}", "! not an index of a list: `k`"},
    {OPERATION_ADD, "/l/-1/k", "x", "{l: [{}, {}]}", "{l: [{}, {k: x}]}"},
    {OPERATION_ADD, "/l/-1/k", "x", "{l: []}", "{l: [{k: x}]}"},
    {OPERATION_ADD, "/l/-2/k", "x", "{l: []}", "! invalid index: -2"},
    {OPERATION_ADD, "/l/3/k", "x", "{l: [{}]}", "{l: [{}, null, null, {k: x}]}"},
    {OPERATION_ADD, "/l/k/k", "x", "{l: [{}]}", "! not an index"},
    /* Missing lists. */
    {OPERATION_ADD, "/l/-1", "x", "{}", "{l: [x]}"},
    {OPERATION_ADD, "/l/0", "x", "{}", "{l: [x]}"},
    {OPERATION_ADD, "/l/2", "x", "{}", "{l: [null, null, x]}"},
    {OPERATION_ADD, "/l/2/k", "x", "{}", "{l: [null, null, {k: x}]}"},
    {OPERATION_ADD, "/l/-2", "x", "{}", "! negative index other than -1: -2"},
    {OPERATION_ADD, "/l/-", "x", "{}", "{l: {'-': x}}"},
    {OPERATION_ADD, "/l/1/1", "x", "{}", "{l: [null, [null, x]]}"},
    {OPERATION_ADD, "/l/1001", "x", "{}", "! would be padded to 1001 elements"},
    {OPERATION_ADD, "/l/99999999999999999999", "x", "{}",
     "{l: {'99999999999999999999': x}}"},
    /* Fields whose keys are free are maps, whatever their keys are. */
    {OPERATION_ADD, "/metadata/annotations/2", "x", "{}",
     "{metadata: {annotations: {'2': x}}}"},
    {OPERATION_ADD, "/metadata/labels/-7", "x", "{}", "{metadata: {labels: {'-7': x}}}"},
    /* Replace. */
    {OPERATION_REPLACE, "/a", "1", "{a: 2}", "{a: 1}"},
    {OPERATION_REPLACE, "/a", "1", "{a: null}", "{a: 1}"},
    {OPERATION_REPLACE, "/a", "1", "{}",
     "! replace operation does not apply: doc is missing key: /a"},
    {OPERATION_REPLACE, "/a/b", "1", "{}", "! missing key"},
    {OPERATION_REPLACE, "/a/b", "1", "{a: x}", "! missing key"},
    {OPERATION_REPLACE, "", "1", "{}", "! missing key"},
    {OPERATION_REPLACE, "/l/-1", "x", "{l: [a, b]}", "{l: [a, x]}"},
    {OPERATION_REPLACE, "/l/0", "x", "{l: [a, b]}", "{l: [x, b]}"},
    {OPERATION_REPLACE, "/l/2", "x", "{l: [a, b]}", "! missing key"},
    {OPERATION_REPLACE, "/l/-3", "x", "{l: [a, b]}", "! missing key"},
    {OPERATION_REPLACE, "/l/-1/k", "x", "{l: [{k: a}, {k: b}]}", "{l: [{k: a}, {k: x}]}"},
    /* Remove. */
    {OPERATION_REMOVE, "/a", NULL, "{a: 1, b: 2}", "{b: 2}"},
    {OPERATION_REMOVE, "/c", NULL, "{a: 1}", "{a: 1}"},
    {OPERATION_REMOVE, "/c/d", NULL, "{a: 1}", "{a: 1}"},
    {OPERATION_REMOVE, "/a/b", NULL, "{a: 1}", "{a: 1}"},
    {OPERATION_REMOVE, "", NULL, "{a: 1}", "{a: 1}"},
    {OPERATION_REMOVE, "/l/-1", NULL, "{l: [a, b]}", "{l: [a]}"},
    {OPERATION_REMOVE, "/l/0", NULL, "{l: [a]}", "{l: []}"},
    {OPERATION_REMOVE, "/l/5", NULL, "{l: [a]}", "{l: [a]}"},
    {OPERATION_REMOVE, "/l/-5", NULL, "{l: [a]}", "{l: [a]}"},
    {OPERATION_REMOVE, "/l/k", NULL, "{l: [a]}", "! not an index"},
    {OPERATION_REMOVE, "/l/0/k", NULL, "{l: [{k: 1, m: 2}]}", "{l: [{m: 2}]}"},
};

static bool apply(enum operation operation, const char *path, json_t *value,
                  json_t **root, struct fx_err *err) {
    struct steps steps = {0};
    bool ok = fx_steps_read(fx_text_of(path), &steps, err);
    if (ok) {
        const struct operation_path at = {fx_text_of(path), &steps};
        ok = fx_operation_apply(operation, &at, value, root, err);
    }
    fx_steps_finish(&steps);
    return ok;
}

static void does_as_the_spec_says(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char what[128];
        struct fx_err err = FX_ERR_INIT;
        json_t *value = cases[i].value == NULL ? NULL : must_read(cases[i].value);
        json_t *object = must_read(cases[i].object);
        json_t *root = json_incref(object);
        (void)snprintf(what, sizeof what, "%s %s", fx_operation_text(cases[i].operation),
                       cases[i].path);
        const bool ok = apply(cases[i].operation, cases[i].path, value, &root, &err);
        if (cases[i].expected[0] != '!' && !ok) {
            fail_msg("%s: %s", what, err.msg);
        } else if (cases[i].expected[0] != '!') {
            assert_value(root, cases[i].expected, what);
        } else if (ok || strstr(err.msg, cases[i].expected + 2) == NULL) {
            fail_msg("%s: wanted %s, got %s", what, cases[i].expected,
                     ok ? "success" : err.msg);
        }
        assert_value(object, cases[i].object, what); /* others do not see it */
        json_decref(root);
        json_decref(object);
        json_decref(value);
    }
}

static void pads_to_a_bound(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = json_string("x");
    json_t *root = json_object();
    assert_true(apply(OPERATION_ADD, "/l/1000", value, &root, &err));
    assert_int_equal(json_array_size(json_object_get(root, "l")),
                     FX_LIMIT_MODRULE_PADDING + 1);
    assert_false(apply(OPERATION_ADD, "/l/1001/k", value, &root, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    json_decref(root);
    json_decref(value);
}

static void counts_steps(void **state) {
    (void)state;
    char path[2 * (FX_LIMIT_MODRULE_STEPS + 1) + 1] = "";
    struct fx_err err = FX_ERR_INIT;
    struct steps steps;
    for (size_t i = 0; i < FX_LIMIT_MODRULE_STEPS; i++) {
        memcpy(path + 2 * i, "/a", 3);
    }
    assert_true(fx_steps_read(fx_text_of(path), &steps, &err));
    assert_int_equal(steps.n_items, FX_LIMIT_MODRULE_STEPS);
    fx_steps_finish(&steps);
    memcpy(path + (size_t)2 * FX_LIMIT_MODRULE_STEPS, "/a", 3);
    assert_false(fx_steps_read(fx_text_of(path), &steps, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_steps_finish(&steps);
}

static int compare(const char *left, const char *right) {
    struct fx_err err = FX_ERR_INIT;
    struct steps a;
    struct steps b;
    assert_true(fx_steps_read(fx_text_of(left), &a, &err));
    assert_true(fx_steps_read(fx_text_of(right), &b, &err));
    const int order = fx_steps_compare(&a, &b);
    fx_steps_finish(&a);
    fx_steps_finish(&b);
    return (order > 0) - (order < 0);
}

static void indices_are_ordered_by_number(void **state) {
    (void)state;
    assert_int_equal(compare("/l/9", "/l/10"), -1);
    assert_int_equal(compare("/l/10/a", "/l/10"), 1);
    assert_int_equal(compare("/l/10/a", "/l/10/b"), -1);
    assert_int_equal(compare("/l/2", "/l/2"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_as_the_spec_says),
        cmocka_unit_test(pads_to_a_bound),
        cmocka_unit_test(counts_steps),
        cmocka_unit_test(indices_are_ordered_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
