/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/eval_test.c - the results of expressions (spec section 7) on one
 * object.
 */
#include "location/jsonpath/testing.h"

static const char document[] =
    "{\"kind\":\"Pod\",\"n\":5,\"s\":\"5\",\"t\":true,\"fa\":false,\"nul\":null,\"e\":"
    "\"\","
    "\"big\":12345678,\"huge\":9007199254740993,\"ea\":[],\"eo\":{},\"arr\":[1,2,3,\"x\"]"
    ","
    "\"z\":{\"b\":2,\"a\":1},\"o\":{\"key\":\"a\",\"a\":{\"b\":\"deep\"}},"
    "\"pods\":[{\"name\":\"c1\",\"image\":\"nginx:1\",\"ports\":[80,443]},"
    "{\"name\":\"c2\",\"image\":\"redis\",\"at\":\"2\"}],\"pattern\":\"^ng\"}";

struct row {
    const char *text, *expected; /* `! ` and a part of the message: it fails */
};

static void check(const struct row *rows, size_t count) {
    json_t *root = read_json(document);
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < count; i++) {
        evaluate_to(&buf, rows[i].text, root);
        const bool fails = rows[i].expected[0] == '!';
        const bool same =
            fails ? buf.data[0] == '!' && strstr(buf.data, rows[i].expected + 2) != NULL
                  : strcmp(buf.data, rows[i].expected) == 0;
        if (!same) {
            fail_msg("%s: expected %s, got %s", rows[i].text, rows[i].expected, buf.data);
        }
    }
    fx_buf_finish(&buf);
    json_decref(root);
}

#define CHECK(rows) check(rows, FX_COUNT(rows))

static void test_addition(void **state) {
    static const struct row rows[] = {
        {"1 + 2", "3"},
        {"\"1\" + \"2\"", "\"12\""},
        {"\"1\" + 2", "3"},
        {"\"a\" + 1", "\"a1\""},
        {"\"a\" + 1000000", "\"a1e+06\""},
        {"\"a\" + $.arr", "\"a[1 2 3 x]\""},
        {"\"a\" + $.z", "\"amap[a:1 b:2]\""},
        {"\"a\" + {\"b\": 1, \"a\": [$.no, length($.arr)]}", "\"amap[a:[ 4] b:1]\""},
        {"\"a\" + $.no", "\"a\""},
        {"$.no + 1", "\"NaN\""},
        {"$.no + \"5\"", "\"NaN\""},
        {"$.t + 1", "\"true1\""},
        {"\"a\" + length($.arr)", "\"a4\""},
        {"length($.arr) + \"1\"", "5"},
        {"$.nul + \"a\"", "! `+` cannot be applied to null and a text"},
        {"$.no + $.nul", "! `+` cannot be applied to undefined and null"},
        {"\"at \" + date(\"2020-01-02\")", "\"at 2020-01-02 00:00:00 +0000 UTC\""},
    };
    CHECK(rows);
    (void)state;
}

static void test_arithmetic(void **state) {
    static const struct row rows[] = {
        {"7 - \"0x1p2\"", "3"},
        {"-7 % 3", "-1"},
        {"7 % 0", "\"NaN\""},
        {"-1 / 0", "\"-Inf\""},
        {"1 / 0", "\"+Inf\""},
        {"\"inf\" - 1", "\"+Inf\""},
        {"2 ** 3 ** 2", "64"},
        {"2 ** -1", "0.5"},
        {"2**-1", "0.5"},
        {"1 << 62", "4611686018427388000"},
        {"1 << 64", "0"},
        {"1 << -1", "0"},
        {"-16 >> 2", "-4"},
        {"-1 >> 64", "-1"},
        {"~$.no", "9223372036854776000"},
        {"5.9 & 3.9", "1"},
        {"-$.no", "\"NaN\""},
        {"--5", "5"},
        {"-\"5\"", "-5"},
        {"-$.kind", "! `-` needs a number, not a text"},
        {"$.o.a-b",
         "! `-` cannot be applied to an object and null (a name with a hyphen"},
        {"$.t - 1", "! `-` cannot be applied to a boolean"},
        {"$.arr * 2", "! `*` cannot be applied to a list"},
    };
    CHECK(rows);
    (void)state;
}

static void test_comparisons(void **state) {
    static const struct row rows[] = {
        {"\"10\" < \"9\"", "true"},
        {"10 < \"9\"", "false"},
        {"\"b\" > true", "false"},
        {"$.arr < $.z", "true"},
        {"$.nul < 1", "! `<` cannot be applied to null"},
        {"$.no < \"a\"", "true"},
        {"$.no >= 1", "false"},
        {"$.no < $.arr", "true"},
        {"$.huge > 9007199254740992", "true"},
        {"$.huge == 9007199254740992", "false"},
        {"$.huge == 9007199254740993", "true"},
        {"$.huge == 9007199254740992.0", "true"},
        {"date(\"2020-01-01\") < date(\"2020-01-02\")", "true"},
        {"\"1_0\" == 10", "true"},
        {"\"_10\" == 10", "false"},
        {"\"+0x1P+4\" == 16", "true"},
        {"\"0x10\" == 16", "false"},
        {"\"1e400\" == \"1e400\"", "true"},
        {"\"1e400\" == \"1e401\"", "false"},
        {"\"Infinity\" == \"+inf\"", "true"},
        {"\"-nan\" == \"-nan\"", "true"},
        {"\"NaN\" == \"NaN\"", "false"},
        {"\"NaN\" != \"NaN\"", "true"},
        {"$.t == \"true\"", "false"},
        {"$.nul == null", "true"},
        {"$.nul == $.no", "false"},
        {"$.no != $.no", "true"},
        {"[$.no] == [$.no]", "false"},
        {"$.z == {\"b\": 2, \"a\": 1}", "true"},
        {"{\"b\": 2, \"a\": 1} == $.z", "true"},
        {"{\"b\": 2, \"a\": \"1\"} == $.z", "false"},
        {"$.arr == [1, 2, 3, \"x\"]", "true"},
        {"$.arr[0:2] == [1, 2.0]", "true"},
        {"length($.arr) == 4", "true"},
        {"length($.arr) in [4]", "false"},
        {"length($.arr) in [length($.arr)]", "true"},
        {"\"5\" in [5]", "false"},
        {"$.nul in [null]", "true"},
        {"\"x\" in $.o", "! the right operand of `in` is an object, not a list"},
        {"date(\"2020-01-01\") in [date(\"2020-01-01T00:00:00Z\")]", "true"},
        {"date(\"2020-01-01T00:00:00Z\") == date(\"2020-01-01T01:00:00+01:00\")",
         "false"},
    };
    CHECK(rows);
    (void)state;
}

static void test_patterns(void **state) {
    static const struct row rows[] = {
        {"$.kind =~ \"^P\"", "true"},
        {"$.kind !~ \"^P\"", "false"},
        {"$.big =~ \"^1.2345678e\\\\+07$\"", "true"},
        {"$.nul =~ \"^<nil>$\"", "true"},
        {"$.no =~ \"^$\"", "true"},
        {"$.n =~ 5", "true"},
        {"$.pods[*].image =~ \"nginx:1 redis\"", "true"},
        {"$.pods[? @.image =~ $.pattern].name", "<\"c1\">"},
        {"$.kind =~ $.pods[0].name + \"(\"", "! missing )"},
        {"$.pods[? @.name =~ $.arr + \"(\"].name", "<>"},
        {"$.kind =~ \"P\" + \"o\"", "true"},
    };
    CHECK(rows);
    (void)state;
}

static void test_truth(void **state) {
    static const struct row rows[] = {
        {"$.fa && $.no", "false"},
        {"$.t || $.no", "true"},
        {"$.t && $.no", "! `&&` needs true or false, not undefined (`isDefined"},
        {"$.n && $.t", "! `&&` needs true or false, not a number"},
        {"$.fa || $.n", "! `||` needs true or false, not a number"},
        {"!$.n", "! `!` needs true or false, not a number"},
        {"!!$.t", "true"},
        {"$.fa ?? 1", "1"},
        {"$.nul ?? $.fa ?? 2", "2"},
        {"$.no ?? 1", "undefined"},
        {"$.e ?? 1", "\"\""},
        {"$.no ? 1 : 2", "1"},
        {"$.nul ? 1", "null"},
        {"$.nul ?? $.t ? 1 : 2", "1"},
        {"$.fa ? 1 : $.fa ? 2 : 3 + 1", "4"},
        {"$.t ? $.fa ? 1 : 2 : 3", "2"},
        {"($.t ? 1 : 2) + 1", "2"},
    };
    CHECK(rows);
    (void)state;
}

static void test_functions(void **state) {
    static const struct row rows[] = {
        {"length(\"\\u00e9\")", "2"},
        {"length($.z)", "2"},
        {"length({\"a\": 1, \"a\": 2})", "1"},
        {"length($.no)", "0"},
        {"length($.n)", "! `length` takes a list, an object or a text, not a number"},
        {"length()", "! `length` takes exactly one argument"},
        {"length", "! `length` takes exactly one argument"},
        {"length(1, 2)", "! `length` takes exactly one argument"},
        {"isDefined($.arr[9])", "! there is no index 9 in a list of 4"},
        {"isDefined($.nul)", "true"},
        {"isUndefined($.nul.x)", "true"},
        {"isEmpty($.pods[*].no)", "true"},
        {"isNotEmpty($.e)", "false"},
        {"isEmpty($.t)", "! `isEmpty` takes a list, an object or a text, not a boolean"},
        {"date(5)", "! `date` takes a text, not a number"},
        {"date(\"garbage\")", "! `garbage` is not a date"},
        {"strlen($.kind)", "! unknown function `strlen`"},
        {"o.a.size($.kind.x)", "! unknown function `o`"},
        {"true || strlen(1)", "true"},
    };
    CHECK(rows);
    (void)state;
}

static void test_variables(void **state) {
    static const struct row rows[] = {
        {"kind", "\"Pod\""},
        {"null", "null"},
        {"o.a.b", "\"deep\""},
        {"o[o.key].b", "\"deep\""},
        {"o.no", "null"},
        {"arr[1]", "2"},
        {"arr[\"3\"]", "\"x\""},
        {"arr[4]", "! there is no `4` in a list"},
        {"arr[-1]", "! there is no `-1` in a list"},
        {"arr[1.5]", "! there is no `1.5` in a list"},
        {"arr.x", "! there is no `x` in a list"},
        {"no.x", "! there is no `x` in null"},
        {"kind.x", "! there is no `x` in a text"},
        {"$.pods[? @.name == pods[1].name].at", "<\"2\">"},
    };
    CHECK(rows);
    (void)state;
}

static void test_objects(void **state) {
    static const struct row rows[] = {
        {"{\"b\": 1, \"a\": $.no, 1: [$.no, $.nul]}",
         "{\"1\":[\"\",null],\"a\":\"\",\"b\":1}"},
        {"{\"a\": 1, \"a\": 2, \"b\": 3, \"a\": 4}", "{\"a\":4,\"b\":3}"},
        {"{$.no: 1, $.nul: 2, 1000000: 3}", "{\"\":1,\"1e+06\":3,\"<nil>\":2}"},
        {"{#: $.pods[*].name}", "{\"$[\\\"0\\\"]\":\"c1\",\"$[\\\"1\\\"]\":\"c2\"}"},
        {"{\"p\" + #0: $.pods[*].name}", "{\"p0\":\"c1\",\"p1\":\"c2\"}"},
        {"{#1: $..a[*]}", "{\"b\":\"deep\"}"},
        {"{#0: $..a[*]}", "{\"[o]\":\"deep\"}"},
        {"{#: $.n}", "{\"$\":5}"},
        {"{#: $.no}", "{}"},
        {"{#: $.kind.x}", "{}"},
        {"{#0: $.n}", "! the path has no such part for `#`"},
        {"{#1: $.no[*]}", "{}"},
        {"$.pods[? {#0: @.n} == 1]", "<>"},
        {"$.pods[? {#0: @.*} == {\"a\": 1}]", "<>"},
        {"$.pods[? {#3: @.*} == {}].name", "<>"},
    };
    CHECK(rows);
    (void)state;
}

static void test_paths(void **state) {
    static const struct row rows[] = {
        {"$.no.x[0]", "undefined"},
        {"$.nul.x", "undefined"},
        {"$.kind.x", "! nothing can be selected from a text"},
        {"$.pods.name",
         "! `name` is not an index: the elements of a list are selected as in"},
        {"$.arr[$.t]", "! a boolean is not an index"},
        {"$.arr[-1]", "! there is no index -1"},
        {"$.arr[\"0x1p0\"]", "2"},
        {"$.arr[1.9]", "2"},
        {"$.arr[$.no]", "! there is no index -9223372036854775808"},
        {"$.arr[length(@) - 1]", "\"x\""},
        {"$.o[@.key].b", "\"deep\""},
        {"$.o[key]", "undefined"},
        {"$.kind(@ == \"Pod\")", "true"},
        {"$.no(isDefined(@))", "false"},
        {"$.kind([@, 1])[*]", "<\"Pod\",1>"},
        {"@", "null"},
        {"@.x", "undefined"},
        {"@[*]", "<>"},
        {"$.z.*", "<1,2>"},
        {"$.z[*]", "<1,2>"},
        {"$.z[\"b\",\"no\",\"a\"]", "<2,1>"},
        {"$.arr[3,-1,9,0]", "<\"x\",1>"},
        {"$.arr[$.n - 5, 1]", "<1,2>"},
        {"$.arr", "<1,2,3,\"x\">"},
        {"$.ea", "<>"},
        {"$.arr[:]", "<1,2,3,\"x\">"},
        {"$.arr[1:]", "<2,3,\"x\">"},
        {"$.arr[:-1]", "<>"},
        {"$.arr[-3:-1]", "<2,3>"},
        {"$.arr[-9:2]", "<1,2>"},
        {"$.arr[2:2]", "<>"},
        {"$.arr[3:1:-1]", "<>"},
        {"$.arr[1:3:-1]", "<3,2>"},
        {"$.arr[::-1]", "<\"x\",3,2,1>"},
        {"$.arr[::3]", "<1,\"x\">"},
        {"$.arr[::\"x\"]", "<>"},
        {"$.arr[::9e18]", "<1>"},
        {"$.arr[::-9e99]", "<\"x\">"},
        {"$.arr[0:4:0]", "<1,2,3,\"x\">"},
        {"$.arr[:length(@) - 1]", "<1,2,3>"},
        {"$.z[0:1]", "<>"},
        {"$..b", "<\"deep\",2>"},
        {"$.o..b", "<\"deep\">"},
        {"$.o..[\"b\",\"key\"]", "<\"a\",\"deep\">"},
        {"$.o..[\"b\"]", "<\"deep\">"},
        {"$.o..*", "<{\"b\":\"deep\"},\"a\",\"deep\">"},
        {"$.o..(@.b)", "<\"deep\">"},
        {"$.pods..[? @ == 443]", "<443>"},
        {"$.pods[*].ports[*]", "<80,443>"},
        {"$.pods[*].ports[5]", "<>"},
        {"$.kind.*", "<>"},
        {"$.kind.x[*]", "<>"},
        {"$.pods[-1:][0]", "<>"},
        {"$.arr[? @ > 1]", "<2,3,\"x\">"},
    };
    CHECK(rows);
    (void)state;
}

static void test_conditions(void **state) {
    static const struct row rows[] = {
        {"$([1, 0, -1])[? @]", "<1,-1>"},
        {"$([\"true\",\"TRUE\",\"false\",\"FALSE\",\"True\",\"1\",\"0\",\"0x0p1\"])[? @]",
         "<\"true\",\"TRUE\",\"1\">"},
        {"$([null, true, false, [], {}, \"\"])[? @]", "<true>"},
        {"$.pods[? @.at].name", "<\"c1\",\"c2\">"},
        {"$.pods[? @.ports].name", "<\"c2\">"},
        {"$.pods[? @.no == 1].name", "<>"},
        {"$.pods[? @.no != 1].name", "<\"c1\",\"c2\">"},
        {"$.pods[? $.t].name", "<\"c1\",\"c2\">"},
        {"$.pods[? @.ports[*] == 80].name", "<>"},
        {"$.pods[? length(@.ports[? @ > 80]) == 1].name", "<\"c1\">"},
        {"$.pods[? @.name in [\"c2\"] && @.at - 2 == 0].name", "<\"c2\">"},
    };
    CHECK(rows);
    (void)state;
}

/* Nodes of the object are not copied. */
static void test_sharing(void **state) {
    json_t *root = read_json(document);
    struct fx_jsonpath *path = compile("$.pods[0]", FX_JSONPATH_EXPRESSION);
    struct fx_jsonpath_result result = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_jsonpath_eval(path, root, &result, &err));
    assert_ptr_equal(result.values[0], json_array_get(json_object_get(root, "pods"), 0));
    fx_jsonpath_result_finish(&result);
    fx_jsonpath_result_finish(&result);
    fx_jsonpath_destroy(path);
    fx_jsonpath_destroy(NULL);
    json_decref(root);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addition),    cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_comparisons), cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_truth),       cmocka_unit_test(test_functions),
        cmocka_unit_test(test_variables),   cmocka_unit_test(test_objects),
        cmocka_unit_test(test_paths),       cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_sharing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
