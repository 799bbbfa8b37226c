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

/* Policies of every kind; and one of every kind of finding. */
static struct fx_buf good, bad;

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

static void read_file(const char *path, struct fx_buf *ret_bytes) {
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(ret_bytes, 0);
    assert_true(fx_file_read(path, FX_LIMIT_BODY_BYTES, ret_bytes, &err));
}

static int read_policies(void **state) {
    (void)state;
    read_file(FX_SOURCE_DIR "/tests/oom/good.yaml", &good);
    read_file(FX_SOURCE_DIR "/tests/oom/bad.yaml", &bad);
    return 0;
}

static int forget_policies(void **state) {
    (void)state;
    fx_buf_finish(&good);
    fx_buf_finish(&bad);
    return 0;
}

static struct fx_policies *build(const struct fx_policies *previous) {
    const struct fx_policy_input inputs[] = {
        {.file = "good.yaml", .text = text_of(&good)},
        {.file = "bad.yaml", .text = text_of(&bad)},
        {.file = "gone.yaml", .failure = "no such file"},
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
    assert_int_equal(previous->snapshot->n_mutators, 9);
    assert_int_equal(previous->snapshot->n_resources, 3);
    refuse_builds(previous, false);
    refuse_builds(previous, true);
    fx_policies_unref(previous);
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    (void)user;
    *ret_object = fx_namespaces_find(NULL, key->name);
    if (*ret_object == NULL) {
        (void)fx_fail_nomem(err);
        return FX_LOOKUP_FAILED;
    }
    return FX_LOOKUP_FOUND;
}

static const struct fx_admission deny = {.on_error = FX_ON_ERROR_DENY,
                                         .annotates = true,
                                         .own_namespace = "fixpoint",
                                         .find_input = find_input};
static const struct fx_admission allow = {
    .on_error = FX_ON_ERROR_ALLOW, .own_namespace = "fixpoint", .find_input = find_input};

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

/* What was refused may have been dispensable (a list that is kept for the next review):
 * then it ends as ever. */
static void expect_end(const struct journey *journey,
                       const struct fx_review_result *result, bool refused) {
    if (refused && result->decision == FX_DECISION_BROKEN) {
        expect_ours(result);
        return;
    }
    assert_int_equal(result->decision, journey->decision);
    assert_int_equal(result->status, journey->status);
    assert_true((result->patch != NULL) == (journey->decision == FX_DECISION_MUTATED));
}

/* As ever; what is kept for later reviews is there then. */
static void review_once(const struct journey *journey, struct fx_snapshot *snapshot,
                        struct fx_text request) {
    struct fx_review *review = fx_review_create(journey->admission, snapshot, request, 0);
    assert_non_null(review);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    expect_end(journey, fx_review_result(review), false);
    fx_review_destroy(review);
}

static void refuse_reviews(const struct journey *journey, struct fx_snapshot *snapshot,
                           struct fx_text request, bool ever_after) {
    review_once(journey, snapshot, request);
    const long live = refuse_live();
    long n = 0;
    long n_broken = 0;
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
            n_broken += fx_review_result(review)->decision == FX_DECISION_BROKEN;
        }
        fx_review_destroy(review);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 2 && n_broken > 0);
}

static void test_reviews(void **state) {
    (void)state;
    struct fx_policies *policies = build(NULL);
    assert_non_null(policies);
    for (size_t i = 0; i < FX_COUNT(journeys); i++) {
        struct fx_buf request;
        if (journeys[i].file != NULL) {
            read_file(journeys[i].file, &request);
        } else {
            fx_buf_init(&request, 0);
            fx_buf_str(&request, journeys[i].text);
        }
        const struct fx_text text = text_of(&request);
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
    return cmocka_run_group_tests(tests, read_policies, forget_policies);
}
