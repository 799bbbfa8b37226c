/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/policy_read_test.c - what an API server refuses in a policy,
 * and in which words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/admission_policy/faults_testing.h"
#include "mutators/admission_policy/policy.h"

#define EXPRESSION "spec.mutations[0].jsonPatch.expression: "

static void required_fields(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"spec/failurePolicy", "\"Fail\"", NO_FAULTS},
        {"spec/failurePolicy", "null", NO_FAULTS},
        {"spec/failurePolicy", "\"fail\"",
         "spec.failurePolicy: Unsupported value: \"fail\": supported values: \"Fail\", "
         "\"Ignore\""},
        {"spec/failurePolicy", "5",
         "spec.failurePolicy: Invalid value: \"integer\": spec.failurePolicy in body "
         "must "
         "be of type string: \"integer\""},
        {"spec/reinvocationPolicy", NULL, "spec.reinvocationPolicy: Required value"},
        {"spec/reinvocationPolicy", "\"\"", "spec.reinvocationPolicy: Required value"},
        {"spec/reinvocationPolicy", "\"Always\"",
         "spec.reinvocationPolicy: Unsupported value: \"Always\": supported values: "
         "\"IfNeeded\", \"Never\""},
        {"spec/matchConstraints", NULL, "spec.matchConstraints: Required value"},
        {"spec/matchConstraints", "{}",
         "spec.matchConstraints.resourceRules: Required value"},
        {"spec/matchConstraints", "[]",
         "spec.matchConstraints: Invalid value: \"array\": spec.matchConstraints in body "
         "must be of type object: \"array\""},
        {"spec/mutations", NULL,
         "spec.mutations: Required value: mutations must contain at least one item"},
        {"spec/mutations", "[]",
         "spec.mutations: Required value: mutations must contain at least one item"},
        {"spec/mutations", "[5]",
         "spec.mutations[0]: Invalid value: \"integer\": spec.mutations[0] in body must "
         "be of type object: \"integer\""},
        {"spec", NULL, "spec: Required value"},
        {"spec", "5",
         "spec: Invalid value: \"integer\": spec in body must be of type object: "
         "\"integer\""},
        {"metadata/annotations", "{\"" MAP_VALIDATION_ANNOTATION "\":\"Warn\"}",
         NO_FAULTS},
        {"metadata/annotations", "{\"" MAP_VALIDATION_ANNOTATION "\":\"warn\"}",
         "metadata.annotations." MAP_VALIDATION_ANNOTATION
         ": Unsupported value: \"warn\": supported values: \"Fail\", \"Skip\", \"Warn\""},
    };
    expect_faults(POLICY, cases, FX_COUNT(cases));
}

static void parameters(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"spec/paramKind", "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}", NO_FAULTS},
        {"spec/paramKind", "{\"apiVersion\":\"example.com/v1\",\"kind\":\"W\"}",
         NO_FAULTS},
        {"spec/paramKind", "{\"kind\":\"ConfigMap\"}",
         "spec.paramKind.apiVersion: Required value"},
        {"spec/paramKind", "{\"apiVersion\":\"a/b/c\",\"kind\":\"W\"}",
         "spec.paramKind.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion "
         "string: a/b/c"},
        {"spec/paramKind", "{\"apiVersion\":\"a/\",\"kind\":\"W\"}",
         "spec.paramKind.apiVersion: Invalid value: \"a/\": version must be specified"},
        {"spec/paramKind", "{\"apiVersion\":\"v1\"}",
         "spec.paramKind.kind: Required value"},
    };
    expect_faults(POLICY, cases, FX_COUNT(cases));
}

static void variables(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"spec/variables",
         "[{\"name\":\"a\",\"expression\":\"1\"},{\"name\":\"b\",\"expression\":"
         "\"variables.a + 1\"}]",
         NO_FAULTS},
        {"spec/variables", "[{\"name\":\"object\",\"expression\":\"object\"}]",
         NO_FAULTS},
        {"spec/variables",
         "[{\"name\":\"b\",\"expression\":\"variables.a\"},{\"name\":\"a\","
         "\"expression\":\"1\"}]",
         "spec.variables[0].expression: Invalid value: \"variables.a\": compilation "
         "failed: ERROR: <input>:1:10: undefined field 'a'"},
        /* A variable that fails to compile is dyn for the others. */
        {"spec/variables",
         "[{\"name\":\"a\",\"expression\":\"x\"},{\"name\":\"b\",\"expression\":"
         "\"variables.a + 1\"}]",
         "spec.variables[0].expression: Invalid value: \"x\": compilation failed: ERROR: "
         "<input>:1:1: undeclared reference to 'x' (in container '')"},
        {"spec/variables",
         "[{\"name\":\"a\",\"expression\":\"quantity('1')\"},{\"name\":\"b\","
         "\"expression\":\"variables.a + 1\"}]",
         NO_FAULTS},
        {"spec/variables",
         "[{\"name\":\"a\",\"expression\":\"[quantity('1')]\"},{\"name\":\"b\","
         "\"expression\":\"variables.a + 1\"}]",
         "spec.variables[1].expression: Invalid value: \"variables.a + 1\": compilation "
         "failed: ERROR: <input>:1:13: found no matching overload for '_+_' applied to "
         "'(list(dyn), int)'"},
        {"spec/variables", "[{\"name\":\"a\"}]",
         "spec.variables[0].expression: Required value: expression is not specified"},
        {"spec/variables", "[{\"expression\":\"1\"}]",
         "spec.variables[0].name: Required value: name is not specified"},
        {"spec/variables", "[{\"name\":\"a-b\",\"expression\":\"1\"}]",
         "spec.variables[0].name: Invalid value: \"a-b\": name is not a valid CEL "
         "identifier"},
        {"spec/variables", "[{\"name\":\"for\",\"expression\":\"1\"}]",
         "spec.variables[0].name: Invalid value: \"for\": name is not a valid CEL "
         "identifier"},
        {"spec/variables",
         "[{\"name\":\"a\",\"expression\":\"1\"},{\"name\":\"a\",\"expression\":\"2\"}]",
         "spec.variables[1].name: Duplicate value: \"a\""},
        {"spec/variables", "[{\"name\":\"a\",\"expression\":\"Object{}\"}]",
         "spec.variables[0].expression: Invalid value: \"Object{}\": compilation failed: "
         "ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')"},
        {"spec/variables", "[{\"name\":\"a\",\"expression\":\"int('x')\"}]",
         "spec.variables[0].expression: Internal error: program instantiation failed: "
         "type conversion error from 'string' to 'int'"},
        {"spec/variables", "[{\"name\":\"a\",\"expression\":\"params.x\"}]",
         "spec.variables[0].expression: Invalid value: \"params.x\": compilation failed: "
         "ERROR: <input>:1:1: undeclared reference to 'params' (in container '')"},
    };
    expect_faults(POLICY, cases, FX_COUNT(cases));
}

static void conditions(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"spec/matchConditions", "[{\"name\":\"a\",\"expression\":\"true\"}]", NO_FAULTS},
        {"spec/matchConditions", "[{\"name\":\"a/b\",\"expression\":\"true\"}]",
         NO_FAULTS},
        {"spec/matchConditions", "[{\"name\":\"a\",\"expression\":\"object.x\"}]",
         "spec.matchConditions[0].expression: Invalid value: \"object.x\": must evaluate "
         "to bool but got dyn"},
        {"spec/matchConditions", "[{\"name\":\"a\",\"expression\":\"  \"}]",
         "spec.matchConditions[0].expression: Required value: expression is not "
         "specified"},
        {"spec/matchConditions", "[{\"expression\":\"true\"}]",
         "spec.matchConditions[0].name: Required value"},
        {"spec/matchConditions",
         "[{\"name\":\"a\",\"expression\":\"true\"},{\"name\":\"a\",\"expression\":"
         "\"false\"}]",
         "spec.matchConditions[1].name: Duplicate value: \"a\""},
        {"spec/matchConditions", "[{\"name\":\"a\",\"expression\":\"variables.a\"}]",
         "spec.matchConditions[0].expression: Invalid value: \"variables.a\": "
         "compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' "
         "(in "
         "container '')"},
        /* The wrong type counts, not the constant that fails. */
        {"spec/matchConditions", "[{\"name\":\"a\",\"expression\":\"int('x')\"}]",
         "spec.matchConditions[0].expression: Invalid value: \"int('x')\": must evaluate "
         "to bool but got int"},
    };
    expect_faults(POLICY, cases, FX_COUNT(cases));
}

static void mutations(void **state) {
    (void)state;
    static const struct fault_case cases[] = {
        {"spec/mutations/0/patchType", NULL,
         "spec.mutations[0].patchType: Required value"},
        {"spec/mutations/0/patchType", "\"Merge\"",
         "spec.mutations[0].patchType: Unsupported value: \"Merge\": supported values: "
         "\"ApplyConfiguration\", \"JSONPatch\""},
        {"spec/mutations/0/patchType", "\"ApplyConfiguration\"",
         "spec.mutations[0].applyConfiguration: Required value: must be specified when "
         "patchType is ApplyConfiguration\n"
         "spec.mutations[0].jsonPatch: Invalid value: \"{jsonPatch}\": must not be "
         "specified when patchType is ApplyConfiguration"},
        {"spec/mutations/0/jsonPatch/expression", "\"[]\"",
         EXPRESSION "Invalid value: \"[]\": must evaluate to list(JSONPatch) but got "
                    "list(dyn)"},
        {"spec/mutations/0/jsonPatch/expression", "\"timestamp('2020-01-01T00:00:00Z')\"",
         EXPRESSION "Invalid value: \"timestamp('2020-01-01T00:00:00Z')\": must evaluate "
                    "to list(JSONPatch) but got google.protobuf.Timestamp"},
        {"spec/mutations/0/jsonPatch/expression", "\"1 +\"",
         EXPRESSION "Invalid value: \"1 +\": compilation failed: ERROR: <input>:1:4: "
                    "Syntax error: mismatched input '<EOF>'"},
        {"spec/mutations/0/jsonPatch/expression",
         "\"[JSONPatch{op: request.nope, path: namespaceObject.metadata.uid}]\"",
         EXPRESSION "Invalid value: \"[JSONPatch{op: request.nope, path: "
                    "namespaceObject.metadata.uid}]\": compilation failed: ERROR: "
                    "<input>:1:23: undefined field 'nope'"},
        {"spec/mutations/0/jsonPatch/expression",
         "\"[JSONPatch{op: request.userInfo.username, path: "
         "jsonpatch.escapeKey(namespaceObject.metadata.labels['a'] + "
         "request.kind.group)}]\"",
         NO_FAULTS},
    };
    expect_faults(POLICY, cases, FX_COUNT(cases));
}

/* The environment of mutations has what variables may use, and `params` with a kind. */
static void a_compiled_policy(void **state) {
    (void)state;
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = document_with(POLICY, "spec/paramKind",
                                 "{\"apiVersion\":\"example.com/v1\",\"kind\":\"W\"}");
    (void)json_object_set_new(fx_tree_view_key(root, "spec"), "variables",
                              must_read("[{\"name\":\"a\",\"expression\":"
                                        "\"params.x == null ? [1] : [2]\"}]"));
    assert_true(fx_map_policy_compile(root, &made, &err));
    const struct map_policy *policy = (const struct map_policy *)made.linkable;
    assert_true(policy->has_params);
    assert_true(fx_text_is(policy->param_kind.group, "example.com"));
    assert_int_equal(policy->n_variables, 1);
    assert_true(fx_cel_type_equal(policy->variables[0].type, &fx_cel_list_int));
    assert_int_equal(policy->mutation_env.n_variables, MAP_SLOTS);
    assert_int_equal(policy->mutations[0].type, MAP_JSON_PATCH);
    assert_false(policy->ignores_failure);
    assert_false(policy->reinvokes);
    assert_int_equal(policy->validation, MAP_VALIDATION_SKIP);
    fx_compilation_finish(&made);
    json_decref(root);
}

static void unknown_fields(void **state) {
    (void)state;
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = document_with(POLICY, "spec/mutations/0/jsonPatch/x", "1");
    assert_true(fx_map_policy_compile(root, &made, &err));
    assert_int_equal(made.n_warnings, 1);
    assert_string_equal(made.warnings[0].text,
                        "unknown field \"spec.mutations[0].jsonPatch.x\"");
    fx_compilation_finish(&made);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(required_fields), cmocka_unit_test(parameters),
        cmocka_unit_test(variables),       cmocka_unit_test(conditions),
        cmocka_unit_test(mutations),       cmocka_unit_test(a_compiled_policy),
        cmocka_unit_test(unknown_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
