/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule_test.c - rules on objects: conditions, variables, the
 * values of expressions, failures, parameters, reinvocation, validation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/input.h"
#include "mutators/admission_policy/rule_testing.h"
#include "value/tree.h"

/* An object, with data.a: "1", in the namespace `shop`, which has the label team: red. */
#define CONFIG_MAP                                                             \
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}, " \
    "data: {a: '1'}}"
#define SET(key, value) APPLY("Object{data: {\"" key "\": " value "}}")
#define BOUND           BINDING("b", "policyName: p")
/* One policy with one binding: its conditions, and data.r: the value. */
#define IF(conditions)                                                                   \
    POLICY("p", "matchConditions: [" conditions "], mutations: [" SET("r", "\"y\"") "]") \
    BOUND
#define VALUE(value) POLICY("p", "mutations: [" SET("r", value) "]") BOUND
#define DENIED       "policy 'p' with binding 'b' denied request: "

/* A row: policies, the object and the request, and what comes of it. */
static const struct rule_row {
    const char *documents;
    const char *object;    /* NULL: CONFIG_MAP */
    const char *admission; /* the AdmissionRequest, or NULL */
    const char *old;       /* the old object, or NULL */
    const char *wanted;    /* `data` of the result, as JSON; or the message of a denial */
} rows[] = {
    /* ---- conditions */
    {IF(""), .wanted = "{\"a\":\"1\",\"r\":\"y\"}"},
    {IF("{name: x, expression: 'object.data.a == \"1\"'}"),
     .wanted = "{\"a\":\"1\",\"r\":\"y\"}"},
    {IF("{name: x, expression: 'object.data.a == \"2\"'}"), .wanted = "{\"a\":\"1\"}"},
    {IF("{name: x, expression: 'object.nope == 1'}"),
     .wanted = DENIED "expression 'object.nope == 1' resulted in error: no such key: "
                      "nope"},
    /* One that is false counts more than failures before and after it. */
    {IF("{name: x, expression: 'object.nope == 1'}, {name: z, expression: 'false'}, "
        "{name: w, expression: '1 / 0 == 1'}"),
     .wanted = "{\"a\":\"1\"}"},
    {IF("{name: x, expression: 'object.nope == 1'}, {name: z, expression: 'true'}, "
        "{name: "
        "w, expression: '1 / 0 == 1'}"),
     .wanted = DENIED "[expression 'object.nope == 1' resulted in error: no such key: "
                      "nope, expression '1 / 0 == 1' resulted in error: division by "
                      "zero]"},
    {IF("{name: x, expression: '1 / 0 == 1'}, {name: z, expression: '1 / 0 == 1'}"),
     .wanted = DENIED "expression '1 / 0 == 1' resulted in error: division by zero"},
    {POLICY("p", "failurePolicy: Ignore, matchConditions: [{name: x, expression: "
                 "'object.nope == 1'}], mutations: [" SET("r", "\"y\"") "]") BOUND,
     .wanted = "{\"a\":\"1\"}"},
    /* The Namespace is not seen by conditions. */
    {IF("{name: x, expression: 'namespaceObject == null'}"),
     .wanted = "{\"a\":\"1\",\"r\":\"y\"}"},
    /* ---- values */
    {VALUE("namespaceObject.metadata.labels.team"),
     .wanted = "{\"a\":\"1\",\"r\":\"red\"}"},
    {VALUE("string(namespaceObject == null)"),
     .object = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}, data: {}}",
     .wanted = DENIED "error applying patch: failed to convert patch object to typed "
                      "object: .data: field not declared in schema"},
    {VALUE("request.operation + request.kind.kind + request.resource.resource + "
           "request.name + request.namespace + string(request.dryRun) + "
           "request.options.kind"),
     .wanted =
         "{\"a\":\"1\",\"r\":\"CREATEConfigMapconfigmapscshopfalseCreateOptions\"}"},
    {VALUE("string(has(request.subResource)) + string(has(request.userInfo))"),
     .wanted = "{\"a\":\"1\",\"r\":\"falsefalse\"}"},
    {VALUE("string(has(request.subResource)) + string(has(request.userInfo.uid)) + "
           "request.userInfo.groups[0] + string(request.dryRun)"),
     .admission =
         "{resource: {group: '', version: v1, resource: configmaps}, subResource: "
         "'', userInfo: {username: u, uid: '', groups: [g]}}",
     .wanted = "{\"a\":\"1\",\"r\":\"falsefalsegfalse\"}"},
    {VALUE("string(oldObject == null)"), .wanted = "{\"a\":\"1\",\"r\":\"true\"}"},
    {VALUE("oldObject.data.b"), .old = "{data: {b: before}}",
     .wanted = "{\"a\":\"1\",\"r\":\"before\"}"},
    {VALUE("string(authorizer.group(\"\").resource(\"pods\").check(\"get\").allowed()) + "
           "authorizer.requestResource.check(\"create\").reason()"),
     .wanted = "{\"a\":\"1\",\"r\":\"truebecause of configmaps\"}"},
    {VALUE("string(authorizer.serviceAccount(\"n\", "
           "\"s\").path(\"/healthz\").check(\"get\").allowed())"),
     .wanted = "{\"a\":\"1\",\"r\":\"false\"}"},
    /* ---- variables */
    {POLICY("p",
            "variables: [{name: v, expression: 'object.data.a + \"!\"'}, {name: bad, "
            "expression: 'object.nope'}, {name: w, expression: 'variables.v + "
            "variables.v'}], mutations: [" SET("r", "variables.w") "]") BOUND,
     .wanted = "{\"a\":\"1\",\"r\":\"1!1!\"}"},
    {POLICY("p", "variables: [{name: bad, expression: 'object.nope'}, {name: worse, "
                 "expression: 'variables.bad'}], mutations: [" SET(
                     "r", "variables.worse") "]") BOUND,
     .wanted = DENIED
     "expression 'Object{data: {\"r\": variables.worse}}' resulted in error: composited "
     "variable \"worse\" fails to evaluate: composited variable \"bad\" fails to "
     "evaluate: no such key: nope"},
    {POLICY("p", "variables: [{name: bad, expression: 'object.nope'}], mutations: [" SET(
                     "r", "string(variables.bad == 1 || true)") "]") BOUND,
     .wanted = "{\"a\":\"1\",\"r\":\"true\"}"},
    /* Each mutation has variables of its own. */
    {POLICY(
         "p",
         "variables: [{name: count, expression: 'size(object.data)'}], mutations: [" SET(
             "r", "string(variables.count)") ", " SET("s", "string(variables.count)") "]")
         BOUND,
     .wanted = "{\"a\":\"1\",\"r\":\"1\",\"s\":\"2\"}"},
    /* ---- failures */
    {POLICY("p", "mutations: [" SET("r", "object.nope") ", " SET("s", "\"y\"") "]") BOUND,
     .wanted =
         DENIED "expression 'Object{data: {\"r\": object.nope}}' resulted in error: "
                "no such key: nope"},
    {POLICY("p", "failurePolicy: Ignore, mutations: [" SET("r", "object.nope") ", " SET(
                     "s", "\"y\"") "]") BOUND,
     .wanted = "{\"a\":\"1\",\"s\":\"y\"}"},
    {POLICY("p", "failurePolicy: Ignore, mutations: [" PATCH(
                     "[JSONPatch{op: \"add\", path: \"/nope\", value: 1}]") "]") BOUND,
     .wanted = "Internal error occurred: strict decoding error: unknown field \"nope\""},
    {POLICY("p", "mutations: [" SET("r", "lists.range(2000).map(x, lists.range(2000).map("
                                         "y, \"a\").join()).join()") "]") BOUND,
     .wanted = DENIED
     "expression 'Object{data: {\"r\": lists.range(2000).map(x, lists.range(2000).map(y, "
     "\"a\").join()).join()}}' resulted in error: operation cancelled: actual cost limit "
     "exceeded"},
    {POLICY("p", "mutations: [" SET("r", "\"y\"") "]") BINDING(
         "b", "policyName: p, matchResources: {objectSelector: {matchLabels: {a: b}}}"),
     .wanted = "{\"a\":\"1\"}"},
/* ---- parameters */
#define WITH_PARAMS                                                               \
    POLICY("p", "paramKind: {apiVersion: v1, kind: ConfigMap}, mutations: [" SET( \
                    "r", "object.data.?r.orValue(\"\") + params.data.v + "        \
                         "string(has(params.kind))") "]")
#define PARAM(name, namespace_, value)                              \
    "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: " name \
    ", namespace: " namespace_ ", labels: {use: 'true'}}, data: {v: " value "}}\n"
    {WITH_PARAMS BINDING("b", "policyName: p, paramRef: {name: x, namespace: other, "
                              "parameterNotFoundAction: Deny}") PARAM("x", "other", "o"),
     .wanted = "{\"a\":\"1\",\"r\":\"ofalse\"}"},
    {WITH_PARAMS BINDING("b", "policyName: p, paramRef: {name: x, "
                              "parameterNotFoundAction: Deny}") PARAM("x", "shop", "s")
         PARAM("x", "other", "o"),
     .wanted = "{\"a\":\"1\",\"r\":\"sfalse\"}"},
    {WITH_PARAMS BINDING("b", "policyName: p, paramRef: {name: x, "
                              "parameterNotFoundAction: Deny}") PARAM("x", "other", "o"),
     .wanted = DENIED "failed to configure binding: no params found for policy binding "
                      "with `Deny` parameterNotFoundAction"},
    {WITH_PARAMS BINDING("b", "policyName: p, paramRef: {name: x, "
                              "parameterNotFoundAction: Allow}") PARAM("x", "other", "o"),
     .wanted = "{\"a\":\"1\"}"},
    {WITH_PARAMS BINDING("b", "policyName: p, paramRef: {selector: {matchLabels: {use: "
                              "'true'}}, parameterNotFoundAction: Deny}")
         PARAM("z", "shop", "k") PARAM("x", "shop", "i"),
     .wanted = "{\"a\":\"1\",\"r\":\"ifalsekfalse\"}"},
    {POLICY("p", "paramKind: {apiVersion: nope/v1, kind: X}, mutations: [" SET(
                     "r", "\"y\"") "]") BINDING("b", "policyName: p, paramRef: {name: x, "
                                                     "parameterNotFoundAction: Allow}"),
     .wanted = "policy \"p\" denied request: failed to configure policy: failed to find "
               "resource referenced by paramKind: 'nope/v1, Kind=X'"},
    /* Configuration errors come first. */
    {POLICY("a", "mutations: [" SET("r", "object.nope") "]") BINDING("a", "policyName: a")
         WITH_PARAMS BINDING("b", "policyName: p, paramRef: {name: x, namespace: gone, "
                                  "parameterNotFoundAction: Deny}"),
     .wanted = DENIED "failed to configure binding: no params found for policy binding "
                      "with `Deny` parameterNotFoundAction"},
/* ---- reinvocation */
#define MORE SET("r", "object.data.?r.orValue(\"\") + \"x\"")
    {POLICY("p", "mutations: [" MORE "]") BOUND, .wanted = "{\"a\":\"1\",\"r\":\"x\"}"},
    {AGAIN("p", "mutations: [" MORE "]") BOUND, .wanted = "{\"a\":\"1\",\"r\":\"xx\"}"},
    {AGAIN("a", "mutations: [" MORE "]") BINDING("a", "policyName: a")
         AGAIN("b", "mutations: [" MORE "]") BINDING("b", "policyName: b")
             POLICY("p", "mutations: [" MORE "]") BINDING("p", "policyName: p"),
     .wanted = "{\"a\":\"1\",\"r\":\"xxxxx\"}"},
    /* Which policies match is decided on the incoming object. */
    {POLICY("a", "mutations: [" APPLY("Object{metadata: Object.metadata{labels: {\"l\": "
                                      "\"1\"}}}") "]") BINDING("a", "policyName: a")
         POLICY("p", "mutations: [" SET("r", "\"y\"") "]") BINDING(
             "b", "policyName: p, matchResources: {objectSelector: {matchLabels: {l: "
                  "'1'}}}"),
     .wanted = "{\"a\":\"1\"}"},
/* ---- validation */
#define CHECKED(what, mutation)                                                          \
    "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, " \
    "metadata: {name: p, annotations: "                                                  \
    "{policies.fixpoint.dev/mutation-validation-policy: " what "}}, spec: "              \
    "{reinvocationPolicy: Never, matchConstraints: {resourceRules: [{apiGroups: ['*'], " \
    "apiVersions: ['*'], operations: ['*'], resources: ['*']}]}, mutations: [" mutation  \
    "]}}\n" BOUND
    {CHECKED("Fail", SET("r", "\"y\"")), .wanted = "{\"a\":\"1\",\"r\":\"y\"}"},
    {CHECKED("Warn", MORE), .wanted = "{\"a\":\"1\",\"r\":\"x\"}"},
    {CHECKED("Fail", MORE),
     .wanted = "policy 'p' with binding 'b': its mutations would change the object "
               "again, after all mutations have been applied"},
    /* Of two that deny, the message has the first. */
    {CHECKED("Fail", MORE) BINDING("c", "policyName: p"),
     .wanted = "policy 'p' with binding 'b': its mutations would change the object "
               "again, after all mutations have been applied"},
};

/* Answers access reviews: the reason names the resource. */
static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    (void)user;
    (void)err;
    const json_t *attributes = fx_tree_view_key(key->spec, "resourceAttributes");
    const struct fx_text resource = fx_tree_view_string(attributes, "resource");
    *ret_value = json_pack("{s:b}", "allowed", attributes != NULL);
    if (attributes != NULL) {
        (void)json_object_set_new(*ret_value, "reason",
                                  json_sprintf("because of %.*s", FX_TEXT_ARG(resource)));
    }
    return FX_LOOKUP_FOUND;
}

static char *dump_data(const json_t *object) {
    json_t *data = fx_tree_view_key(object, "data");
    return json_dumps(data, JSON_COMPACT | JSON_ENCODE_ANY);
}

static void check_row(size_t i, const struct rule_row *row) {
    struct rule_bench bench;
    struct fx_inputs inputs;
    struct fx_arena arena;
    struct fx_outcome outcome = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = must_read(row->object == NULL ? CONFIG_MAP : row->object);
    json_t *namespace_ = must_read("{apiVersion: v1, kind: Namespace, metadata: {name: "
                                   "shop, labels: {team: red}}}");
    json_t *admission = row->admission == NULL ? NULL : must_read(row->admission);
    json_t *old = row->old == NULL ? NULL : must_read(row->old);
    const struct fx_request request = {.operation = old == NULL ? FX_OPERATION_CREATE
                                                                : FX_OPERATION_UPDATE,
                                       .namespace_object = namespace_,
                                       .inputs = &inputs,
                                       .old_object = old,
                                       .admission = admission};
    fx_inputs_init(&inputs, NULL, 0);
    inputs.find = find_input;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    build_bench(&bench, row->documents);
    const bool ok =
        fx_converge(bench.snapshot, &request, &arena, NULL, &root, &outcome, &err);
    char *data = ok ? dump_data(root) : NULL;
    const char *got = ok ? data : err.msg;
    if (strcmp(got, row->wanted) != 0) {
        fail_msg("row %zu:\n%swanted %s\ngot    %s", i, row->documents, row->wanted, got);
    }
    free(data);
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    drop_bench(&bench);
    fx_inputs_finish(&inputs);
    json_decref(old);
    json_decref(admission);
    json_decref(namespace_);
    json_decref(root);
}

static void rules_do_what_rows_say(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        check_row(i, &rows[i]);
    }
}

/* An access review that has to be fetched ends the loop; it is in the set then. */
static void a_rule_waits_for_access_reviews(void **state) {
    (void)state;
    struct rule_bench bench;
    struct fx_inputs inputs;
    struct fx_arena arena;
    struct fx_outcome outcome = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = must_read(CONFIG_MAP);
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .inputs = &inputs};
    fx_inputs_init(&inputs, NULL, 0);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    build_bench(&bench,
                VALUE("string(authorizer.path(\"/x\").check(\"get\").allowed())"));
    assert_true(bench.snapshot->asks_for_inputs);
    assert_true(bench.snapshot->reads_user);
    assert_false(
        fx_converge(bench.snapshot, &request, &arena, NULL, &root, &outcome, &err));
    assert_int_equal(err.code, FX_EINPUT);
    assert_true(fx_inputs_are_missing(&inputs));
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    drop_bench(&bench);
    fx_inputs_finish(&inputs);
    json_decref(root);
}

/* Without a cluster, nobody answers: the expression fails. */
static void an_access_review_may_fail(void **state) {
    (void)state;
    struct rule_bench bench;
    struct fx_arena arena;
    struct fx_outcome outcome = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = must_read(CONFIG_MAP);
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    build_bench(
        &bench,
        VALUE("string(authorizer.path(\"/x\").check(\"get\").allowed() || true)"));
    assert_false(
        fx_converge(bench.snapshot, &request, &arena, NULL, &root, &outcome, &err));
    assert_int_equal(err.code, FX_EDENIED);
    assert_int_equal(outcome.denial_code, 403);
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    drop_bench(&bench);
    json_decref(root);
}

/* What a rule reads follows from its expressions. */
static void rules_declare_what_they_read(void **state) {
    (void)state;
    static const struct {
        const char *documents;
        bool reads_old, asks, wants_namespace;
    } cases[] = {
        {VALUE("\"y\""), false, false, false},
        {VALUE("oldObject.data.b"), true, false, false},
        {VALUE("namespaceObject.metadata.name"), false, false, true},
        {VALUE("string([1].exists(x, authorizer.path(\"/\").check(\"get\").allowed()))"),
         false, true, false},
        {IF("{name: x, expression: 'namespaceObject == null'}"), false, false, false},
        {POLICY("p", "mutations: [" SET("r", "\"y\"") "]") BINDING(
             "b", "policyName: p, matchResources: {objectSelector: {matchLabels: {a: "
                  "b}}}"),
         true, false, false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct rule_bench bench;
        build_bench(&bench, cases[i].documents);
        assert_true(bench.snapshot->reads_request);
        assert_true(bench.snapshot->mutates_connects);
        assert_int_equal(bench.snapshot->reads_old_object, cases[i].reads_old);
        assert_int_equal(bench.snapshot->asks_for_inputs, cases[i].asks);
        assert_int_equal(bench.snapshot->has_inputs_before, cases[i].wants_namespace);
        drop_bench(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_do_what_rows_say),
        cmocka_unit_test(a_rule_waits_for_access_reviews),
        cmocka_unit_test(an_access_review_may_fail),
        cmocka_unit_test(rules_declare_what_they_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
