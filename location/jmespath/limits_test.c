/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/limits_test.c - queries and roots that would take very long or very
 * much memory: each ends with an error.
 */
#include "base/budget.h"
#include "base/limits.h"
#include "base/slow_testing.h"
#include "location/jmespath/testing.h"

/* Makes a list that has the element so many times. */
static json_t *list_of(size_t count, json_t *element_take) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(json_array_append(list, element_take), 0);
    }
    json_decref(element_take);
    return list;
}

static enum fx_code run(const struct fx_jmespath *query, json_t *root) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    const enum fx_jmespath_outcome outcome =
        fx_jmespath_search(query, root, NULL, &value, &err);
    json_decref(value);
    return outcome == FX_JMESPATH_VALUE ? FX_OK : err.code;
}

static enum fx_code search(const char *text, json_t *root) {
    struct fx_jmespath *query = compile(text);
    const enum fx_code code = run(query, root);
    fx_jmespath_destroy(query);
    return code;
}

static void steps_are_limited(void **state) {
    (void)state;
    static const char *const rows[] = {
        "[*][*][*].x.y.z || [*][*][*].x.y.z",
        "map(&map(&map(&@, @), @), [@, @, @])",
        "[?map(&to_string(@), @)]",
        "[*].to_string(@)",
        "[?@ == @[::]]",
        "map(&sort(@), @)",
        "map(&reverse(@), @)",
        "map(&merge({a: @}, {b: @}), @[])",
        "[*].contains(@, 'x')",
        "[@, @, @, @, @, @, @, @][][][]",
        "[*].values({a: @, b: @, c: @})[][]",
    };
    json_t *root = list_of(3000, list_of(500, json_integer(5)));
    for (size_t i = 0; i < FX_COUNT(rows); i += slow()) {
        if (search(rows[i], root) != FX_ELIMIT) {
            fail_msg("%s: is not stopped", rows[i]);
        }
    }
    json_decref(root);
}

/* Each stage doubles the value, which takes no memory but its lists. */
static void values_are_limited(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (int i = 0; i < 40; i++) {
        fx_buf_str(&buf, i == 0 ? "[@,@]" : "|[@,@]");
    }
    json_t *root = json_integer(1);
    assert_int_equal(search(buf.data, root), FX_ELIMIT);
    fx_buf_str(&buf, "|to_string(@)");
    assert_int_equal(search(buf.data, root), FX_ELIMIT);
    fx_buf_str(&buf, "|length(@)");
    assert_int_equal(search(buf.data, root), FX_ELIMIT);
    fx_buf_reset(&buf);
    /* a short one of the same kind is fine */
    assert_int_equal(search("[@,@]|[@,@]|[@,@]|to_string(@)", root), FX_OK);
    json_decref(root);
    fx_buf_finish(&buf);
}

static void depth_of_values_is_limited(void **state) {
    (void)state;
    json_t *root = json_integer(1);
    for (size_t i = 1; i < FX_LIMIT_JSON_DEPTH; i++) {
        root = list_of(1, root);
    }
    assert_int_equal(search("@", root), FX_OK);
    assert_int_equal(search("[0] | [@]", root), FX_OK);
    assert_int_equal(search("[[@]]", root), FX_ELIMIT);
    assert_int_equal(search("{a: {b: @}}", root), FX_ELIMIT);
    json_decref(root);
}

static void texts_are_limited(void **state) {
    (void)state;
    json_t *root = list_of(3, json_string("0123456789abcdef"));
    /* 3 × 16 bytes, times 16 in each of five stages */
    assert_int_equal(search("join('', @) | join('', [@,@,@,@,@,@,@,@,@,@,@,@,@,@,@,@])"
                            " | join('', [@,@,@,@,@,@,@,@,@,@,@,@,@,@,@,@])"
                            " | join('', [@,@,@,@,@,@,@,@,@,@,@,@,@,@,@,@]) | length(@)",
                            root),
                     FX_OK);
    assert_int_equal(search("join('', @) | join('', [@,@,@,@,@,@,@,@,@,@,@,@,@,@,@,@])"
                            " | join('', [@,@,@,@,@,@,@,@,@,@,@,@,@,@,@,@])"
                            " | join('', [@,@,@,@,@,@,@,@,@,@,@,@,@,@,@,@])"
                            " | join('', [@,@,@,@,@,@,@,@,@,@,@,@,@,@,@,@]) | length(@)",
                            root),
                     FX_ELIMIT);
    json_decref(root);
}

/* A query takes no more than is left of the caller's budget, and says so. */
static void the_budget_of_the_caller_holds(void **state) {
    (void)state;
    struct fx_budget budget = {0};
    json_t *root = list_of(1000, json_integer(5));
    struct fx_jmespath *query = compile("[?@ == `5`]");
    fx_budget_swap(&budget);
    struct fx_bound before = fx_budget_narrow(100, 0);
    assert_int_equal(run(query, root), FX_ELIMIT);
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_UNITS);
    assert_int_equal(run(query, root), FX_OK);
    before = fx_budget_narrow(0, 1);
    assert_int_equal(run(query, root), FX_EDEADLINE);
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_TIME);
    fx_budget_swap(&budget);
    fx_jmespath_destroy(query);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_limited),
        cmocka_unit_test(values_are_limited),
        cmocka_unit_test(depth_of_values_is_limited),
        cmocka_unit_test(texts_are_limited),
        cmocka_unit_test(the_budget_of_the_caller_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
