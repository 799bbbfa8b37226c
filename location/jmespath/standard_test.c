/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/standard_test.c - the functions of the JMESPath specification; the
 * table of functions.
 */
#include "location/jmespath/function.h"
#include "location/jmespath/testing.h"

static const char document[] =
    "{\"n\": -5, \"f\": 2.5, \"s\": \"h\xc3\xa9llo \xe2\x9c\x93\", \"l\": [3, 1, 2.5],"
    " \"ls\": [\"b\", \"a\", \"B\", \"a\"], \"e\": [], \"o\": {\"b\": 1, \"a\": [2]},"
    " \"lo\": [{\"k\": \"b\", \"v\": 2}, {\"k\": \"a\", \"v\": 1}, {\"k\": \"c\", \"v\": "
    "1}],"
    " \"mixed\": [{\"k\": 1}, {\"k\": \"a\"}], \"big\": 9007199254740993}";

static void numbers(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"abs(n)", "5"},
        {"abs(f)", "2.5"},
        {"abs(`-9223372036854775808`)", "9223372036854776000"},
        {"abs(big)", "9007199254740993"},
        {"ceil(f)", "3"},
        {"ceil(`-2.5`)", "-2"},
        {"ceil(big)", "9007199254740993"},
        {"floor(f)", "2"},
        {"floor(`-2.5`)", "-3"},
        {"floor(`1e300`)", "1e+300"},
        {"avg(l)", "2.1666666666666665"},
        {"avg(`[2, 4]`)", "3"},
        {"avg(e)", "null"},
        {"avg(`[1.7e308, 1.7e308]`)",
         "! function `avg`: the result is not a finite number"},
        {"to_number('1.50')", "1.5"},
        {"to_number('-7')", "-7"},
        {"to_number('9007199254740993')", "9007199254740993"},
        {"to_number('1e3')", "1000"},
        {"to_number('inf')", "null"},
        {"to_number('0x10')", "null"},
        {"to_number(' 1')", "null"},
        {"to_number('')", "null"},
        {"to_number(f)", "2.5"},
        {"to_number(ls)", "null"},
        {"to_number(`true`)", "null"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void texts(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"length(s)", "7"},
        {"length(l)", "3"},
        {"length(o)", "2"},
        {"length('')", "0"},
        {"reverse('h\xc3\xa9')", "\"\xc3\xa9h\""},
        {"reverse(l)", "[2.5,1,3]"},
        {"reverse('')", "\"\""},
        {"starts_with(s, 'h\xc3\xa9')", "true"},
        {"starts_with(s, '')", "true"},
        {"starts_with('a', 'ab')", "false"},
        {"ends_with(s, '\xe2\x9c\x93')", "true"},
        {"ends_with('a', 'ba')", "false"},
        {"contains(s, 'llo')", "true"},
        {"contains(s, `1`)", "false"},
        {"contains(s, nope)", "false"},
        {"contains(ls, 'B')", "true"},
        {"contains(l, `1.0`)", "true"},
        {"contains(lo, `{\"v\": 2, \"k\": \"b\"}`)", "true"},
        {"contains(e, `null`)", "false"},
        {"join('-', ls)", "\"b-a-B-a\""},
        {"join('-', e)", "\"\""},
        {"join('', `[\"x\"]`)", "\"x\""},
        {"to_string(s)", "\"h\xc3\xa9llo \xe2\x9c\x93\""},
        {"to_string(o)", "\"{\\\"a\\\":[2],\\\"b\\\":1}\""},
        {"to_string(f)", "\"2.5\""},
        {"to_string(`\"<\"`)", "\"<\""},
        {"to_string(`[\"<\"]`)", "\"[\\\"\\\\u003c\\\"]\""},
        {"to_string(nope)", "\"null\""},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void values(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"type(n)", "\"number\""},
        {"type(f)", "\"number\""},
        {"type(s)", "\"string\""},
        {"type(o)", "\"object\""},
        {"type(e)", "\"array\""},
        {"type(`true`)", "\"boolean\""},
        {"type(`false`)", "\"boolean\""},
        {"to_array(n)", "[-5]"},
        {"to_array(e)", "[]"},
        {"to_array(nope)", "[null]"},
        {"not_null(nope, e, n)", "[]"},
        {"not_null(nope)", "null"},
        {"not_null(nope, nope, nope, nope, nope, nope, n)", "-5"},
        {"merge(o, {c: n}, {b: f})", "{\"b\":2.5,\"a\":[2],\"c\":-5}"},
        {"merge(`{}`)", "{}"},
        {"map(&@, e)", "[]"},
        {"map(&length(k), lo)", "[1,1,1]"},
        {"map(&abs(@), ls)", "! the argument is a string, but has to be a number"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void order(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"sort(l)", "[1,2.5,3]"},
        {"sort(ls)", "[\"B\",\"a\",\"a\",\"b\"]"},
        {"sort(e)", "[]"},
        {"sort(`[9007199254740993, 9007199254740992]`)",
         "[9007199254740992,9007199254740993]"},
        {"sort_by(lo, &k)[*].k", "[\"a\",\"b\",\"c\"]"},
        /* stable: a and c have the same v */
        {"sort_by(lo, &v)[*].k", "[\"a\",\"c\",\"b\"]"},
        {"sort_by(e, &nope)", "[]"},
        /* one element needs no key */
        {"sort_by(lo[:1], &nope)[0].k", "\"b\""},
        {"max_by(lo[:1], &nope).k", "\"b\""},
        {"max(l)", "3"},
        {"min(l)", "1"},
        {"max(ls)", "\"b\""},
        {"min(ls)", "\"B\""},
        {"max(e)", "null"},
        {"max_by(lo, &v).k", "\"b\""},
        {"min_by(lo, &v).k", "\"a\""},
        {"min_by(e, &v)", "null"},
        {"sort_by(mixed, &k)", "! function `sort_by`: the expression gives numbers and "
                               "strings, which have no order"},
        {"sort_by(lo, &nope)",
         "! function `sort_by`: the expression has to give a number "
         "or a string for each element"},
        {"sort(mixed)",
         "! the argument is an array, but has to be an array of strings or "
         "an array of numbers"},
        {"sort_by(lo, &abs(k))", "! the argument is a string, but has to be a number"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

/* ---- the table --------------------------------------------------------------------- */

static void each_function_is_found_by_its_name(void **state) {
    (void)state;
    const struct fx_jmespath_function *function = NULL;
    for (size_t i = 0; (function = fx_jmespath_function_at(i)) != NULL; i++) {
        assert_ptr_equal(fx_jmespath_function_find(fx_text_of(function->name)), function);
        assert_non_null(function->call);
    }
    assert_null(fx_jmespath_function_find(FX_TEXT("")));
    assert_null(fx_jmespath_function_find(FX_TEXT("Length")));
}

static void calls_are_checked_without_data(void **state) {
    (void)state;
    static const struct {
        const char *query, *message;
        uint32_t off, len;
    } rows[] = {
        {"n || nope(n)", "unknown function `nope`", 5, 4},
        {"[length(a, b)]", "`length` takes 1 argument, not 2", 1, 12},
        {"map(&length(), l)", "`length` takes 1 argument, not 0", 5, 8},
        {"sort_by(l, k)", "`sort_by` takes an expression here, such as `&name`", 11, 1},
        {"a && &b", "`&` stands only before an argument of a function", 5, 2},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_jmespath *query = compile(rows[i].query);
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_jmespath_check_calls(query, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_string_equal(err.msg, rows[i].message);
        assert_int_equal(err.off, rows[i].off);
        assert_int_equal(err.len, rows[i].len);
        fx_jmespath_destroy(query);
    }
    struct fx_jmespath *query = compile("sort_by(map(&@, l), &k) | merge(@, o, o)");
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_jmespath_check_calls(query, &err));
    fx_jmespath_destroy(query);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(texts),
        cmocka_unit_test(values),
        cmocka_unit_test(order),
        cmocka_unit_test(each_function_is_found_by_its_name),
        cmocka_unit_test(calls_are_checked_without_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
