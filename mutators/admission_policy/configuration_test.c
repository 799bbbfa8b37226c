/* SPDX-License-Identifier: Apache-2.0
 *
 * configuration_test.c - ApplyConfiguration: names of types, values, decoding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

static const char deployment[] =
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"},"
    "\"spec\":{\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{\"name\":\"a\","
    "\"image\":\"a:1\",\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}}}";

static const char secret[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},"
    "\"data\":{\"a\":\"YQ==\"},\"stringData\":{\"b\":\"c\"}}";

static const char widget[] =
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{},"
    "\"spec\":{\"free\":{\"a\":[1,{\"b\":2}]},\"opts\":{\"x\":\"1\"},\"ratio\":0.5}}";

static const char widget_schema[] =
    "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{"
    "\"free\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true},"
    "\"opts\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"ratio\":{\"type\":\"number\"},\"size\":{\"type\":\"integer\"},"
    "\"name\":{\"type\":\"string\"},\"tags\":{\"type\":\"array\","
    "\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}}}}}}";

static struct fx_schema_builder *builder;

static int make_schemas(void **state) {
    struct fx_err err = FX_ERR_INIT;
    json_t *schema = read_json(widget_schema);
    builder = fx_schema_builder_create();
    assert_true(fx_schema_add_structural(builder, FX_TEXT("example.com"), FX_TEXT("v1"),
                                         FX_TEXT("Widget"), schema, &err));
    json_decref(schema);
    (void)state;
    return 0;
}

static int free_schemas(void **state) {
    fx_schema_builder_destroy(builder);
    (void)state;
    return 0;
}

/* Mutates `text`. `want` is what the object has at `path` afterwards (NULL: nothing), or
 * the message if `code` is not 0. */
static void check(const char *text, const char *expression, const char *path,
                  const char *want, unsigned code) {
    struct mutation_test test;
    mutation_test_init(&test);
    json_t *given = read_json(text);
    json_t *before = json_deep_copy(given);
    json_t *root = json_incref(given);
    const bool ok = test_mutate(&test, expression, fx_schema_builder_set(builder), &root);
    if (ok != (code == 0)) {
        print_error("%s: %s\n", expression, ok ? "no error" : test.err.msg);
    }
    assert_int_equal(ok, code == 0);
    assert_true(fx_equal(given, before));
    if (code == 0) {
        json_t *node = root;
        struct fx_text rest = fx_text_of(path);
        while (node != NULL && rest.len > 0) {
            const struct fx_text step = fx_text_cut(&rest, '.');
            node = json_is_array(node)
                       ? json_array_get(node, (size_t)(step.data[0] - '0'))
                       : fx_tree_view_text(node, step);
        }
        json_t *wanted = want == NULL ? NULL : read_json(want);
        if (!(node == wanted || fx_equal(node, wanted))) {
            char *got = node == NULL ? NULL : json_dumps(node, JSON_ENCODE_ANY);
            print_error("%s: got %s\n", expression, got == NULL ? "nothing" : got);
            free(got);
        }
        assert_true(node == wanted || fx_equal(node, wanted));
        json_decref(wanted);
    } else {
        assert_int_equal(test.err.code, FX_EMUTATE);
        assert_int_equal(test.refusal.code, code);
        assert_string_equal(test.refusal.message.data, want);
        assert_ptr_equal(root, given);
    }
    json_decref(root);
    json_decref(given);
    json_decref(before);
    mutation_test_finish(&test);
}

struct apply_case {
    const char *expression, *path, *want;
};

static void check_all(const char *text, const struct apply_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check(text, cases[i].expression, cases[i].path, cases[i].want, 0);
    }
}

static void test_values(void **state) {
    static const struct apply_case cases[] = {
        {"Object{spec: Object.spec{size: 3}}", "spec.size", "3"},
        {"Object{spec: {\"size\": 3}}", "spec.size", "3"},
        {"Object{spec: Object.spec{ratio: 2.0}}", "spec.ratio", "2.0"},
        {"Object{spec: Object.spec{name: type(1)}}", "spec.name", "\"int\""},
        {"Object{spec: Object.spec{name: optional.of(\"x\")}}", "spec.name", "\"x\""},
        {"Object{spec: Object.spec{?name: optional.none()}}", "spec.name", NULL},
        {"Object{spec: Object.spec{ratio: optional.none()}}", "spec.ratio", "null"},
        {"Object{spec: Object.spec{opts: {\"y\": \"2\"}}}", "spec.opts",
         "{\"x\":\"1\",\"y\":\"2\"}"},
        {"Object{spec: Object.spec{opts: object.spec.opts}}", "spec.opts",
         "{\"x\":\"1\"}"},
        {"Object{spec: Object.spec{tags: [\"a\"] + [\"b\"]}}", "spec.tags",
         "[\"a\",\"b\"]"},
        {"Object{spec: Object.spec{tags: [\"b\",\"a\"].map(t, t + \"!\")}}", "spec.tags",
         "[\"b!\",\"a!\"]"},
        {"Object{spec: Object.spec{free: Object.spec.free{b: object.spec.free}}}",
         "spec.free.b.a.1.b", "2"},
        {"Object{spec: Object.spec{free: Object.spec.free{b: Object.spec.free.b{c: "
         "[1]}}}}",
         "spec.free.b", "{\"c\":[1]}"},
        {"Object{kind: 5, apiVersion: 7u}", "kind", "\"Widget\""},
    };
    check_all(widget, cases, FX_COUNT(cases));
    (void)state;
}

#define PATCH "error applying patch: failed to convert patch object to typed object: "

static void test_refused_values(void **state) {
    static const struct apply_case cases[] = {
        {"Object{spec: Object.spec{size: 5u}}", NULL,
         PATCH ".spec.size: expected numeric (int or float), got uint64"},
        {"Object{spec: Object.spec{size: timestamp(0)}}", NULL,
         PATCH ".spec.size: expected numeric (int or float), got time.Time"},
        {"Object{spec: Object.spec{size: duration('1s')}}", NULL,
         PATCH ".spec.size: expected numeric (int or float), got time.Duration"},
        {"Object{spec: Object.spec{size: null}}", NULL,
         PATCH ".spec.size: expected numeric (int or float), got structpb.NullValue"},
        {"Object{spec: Object.spec{size: [[1]]}}", NULL,
         PATCH ".spec.size: expected numeric (int or float), got []interface {}"},
        {"Object{spec: Object.spec{size: quantity('1')}}", NULL,
         PATCH ".spec.size: expected numeric (int or float), got *resource.Quantity"},
        {"Object{spec: Object.spec{size: 0.0 / 0.0}}", NULL,
         PATCH ".spec.size: expected numeric (int or float), got float64"},
        {"Object{spec: Object.spec{name: b'x'}}", NULL,
         PATCH ".spec.name: expected string, got &value.valueUnstructured{…}"},
        {"Object{spec: Object.spec{tags: \"a,b\".split(\",\")}}", NULL,
         PATCH ".spec.tags: expected list, got &{…}"},
        {"Object{spec: Object.spec{free: {\"a\": {\"b\": 1}}}}", NULL,
         PATCH ".spec.free.a: expected map, got &{…}"},
        {"Object{spec: Object.spec{free: {\"a\": [1]}}}", NULL,
         PATCH ".spec.free.a: expected map, got &{…}"},
        {"Object{spec: Object.spec{free: {1: 1}}}", NULL,
         PATCH ".spec: expected map, got &{…}"},
        {"Object{spec: {1: 1}}", NULL, "invalid return type: *dynamic.ObjectVal"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        check(widget, cases[i].expression, NULL, cases[i].want, 403);
    }
    (void)state;
}

#define EXPECTED(name, want)                              \
    "unexpected type name \"" name "\", expected \"" want \
    "\", which matches field name path from root Object type"

static void test_type_names(void **state) {
    static const struct apply_case cases[] = {
        {"Object{spec: Object.spek{}}", NULL,
         "type mismatch: " EXPECTED("Object.spek", "Object.spec")},
        {"Object{spec: {\"tags\": [Object.spec.tags{}]}}", NULL,
         "type mismatch: " EXPECTED("Object.spec.tags", "Object.spec")},
        {"Object{spec: Object.spec{tags: [Object.tags{}], free: Object.spec{}}}", NULL,
         "type mismatch: " EXPECTED("Object.tags", "Object.spec.tags") "\n" EXPECTED(
             "Object.spec", "Object.spec.free")},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        check(widget, cases[i].expression, NULL, cases[i].want, 403);
    }
    (void)state;
}

#define LIMITS(value)                                                                    \
    "Object{spec: Object.spec{template: Object.spec.template{spec: "                     \
    "Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: " \
    "\"a\", resources: Object.spec.template.spec.containers.resources{limits: "          \
    "{\"cpu\": " value "}}}]}}}}"
#define SURGE(value)                                                          \
    "Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: " \
    "Object.spec.strategy.rollingUpdate{maxSurge: " value "}}}}"

static void test_decoding(void **state) {
    static const struct apply_case cases[] = {
        {"Object{spec: Object.spec{replicas: 3.0}}", "spec.replicas", "3"},
        {"Object{spec: Object.spec{replicas: 9007199254740993}}", "spec.replicas", "1"},
        {"Object{spec: Object.spec{replicas: 1e10}}", "spec.replicas", "1410065408"},
        {"Object{spec: Object.spec{replicas: optional.none()}}", "spec.replicas", NULL},
        {LIMITS("1.5"), "spec.template.spec.containers.0.resources.limits.cpu",
         "\"1500m\""},
        {LIMITS("\"1000m\""), "spec.template.spec.containers.0.resources.limits.cpu",
         "\"1\""},
        {LIMITS("2"), "spec.template.spec.containers.0.resources.limits.cpu", "\"2\""},
        {LIMITS("optional.none()"),
         "spec.template.spec.containers.0.resources.limits.cpu", "\"0\""},
        {SURGE("1"), "spec.strategy.rollingUpdate.maxSurge", "1"},
        {SURGE("1.0"), "spec.strategy.rollingUpdate.maxSurge", "1"},
        {SURGE("\"10%\""), "spec.strategy.rollingUpdate.maxSurge", "\"10%\""},
    };
    check_all(deployment, cases, FX_COUNT(cases));
    check(secret, "Object{stringData: {\"z\": optional.none()}}", "stringData.z", "\"\"",
          0);
    check(secret, "Object{data: {\"z\": optional.none()}}", "data.z", "null", 0);
    check(secret, "Object{data: {\"z\": \"eg==\"}}", "data.z", "\"eg==\"", 0);
    (void)state;
}

#define UNABLE "unable to convert unstructured object to apps/v1, Kind=Deployment: "

static void test_refused_decoding(void **state) {
    static const struct apply_case cases[] = {
        {"Object{spec: Object.spec{replicas: 1.5}}", NULL,
         UNABLE "cannot convert float64 to int32"},
        {LIMITS("\"x\""), NULL,
         UNABLE "quantities must match the regular expression "
                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
        {SURGE("1.5"), NULL,
         UNABLE "json: cannot unmarshal number into Go value of type int32"},
        {SURGE("true"), NULL,
         UNABLE "json: cannot unmarshal bool into Go value of type int32"},
        {SURGE("{\"a\": 1}"), NULL,
         UNABLE "json: cannot unmarshal object into Go value of type int32"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        check(deployment, cases[i].expression, NULL, cases[i].want, 403);
    }
    check(
        secret, "Object{data: {\"z\": \"!\"}}", NULL,
        "unable to convert unstructured object to /v1, Kind=Secret: error decoding from "
        "json: illegal base64 data at input byte 0",
        403);
    (void)state;
}

static void test_unknown_kind(void **state) {
    check("{\"apiVersion\":\"x.example.com/v1\",\"kind\":\"Gizmo\"}", "Object{}", NULL,
          "Resource kind x.example.com/v1, Kind=Gizmo not found. There can be a delay "
          "between when CustomResourceDefinitions are created and when they are "
          "available.",
          503);
    (void)state;
}

/* What the live object has already is neither checked nor changed. */
static void test_untouched(void **state) {
    struct mutation_test test;
    mutation_test_init(&test);
    json_t *given =
        read_json("{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuota\",\"metadata\":{},"
                  "\"spec\":{\"hard\":{\"cpu\":\"1000m\",\"pods\":\"odd\"}}}");
    json_t *root = json_incref(given);
    assert_true(test_mutate(
        &test, "Object{spec: Object.spec{hard: {\"cpu\": \"1000m\"}}}", NULL, &root));
    assert_ptr_equal(root, given);
    assert_true(test_mutate(&test, "Object{spec: Object.spec{hard: {\"a\": \"1000m\"}}}",
                            NULL, &root));
    json_t *wanted = read_json("{\"cpu\":\"1000m\",\"pods\":\"odd\",\"a\":\"1\"}");
    assert_true(fx_equal(json_object_get(json_object_get(root, "spec"), "hard"), wanted));
    json_decref(wanted);
    json_decref(root);
    json_decref(given);
    mutation_test_finish(&test);
    (void)state;
}

/* An object that is put into itself again and again does not grow without limit. */
static void test_growth(void **state) {
    struct mutation_test test;
    mutation_test_init(&test);
    json_t *root = read_json(widget);
    bool ok = true;
    for (int i = 0; ok && i < 100; i++) {
        ok =
            test_mutate(&test,
                        "Object{spec: Object.spec{free: Object.spec.free{l: object.spec, "
                        "r: object.spec}}}",
                        fx_schema_builder_set(builder), &root);
    }
    assert_false(ok);
    assert_int_equal(test.err.code, FX_ELIMIT);
    json_decref(root);
    mutation_test_finish(&test);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),           cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_type_names),       cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_refused_decoding), cmocka_unit_test(test_unknown_kind),
        cmocka_unit_test(test_untouched),        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, make_schemas, free_schemas);
}
