/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/modrules_oom_test.c - ModRules read, sound ones and others, and reviews under
 * them: patches with selects and templates, one that fails, refusals. Every allocation is
 * refused in turn: each ends in 503 or as without a refusal, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "admission/review.h"
#include "base/limits.h"
#include "policy/policies.h"
#include "refuse.h"

#define RUNS_MAX 100000 /* no run needs that many allocations */

#define RULE(name, spec)                                                                \
    "---\n{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: " name   \
    ", namespace: ns}, spec: {match: [{select: $.kind, matchValue: Pod}, {select: "     \
    "'$.spec.containers[? @.name != \"no\"].image', matchRegex: '^i', matchFor: Any}]," \
    " " spec "}}\n"

/* Each rule of the first is left in force, the second with warnings; those of the third
 * are refused. */
static const char sound[] = RULE(
    "a", "type: Patch, patch: [{op: add, path: /metadata/labels/a, value: '{{ "
         ".Namespace }}-{{ .Target.metadata.name }}'}, {op: replace, select: "
         "'$.spec.containers[*].image', path: '/spec/containers/#0/image', value: "
         "'{{ .SelectedItem }}-{{ .#0 }}'}, {op: remove, path: /spec/l/-1}, {op: "
         "add, path: /spec/v/1/x, value: '{a: [1, 2]}'}]")
    RULE("b", "type: Patch, executionTier: 1, patch: [{op: replace, path: /no/where}]")
        RULE("c", "type: Reject, admissionOperations: [DELETE], rejectMessage: 'keep "
                  "{{ .Target.metadata.name }}'")
            RULE("d", "type: Reject, admissionOperations: [DELETE, UPDATE], "
                      "rejectMessage: '{{ fail \"no\" }}'");
static const char odd[] =
    RULE("f", "type: Patch, patch: [{op: remove, path: '/x/#3', select: "
              "'$.x[? nosuch(@)]'}, {op: remove, path: '/x/#0'}], "
              "targetNamespaceRegex: '.*'");
static const char unsound[] =
    RULE("e", "type: patch, executionTier: 99999, oops: 1, patch: [{op: move, path: /x, "
              "select: '$.a ]', value: '{{ nope }}'}], targetNamespaceRegex: '('");

#define POD                                                                              \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","              \
    "\"namespace\":"                                                                     \
    "\"ns\",\"managedFields\":[1],\"annotations\":{\"kubectl.kubernetes.io/"             \
    "last-applied-configuration\":\"{\\\"kind\\\":\\\"Pod\\\"}\"}},\"syntheticRefs\":1," \
    "\"spec\":{\"l\":[1,2],\"containers\":[{\"name\":\"c\",\"image\":\"i\"},{\"name\":"  \
    "\"d\",\"image\":\"j\"}]}}"
#define REVIEW(operation, object, old)                                                  \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":" \
    "{\"uid\":\"u\",\"operation\":\"" operation                                         \
    "\",\"namespace\":\"ns\",\"name\":\"p\",\"kind\":{\"group\":\"\",\"version\":"      \
    "\"v1\",\"kind\":\"Pod\"},\"userInfo\":{\"username\":\"me\"},\"object\":" object    \
    ",\"oldObject\":" old "}}"

static const struct journey {
    const char *body;
    enum fx_decision decision;
} journeys[] = {
    {REVIEW("CREATE", POD, "null"), FX_DECISION_MUTATED},
    {REVIEW("UPDATE", POD, POD), FX_DECISION_DENIED},
    {REVIEW("DELETE", "null", POD), FX_DECISION_DENIED},
};

static struct fx_policies *policies;

static struct fx_policies *build(const char *text) {
    const struct fx_policy_input input = {.file = "r.yaml", .text = fx_text_of(text)};
    struct fx_policies *made = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_policies_build(&input, 1, NULL, 1, &made, &err);
    assert_true(ok || (made == NULL && err.code == FX_ENOMEM));
    return made;
}

static int build_policies(void **state) {
    (void)state;
    policies = build(sound);
    assert_non_null(policies);
    assert_int_equal(policies->findings.n_items, 0);
    assert_int_equal(policies->snapshot->n_mutators, 4);
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
        refuse_reading(odd, 4, ever_after);
        refuse_reading(unsound, 8, ever_after);
    }
}

/* ---- reviews --------------------------------------------------------------------- */

/* Under which reviews travel; of some all is told that explains them. */
static const struct way {
    struct fx_admission admission;
    bool is_traced;
} ways[] = {
    {.admission.partial_decode = true},
    {.admission = {.annotates = true, .reports_passes = true, .collects_stats = true}},
    {.is_traced = true},
};

/* False where it was refused an allocation. */
static bool travel(const struct journey *journey, const struct way *way, long nth,
                   bool ever_after) {
    struct fx_admission admission = way->admission;
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
static void refuse_each(const struct journey *journey, const struct way *way,
                        bool ever_after) {
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
        cmocka_unit_test(test_reviews),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, build_policies, forget_policies);
}
