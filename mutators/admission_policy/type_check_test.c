/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_check_test.c - which expressions do not fit the types of
 * the kinds that a policy matches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"
#include "mutators/admission_policy/type_check.h"
#include "value/json.h"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

#define MUTATION_OF "spec.mutations[0].applyConfiguration.expression "
#define SET(expression)                                                              \
    ",\"mutations\":[{\"patchType\":\"ApplyConfiguration\",\"applyConfiguration\":{" \
    "\"expression\":\"" expression "\"}}]"

/* A policy for these resources ("\"apps\"", "\"deployments\"") with more fields of its
 * spec, and one mutation that does nothing. */
static struct map_policy *make_policy(struct fx_compilation *compilation,
                                      const char *groups, const char *resources,
                                      const char *more) {
    char text[4000];
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(text, sizeof text,
                   "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"
                   "\"MutatingAdmissionPolicy\",\"metadata\":{\"name\":\"a\"},\"spec\":{"
                   "\"reinvocationPolicy\":\"Never\",\"matchConstraints\":{"
                   "\"resourceRules\":[{\"apiGroups\":[%s],\"apiVersions\":[\"v1\"],"
                   "\"operations\":[\"*\"],\"resources\":[%s]}]}%s%s}}",
                   groups, resources, more,
                   strstr(more, "mutations") == NULL ? SET("Object{}") : "");
    json_t *document = read_json(text);
    const bool ok = fx_map_policy_compile(document, compilation, &err);
    if (!ok) {
        fail_msg("%s", err.msg);
    }
    json_decref(document);
    return (struct map_policy *)compilation->linkable;
}

/* Checks a policy; the warnings as "FIELD KIND: POSITION MESSAGE", joined by newlines. */
static void check(struct fx_buf *buf, const char *groups, const char *resources,
                  const char *more) {
    struct fx_compilation compilation = {.settings = NULL};
    const struct fx_schemas schemas = {.look_up = NULL};
    struct fx_unit unit = {.linkable =
                               &make_policy(&compilation, groups, resources, more)->head};
    struct fx_type_warnings warnings;
    struct fx_err err = FX_ERR_INIT;
    fx_type_warnings_init(&warnings);
    assert_true(fx_map_check_types(&unit, &schemas, &warnings, &err));
    assert_false(warnings.waits);
    for (size_t i = 0; i < warnings.n_items; i++) {
        const struct fx_type_warning *warning = &warnings.items[i];
        for (size_t k = 0; k < warning->n_faults; k++) {
            fx_buf_printf(buf, "%s%s %s: %u %s", buf->len > 0 ? "\n" : "", warning->field,
                          warning->kind, (unsigned)warning->faults[k].at,
                          warning->faults[k].message);
        }
    }
    fx_type_warnings_finish(&warnings);
    compilation.linkable->destroy(compilation.linkable);
    compilation.linkable = NULL;
    fx_compilation_finish(&compilation);
}

struct type_row {
    const char *groups, *resources, *more, *want;
};

#define CONDITION(expression) \
    ",\"matchConditions\":[{\"name\":\"a\",\"expression\":\"" expression "\"}]"
#define VARIABLE(name, expression) \
    "{\"name\":\"" name "\",\"expression\":\"" expression "\"}"
#define VARIABLES(list) ",\"variables\":[" list "]"
#define CONDITION_OF    "spec.matchConditions[0].expression "
#define VARIABLE_OF(i)  "spec.variables[" #i "].expression "
#define APPS            "\"apps\""
#define DEPLOYMENTS     "\"deployments\""
#define DEPLOYMENT      "apps/v1, Kind=Deployment: "
#define BOTH            "\"\",\"apps\"", "\"pods\",\"deployments\""

static void check_types_rows(const struct type_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct fx_buf got;
        fx_buf_init(&got, 0);
        check(&got, rows[i].groups, rows[i].resources, rows[i].more);
        const char *text = got.len > 0 ? got.data : "";
        if (strcmp(text, rows[i].want) != 0) {
            fail_msg("%s\ngives %s\nnot   %s", rows[i].more, text, rows[i].want);
        }
        fx_buf_finish(&got);
    }
}

/* One kind: which rules name it, and what expressions see of it. */
static void test_one_kind(void **state) {
    static const struct type_row rows[] = {
        {APPS, DEPLOYMENTS, CONDITION("object.spec.replicas > 1"), ""},
        {APPS, DEPLOYMENTS, CONDITION("object.spec.replicsa > 1"),
         CONDITION_OF DEPLOYMENT "11 undefined field 'replicsa'"},
        {APPS, DEPLOYMENTS, CONDITION("oldObject != null && oldObject.sepc.x == 1"),
         CONDITION_OF DEPLOYMENT "30 undefined field 'sepc'"},
        {APPS, DEPLOYMENTS, CONDITION("object.spec.replicas == '1'"),
         CONDITION_OF DEPLOYMENT
         "21 found no matching overload for '_==_' applied to '(int, string)'"},
        /* a variable keeps its type, and is dyn after a mistake */
        {APPS, DEPLOYMENTS,
         VARIABLES(VARIABLE("t", "object.spec.template.spec") "," VARIABLE(
             "c", "variables.t.containers[0].img") "," VARIABLE("x", "variables.c.y.z")),
         VARIABLE_OF(1) DEPLOYMENT "25 undefined field 'img'"},
        /* names are as they are in JSON */
        {APPS, DEPLOYMENTS, CONDITION("object.metadata.namespace != ''"), ""},
        {APPS, DEPLOYMENTS, CONDITION("object.metadata.__namespace__ != ''"),
         CONDITION_OF DEPLOYMENT "15 undefined field '__namespace__'"},
        /* times and quantities are strings, an int-or-string is anything */
        {APPS, DEPLOYMENTS,
         CONDITION(
             "object.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')"),
         CONDITION_OF DEPLOYMENT "34 found no matching overload for '_<_' applied to "
                                 "'(string, timestamp)'"},
        {APPS, DEPLOYMENTS,
         CONDITION("object.spec.strategy.rollingUpdate.maxSurge == 1 || "
                   "object.spec.strategy.rollingUpdate.maxSurge == '25%'"),
         ""},
        /* a CRD's schema refers to itself */
        {"\"apiextensions.k8s.io\"", "\"customresourcedefinitions\"",
         CONDITION("object.spec.versions[0].schema.openAPIV3Schema.properties['a']"
                   ".properties['b'].typ == 'object'"),
         CONDITION_OF
         "apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: 78 undefined field "
         "'typ'"},
        /* rules with wildcards, subresources, kinds without a schema */
        {"\"*\"", DEPLOYMENTS, CONDITION("object.x == 1"), ""},
        {APPS, "\"*\"", CONDITION("object.x == 1"), ""},
        {APPS, "\"deployments/scale\"", CONDITION("object.x == 1"), ""},
        {APPS, "\"deployments/status\"", CONDITION("object.x == 1"),
         CONDITION_OF DEPLOYMENT "6 undefined field 'x'"},
        {"\"example.com\"", "\"widgets\"", CONDITION("object.x == 1"), ""},
    };
    (void)state;
    check_types_rows(rows, FX_COUNT(rows));
}

/* A mistake for some kinds only is not reported where the expression may ask first. */
static void test_several_kinds(void **state) {
    static const struct type_row rows[] = {
        {BOTH, CONDITION("object.spec.replicsa > 1"),
         CONDITION_OF
         "/v1, Kind=Pod: 11 undefined field 'replicsa'\n" CONDITION_OF DEPLOYMENT
         "11 undefined field 'replicsa'"},
        {BOTH, CONDITION("object.spec.replicas > 1"),
         CONDITION_OF "/v1, Kind=Pod: 11 undefined field 'replicas'"},
        {BOTH, CONDITION("object.kind == 'Pod' || object.spec.replicas > 1"), ""},
        {BOTH, CONDITION("has(object.spec.replicas) && object.spec.replicas > 1"), ""},
        {BOTH, CONDITION("has(object.spec.replicsa)"),
         CONDITION_OF
         "/v1, Kind=Pod: 3 undefined field 'replicsa'\n" CONDITION_OF DEPLOYMENT
         "3 undefined field 'replicsa'"},
        {BOTH, CONDITION("object.spec.?replicas.orValue(1) > 1"), ""},
        {BOTH, CONDITION("object.spec.template.spec.containers.all(c, c.name != '')"),
         CONDITION_OF "/v1, Kind=Pod: 11 undefined field 'template'"},
        /* a variable that only a guarded part reads */
        {BOTH,
         VARIABLES(VARIABLE("t", "object.spec.template") "," VARIABLE(
             "x", "object.kind == 'Pod' ? '' : variables.t.metadata.name")),
         ""},
        /* after a condition, which may exclude kinds */
        {BOTH,
         CONDITION("object.kind != 'Pod'")
             VARIABLES(VARIABLE("t", "object.spec.template")),
         ""},
        /* another kind may have what these have not */
        {"\"\",\"apps\",\"example.com\"", "\"pods\",\"widgets\"",
         CONDITION("has(object.spec.size)"), ""},
    };
    (void)state;
    check_types_rows(rows, FX_COUNT(rows));
}

/* What an Object{…} sets are fields of the kind. */
static void test_objects(void **state) {
    static const struct type_row rows[] = {
        {APPS, DEPLOYMENTS, SET("Object{spec: Object.spec{replicas: 3}}"), ""},
        {APPS, DEPLOYMENTS, SET("Object{spec: Object.spec{replicsa: 3}}"),
         MUTATION_OF DEPLOYMENT "33 undefined field 'replicsa'"},
        {APPS, DEPLOYMENTS, SET("Object{spec: Object.spec{?replicas: optional.of('3')}}"),
         MUTATION_OF DEPLOYMENT "34 expected type of field 'replicas' is 'int' but "
                                "provided type is 'string'"},
        {APPS, DEPLOYMENTS,
         SET("Object{spec: Object.spec{template: Object.spec.template{spec: "
             "Object.spec.template.spec{containers: "
             "[Object.spec.template.spec.containers{name: 'a', resources: "
             "Object.spec.template.spec.containers.resources{limits: {'cpu': "
             "'1'}}}]}}}}"),
         ""},
        {APPS, DEPLOYMENTS,
         SET("Object{spec: Object.spec{template: Object.spec.template{spec: "
             "Object.spec.template.spec{containers: "
             "[Object.spec.template.spec.containers{nam: 'a'}]}}}}"),
         MUTATION_OF DEPLOYMENT "141 undefined field 'nam'"},
        {APPS, DEPLOYMENTS,
         SET("Object{metadata: Object.metadata{labels: Object.metadata.labels{a: 'b'}}}"),
         ""},
    };
    (void)state;
    check_types_rows(rows, FX_COUNT(rows));
}

/* Parameters have the type of paramKind. */
static void test_params(void **state) {
    static const struct type_row rows[] = {
        {APPS, DEPLOYMENTS,
         ",\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}" CONDITION(
             "params.data.a == 'b' && params.date.a == 'b'"),
         CONDITION_OF DEPLOYMENT "30 undefined field 'date'"},
        {APPS, DEPLOYMENTS,
         ",\"paramKind\":{\"apiVersion\":\"x.io/v1\",\"kind\":\"X\"}" CONDITION(
             "params.any == 1"),
         ""},
    };
    (void)state;
    check_types_rows(rows, FX_COUNT(rows));
}

/* A check within an exceeded budget fails, and has no warnings. */
static void test_budget(void **state) {
    struct fx_compilation compilation = {.settings = NULL};
    const struct fx_schemas schemas = {.look_up = NULL};
    struct fx_unit unit = {.linkable = &make_policy(&compilation, APPS, DEPLOYMENTS,
                                                    CONDITION("object.x == 1"))
                                            ->head};
    struct fx_type_warnings warnings;
    struct fx_err err = FX_ERR_INIT;
    (void)state;
    fx_type_warnings_init(&warnings);
    const struct fx_bound before = fx_budget_narrow(10, 0);
    assert_false(fx_map_check_types(&unit, &schemas, &warnings, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    (void)fx_budget_widen(before);
    fx_type_warnings_finish(&warnings);
    compilation.linkable->destroy(compilation.linkable);
    compilation.linkable = NULL;
    fx_compilation_finish(&compilation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_kind), cmocka_unit_test(test_several_kinds),
        cmocka_unit_test(test_objects),  cmocka_unit_test(test_params),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
