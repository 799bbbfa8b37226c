/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/eval_test.c - values of queries: where a missing key is swallowed and
 * where it is passed on, comparisons, projections, slices; roots that are a scope.
 */
#include "location/jmespath/testing.h"

static const char document[] =
    "{\"a\": {\"b\": {\"c\": 1}, \"x\": null}, \"n\": 5, \"s\": \"text\", \"nul\": null,"
    " \"e\": [], \"l\": [3, 1, 2], \"ll\": [[1, [2]], 3, []],"
    " \"lo\": [{\"k\": \"x\", \"v\": 2}, {\"k\": \"y\"}, {\"v\": null}],"
    " \"big\": 9007199254740993, \"o\": {\"z\": 1, \"m\": {\"k\": 2}, \"a\": {\"k\": "
    "3}}}";

#define MISSING(key) "? Unknown key \"" key "\" in path"

static void missing_keys_are_passed_on(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"nope", MISSING("nope")},        {"(nope)", MISSING("nope")},
        {"@.nope", MISSING("nope")},      {"a.nope", MISSING("nope")},
        {"a.nope.more", MISSING("nope")}, {"nope[0]", MISSING("nope")},
        {"nope.[n]", MISSING("nope")},    {"lo[0].nope", MISSING("nope")},
        {"n && nope", MISSING("nope")},   {"n && a.nope.more", MISSING("nope")},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void missing_keys_become_null(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"nope || 'd'", "\"d\""},
        {"nope || a.nope", "null"},
        {"a.nope.more || 'd'", "\"d\""},
        {"nope && n", "null"},
        {"!nope", "true"},
        {"nope == `null`", "true"},
        {"nope != n", "true"},
        {"nope < n", "null"},
        {"[nope, n]", "[null,5]"},
        {"{x: nope}", "{\"x\":null}"},
        {"nope | @", "null"},
        {"a | nope", "null"},
        {"nope | [n]", "null"},
        {"type(nope)", "\"null\""},
        {"not_null(nope, a.nope, n)", "5"},
        {"nope[*].x", "null"},
        {"nope[1:]", "null"},
        {"nope[]", "null"},
        {"nope[?x]", "null"},
        {"nope.*", "null"},
        {"a.nope.*.x", "null"},
        {"lo[*].k", "[\"x\",\"y\"]"},
        {"lo[*].nope", "[]"},
        {"lo[?nope]", "[]"},
        {"lo[?v > `1`].k", "[\"x\"]"},
        {"map(&k, lo)", "[\"x\",\"y\",null]"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void other_types_have_no_members(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"nul.x", "null"},      {"n.x.y", "null"}, {"s.x", "null"},   {"l.x", "null"},
        {"a[0]", "null"},       {"s[0]", "null"},  {"l[3]", "null"},  {"l[-4]", "null"},
        {"l[-1]", "2"},         {"s[1:]", "null"}, {"a[1:]", "null"}, {"n[*]", "null"},
        {"a[]", "null"},        {"s[?@]", "null"}, {"l.*", "null"},   {"nul.[n]", "null"},
        {"nul.{x: @}", "null"}, {"a.x", "null"},   {"a.x.y", "null"}, {"n.[@]", "[5]"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void errors_are_swallowed_left_of_some_projections(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"abs(s).*", "null"},
        {"abs(s)[]", "null"},
        {"abs(s)[?@]", "null"},
        {"abs(s)[*]", "! the argument is a string, but has to be a number"},
        {"abs(s)[0]", "! the argument is a string, but has to be a number"},
        {"abs(s) || n", "! the argument is a string, but has to be a number"},
        {"nope(n)", "! unknown function `nope`"},
        {"n || nope(n)", "5"},
        {"length(s, s)", "! `length` takes 1 argument, not 2"},
        {"merge()", "! `merge` takes at least 1 argument, not 0"},
        {"join(s)", "! `join` takes 2 arguments, not 1"},
        {"length(&a)", "! `length` takes a value here, not an expression"},
        {"map(a, l)", "! `map` takes an expression here, such as `&name`"},
        {"[&a]", "! `&` stands only before an argument of a function"},
        {"join(s, l)", "! the argument is an array, but has to be an array of strings"},
        {"length(n)",
         "! the argument is a number, but has to be a string or an array or an object"},
        {"max_by(lo, &v)",
         "! function `max_by`: the expression has to give a number or a string for each "
         "element"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void values_compare(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"`5` == `5.0`", "true"},
        {"big == `9007199254740993`", "true"},
        {"big == `9007199254740992.0`", "false"},
        {"big > `9007199254740992`", "true"},
        {"`[1, {\"a\": 2}]` == `[1.0, {\"a\": 2}]`", "true"},
        {"'a' < 'b'", "null"},
        {"'a' == 'a'", "true"},
        {"n >= `5.0`", "true"},
        {"n <= `4.5`", "false"},
        {"n > `-1e300`", "true"},
        {"nul == nope", "true"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void truth_is_not_empty(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"!`0`", "false"},      {"!`0.0`", "false"},  {"!''", "true"},
        {"!' '", "false"},      {"!`[]`", "true"},    {"!`{}`", "true"},
        {"!`[null]`", "false"}, {"!nul", "true"},     {"!`false`", "true"},
        {"!`true`", "false"},   {"e || nul", "null"}, {"e && n", "[]"},
        {"`0` && n", "5"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void members_are_visited_by_key(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"o.*", "[{\"k\":3},{\"k\":2},1]"},
        {"o.*.k", "[3,2]"},
        {"keys(o)", "[\"a\",\"m\",\"z\"]"},
        {"values(o)", "[{\"k\":3},{\"k\":2},1]"},
        {"ll[]", "[1,[2],3]"},
        {"ll[][]", "[1,2,3]"},
        {"ll[*][0]", "[1]"},
        {"lo[*].v", "[2]"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void slices_have_a_step(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"l[:]", "[3,1,2]"},
        {"l[1:]", "[1,2]"},
        {"l[:1]", "[3]"},
        {"l[-2:]", "[1,2]"},
        {"l[:-1]", "[3,1]"},
        {"l[::2]", "[3,2]"},
        {"l[::-1]", "[2,1,3]"},
        {"l[5:1:-1]", "[2]"},
        {"l[1::-1]", "[1,3]"},
        {"l[9:]", "[]"},
        {"l[:-9]", "[]"},
        {"l[2:1]", "[]"},
        {"l[-9:9]", "[3,1,2]"},
        {"e[::-1]", "[]"},
        {"l[:-5:-2]", "[2,3]"},
        {"l[::9223372036854775807]", "[3]"},
        {"l[::-9223372036854775808]", "[2]"},
        {"l[-9223372036854775808:9223372036854775807]", "[3,1,2]"},
        {"l[::0]", "! the step of a slice cannot be 0"},
        {"n[::0]", "null"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

/* ---- scopes ------------------------------------------------------------------------ */

/* What was asked of a scope. */
struct asked {
    json_t *names;
    size_t n_found, n_all;
};

static bool find_name(void *context, struct fx_text name, json_t **ret_value,
                      struct fx_err *err) {
    struct asked *asked = context;
    asked->n_found++;
    if (fx_text_is(name, "fails")) {
        return fx_fail(err, FX_EINPUT, "an input is missing");
    }
    *ret_value = json_incref(fx_tree_view_text(asked->names, name));
    return true;
}

static bool give_all(void *context, json_t **ret_object, struct fx_err *err) {
    struct asked *asked = context;
    (void)err;
    asked->n_all++;
    *ret_object = json_incref(asked->names);
    return true;
}

static void a_scope_is_asked_for_what_is_read(void **state) {
    (void)state;
    static const struct {
        const char *query, *expected;
        size_t n_found, n_all;
    } rows[] = {
        {"n", "5", 1, 0},
        {"@.n", "5", 1, 0},
        {"@ | n", "5", 1, 0},
        {"'x'", "\"x\"", 0, 0},
        {"n || s", "5", 1, 0},
        {"[n, s]", "[5,\"text\"]", 2, 0},
        {"{x: n}", "{\"x\":5}", 1, 0},
        {"lo[*].k", "[\"x\",\"y\"]", 1, 0},
        {"nope", MISSING("nope"), 1, 0},
        {"[0]", "null", 0, 0},
        {"[1:]", "null", 0, 0},
        {"length(@)", "10", 0, 1},
        {"[length(@), length(@)]", "[10,10]", 0, 1},
        {"*.b.c", "[1]", 0, 1},
        {"fails", "! an input is missing", 1, 0},
        {"fails.*", "! an input is missing", 1, 0},
        {"fails || n", "! an input is missing", 1, 0},
    };
    struct asked asked = {.names = read_json(document)};
    const struct fx_jmespath_scope scope = {
        .find = find_name, .all = give_all, .context = &asked};
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_jmespath *query = compile(rows[i].query);
        struct fx_err err = FX_ERR_INIT;
        json_t *value = NULL;
        asked.n_found = asked.n_all = 0;
        const enum fx_jmespath_outcome outcome =
            fx_jmespath_search(query, NULL, &scope, &value, &err);
        write_outcome(&buf, outcome, value, &err);
        assert_string_equal(buf.data, rows[i].expected);
        if (asked.n_found != rows[i].n_found || asked.n_all != rows[i].n_all) {
            fail_msg("%s: asked for %zu names, %zu times for all", rows[i].query,
                     asked.n_found, asked.n_all);
        }
        json_decref(value);
        fx_jmespath_destroy(query);
    }
    fx_buf_finish(&buf);
    json_decref(asked.names);
}

/* A value is shared with the root, not copied. */
static void values_are_shared(void **state) {
    (void)state;
    json_t *root = read_json(document);
    struct fx_jmespath *query = compile("nope || a.b");
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    assert_int_equal(fx_jmespath_search(query, root, NULL, &value, &err),
                     FX_JMESPATH_VALUE);
    assert_ptr_equal(value, fx_tree_view_key(fx_tree_view_key(root, "a"), "b"));
    json_decref(value);
    fx_jmespath_destroy(query);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_keys_are_passed_on),
        cmocka_unit_test(missing_keys_become_null),
        cmocka_unit_test(other_types_have_no_members),
        cmocka_unit_test(errors_are_swallowed_left_of_some_projections),
        cmocka_unit_test(values_compare),
        cmocka_unit_test(truth_is_not_empty),
        cmocka_unit_test(members_are_visited_by_key),
        cmocka_unit_test(slices_have_a_step),
        cmocka_unit_test(a_scope_is_asked_for_what_is_read),
        cmocka_unit_test(values_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
