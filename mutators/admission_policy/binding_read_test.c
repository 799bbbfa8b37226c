/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/binding_read_test.c - what an API server refuses in a
 * binding, and in the rules of what it matches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/admission_policy/faults_testing.h"
#include "mutators/admission_policy/policy.h"

static void bindings(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"spec/policyName", "\"a.b\"", NO_FAULTS},
        {"spec/policyName", NULL, "spec.policyName: Required value"},
        {"spec/paramRef", "{\"name\":\"x\"}", NO_FAULTS},
        {"spec/paramRef", "{\"selector\":{}}", NO_FAULTS},
        {"spec/paramRef", "{\"name\":\"x\",\"selector\":{}}",
         "spec.paramRef.name: Forbidden: name and selector are mutually exclusive\n"
         "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive"},
        {"spec/paramRef", "{\"namespace\":\"x\"}",
         "spec.paramRef: Required value: one of name or selector must be specified"},
        {"spec/paramRef", "{\"name\":\"a/b\"}",
         "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'"},
        {"spec/paramRef", "{\"name\":\"a%\"}",
         "spec.paramRef.name: Invalid value: \"a%\": may not contain '%'"},
        {"spec/paramRef", "{\"name\":\"..\"}",
         "spec.paramRef.name: Invalid value: \"..\": may not be '..'"},
        {"spec/paramRef", "{\"name\":\"x\",\"parameterNotFoundAction\":\"deny\"}",
         "spec.paramRef.parameterNotFoundAction: Unsupported value: \"deny\": supported "
         "values: \"Allow\", \"Deny\""},
        {"spec/matchResources", "{}", NO_FAULTS},
        {"spec/matchResources", "{\"matchPolicy\":\"Loose\"}",
         "spec.matchResources.matchPolicy: Unsupported value: \"Loose\": supported "
         "values: \"Equivalent\", \"Exact\""},
        {"spec/matchResources", "{\"namespaceSelector\":{\"matchLabels\":{\"a\":5}}}",
         "spec.matchResources.namespaceSelector: Invalid value: "
         "{\"matchLabels\":{\"a\":5}}: json: cannot unmarshal number into Go struct "
         "field "
         "LabelSelector.spec.matchResources.namespaceSelector.matchLabels of type "
         "string"},
        {"spec", NULL, "spec: Required value"},
    };
    expect_faults(BINDING, cases, FX_COUNT(cases));
}

#define RULE "spec.matchConstraints.resourceRules[0]"
#define AT   "spec/matchConstraints/resourceRules/0/"

static void resource_rules(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {AT "scope", "\"Namespaced\"", NO_FAULTS},
        {AT "scope", "\"Any\"",
         RULE ".scope: Unsupported value: \"Any\": supported values: \"*\", \"Cluster\", "
              "\"Namespaced\""},
        {AT "operations", "[]", RULE ".operations: Required value"},
        {AT "operations", "[\"*\"]", NO_FAULTS},
        {AT "operations", "[\"*\",\"CREATE\"]",
         RULE ".operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must "
              "not specify other operations"},
        {AT "operations", "[\"Create\"]",
         RULE ".operations[0]: Unsupported value: \"Create\": supported values: \"*\", "
              "\"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\""},
        {AT "operations", "[\"CREATE\",\"DELETE\"]",
         "spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": "
         "supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\""},
        {AT "apiGroups", NULL, RULE ".apiGroups: Required value"},
        {AT "apiGroups", "[\"*\",\"apps\"]",
         RULE ".apiGroups: Invalid value: [\"*\",\"apps\"]: if '*' is present, must not "
              "specify other API groups"},
        {AT "apiVersions", "[\"\"]", RULE ".apiVersions[0]: Required value"},
        {AT "resources", "[\"pods\",\"\"]", RULE ".resources[1]: Required value"},
        {AT "resources", "[\"*/*\",\"pods\"]",
         RULE ".resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must "
              "not specify other resources"},
        {AT "resources", "[\"*\",\"pods\"]",
         RULE ".resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not "
              "specify other resources without subresources"},
        {AT "resources", "[\"pods/*\",\"pods/status\"]",
         RULE ".resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, "
              "must not specify pods/status"},
        {AT "resources", "[\"*/scale\",\"pods/scale\"]",
         RULE ".resources[1]: Invalid value: \"pods/scale\": if '*/scale' is present, "
              "must not specify pods/scale"},
        {AT "resources", "[\"pods\",\"pods/*\",\"*/scale\"]", NO_FAULTS},
        {AT "resourceNames", "[\"a\",\"b\",\"a\"]",
         RULE ".resourceNames[2]: Duplicate value: \"a\""},
        {AT "resourceNames", "[5]",
         RULE ".resourceNames[0]: Invalid value: \"integer\": " RULE
              ".resourceNames[0] in body must be of type string: \"integer\""},
    };
    expect_faults(POLICY, cases, FX_COUNT(cases));
}

static void a_read_match(void **state) {
    (void)state;
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    struct map_match match;
    json_t *resources =
        must_read("{\"resourceRules\":[{\"apiGroups\":[\"*\"],\"apiVersions\":[\"*\"],"
                  "\"operations\":[\"*\"],\"resources\":[\"*\"],\"scope\":\"Cluster\","
                  "\"resourceNames\":[]}],\"objectSelector\":{},\"namespaceSelector\":"
                  "{\"matchLabels\":{\"a\":\"b\"}},\"matchPolicy\":\"Exact\"}");
    assert_true(fx_map_match_read(resources, "spec.matchResources", &match, &made, &err));
    assert_int_equal(made.n_faults, 0);
    assert_int_equal(match.n_rules, 1);
    assert_int_equal(match.rules[0].operations,
                     FX_OPERATION_BIT(FX_OPERATION_CREATE) |
                         FX_OPERATION_BIT(FX_OPERATION_UPDATE) |
                         FX_OPERATION_BIT(FX_OPERATION_CONNECT));
    assert_int_equal(match.rules[0].scope, MAP_SCOPE_CLUSTER);
    assert_null(match.rules[0].names);
    assert_null(match.object_selector);
    assert_non_null(match.namespace_selector);
    assert_true(match.is_exact);
    fx_map_match_finish(&match);
    fx_compilation_finish(&made);
    json_decref(resources);
}

/* ---- defaults --------------------------------------------------------------------- */

static void expect_defaults(const char *document, const char *path, const char *value,
                            const char *expected) {
    json_t *given = document_with(document, path, value);
    json_t *before = json_deep_copy(given);
    json_t *set = json_incref(given);
    json_t *wanted = must_read(expected);
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf got;
    assert_true(fx_dialect_admission_policy.set_defaults(&set, &err));
    fx_buf_init(&got, 0);
    fx_json_write(&got, fx_tree_view_key(set, "spec"), FX_JSON_COMPACT);
    if (!json_equal(fx_tree_view_key(set, "spec"), wanted)) {
        assert_string_equal(got.data, expected);
    }
    assert_true(json_equal(given, before)); /* it was shared */
    fx_buf_finish(&got);
    json_decref(wanted);
    json_decref(set);
    json_decref(before);
    json_decref(given);
}

static void defaults(void **state) {
    (void)state;
    expect_defaults(BINDING, "spec", "{\"policyName\":\"p\"}", "{\"policyName\":\"p\"}");
    expect_defaults(BINDING, "spec",
                    "{\"paramRef\":{\"name\":\"x\"},\"matchResources\":{}}",
                    "{\"paramRef\":{\"name\":\"x\",\"parameterNotFoundAction\":\"Deny\"},"
                    "\"matchResources\":{\"matchPolicy\":\"Equivalent\","
                    "\"namespaceSelector\":{},\"objectSelector\":{}}}");
    expect_defaults(
        POLICY, "spec",
        "{\"matchConstraints\":{\"resourceRules\":[{},{\"scope\":\"*\"},5]}}",
        "{\"failurePolicy\":\"Fail\",\"matchConstraints\":{\"resourceRules\":"
        "[{\"scope\":\"*\"},{\"scope\":\"*\"},5],\"matchPolicy\":\"Equivalent\","
        "\"namespaceSelector\":{},\"objectSelector\":{}}}");
    expect_defaults(POLICY, "spec", "{\"failurePolicy\":\"Ignore\"}",
                    "{\"failurePolicy\":\"Ignore\"}");
    expect_defaults(POLICY, "spec", "[]", "[]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bindings),
        cmocka_unit_test(resource_rules),
        cmocka_unit_test(a_read_match),
        cmocka_unit_test(defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
