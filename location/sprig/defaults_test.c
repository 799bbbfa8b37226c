/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/defaults_test.c - Sprig's defaults, JSON, reflection and flow control:
 * the examples of the templates spec, edge cases, error messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case examples_of_the_spec_cases[] = {
    {"{{ default \"d\" \"\" }} {{ default \"d\" 0 }} {{ \"v\" | default \"d\" }} {{ "
     ".Target.nope | default \"d\" }}",
     "d d v d", NULL},
    {"{{ empty \"\" }} {{ empty .Target.arr }} {{ empty .Target.nope }}",
     "true false true", NULL},
    {"{{ coalesce \"\" nil 0 \"x\" }}", "x", NULL},
    {"{{ all 1 \"\" }} {{ any 1 \"\" }}", "false true", NULL},
    {"{{ ternary \"a\" \"b\" true }} {{ false | ternary \"a\" \"b\" }}", "a b", NULL},
    {"{{ compact .Target.mixed }}", "[a b]", NULL},
    {"{{ (fromJson \"{\\\"a\\\":[1,2]}\").a }} {{ fromJson \"{\" }}", "[1 2] <no value>",
     NULL},
    {"{{ toJson .Target.labels }} {{ toJson \"<a>\" }} {{ toRawJson \"<a>\" }}",
     "{\"a\":\"1\",\"b\":\"2\"} \"\\u003ca\\u003e\" \"<a>\"", NULL},
    {"{{ deepCopy .Target.labels }}", "map[a:1 b:2]", NULL},
    {"{{ typeOf .Target.n }} {{ kindOf .Target.labels }} {{ typeOf .Target.arr }} {{ "
     "typeOf 1 }} {{ kindOf nil }}",
     "float64 map []interface {} int invalid", NULL},
    {"{{ typeIs \"string\" \"a\" }} {{ kindIs \"map\" .Target.labels }} {{ typeIsLike "
     "\"float64\" .Target.n }}",
     "true true true", NULL},
    {"{{ deepEqual (list 1) (list 1) }} {{ deepEqual .Target.n 5 }} {{ deepEqual "
     ".Target.n 5.0 }}",
     "true false true", NULL},
    {"{{ fail \"no\" }}", NULL, "error calling fail: no"},
};

static void examples_of_the_spec(void **state) {
    (void)state;
    check_table(examples_of_the_spec_cases, FX_COUNT(examples_of_the_spec_cases));
}

static const struct table_case edges_cases[] = {
    {"[{{ toJson (float64 \"NaN\") }}][{{ toPrettyJson (float64 \"inf\") }}]", "[][]",
     NULL},
    {"{{ toJson (list 1 nil 1.5 1e21 1e20 1e-7 100000000.0 true \"x\" (dict) (list) "
     "(until 0) (splitList \"\" \"\")) }} {{ toPrettyJson (list 1 (dict \"a\" (list) "
     "\"b\" (dict \"c\" 1)) (dict)) }}",
     "[1,null,1.5,1e+21,100000000000000000000,1e-7,100000000,true,\"x\",{},[],[],[]] [\n "
     " 1,\n  {\n    \"a\": [],\n    \"b\": {\n      \"c\": 1\n    }\n  },\n  {}\n]",
     NULL},
    {"{{ toJson .Target.nope }} {{ toJson nil }} {{ toJson (semver \"v1.2\") }} {{ "
     "toJson (toDate \"2006-01-02\" \"2020-01-02\") }} {{ toJson (dict \"b<\" 1 \"a\" 2) "
     "}} {{ toRawJson (dict \"b<\" 1) }}",
     "null null \"1.2.0\" \"2020-01-02T00:00:00Z\" {\"a\":2,\"b\\u003c\":1} {\"b<\":1}",
     NULL},
    {"{{ deepCopy 5 }} {{ deepCopy \"a\" }} {{ deepCopy (list 1 (dict \"a\" 1)) }} {{ "
     "typeOf (deepCopy (splitList \",\" \"a\")) }} {{ typeOf (deepCopy 1.5) }}",
     "5 a [1 map[a:1]] []string float64", NULL},
    {"{{ compact .Target.mixed }} {{ typeOf (compact (splitList \",\" \"a,,b\")) }} {{ "
     "compact (until 3) }} {{ compact (list (list) (dict) nil false 0.0 \"a\") }} {{ "
     "compact (list) }}",
     "[a b] []interface {} [1 2] [a] []", NULL},
    {"{{ default 1 }}|{{ default \"a\" nil }}|{{ default \"a\" false }}|{{ default \"a\" "
     "(list) }}|{{ default \"a\" (dict) }}|{{ default \"a\" 0.0 }}|{{ default \"a\" "
     "(semver \"1.0.0\") }}|{{ default \"a\" 1 2 }}|{{ default nil 0 }}|{{ default \"d\" "
     "(toDate \"x\" \"y\") }}",
     "1|a|a|a|a|a|1.0.0|1|<no value>|0001-01-01 00:00:00 +0000 UTC", NULL},
    {"{{ empty nil }}{{ empty 0 }}{{ empty \"a\" }}{{ empty (list 1) }}{{ empty (dict) "
     "}}{{ empty true }}{{ empty .Target.nul }}",
     "truetruefalsefalsetruefalsetrue", NULL},
    {"{{ coalesce }}|{{ coalesce nil 0 \"\" }}|{{ coalesce 0 1 2 }}|{{ coalesce "
     ".Target.nope .Target.kind }}",
     "<no value>|<no value>|1|Pod", NULL},
    {"{{ all }}{{ any }}{{ all 1 2 }}{{ any 0 \"\" nil }}{{ all nil }}",
     "truefalsetruefalsefalse", NULL},
    {"{{ ternary nil 2 true }}|{{ ternary 1 2 .Target.t }}|{{ ternary 1 2 .Target.fa }}",
     "<no value>|1|2", NULL},
    {"{{ kindOf nil }} {{ kindOf (dict) }} {{ kindOf (list) }} {{ kindOf (semver "
     "\"1.0.0\") }} {{ kindOf 1 }} {{ kindOf (int64 1) }} {{ kindOf .Target.nope }}",
     "invalid map slice ptr int int64 invalid", NULL},
    {"{{ typeIs \"int\" 1 }} {{ typeIs \"nil\" nil }} {{ typeIs \"<nil>\" nil }} {{ "
     "typeIsLike \"semver.Version\" (semver \"1.0.0\") }} {{ typeIsLike "
     "\"*semver.Version\" (semver \"1.0.0\") }} {{ kindIs \"invalid\" nil }} {{ kindIs "
     "\"ptr\" (semver \"1.0.0\") }} {{ typeIs \"*semver.Version\" (semver \"1.0.0\") }}",
     "true false true true true true true true", NULL},
    {"{{ deepEqual nil .Target.nope }} {{ deepEqual .Target.nul nil }} {{ deepEqual "
     "(list) .Target.ea }} {{ deepEqual (dict \"a\" 1) (dict \"a\" 1) }} {{ deepEqual 1 "
     "(int64 1) }} {{ deepEqual \"a\" \"a\" }} {{ deepEqual (splitList \",\" \"a\") "
     "(list \"a\") }} {{ deepEqual (semver \"1.0.0\") (semver \"1.0.0\") }}",
     "true true true true false true false true", NULL},
    {"{{ fromJson \"{\\\"a\\\":1,\\\"a\\\":2}\" }}|{{ fromJson \" [1] \" }}|{{ typeOf "
     "(fromJson \"[1]\") }}|{{ (fromJson \"12345678901234567890\") }}|{{ fromJson "
     "\"{\\\"b\\\":[null,true,\\\"x\\\"],\\\"a\\\":{}}\" }}|{{ fromJson \"[\" }}|{{ "
     "(fromJson \"{\\\"a\\\":{\\\"b\\\":1.5}}\").a.b }}",
     "map[a:2]|[1]|[]interface {}|1.2345678901234567e+19|map[a:map[] b:[<nil> true "
     "x]]|<no value>|1.5",
     NULL},
};

static void edges(void **state) {
    (void)state;
    check_table(edges_cases, FX_COUNT(edges_cases));
}

static const struct table_case errors_cases[] = {
    {"{{ mustToJson (float64 \"NaN\") }}", NULL,
     "error calling mustToJson: json: unsupported value: NaN"},
    {"{{ toRawJson (float64 \"NaN\") }}", NULL,
     "error calling toRawJson: json: unsupported value: NaN"},
    {"{{ mustFromJson \"{\" }}", NULL,
     "error calling mustFromJson: unexpected end of JSON input"},
    {"{{ mustFromJson \"\" }}", NULL,
     "error calling mustFromJson: unexpected end of JSON input"},
    {"{{ mustFromJson \"nul\" }}", NULL,
     "error calling mustFromJson: invalid character ' ' in literal null (expecting 'l')"},
    {"{{ mustFromJson \"[1,2\" }}", NULL,
     "error calling mustFromJson: unexpected end of JSON input"},
    {"{{ mustFromJson \"[1,2]x\" }}", NULL,
     "error calling mustFromJson: invalid character 'x' after top-level value"},
    {"{{ mustFromJson \"1e400\" }}", NULL,
     "error calling mustFromJson: json: cannot unmarshal number 1e400 into Go value of "
     "type float64"},
    {"{{ deepCopy nil }}", NULL,
     "error calling deepCopy: reflect: call of reflect.Value.Type on zero Value"},
    {"{{ mustDeepCopy nil }}", NULL,
     "error calling mustDeepCopy: reflect: call of reflect.Value.Type on zero Value"},
    {"{{ deepCopy .Target.nope }}", NULL,
     "error calling deepCopy: reflect: call of reflect.Value.Type on zero Value"},
    {"{{ compact nil }}", NULL,
     "error calling compact: runtime error: invalid memory address or nil pointer "
     "dereference"},
    {"{{ compact \"a\" }}", NULL, "error calling compact: Cannot compact on type string"},
    {"{{ mustCompact 5 }}", NULL,
     "error calling mustCompact: Cannot compact on type int"},
    {"{{ compact .Target.labels }}", NULL,
     "error calling compact: Cannot compact on type map"},
    {"{{ compact .Target.nope }}", NULL,
     "error calling compact: runtime error: invalid memory address or nil pointer "
     "dereference"},
    {"{{ default }}", NULL, "wrong number of args for default: want at least 1 got 0"},
    {"{{ empty }}", NULL, "wrong number of args for empty: want 1 got 0"},
    {"{{ ternary 1 2 nil }}", NULL, "cannot assign nil to bool"},
    {"{{ ternary 1 2 \"x\" }}", NULL, "expected bool; found \"x\""},
    {"{{ ternary 1 2 1 }}", NULL, "expected bool; found 1"},
    {"{{ fail \"boom %d\" }}", NULL, "error calling fail: boom %d"},
    {"{{ fail }}", NULL, "wrong number of args for fail: want 1 got 0"},
    {"{{ fail 1 }}", NULL, "expected string; found 1"},
    {"{{ fail \"\" }}", NULL, "error calling fail: "},
};

static void errors(void **state) {
    (void)state;
    check_table(errors_cases, FX_COUNT(errors_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_spec),
        cmocka_unit_test(edges),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
