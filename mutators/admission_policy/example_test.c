/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/example_test.c - the example of a rule is an object that the
 * rule matches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/admission_policy/faults_testing.h"
#include "mutators/admission_policy/policy.h"

/* matchConstraints of the policy, matchResources of the binding, and the example. */
static const struct example_case {
    const char *constraints, *resources, *example;
} cases[] = {
    {"{\"resourceRules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"operations\":"
     "[\"CREATE\"],\"resources\":[\"pods\"],\"resourceNames\":[\"x\"]}]}",
     NULL,
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\",\"namespace\":"
     "\"default\"},\"spec\":{\"containers\":[{\"name\":\"example\",\"image\":\"example\"}"
     "]}"
     "}"},
    {"{\"resourceRules\":[{\"apiGroups\":[\"apps\"],\"apiVersions\":[\"*\"],"
     "\"operations\":[\"*\"],\"resources\":[\"statefulsets\"]}],\"objectSelector\":"
     "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"b\"]},"
     "{\"key\":\"c\",\"operator\":\"Exists\"},{\"key\":\"d\",\"operator\":"
     "\"DoesNotExist\"}]}}",
     "{\"namespaceSelector\":{\"matchLabels\":{\"kubernetes.io/"
     "metadata.name\":\"shop\"}},"
     "\"objectSelector\":{\"matchLabels\":{\"e\":\"f\"}}}",
     "{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":"
     "\"example\",\"namespace\":\"shop\",\"labels\":{\"a\":\"b\",\"c\":\"example\",\"e\":"
     "\"f\"}},\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"example\","
     "\"image\":\"example\"}]}}}}"},
    {"{\"resourceRules\":[{\"apiGroups\":[\"*\"],\"apiVersions\":[\"*\"],\"operations\":"
     "[\"*\"],\"resources\":[\"*\"]}]}",
     NULL,
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"example\","
     "\"namespace\":\"default\"},\"spec\":{\"containers\":[{\"name\":\"example\","
     "\"image\":\"example\"}]}}"},
    {"{\"resourceRules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"operations\":"
     "[\"*\"],\"resources\":[\"namespaces\"]}]}",
     NULL,
     "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"example\"}"
     "}"},
    /* Of a custom resource only the name of its plural is known. */
    {"{\"resourceRules\":[{\"apiGroups\":[\"example.com\"],\"apiVersions\":[\"v1\"],"
     "\"operations\":[\"*\"],\"resources\":[\"widgets\"]}]}",
     NULL, NULL},
};

static struct fx_unit *unit_of(size_t kind, json_t *document) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_subject subject;
    fx_subject_read(document, &subject);
    assert_true(fx_dialect_admission_policy.compile(document, &made, &err));
    struct fx_unit *unit =
        fx_unit_create(&fx_dialect_admission_policy, &fx_map_kinds[kind], &subject,
                       document, NULL, &made);
    assert_non_null(unit);
    fx_compilation_finish(&made);
    json_decref(document);
    return unit;
}

/* With the operation of the rule, the rule matches the example. */
static void expect_match(const struct fx_mutator *rule, const json_t *example) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .source = FX_SOURCE_ORIGINAL};
    struct fx_subject subject;
    struct fx_verdict verdict = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_subject_read(example, &subject);
    json_t *namespace_ =
        json_pack("{s:{s:s%, s:{s:s%}}}", "metadata", "name", subject.namespace_.data,
                  subject.namespace_.len, "labels", "kubernetes.io/metadata.name",
                  subject.namespace_.data, subject.namespace_.len);
    struct fx_request with_namespace = request;
    with_namespace.namespace_object = namespace_;
    if (!rule->ops->match(rule, &with_namespace, &subject, &verdict, &err)) {
        fail_msg("%s", err.msg);
    }
    if (!verdict.matched) {
        fail_msg("not matched: %s", verdict.criterion);
    }
    json_decref(namespace_);
}

static void expect_example(const struct fx_mutator *rule, const char *expected) {
    struct fx_err err = FX_ERR_INIT;
    json_t *example = rule->ops->example(rule, &err);
    if (expected == NULL) {
        assert_null(example);
        assert_int_equal(err.code, FX_OK);
        return;
    }
    assert_non_null(example);
    json_t *wanted = must_read(expected);
    if (!json_equal(example, wanted)) {
        struct fx_buf got;
        fx_buf_init(&got, 0);
        fx_json_write(&got, example, FX_JSON_COMPACT);
        assert_string_equal(got.data, expected);
    }
    expect_match(rule, example);
    json_decref(wanted);
    json_decref(example);
}

static void examples(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *binding =
            cases[i].resources == NULL
                ? must_read(BINDING)
                : document_with(BINDING, "spec/matchResources", cases[i].resources);
        struct fx_unit *const units[] = {
            unit_of(MAP_POLICY,
                    document_with(POLICY, "spec/matchConstraints", cases[i].constraints)),
            unit_of(MAP_BINDING, binding),
        };
        struct fx_units index = {0};
        assert_true(fx_units_fill(&index, units, FX_COUNT(units)));
        struct fx_linked *linked = fx_link_policy(&index, units[0]);
        assert_non_null(linked);
        assert_int_equal(linked->n_rules, 1);
        expect_example(linked->rules[0], cases[i].example);
        fx_linked_unref(linked);
        fx_units_finish(&index);
        fx_unit_unref(units[0]);
        fx_unit_unref(units[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
