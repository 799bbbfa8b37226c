/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/admission_policies_oom_test.c - MutatingAdmissionPolicies read, sound ones
 * and others, and reviews under them: conditions, variables, parameters, both types of
 * patches, failures, an access review, a validator; and Kyverno's MutatingPolicies. Every
 * allocation is refused in turn: each ends in 503 or as without a refusal, and nothing is
 * left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "admission/review.h"
#include "base/limits.h"
#include "engine/dialect.h"
#include "policy/policies.h"
#include "policy/type_findings.h"
#include "refuse.h"

#define RUNS_MAX  100000 /* no run needs that many allocations */
#define N_UNSOUND 6      /* findings */

#define HEAD(kind, name)                                        \
    "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: " \
    "MutatingAdmissionPolicy" kind ", metadata: {name: " name "}, spec: {"
#define MATCH                                                                            \
    "matchConstraints: {namespaceSelector: {matchLabels: {team: red}}, objectSelector: " \
    "{matchExpressions: [{key: none, operator: DoesNotExist}]}, resourceRules: "         \
    "[{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: "    \
    "[configmaps, pods/status], scope: Namespaced}]}, reinvocationPolicy: IfNeeded"
#define BINDING(name, spec) HEAD("Binding", name) "policyName: " name spec "}}\n"

/* Policies of Kyverno: for ConfigMaps, and for Pods and the templates of their
 * controllers; an exception for another object, and one that allows an image. */
#define EXCEPTION(name, spec)                                                        \
    "---\n{apiVersion: policies.kyverno.io/v1, kind: PolicyException, metadata: "    \
    "{name: " name                                                                   \
    ", namespace: ns}, spec: {policyRefs: [{kind: MutatingPolicy, name: k}, {kind: " \
    "MutatingPolicy, name: l}], " spec "}}\n"
static const char kyverno[] =
    "---\n{apiVersion: policies.kyverno.io/v1, kind: MutatingPolicy, metadata: {name: "
    "k}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: "
    "[v1], "
    "operations: [CREATE], resources: [configmaps]}]}, variables: [{name: o, "
    "expression: "
    "'resource.Get(\"v1\", \"configmaps\", \"ns\", \"other\")'}], matchConditions: "
    "[{name: c, expression: 'request.object.data.a == \"1\"'}], mutations: "
    "[{patchType: "
    "ApplyConfiguration, applyConfiguration: {expression: 'Object{data: {\"k\": "
    "variables.o.metadata.name}}'}}]}}\n"
    "---\n{apiVersion: policies.kyverno.io/v1, kind: MutatingPolicy, metadata: {name: "
    "l}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: "
    "[v1], "
    "operations: [CREATE], resources: [pods]}]}, mutations: [{patchType: JSONPatch, "
    "jsonPatch: {expression: '[JSONPatch{op: \"add\", path: \"/metadata/labels\", "
    "value: {\"i\": sha256(images.containers[0]), \"e\": "
    "exceptions.allowedImages[0]}}]'}}]}}\n" EXCEPTION(
        "e", "matchConditions: [{name: c, expression: 'object.metadata.name == \"no\"'}]")
        EXCEPTION("f", "images: [i]");

/* All rules of the first act; those of the second are refused. */
static const char sound[] = HEAD("", "a") MATCH
    ", paramKind: {apiVersion: v1, kind: ConfigMap}, matchConditions: [{name: c, "
    "expression: 'object.data.a == \"1\" && request.operation in [\"CREATE\", "
    "\"UPDATE\"]'}, {name: d, expression: "
    "'authorizer.requestResource.check(\"create\").allowed()'}], variables: [{name: v, "
    "expression: 'namespaceObject.metadata.labels.team + params.data.v'}, {name: w, "
    "expression: 'variables.v + \"!\"'}], mutations: [{patchType: ApplyConfiguration, "
    "applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {\"a\": "
    "variables.w}}}'}}, {patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: "
    "\"add\", path: \"/data/\" + jsonpatch.escapeKey(\"x/y\"), value: "
    "string(request.userInfo.groups.size())}]'}}]}}\n" BINDING(
        "a", ", paramRef: {name: params, parameterNotFoundAction: Deny}, "
             "matchResources: {objectSelector: {matchLabels: {app: x}}}") HEAD("", "b")
        MATCH
    ", mutations: [{patchType: ApplyConfiguration, "
    "applyConfiguration: {expression: 'Object{data: {\"n\": string(1 / "
    "(object.data.size() - object.data.size()))}}'}}], failurePolicy: Ignore}}\n" BINDING(
        "b",
        "") "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: "
            "MutatingAdmissionPolicy, "
            "metadata: {name: c, annotations: "
            "{policies.fixpoint.dev/mutation-validation-policy: Warn}}, spec: {" MATCH
            ", matchConditions: [{name: e, expression: 'oldObject == null || "
            "oldObject.data.a != \"3\"'}, {name: f, expression: 'object.data.a != "
            "\"3\"'}], "
            "mutations: [{patchType: ApplyConfiguration, applyConfiguration: "
            "{expression: "
            "'Object{data: {\"m\": object.data.?m.orValue(\"\") + "
            "\"x\"}}'}}]}}\n" BINDING("c", "") HEAD("", "d") MATCH
    ", matchConditions: [{name: g, expression: 'object.data.a == "
    "\"2\"'}, {name: h, expression: 'object.data.a == \"2\" && object.data.no'}, {name: "
    "i, expression: 'object.data.a == \"2\" && object.data.none'}], mutations: "
    "[{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{data: "
    "{\"m\": 1}}'}}]}}\n" BINDING("d", "") "---\n{apiVersion: v1, kind: ConfigMap, "
                                           "metadata: {name: params, namespace: ns}, "
                                           "data: {v: p}}\n";
static const char unsound[] = HEAD("", "u") MATCH
    ", mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "
    "'1 +'}}], matchConditions: [{name: a, expression: '1'}], variables: [{name: 1, "
    "expression: 'x'}]}}\n" BINDING("u", ", paramRef: {}");

#define OBJECT(a)                                                                 \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"," \
    "\"namespace\":\"ns\",\"labels\":{\"app\":\"x\"}},\"data\":{\"a\":\"" a "\"}}"
#define REVIEW(operation, object, old)                                                  \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":" \
    "{\"uid\":\"u\",\"operation\":\"" operation                                         \
    "\",\"namespace\":\"ns\",\"name\":\"c\",\"kind\":{\"group\":\"\",\"version\":"      \
    "\"v1\",\"kind\":\"ConfigMap\"},\"resource\":{\"group\":\"\",\"version\":\"v1\","   \
    "\"resource\":\"configmaps\"},\"subResource\":\"\",\"userInfo\":{\"username\":"     \
    "\"me\",\"groups\":[\"g\"]},\"object\":" object ",\"oldObject\":" old "}}"

#define CONTROLLER                                                                      \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":" \
    "{\"uid\":\"u\",\"operation\":\"CREATE\",\"namespace\":\"ns\",\"name\":\"d\","      \
    "\"kind\":{\"group\":\"apps\",\"version\":\"v1\",\"kind\":\"Deployment\"},"         \
    "\"resource\":{\"group\":\"apps\",\"version\":\"v1\",\"resource\":"                 \
    "\"deployments\"},\"userInfo\":{},\"oldObject\":null,\"object\":{\"apiVersion\":"   \
    "\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\",\"namespace\":"   \
    "\"ns\"},\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","        \
    "\"image\":\"i\"}]}}}}}}"

static const struct policy_journey {
    const char *body;
    enum fx_decision decision;
} journeys[] = {
    {REVIEW("CREATE", OBJECT("1"), "null"), FX_DECISION_MUTATED},
    {REVIEW("UPDATE", OBJECT("3"), OBJECT("3")), FX_DECISION_UNCHANGED},
    {REVIEW("CREATE", OBJECT("2"), "null"), FX_DECISION_DENIED},
    {CONTROLLER, FX_DECISION_MUTATED},
};

/* The Namespace of the object; access is allowed. */
static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    (void)user;
    *ret_value =
        key->type == FX_INPUT_ACCESS
            ? json_pack("{s:b, s:s}", "allowed", 1, "reason", "why not")
            : json_pack("{s:s, s:s, s:{s:s, s:{s:s}}}", "apiVersion", "v1", "kind",
                        "Namespace", "metadata", "name", "ns", "labels", "team", "red");
    if (*ret_value == NULL) {
        (void)fx_fail_nomem(err);
        return FX_LOOKUP_FAILED;
    }
    return FX_LOOKUP_FOUND;
}

static struct fx_policies *policies;

static struct fx_policies *build(const char *text) {
    const struct fx_policy_input inputs[] = {
        {.file = "r.yaml", .text = fx_text_of(text)},
        {.file = "k.yaml", .text = fx_text_of(kyverno)},
    };
    struct fx_policies *made = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_dialect_settings settings = {.n_items = 0};
    fx_dialect_settings_set(&settings, "policy-exceptions", "ns");
    const struct fx_policy_sources sources = {.inputs = inputs,
                                              .n_inputs = FX_COUNT(inputs),
                                              .generation = 1,
                                              .settings = &settings};
    const bool ok = fx_policies_build_from(&sources, &made, &err);
    assert_true(ok || (made == NULL && err.code == FX_ENOMEM));
    return made;
}

static int build_policies(void **state) {
    (void)state;
    policies = build(sound);
    assert_non_null(policies);
    assert_int_equal(policies->findings.n_items, 0);
    return 0;
}

static int forget_policies(void **state) {
    (void)state;
    fx_policies_unref(policies);
    return 0;
}

/* ---- reading --------------------------------------------------------------------- */

static void refuse_reading(const char *text, size_t n_findings, bool ever_after) {
    fx_policies_unref(build(text)); /* caches are filled */
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        struct fx_policies *made = build(text);
        refused = refuse_stop();
        assert_true(made != NULL || refused);
        assert_true(made == NULL || made->findings.n_items == n_findings);
        fx_policies_unref(made);
        if (refuse_live() != live) {
            fail_msg("%ld allocations are left behind, where number %ld was refused",
                     refuse_live() - live, n);
        }
    }
    assert_true(n > 20); /* it was tried at all */
}

static void test_rules(void **state) {
    (void)state;
    for (int ever_after = 0; ever_after < 2; ever_after++) {
        refuse_reading(sound, 0, ever_after);
        refuse_reading(unsound, N_UNSOUND, ever_after);
    }
}

/* ---- types ------------------------------------------------------------------------ */

#define N_MISTAKES 4

/* Mistakes of each kind of expression, one of them in a variable that others read. */
#define TYPED                                                                  \
    "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], " \
    "operations: ['*'], resources: [configmaps]}]}, reinvocationPolicy: Never"
static const char mistaken[] = HEAD("", "t") TYPED
    ", paramKind: {apiVersion: v1, kind: ConfigMap}, matchConditions: [{name: c, "
    "expression: 'object.daat.a == \"1\"'}], variables: [{name: v, expression: "
    "'object.metadata'}, {name: w, expression: 'variables.v.lables'}], mutations: "
    "[{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: \"add\", path: "
    "\"/data/a\", value: [object.immutable, params.daat] + [dyn(variables.w.x), "
    "dyn(object.data == 1)]}]'}}]}}\n" BINDING("t", "");

/* False where it was refused an allocation. */
static bool check_types(const struct fx_policies *made, long nth, bool ever_after) {
    const struct fx_policy_input input = {.file = "r.yaml", .text = fx_text_of(mistaken)};
    const struct fx_policy_sources sources = {.inputs = &input, .n_inputs = 1};
    const struct fx_schemas schemas = {.look_up = NULL};
    struct fx_type_findings found = {.items = NULL};
    struct fx_err err = FX_ERR_INIT;
    refuse_from(nth, ever_after);
    const bool ok = fx_policies_check_types(&sources, made, &schemas, &found, &err);
    const bool refused = refuse_stop();
    assert_true(ok || (refused && err.code == FX_ENOMEM));
    assert_int_equal(found.n_items, found.findings.n_items);
    assert_true(!ok || found.n_items == N_MISTAKES);
    fx_type_findings_finish(&found);
    return !refused;
}

static void test_types(void **state) {
    (void)state;
    struct fx_policies *made = build(mistaken);
    assert_non_null(made);
    assert_true(check_types(made, RUNS_MAX, false)); /* caches are filled */
    const long live = refuse_live();
    for (int ever_after = 0; ever_after < 2; ever_after++) {
        long n = 0;
        while (!check_types(made, n, ever_after)) {
            n++;
            assert_true(n < RUNS_MAX);
        }
        assert_int_equal(refuse_live(), live);
        assert_true(n > 20);
    }
    fx_policies_unref(made);
}

/* ---- reviews --------------------------------------------------------------------- */

/* Under which reviews travel; of some all is told that explains them. */
static const struct policy_way {
    struct fx_admission admission;
    bool is_traced;
} ways[] = {
    {.admission.partial_decode = true},
    {.admission = {.annotates = true, .reports_passes = true, .collects_stats = true}},
    {.is_traced = true},
};

/* False where it was refused an allocation. */
static bool travel(const struct policy_journey *journey, const struct policy_way *way,
                   long nth, bool ever_after) {
    struct fx_admission admission = way->admission;
    admission.find_input = find_input;
    struct fx_arena arena;
    struct fx_trace trace;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    admission.trace = way->is_traced ? &trace : NULL;
    refuse_from(nth, ever_after);
    struct fx_review *review =
        fx_review_create(&admission, policies->snapshot, fx_text_of(journey->body), 0);
    if (review != NULL) {
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    }
    const bool refused = refuse_stop();
    assert_true(review != NULL || refused);
    if (review != NULL) {
        const struct fx_review_result *result = fx_review_result(review);
        const bool is_ours = refused && result->decision == FX_DECISION_BROKEN;
        if (!is_ours && result->decision != journey->decision) {
            fail_msg("number %ld: ends as %d: %s", nth, (int)result->decision,
                     result->body->data);
        }
        assert_int_equal(result->status, is_ours ? 503 : 200);
    }
    fx_review_destroy(review);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    return !refused;
}

/* Each allocation refused in turn. */
static void refuse_each(const struct policy_journey *journey,
                        const struct policy_way *way, bool ever_after) {
    assert_true(travel(journey, way, RUNS_MAX, false)); /* caches are filled */
    const long live = refuse_live();
    long n = 0;
    for (; !travel(journey, way, n, ever_after); n++) {
        assert_true(n < RUNS_MAX);
        if (refuse_live() != live) {
            fail_msg("%ld allocations are left behind, where number %ld was refused",
                     refuse_live() - live, n);
        }
    }
    assert_true(n > 20); /* it was tried at all */
}

static void test_reviews(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(journeys); i++) {
        for (size_t k = 0; k < FX_COUNT(ways); k++) {
            refuse_each(&journeys[i], &ways[k], false);
            refuse_each(&journeys[i], &ways[k], true);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_reviews),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, build_policies, forget_policies);
}
