/* SPDX-License-Identifier: Apache-2.0
 *
 * json_patch_test.c - lists of JSONPatch{…}: operations as evanphx/json-patch applies
 * them, values, and strict decoding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mutators/admission_policy/testing.h"
#include "value/equal.h"
#include "value/json.h"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

static struct fx_schema_builder *builder;

/* A custom resource, whose result is not decoded. */
static int make_schemas(void **state) {
    struct fx_err err = FX_ERR_INIT;
    json_t *schema = read_json("{\"type\":\"object\"}");
    builder = fx_schema_builder_create();
    assert_true(fx_schema_add_structural(builder, FX_TEXT("g.io"), FX_TEXT("v1"),
                                         FX_TEXT("W"), schema, &err));
    json_decref(schema);
    (void)state;
    return 0;
}

static int free_schemas(void **state) {
    fx_schema_builder_destroy(builder);
    (void)state;
    return 0;
}

#define HEAD "{\"apiVersion\":\"g.io/v1\",\"kind\":\"W\",\"s\":"

/* Applies the operations to an object with `before` in the field `s`; `want` is the field
 * afterwards. */
static void check(const char *before, const char *expression, const char *want) {
    struct mutation_test test;
    struct fx_buf text;
    mutation_test_init(&test);
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, HEAD "%s}", before);
    json_t *given = read_json(text.data);
    json_t *copy = json_deep_copy(given);
    json_t *root = json_incref(given);
    if (!test_mutate(&test, expression, fx_schema_builder_set(builder), &root)) {
        fail_msg("%s: %s", expression, test.err.msg);
    }
    json_t *wanted = read_json(want);
    if (!fx_equal(json_object_get(root, "s"), wanted)) {
        char *got = json_dumps(root, JSON_COMPACT);
        print_error("%s: got %s\n", expression, got);
        free(got);
    }
    assert_true(fx_equal(json_object_get(root, "s"), wanted));
    assert_true(fx_equal(given, copy));
    json_decref(wanted);
    json_decref(copy);
    json_decref(given);
    json_decref(root);
    fx_buf_finish(&text);
    mutation_test_finish(&test);
}

static void check_refused_on(const char *object, const char *expression, const char *want,
                             unsigned code) {
    struct mutation_test test;
    mutation_test_init(&test);
    json_t *given = read_json(object);
    json_t *copy = json_deep_copy(given);
    json_t *root = json_incref(given);
    if (test_mutate(&test, expression, fx_schema_builder_set(builder), &root)) {
        fail_msg("%s: no error", expression);
    }
    assert_int_equal(test.err.code, FX_EMUTATE);
    assert_string_equal(test.refusal.message.data, want);
    assert_int_equal(test.refusal.code, code);
    assert_ptr_equal(root, given);
    assert_true(fx_equal(given, copy));
    json_decref(copy);
    json_decref(given);
    json_decref(root);
    mutation_test_finish(&test);
}

/* A value, or operations, and what becomes of them. */
struct value_case {
    const char *value, *want;
};

struct patch_case {
    const char *before, *expression, *want;
};

#define OP(op, path) "JSONPatch{op: \"" op "\", path: \"" path "\"}"
#define VALUE(op, path, value) \
    "JSONPatch{op: \"" op "\", path: \"" path "\", value: " value "}"
#define FROM(op, path, from) \
    "JSONPatch{op: \"" op "\", path: \"" path "\", from: \"" from "\"}"

static void test_operations(void **state) {
    static const struct patch_case cases[] = {
        {"{\"a\":1}", "[" VALUE("add", "/s/b", "2") "]", "{\"a\":1,\"b\":2}"},
        {"{\"a\":1}", "[" VALUE("add", "/s/a", "2") "]", "{\"a\":2}"},
        {"{}", "[" OP("add", "/s/b") "]", "{\"b\":null}"},
        {"{}", "[" VALUE("add", "/s/~1a~0b~2", "1") "]", "{\"/a~b~2\":1}"},
        {"{}", "[" VALUE("add", "ignored/s/b", "1") "]", "{\"b\":1}"},
        {"[1,2]", "[" VALUE("add", "/s/0", "0") "]", "[0,1,2]"},
        {"[1,2]", "[" VALUE("add", "/s/-", "3") "]", "[1,2,3]"},
        {"[1,2]", "[" VALUE("add", "/s/2", "3") "]", "[1,2,3]"},
        {"[1,2]", "[" VALUE("add", "/s/01", "3") "]", "[1,3,2]"},
        {"[1,2]", "[" VALUE("add", "/s/-1", "3") "]", "[1,2,3]"},
        {"[1,2]", "[" VALUE("add", "/s/-3", "3") "]", "[3,1,2]"},
        {"[1,2]", "[" OP("remove", "/s/-1") "]", "[1]"},
        {"[1,2]", "[" OP("remove", "/s/0") "]", "[2]"},
        {"{\"a\":null}", "[" OP("remove", "/s/a") "]", "{}"},
        {"{}", "[" VALUE("replace", "/s/a", "1") "]", "{\"a\":1}"},
        {"[1,2]", "[" VALUE("replace", "/s/-2", "0") "]", "[0,2]"},
        {"1", "[" VALUE("replace", "", "{\"s\": \"new\"}") "]", "\"new\""},
        {"{\"a\":1}", "[" FROM("move", "/s/b", "/s/a") "]", "{\"b\":1}"},
        {"{\"a\":1}", "[" FROM("move", "/s/a", "/s/a") "]", "{\"a\":1}"},
        {"{\"a\":[1]}",
         "[" FROM("copy", "/s/b", "/s/a") ", " VALUE("add", "/s/b/-", "2") "]",
         "{\"a\":[1],\"b\":[1,2]}"},
        {"{}", "[" FROM("copy", "/s/b", "/s/no") "]", "{\"b\":null}"},
        {"{\"a\":1}", "[" FROM("remove", "/s/a", "/s/no") "]", "{}"},
        /* a test that fails undoes what was before it, without an error */
        {"{\"a\":1}", "[" VALUE("add", "/s/b", "2") ", " VALUE("test", "/s/a", "2") "]",
         "{\"a\":1}"},
        {"{\"a\":1}", "[" VALUE("test", "/s/a", "1.0") ", " VALUE("add", "/s/b", "2") "]",
         "{\"a\":1,\"b\":2}"},
        {"{}", "[" VALUE("test", "/s/a", "null") ", " VALUE("add", "/s/b", "2") "]",
         "{}"},
        {"{}", "[" OP("test", "/s/a") ", " VALUE("add", "/s/b", "2") "]", "{\"b\":2}"},
        {"{\"a\":1}", "[" OP("test", "/s/a") ", " VALUE("add", "/s/b", "2") "]",
         "{\"a\":1}"},
        {"{\"a\":{\"x\":1,\"y\":[2]}}",
         "[" VALUE("test", "/s/a", "object.s.a") ", " OP("remove", "/s/a") "]", "{}"},
        {"{}", "1 > 2 ? [" OP("remove", "/s/no") "] : []", "{}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        check(cases[i].before, cases[i].expression, cases[i].want);
    }
    (void)state;
}

static const struct patch_case refused[] = {
    {"{}", "[" VALUE("add", "/s/b/c", "2") "]",
     "add operation does not apply: doc is missing path: \"/s/b/c\": missing value"},
    {"{\"b\":1}", "[" VALUE("add", "/s/b/c", "2") "]",
     "add operation does not apply: doc is missing path: \"/s/b/c\": missing value"},
    {"{\"b\":null}", "[" VALUE("add", "/s/b/c", "2") "]",
     "add operation does not apply: doc is missing path: \"/s/b/c\": missing value"},
    {"{}", "[" VALUE("add", "", "2") "]",
     "add operation does not apply: doc is missing path: \"\": missing value"},
    {"{}", "[" VALUE("add", "s", "2") "]",
     "add operation does not apply: doc is missing path: \"s\": missing value"},
    {"[]", "[" VALUE("add", "/s/1", "2") "]",
     "error in add for path: '/s/1': Unable to access invalid index: 1: invalid "
     "index "
     "referenced"},
    {"[]", "[" VALUE("add", "/s/-2", "2") "]",
     "error in add for path: '/s/-2': Unable to access invalid index: -2: invalid "
     "index referenced"},
    {"[]", "[" VALUE("add", "/s/a", "2") "]",
     "error in add for path: '/s/a': value was not a proper array index: 'a': "
     "strconv.Atoi: parsing \"a\": invalid syntax"},
    {"[]", "[" VALUE("add", "/s/99999999999999999999", "2") "]",
     "error in add for path: '/s/99999999999999999999': value was not a proper array "
     "index: '99999999999999999999': strconv.Atoi: parsing \"99999999999999999999\": "
     "value out of range"},
    {"{}", "[" OP("remove", "/s/q") "]",
     "error in remove for path: '/s/q': Unable to remove nonexistent key: q: missing "
     "value"},
    {"{}", "[" OP("remove", "/s/q/r") "]",
     "remove operation does not apply: doc is missing path: \"/s/q/r\": missing "
     "value"},
    {"[1]", "[" OP("remove", "/s/9") "]",
     "error in remove for path: '/s/9': Unable to access invalid index: 9: invalid "
     "index referenced"},
    {"[1]", "[" OP("remove", "/s/-") "]",
     "error in remove for path: '/s/-': strconv.Atoi: parsing \"-\": invalid syntax"},
    {"{}", "[" VALUE("replace", "/s/a/b", "1") "]",
     "replace operation does not apply: doc is missing path: /s/a/b: missing value"},
    {"[1]", "[" VALUE("replace", "/s/9", "1") "]",
     "replace operation does not apply: doc is missing key: /s/9: missing value"},
    {"[1]", "[" VALUE("replace", "/s/-", "1") "]",
     "replace operation does not apply: doc is missing key: /s/-: missing value"},
    {"1", "[" VALUE("replace", "", "1") "]",
     "replace operation value must be object or array: %!w(<nil>)"},
    {"1", "[" OP("replace", "") "]",
     "replace operation value must be object or array: %!w(<nil>)"},
    {"{}", "[" FROM("move", "/s/a", "") "]",
     "move operation failed to decode from: operation, missing from field: missing "
     "value"},
    {"{}", "[" FROM("move", "/s/a", "/s/q") "]",
     "error in move for path: 'q': Unable to remove nonexistent key: q: missing "
     "value"},
    {"[1]", "[" FROM("move", "/s/0", "/s/-") "]",
     "error in move for path: '-': strconv.Atoi: parsing \"-\": invalid syntax"},
    {"{\"a\":{}}", "[" FROM("move", "/s/a/b", "/s/a") "]",
     "move operation does not apply: doc is missing destination path: /s/a/b: "
     "missing "
     "value"},
    {"{}", "[" FROM("copy", "/s/a", "/s/q/r") "]",
     "copy operation does not apply: doc is missing from path: /s/q/r: missing "
     "value"},
    {"[1]", "[" FROM("copy", "/s/0", "/s/7") "]",
     "error in copy for from: '/s/7': Unable to access invalid index: 7: invalid "
     "index "
     "referenced"},
    {"[1]", "[" FROM("copy", "/s/5", "/s/0") "]",
     "error while adding value during copy: Unable to access invalid index: 5: "
     "invalid index referenced"},
    {"{}", "[" VALUE("test", "/s/a/b", "1") "]",
     "test operation does not apply: is missing path: /s/a/b: missing value"},
    {"[1]", "[" VALUE("test", "/s/4", "1") "]",
     "error in test for path: '/s/4': Unable to access invalid index: 4: invalid "
     "index "
     "referenced"},
    {"{}", "[JSONPatch{op: \"test\"}]", "test operation has neither a path nor a value"},
    {"{}", "[" OP("ADD", "/s/a") "]", "Unexpected kind: ADD"},
    {"{}", "[JSONPatch{path: \"/s\"}]", "Unexpected kind: "},
    {"{}", "[" VALUE("add", "/s/\\u0007", "1") "]", "operation failed to decode path"},
};

static void test_refused_operations(void **state) {
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        struct fx_buf object;
        struct fx_buf message;
        fx_buf_init(&object, 0);
        fx_buf_init(&message, 0);
        fx_buf_printf(&object, HEAD "%s}", refused[i].before);
        fx_buf_printf(&message, "JSON Patch: %s", refused[i].want);
        check_refused_on(object.data, refused[i].expression, message.data, 403);
        fx_buf_finish(&object);
        fx_buf_finish(&message);
    }
    (void)state;
}

static void test_values(void **state) {
    static const struct value_case cases[] = {
        {"1.0", "1"},
        {"-0.0", "0"},
        {"1.5", "1.5"},
        {"1e300", "1e300"},
        {"9007199254740991", "9007199254740991"},
        {"9007199254740993", "\"9007199254740993\""},
        {"-9007199254740993", "\"-9007199254740993\""},
        {"5u", "5"},
        {"18446744073709551615u", "\"18446744073709551615\""},
        {"b'abc'", "\"YWJj\""},
        {"duration('1h30m')", "\"5400s\""},
        {"timestamp('2024-01-01T00:00:00Z')", "\"2024-01-01T00:00:00Z\""},
        {"null", "null"},
        {"optional.of([1])", "[1]"},
        {"[[1], [2]]", "[[1],[2]]"},
        {"{\"a\": {\"b\": [null]}}", "{\"a\":{\"b\":[null]}}"},
        {"\"a,b\".split(\",\")", "[\"a\",\"b\"]"},
        {"object.big", "{\"n\":\"9007199254740993\",\"l\":[1]}"},
        {"object.big.l", "[1]"},
        {"Object.any.where{a: 1, b: Object.any.where.b{c: b'x'}}",
         "{\"a\":1,\"b\":{\"c\":\"eA==\"}}"},
        {"[Object.a{b: 1}]", "[{\"b\":1}]"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct mutation_test test;
        char expression[200];
        mutation_test_init(&test);
        (void)snprintf(expression, sizeof expression, "[" VALUE("add", "/v", "%s") "]",
                       cases[i].value);
        json_t *root = read_json("{\"apiVersion\":\"g.io/v1\",\"kind\":\"W\",\"big\":"
                                 "{\"n\":9007199254740993,\"l\":[1]}}");
        if (!test_mutate(&test, expression, fx_schema_builder_set(builder), &root)) {
            fail_msg("%s: %s", expression, test.err.msg);
        }
        char *got =
            json_dumps(json_object_get(root, "v"), JSON_COMPACT | JSON_ENCODE_ANY);
        json_t *wanted = read_json(cases[i].want);
        if (!fx_equal(json_object_get(root, "v"), wanted)) {
            fail_msg("%s: got %s", expression, got);
        }
        free(got);
        json_decref(wanted);
        json_decref(root);
        mutation_test_finish(&test);
    }
    (void)state;
}

#define MARSHAL \
    "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "
#define NUMBER                                                                  \
    MARSHAL "json: error calling MarshalJSON for type *structpb.Value: proto: " \
            "google.protobuf.Value.number_value: invalid "

static void test_refused_values(void **state) {
    static const struct value_case cases[] = {
        {"quantity('1')",
         MARSHAL "type conversion error from 'Quantity' to '*structpb.Value'"},
        {"ip('1.2.3.4')", MARSHAL "type conversion error from 'IP' to '*structpb.Value'"},
        {"int", MARSHAL "type conversion not supported for 'type'"},
        {"{1: 1}", MARSHAL "unsupported type conversion from 'int' to string"},
        {"optional.none()", MARSHAL "optional.none() dereference"},
        {"0.0 / 0.0", NUMBER "NaN value"},
        {"[-1.0 / 0.0]", NUMBER "-Inf value"},
        {"Object.a{b: timestamp(0)}", MARSHAL "proto: invalid type: time.Time"},
        {"Object.a{b: Object.c{}}", "type mismatch: unexpected type name \"Object.c\", "
                                    "expected \"Object.a.b\", which "
                                    "matches field name path from root Object type"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char expression[200];
        /* values are converted before the first operation is applied */
        (void)snprintf(expression, sizeof expression,
                       "[" OP("remove", "/no") ", " VALUE("add", "/v", "%s") "]",
                       cases[i].value);
        check_refused_on(HEAD "1}", expression, cases[i].want, 403);
    }
    (void)state;
}

static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
    "\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":{\"cpu\":\"1\"}}}],"
    "\"newer\":1}}";

/* The result of a built-in kind is decoded strictly; what has not changed is not looked
 * at. */
static void test_decoding(void **state) {
    static const struct value_case cases[] = {
        {VALUE("add", "/spec/activeDeadlineSeconds", "9.5"),
         "json: cannot unmarshal number into Go struct field spec.activeDeadlineSeconds "
         "of type int64"},
        {VALUE("add", "/spec/containers/0/args", "\"x\""),
         "json: cannot unmarshal string into Go struct field spec.containers.args of "
         "type "
         "list"},
        {VALUE("add", "/spec/hostNetwork", "\"x\""),
         "json: cannot unmarshal string into Go struct field spec.hostNetwork of type "
         "bool"},
        {VALUE("add", "/spec/priority", "3000000000"),
         "json: cannot unmarshal number into Go struct field spec.priority of type "
         "int32"},
        {VALUE("add", "/spec/Containers", "[]"),
         "strict decoding error: unknown field \"spec.Containers\""},
        {VALUE("add", "/spec/containers/0/nope", "1") ", " VALUE("add", "/nope", "1"),
         "strict decoding error: unknown field \"spec.containers[0].nope\", unknown "
         "field "
         "\"nope\""},
        {VALUE("add", "/nope", "1") ", " VALUE("add", "/spec/hostNetwork", "1"),
         "json: cannot unmarshal number into Go struct field spec.hostNetwork of type "
         "bool"},
        {VALUE("add", "/spec/containers/0/resources/limits/cpu", "\"x\""),
         "quantities must match the regular expression "
         "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
        {VALUE("replace", "/kind", "\"Nope\""),
         "no kind \"Nope\" is registered for version \"v1\" in scheme "
         "\"k8s.io/client-go/kubernetes/scheme/register.go:82\""},
        {VALUE("replace", "/apiVersion", "\"v2\""),
         "no kind \"Pod\" is registered for version \"v2\" in scheme "
         "\"k8s.io/client-go/kubernetes/scheme/register.go:82\""},
        {VALUE("replace", "/kind", "\"ConfigMap\""),
         "strict decoding error: unknown field \"spec\""},
        {VALUE("replace", "/kind", "1"),
         "couldn't get version/kind; json parse error: json: cannot unmarshal apiVersion "
         "or kind"},
        {VALUE("replace", "", "[]"),
         "couldn't get version/kind; json parse error: json: cannot unmarshal array"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf expression;
        struct fx_buf message;
        fx_buf_init(&expression, 0);
        fx_buf_init(&message, 0);
        fx_buf_printf(&expression, "[%s]", cases[i].value);
        fx_buf_printf(&message, "Internal error occurred: %s", cases[i].want);
        check_refused_on(pod, expression.data, message.data, 500);
        fx_buf_finish(&expression);
        fx_buf_finish(&message);
    }
    (void)state;
}

static void test_decoded(void **state) {
    struct mutation_test test;
    mutation_test_init(&test);
    json_t *root = read_json(pod);
    assert_true(
        test_mutate(&test,
                    "[" VALUE("add", "/spec/hostNetwork", "null") ", " VALUE(
                        "add", "/spec/containers/0/resources/limits/cpu",
                        "\"0.5\"") ", " VALUE("add", "/spec/priority",
                                              "9.0") ", " OP("remove", "/kind") "]",
                    NULL, &root));
    json_t *wanted =
        read_json("{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":"
                  "{\"cpu\":\"500m\"}}}],\"newer\":1,\"priority\":9}");
    assert_true(fx_equal(json_object_get(root, "spec"), wanted));
    assert_string_equal(json_string_value(json_object_get(root, "kind")), "Pod");
    json_decref(wanted);
    json_decref(root);
    mutation_test_finish(&test);
    (void)state;
}

/* A result that is equal is the object itself. */
static void test_unchanged(void **state) {
    struct mutation_test test;
    mutation_test_init(&test);
    json_t *given = read_json(pod);
    json_t *root = json_incref(given);
    assert_true(test_mutate(
        &test,
        "[" VALUE("replace", "/metadata/name", "\"p\"") ", " OP("remove", "/kind") "]",
        NULL, &root));
    assert_ptr_equal(root, given);
    json_decref(root);
    json_decref(given);
    mutation_test_finish(&test);
    (void)state;
}

/* Copies of copies do not grow without limit. */
static void test_growth(void **state) {
    struct mutation_test test;
    mutation_test_init(&test);
    struct fx_buf expression;
    fx_buf_init(&expression, 0);
    fx_buf_str(&expression, "[" OP("add", "/s/a"));
    for (int i = 0; i < 40; i++) {
        fx_buf_str(&expression,
                   ", " FROM("copy", "/s/x", "/s") ", " FROM("copy", "/s/y", "/s"));
    }
    fx_buf_str(&expression, "]");
    json_t *root = read_json(HEAD "{}}");
    assert_false(
        test_mutate(&test, expression.data, fx_schema_builder_set(builder), &root));
    assert_int_equal(test.err.code, FX_ELIMIT);
    json_decref(root);
    fx_buf_finish(&expression);
    mutation_test_finish(&test);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_refused_operations),
        cmocka_unit_test(test_values),     cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_decoding),   cmocka_unit_test(test_unchanged),
        cmocka_unit_test(test_decoded),    cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, make_schemas, free_schemas);
}
