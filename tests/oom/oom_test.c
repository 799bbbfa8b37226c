/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/oom_test.c - one build of policies and some reviews with every allocation
 * refused in turn: each ends in a clean failure that is said to be ours, never in a
 * verdict, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "admission/review.h"
#include "base/file.h"
#include "base/limits.h"
#include "policy/policies.h"
#include "refuse.h"

#define RECORDINGS FX_SOURCE_DIR "/tests/recordings/admission/"
#define RUNS_MAX   100000 /* no run needs that many allocations */

#define HEAD(kind, name)                                                                 \
    "apiVersion: mutations.gatekeeper.sh/v1\nkind: " kind "\nmetadata: {name: " name "}" \
    "\n"
#define PODS "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"

/* Good ones, and after them one of every kind of finding. */
static const char good_text[] = HEAD(
    "Assign",
    "pull") "spec:\n" PODS "  match: {excludedNamespaces: ['kube-*'], labelSelector: "
            "{matchExpressions: [{key: x,"
            " operator: NotIn, values: [a, b]}]}}\n"
            "  location: 'spec.containers[name: *].imagePullPolicy'\n"
            "  parameters: {assign: {value: Always}, pathTests: [{subPath: "
            "spec.containers,"
            " condition: MustExist}]}\n"
            "---\n" HEAD(
                "AssignMetadata",
                "owner") "spec:\n"
                         "  match: {namespaceSelector: {matchLabels: "
                         "{kubernetes.io/metadata.name: shop}}}\n"
                         "  location: metadata.annotations.owner\n"
                         "  parameters: {assign: {fromMetadata: {field: namespace}}}\n"
                         "---\n" HEAD(
                             "Assign",
                             "sidecar") "spec:\n" PODS
                                        "  location: 'spec.containers[name: "
                                        "sidecar].image'\n"
                                        "  parameters: {assign: {value: 'proxy:1'}}\n"
                                        "---\n"
                                        "{apiVersion: v1, kind: Namespace, metadata: "
                                        "{name: shop}}\n";

static const char bad_text[] = HEAD(
    "Assign",
    "pull") "spec:\n" PODS "  location: \"spec.containers[name: *\"\n"
            "---\n" HEAD(
                "AssignMetadata",
                "more") "spec:\n"
                        "  more: 1\n  match: {name: nobody}\n  location: "
                        "metadata.labels.m\n  parameters: "
                        "{assign: {value: x}}\n"
                        "---\n" HEAD(
                            "Assign",
                            "c1") "spec:\n" PODS "  location: spec.c.i\n  parameters: "
                                  "{assign: {value: {a: [1, 2.5, x]}}}\n"
                                  "---\n" HEAD(
                                      "Assign",
                                      "c2") "spec:\n" PODS
                                            "  location: 'spec.c[name: x].i'\n  "
                                            "parameters: {assign: {value: 1}}\n"
                                            "---\n" HEAD(
                                                "Assign",
                                                "c2") "spec:\n" PODS
                                                      "  location: 'spec.c[name: y].i'\n "
                                                      " parameters: {assign: {value: "
                                                      "1}}\n"
                                                      "---\n" HEAD(
                                                          "NoSuchKind",
                                                          "n") "---\n{apiVersion: v1, "
                                                               "kind: ConfigMap, "
                                                               "metadata: {name: x}}\n"
                                                               "---\na: b: c\n";

static struct fx_policies *build(const struct fx_policies *previous) {
    const struct fx_policy_input inputs[] = {
        {"good.yaml", FX_TEXT(good_text), NULL},
        {"bad.yaml", FX_TEXT(bad_text), NULL},
        {"gone.yaml", {NULL, 0}, "no such file"},
    };
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok =
        fx_policies_build(inputs, FX_COUNT(inputs), previous, 1, &policies, &err);
    assert_true(ok || (policies == NULL && err.code == FX_ENOMEM));
    return policies;
}

/* Refuses one allocation after the other until a build needs no more. */
static void refuse_builds(const struct fx_policies *previous, bool ever_after) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        struct fx_policies *policies = build(previous);
        refused = refuse_stop();
        assert_int_equal(policies == NULL, refused);
        fx_policies_unref(policies);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 500); /* it was tried at all */
}

static void test_builds(void **state) {
    (void)state;
    refuse_builds(NULL, false);
    refuse_builds(NULL, true);
}

static void test_rebuilds(void **state) {
    (void)state;
    struct fx_policies *previous = build(NULL);
    assert_non_null(previous);
    assert_int_equal(previous->snapshot->n_mutators, 6);
    refuse_builds(previous, false);
    refuse_builds(previous, true);
    fx_policies_unref(previous);
}

static enum fx_lookup find_namespace(void *user, struct fx_text name, json_t **ret_object,
                                     struct fx_err *err) {
    (void)user;
    *ret_object = fx_namespaces_find(NULL, name);
    if (*ret_object == NULL) {
        (void)fx_fail_nomem(err);
        return FX_LOOKUP_FAILED;
    }
    return FX_LOOKUP_FOUND;
}

static const struct fx_admission deny = {FX_ON_ERROR_DENY, "fixpoint", find_namespace,
                                         NULL};
static const struct fx_admission allow = {FX_ON_ERROR_ALLOW, "fixpoint", find_namespace,
                                          NULL};

/* Requests that end in each of the ways there are. */
static const struct journey {
    const struct fx_admission *admission;
    const char *file, *text; /* one of them */
    enum fx_decision decision;
    unsigned status;
} journeys[] = {
    {&deny, RECORDINGS "004-create-pod.json", NULL, FX_DECISION_MUTATED, 200},
    {&deny, RECORDINGS "017-create-secret.json", NULL, FX_DECISION_MUTATED, 200},
    {&deny, RECORDINGS "001-create-namespace.json", NULL, FX_DECISION_UNCHANGED, 200},
    {&deny, RECORDINGS "027-delete-pod.json", NULL, FX_DECISION_SKIPPED, 200},
    {&deny, NULL,
     "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":"
     "{\"uid\":\"u\",\"operation\":\"CREATE\",\"object\":{\"apiVersion\":\"v1\",\"kind\":"
     "\"Pod\",\"spec\":{\"containers\":[1]}}}}",
     FX_DECISION_FAILED, 200},
    {&allow, NULL,
     "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":"
     "{\"uid\":\"u\",\"operation\":\"CREATE\",\"namespace\":\"n\",\"object\":"
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"containers\":[1]}}}}",
     FX_DECISION_FAILED, 200},
    {&deny, NULL, "{\"kind\":[", FX_DECISION_REFUSED, 400},
};

/* What a refused review must be: ours, passing, and without a word that a server could
 * take for a verdict. */
static void expect_ours(const struct fx_review_result *result) {
    assert_int_equal(result->status, 503);
    assert_int_equal(result->decision, FX_DECISION_BROKEN);
    assert_true(result->retry_after);
    assert_null(result->patch);
    assert_non_null(result->failure);
    assert_true(result->body->len == 0 || result->body->data[0] != '{');
}

static void expect_end(const struct journey *journey,
                       const struct fx_review_result *result, bool refused) {
    if (!refused) {
        assert_int_equal(result->decision, journey->decision);
        assert_int_equal(result->status, journey->status);
    } else {
        expect_ours(result);
    }
}

static void refuse_reviews(const struct journey *journey, struct fx_snapshot *snapshot,
                           struct fx_text request, bool ever_after) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        struct fx_review *review =
            fx_review_create(journey->admission, snapshot, request, 0);
        if (review != NULL) {
            assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        }
        refused = refuse_stop();
        assert_true(review != NULL || refused);
        if (review != NULL) {
            expect_end(journey, fx_review_result(review), refused);
        }
        fx_review_destroy(review);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 2);
}

static void test_reviews(void **state) {
    (void)state;
    struct fx_policies *policies = build(NULL);
    assert_non_null(policies);
    for (size_t i = 0; i < FX_COUNT(journeys); i++) {
        struct fx_buf request;
        struct fx_err err = FX_ERR_INIT;
        fx_buf_init(&request, 0);
        if (journeys[i].file != NULL) {
            print_message("%s\n", journeys[i].file);
            assert_true(
                fx_file_read(journeys[i].file, FX_LIMIT_BODY_BYTES, &request, &err));
        } else {
            fx_buf_str(&request, journeys[i].text);
        }
        const struct fx_text text = {request.data, request.len};
        refuse_reviews(&journeys[i], policies->snapshot, text, false);
        refuse_reviews(&journeys[i], policies->snapshot, text, true);
        fx_buf_finish(&request);
    }
    fx_policies_unref(policies);
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_rebuilds),
        cmocka_unit_test(test_reviews),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
