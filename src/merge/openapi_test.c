/* SPDX-License-Identifier: Apache-2.0
 *
 * openapi_test.c - sets of schemas from OpenAPI documents and custom resources, and the
 * built-in set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "merge/schema.h"
#include "value/json.h"
#include "value/tree.h"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

/* The type at a path of fields; `[]` is the element of a list or map. */
static struct fx_schema follow(struct fx_schema schema, const char *path) {
    struct fx_text rest = fx_text_of(path);
    while (rest.len > 0 && schema.set != NULL) {
        const struct fx_text step = fx_text_cut(&rest, '.');
        schema = fx_text_is(step, "[]") ? fx_schema_element(schema)
                                        : fx_schema_field(schema, step);
    }
    return schema;
}

static const char *const type_names[] = {"any",    "string", "number", "bool",
                                         "scalar", "struct", "map",    "list"};

/* Writes "list atomic", "number int32", "list keys=id,port" of the type at the path. */
static void describe(struct fx_schema root, const char *path, char *text, size_t size) {
    static const char *const formats[] = {"",        " int32",        " int64",
                                          " double", " bytes",        " quantity",
                                          " ios",    " optional-ios", " date"};
    const struct fx_schema schema = follow(root, path);
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    if (schema.set == NULL) {
        fx_buf_str(&buf, "none");
    } else {
        const struct fx_schema_node *node = fx_schema_node(schema);
        fx_buf_printf(&buf, "%s%s%s%s%s", type_names[node->type], formats[node->format],
                      node->is_atomic ? " atomic" : "", node->is_set ? " set" : "",
                      node->allows_any ? " open" : "");
        for (size_t i = 0; node->type == FX_SCHEMA_LIST && i < node->n; i++) {
            const struct fx_schema_default *given = fx_schema_key_default(schema, i);
            fx_buf_str(&buf, i == 0 ? " keys=" : ",");
            fx_buf_text(&buf, fx_schema_key(schema, i));
            if (given != NULL && given->is_number) {
                fx_buf_printf(&buf, ":%d", (int)given->number);
            } else if (given != NULL) {
                fx_buf_printf(&buf, ":'%s'", schema.set->texts + given->text);
            }
        }
    }
    (void)snprintf(text, size, "%s", buf.data);
    fx_buf_finish(&buf);
}

struct type_case {
    const char *path, *want;
};

static void check_types(struct fx_schema root, const struct type_case *cases, size_t n) {
    assert_non_null(root.set);
    for (size_t i = 0; i < n; i++) {
        char text[200];
        describe(root, cases[i].path, text, sizeof text);
        if (strcmp(text, cases[i].want) != 0) {
            print_error("%s\n", cases[i].path);
        }
        assert_string_equal(text, cases[i].want);
    }
}

static void test_builtin(void **state) {
    static const struct type_case cases[] = {
        {"metadata.labels", "map"},
        {"metadata.finalizers", "list set"},
        {"metadata.ownerReferences", "list keys=uid:''"},
        {"metadata.ownerReferences.[]", "struct atomic"},
        {"metadata.creationTimestamp", "scalar date"},
        {"metadata.generation", "number int64"},
        {"spec.replicas", "number int32"},
        {"spec.strategy.rollingUpdate.maxSurge", "any optional-ios"},
        {"spec.template.spec.containers", "list keys=name:''"},
        {"spec.template.spec.containers.[].args", "list atomic"},
        {"spec.template.spec.containers.[].ports",
         "list keys=containerPort:0,protocol:'TCP'"},
        {"spec.template.spec.containers.[].resources.limits.[]", "scalar quantity"},
        {"spec.template.spec.containers.[].livenessProbe.httpGet.port", "any ios"},
        {"spec.template.spec.activeDeadlineSeconds", "number int64"},
        {"spec.template.spec.volumes.[].emptyDir.sizeLimit", "scalar quantity"},
        {"spec.nope", "none"},
    };
    const struct fx_schema kind = fx_schema_find(&fx_schema_builtin, FX_TEXT("apps"),
                                                 FX_TEXT("v1"), FX_TEXT("Deployment"));
    check_types(kind, cases, FX_COUNT(cases));
    assert_null(fx_schema_find(&fx_schema_builtin, FX_TEXT(""), FX_TEXT("v1"),
                               FX_TEXT("Deployment"))
                    .set);
    (void)state;
}

static const char document[] =
    "{\"components\":{\"schemas\":{"
    "\"io.k8s.apimachinery.pkg.api.resource.Quantity\":{\"type\":\"string\"},"
    "\"io.k8s.apimachinery.pkg.util.intstr.IntOrString\":"
    "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]},"
    "\"Item\":{\"type\":\"object\",\"properties\":{"
    "\"port\":{\"type\":\"integer\",\"format\":\"int32\",\"default\":0},"
    "\"proto\":{\"type\":\"string\",\"default\":\"TCP\"},"
    "\"more\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Item\"}},"
    "\"at\":{\"type\":\"string\",\"format\":\"date-time\"}}},"
    "\"Ref\":{\"type\":\"object\",\"x-kubernetes-map-type\":\"atomic\",\"properties\":"
    "{\"name\":{\"type\":\"string\"}}},"
    "\"Alias\":{\"$ref\":\"#/components/schemas/Item\"},"
    "\"Thing\":{\"type\":\"object\",\"x-kubernetes-group-version-kind\":"
    "[{\"group\":\"example.com\",\"version\":\"v1\",\"kind\":\"Thing\"},"
    "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Thing\"}],\"properties\":{"
    "\"items\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\","
    "\"x-kubernetes-list-map-keys\":[\"port\",\"proto\"],\"items\":"
    "{\"default\":{},\"allOf\":[{\"$ref\":\"#/components/schemas/Item\"}]}},"
    "\"patched\":{\"type\":\"array\",\"x-kubernetes-patch-strategy\":\"merge,"
    "retainKeys\","
    "\"x-kubernetes-patch-merge-key\":\"port\",\"items\":"
    "{\"$ref\":\"#/components/schemas/Item\"}},"
    "\"merged\":{\"type\":\"array\",\"x-kubernetes-patch-strategy\":\"merge\","
    "\"items\":{\"type\":\"string\"}},"
    "\"ref\":{\"$ref\":\"#/components/schemas/Ref\"},"
    "\"granular\":{\"allOf\":[{\"$ref\":\"#/components/schemas/Ref\"}],"
    "\"x-kubernetes-map-type\":\"granular\"},"
    "\"frozen\":{\"allOf\":[{\"$ref\":\"#/components/schemas/Alias\"}],"
    "\"x-kubernetes-map-type\":\"atomic\"},"
    "\"amount\":{\"$ref\":"
    "\"#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity\"},"
    "\"most\":{\"$ref\":"
    "\"#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString\"},"
    "\"ratio\":{\"type\":\"number\",\"format\":\"double\"},"
    "\"count\":{\"type\":\"integer\"},\"on\":{\"type\":\"boolean\"},"
    "\"bytes\":{\"type\":\"string\",\"format\":\"byte\"},"
    "\"uri\":{\"type\":\"string\",\"format\":\"uri\"},"
    "\"open\":{\"type\":\"object\"},\"whatever\":{},"
    "\"map\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"closed\":{\"type\":\"object\",\"additionalProperties\":false}}}}}}";

static void test_document(void **state) {
    static const struct type_case cases[] = {
        {"items", "list keys=port:0,proto:'TCP'"},
        {"items.[].port", "number int32"},
        {"items.[].more.[].more.[].at", "scalar date"},
        {"items.[].more", "list atomic"},
        {"patched", "list keys=port:0"},
        {"merged", "list set"},
        {"ref", "struct atomic"},
        {"granular", "struct"},
        {"granular.name", "string"},
        {"frozen", "struct atomic"},
        {"frozen.port", "number int32"},
        {"amount", "scalar quantity"},
        {"most", "any optional-ios"},
        {"ratio", "number double"},
        {"count", "number int64"},
        {"on", "bool"},
        {"bytes", "string bytes"},
        {"uri", "scalar"},
        {"open", "map"},
        {"open.[]", "any"},
        {"whatever", "any"},
        {"map.[]", "string"},
        {"closed", "struct"},
        {"nope", "none"},
    };
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    json_t *given = read_json(document);
    assert_true(fx_schema_add_openapi(builder, given, &err));
    json_decref(given);
    const struct fx_schema_set *set = fx_schema_builder_set(builder);
    assert_int_equal(set->n_kinds, 2);
    check_types(
        fx_schema_find(set, FX_TEXT("example.com"), FX_TEXT("v1"), FX_TEXT("Thing")),
        cases, FX_COUNT(cases));
    check_types(fx_schema_find(set, FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("Thing")), cases,
                FX_COUNT(cases));
    fx_schema_builder_destroy(builder);
    (void)state;
}

static const char crd[] =
    "{\"spec\":{\"group\":\"example.com\",\"names\":{\"kind\":\"Widget\"},\"versions\":["
    "{\"name\":\"v1\",\"served\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
    "\"object\","
    "\"properties\":{\"metadata\":{\"type\":\"object\"},\"spec\":{\"type\":\"object\","
    "\"properties\":{\"free\":{\"type\":\"object\","
    "\"x-kubernetes-preserve-unknown-fields\":true,\"properties\":{\"in\":"
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}},"
    "\"pod\":{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,"
    "\"x-kubernetes-preserve-unknown-fields\":true},"
    "\"either\":{\"x-kubernetes-int-or-string\":true,\"anyOf\":[{\"type\":\"integer\"},"
    "{\"type\":\"string\"}]}}}}}}},"
    "{\"name\":\"v2\",\"served\":true,\"schema\":{\"openAPIV3Schema\":"
    "{\"type\":\"object\"}}},{\"name\":\"v3\",\"served\":false,\"schema\":"
    "{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";

static void test_crd(void **state) {
    static const struct type_case cases[] = {
        {"apiVersion", "string"},
        {"metadata.labels", "map"},
        {"metadata.ownerReferences", "list keys=uid:''"},
        {"spec", "struct"},
        {"spec.free", "struct open"},
        {"spec.free.in", "struct open"},
        {"spec.free.other", "any"},
        {"spec.pod.metadata.finalizers", "list set"},
        {"spec.pod.spec", "any"},
        {"spec.either", "any"},
        {"other", "none"},
    };
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    json_t *given = read_json(crd);
    assert_true(fx_schema_add_crd(builder, given, &err));
    /* a kind that was added before stays */
    assert_true(fx_schema_add_crd(builder, given, &err));
    const struct fx_schema_set *set = fx_schema_builder_set(builder);
    assert_int_equal(set->n_kinds, 2);
    check_types(
        fx_schema_find(set, FX_TEXT("example.com"), FX_TEXT("v1"), FX_TEXT("Widget")),
        cases, FX_COUNT(cases));
    assert_non_null(
        fx_schema_find(set, FX_TEXT("example.com"), FX_TEXT("v2"), FX_TEXT("Widget"))
            .set);
    json_decref(given);
    fx_schema_builder_destroy(builder);
    (void)state;
}

/* After a failure the set is as it was. */
static void test_refused(void **state) {
    static const struct refused_case {
        const char *document, *message;
    } cases[] = {
        {"{}", "not an OpenAPI document: components.schemas is missing"},
        {"{\"components\":{\"schemas\":{\"A\":{\"$ref\":\"#/components/schemas/B\","
         "\"x-kubernetes-group-version-kind\":[{\"kind\":\"A\"}]}}}}",
         "the schema refers to a definition that does not exist"},
        {"{\"components\":{\"schemas\":{\"A\":{\"type\":\"object\",\"properties\":"
         "{\"a\":1},\"x-kubernetes-group-version-kind\":[{\"kind\":\"A\"}]}}}}",
         "a schema is not an object"},
        {"{\"components\":{\"schemas\":{\"A\":{\"type\":\"object\",\"properties\":"
         "{\"a\\u0000\":{}},\"x-kubernetes-group-version-kind\":[{\"kind\":\"A\"}]}}}}",
         "a name has a NUL"},
        {"{\"components\":{\"schemas\":{\"A\":{\"type\":\"array\",\"items\":{},"
         "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[1],"
         "\"x-kubernetes-group-version-kind\":[{\"kind\":\"A\"}]}}}}",
         "x-kubernetes-list-map-keys: not a list of strings"},
    };
    struct fx_schema_builder *builder = fx_schema_builder_create();
    json_t *good = read_json(document);
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_schema_add_openapi(builder, good, &err));
    const size_t n_nodes = fx_schema_builder_set(builder)->n_nodes;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *bad = read_json(cases[i].document);
        assert_false(fx_schema_add_openapi(builder, bad, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_string_equal(err.msg, cases[i].message);
        assert_int_equal(fx_schema_builder_set(builder)->n_nodes, n_nodes);
        assert_int_equal(fx_schema_builder_set(builder)->n_kinds, 2);
        json_decref(bad);
    }
    json_decref(good);
    fx_schema_builder_destroy(builder);
    (void)state;
}

/* Definitions that are each other are of unknown type; very deep schemas are refused. */
static void test_depth(void **state) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    json_t *circle = read_json("{\"components\":{\"schemas\":{"
                               "\"A\":{\"$ref\":\"#/components/schemas/B\","
                               "\"x-kubernetes-group-version-kind\":[{\"version\":\"v1\","
                               "\"kind\":\"A\"}]},"
                               "\"B\":{\"$ref\":\"#/components/schemas/A\"}}}}");
    assert_true(fx_schema_add_openapi(builder, circle, &err));
    json_decref(circle);
    const struct fx_schema found = fx_schema_find(
        fx_schema_builder_set(builder), FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("A"));
    assert_int_equal(fx_schema_node(found)->type, FX_SCHEMA_ANY);
    json_t *deep = json_pack("{s:s}", "type", "string");
    for (unsigned i = 0; i <= FX_LIMIT_SCHEMA_DEPTH; i++) {
        deep = json_pack("{s:s,s:o}", "type", "array", "items", deep);
    }
    deep = json_pack("{s:s,s:{s:o}}", "type", "object", "properties", "a", deep);
    assert_false(fx_schema_add_structural(builder, FX_TEXT("g"), FX_TEXT("v"),
                                          FX_TEXT("K"), deep, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    json_decref(deep);
    fx_schema_builder_destroy(builder);
    (void)state;
}

/* Documents name the resources of their kinds. */
static void test_resources(void **state) {
    static const char paths[] =
        "{\"components\":{\"schemas\":{\"G\":{\"type\":\"object\"}}},\"paths\":{"
        "\"/apis/x.io/v1/namespaces/{namespace}/gateways\":{\"post\":{"
        "\"x-kubernetes-group-version-kind\":{\"group\":\"x.io\",\"version\":\"v1\","
        "\"kind\":\"Gateway\"}}},"
        "\"/apis/x.io/v1/namespaces/{namespace}/gateways/{name}\":{\"get\":{"
        "\"x-kubernetes-group-version-kind\":{\"group\":\"x.io\",\"version\":\"v1\","
        "\"kind\":\"Gateway\"}}},"
        "\"/apis/x.io/v1/namespaces/{namespace}/gateways/{name}/bind\":{\"post\":{"
        "\"x-kubernetes-group-version-kind\":{\"group\":\"x.io\",\"version\":\"v1\","
        "\"kind\":\"GatewayBinding\"}}}}}";
    static const char mice[] =
        "{\"spec\":{\"group\":\"y.io\",\"names\":{\"kind\":\"Mouse\","
        "\"plural\":\"mice\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
        "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    json_t *openapi = read_json(paths);
    json_t *definition = read_json(mice);
    (void)state;
    assert_true(fx_schema_add_openapi(builder, openapi, &err));
    assert_true(fx_schema_add_openapi(builder, openapi, &err)); /* the same again */
    assert_true(fx_schema_add_crd(builder, definition, &err));
    const struct fx_schema_set *set = fx_schema_builder_set(builder);
    assert_int_equal(set->n_resources, 2);
    assert_true(fx_text_is(
        fx_schema_find_resource(set, FX_TEXT("x.io"), FX_TEXT("v1"), FX_TEXT("gateways")),
        "Gateway"));
    assert_true(fx_text_is(
        fx_schema_find_resource(set, FX_TEXT("y.io"), FX_TEXT("v1"), FX_TEXT("mice")),
        "Mouse"));
    assert_null(
        fx_schema_find_resource(set, FX_TEXT("y.io"), FX_TEXT("v2"), FX_TEXT("mice"))
            .data);
    assert_null(
        fx_schema_find_resource(set, FX_TEXT("x.io"), FX_TEXT("v1"), FX_TEXT("bind"))
            .data);
    json_decref(openapi);
    json_decref(definition);
    fx_schema_builder_destroy(builder);
}

static void test_groups_of_a_kind(void **state) {
    (void)state;
    static const struct {
        const char *kind, *found;
    } cases[] = {
        {"Pod", "/v1 "},
        {"Deployment", "apps/v1 "},
        {"Event", "events.k8s.io/v1 /v1 "},
        {"HorizontalPodAutoscaler", "autoscaling/v1 autoscaling/v2 "},
        {"Nope", ""},
        {"", ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_text group, version;
        struct fx_buf found;
        size_t at = 0;
        fx_buf_init(&found, 0);
        while (fx_schema_next_of_kind(&fx_schema_builtin, fx_text_of(cases[i].kind), &at,
                                      &group, &version)) {
            fx_buf_printf(&found, "%.*s/%.*s ", FX_TEXT_ARG(group), FX_TEXT_ARG(version));
        }
        assert_true(fx_text_is(fx_buf_view(&found), cases[i].found));
        fx_buf_finish(&found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_of_a_kind), cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_document),         cmocka_unit_test(test_crd),
        cmocka_unit_test(test_refused),          cmocka_unit_test(test_depth),
        cmocka_unit_test(test_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
