/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/denial_test.c - policies that deny an object, and policies that are skipped:
 * the answers to the API server, and DELETE.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "admission/review.h"
#include "admission/review_policies.h"
#include "admission/review_texts.h"

#define RULE(name, spec)                                                              \
    "---\n{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: " name \
    ", namespace: ns}, spec: {match: [{select: $.metadata.name, matchValue: " name    \
    "}], " spec "}}\n"

static const char policies_text[] =
    RULE("deny", "type: Reject, admissionOperations: [CREATE, DELETE], rejectMessage: "
                 "'{{ .Namespace }} it is'")
        RULE("fail", "type: Patch, patch: [{op: replace, path: /gone}]")
            RULE("mutate", "type: Patch, patch: [{op: add, path: /x, value: '1'}]");

#define REQUEST_FOR(operation, fields) \
    REQUEST(POD_KIND ",'operation':'" operation "','namespace':'ns'," fields)
#define NAMED(name) "{'kind':'Pod','metadata':{'name':'" name "','namespace':'ns'}}"
#define DENIED      "operation rejected by the following ModRule(s): ns/deny: \\\"ns it is\\\""

static const struct {
    const char *request; /* ' for " */
    enum fx_decision decision;
    const char *part; /* of the answer, as it is */
} cases[] = {
    {REQUEST_FOR("CREATE", "'object':" NAMED("else")), FX_DECISION_UNCHANGED,
     "\"allowed\":true,\"status\":{\"message\":\"Resource was not mutated\",\"code\":"
     "200}}}"},
    {REQUEST_FOR("CREATE", "'object':" NAMED("deny")), FX_DECISION_DENIED,
     "\"allowed\":false,\"status\":{\"message\":\"" DENIED "\",\"reason\":\"" DENIED
     "\",\"code\":403}}}"},
    {REQUEST_FOR("UPDATE", "'object':" NAMED("deny")), FX_DECISION_UNCHANGED,
     "\"allowed\":true"},
    {REQUEST_FOR("DELETE", "'oldObject':" NAMED("deny")), FX_DECISION_DENIED,
     "\"code\":403"},
    {REQUEST_FOR("DELETE", "'oldObject':" NAMED("mutate")), FX_DECISION_UNCHANGED,
     "\"allowed\":true"},
    {REQUEST_FOR("DELETE", "'object':null"), FX_DECISION_REFUSED,
     "`request.oldObject` is missing"},
    {REQUEST_FOR("CREATE", "'object':" NAMED("fail")), FX_DECISION_UNCHANGED,
     ",\"warnings\":[\"ModRule.api.kubemod.io ns/fail was skipped: replace operation "
     "does not apply: doc is missing key: /gone\"]}}"},
    {REQUEST_FOR("CREATE", "'object':" NAMED("mutate")), FX_DECISION_MUTATED,
     "\"auditAnnotations\":{\"mutators\":\"ModRule/ns/mutate\",\"iterations\":\"2\"}}}"},
};

static void run(const struct fx_admission *admission, struct fx_snapshot *snapshot) {
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *request = with_quotes(cases[i].request);
        struct fx_review *review =
            fx_review_create(admission, snapshot, fx_text_of(request), 0);
        assert_non_null(review);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        const struct fx_review_result *result = fx_review_result(review);
        assert_int_equal(result->decision, cases[i].decision);
        if (strstr(result->body->data, cases[i].part) == NULL) {
            fail_msg("%s: wanted %s, got %s", request, cases[i].part, result->body->data);
        }
        fx_review_destroy(review);
        free(request);
    }
}

static void tells_who_refuses(void **state) {
    (void)state;
    static const struct fx_admission admissions[] = {
        {.on_error = FX_ON_ERROR_DENY},
        {.on_error = FX_ON_ERROR_DEFER, .partial_decode = true},
        {.on_error = FX_ON_ERROR_ALLOW, .collects_stats = true},
    };
    struct fx_snapshot *snapshot = snapshot_of(policies_text);
    for (size_t i = 0; i < FX_COUNT(admissions); i++) {
        run(&admissions[i], snapshot);
    }
    fx_snapshot_unref(snapshot);
}

/* Without a validator for it, nothing is different. */
static void nobody_is_asked_about_deletes(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = snapshot_of(
        RULE("mutate", "type: Patch, patch: [{op: add, path: /x, value: '1'}]"));
    const struct fx_admission admission = {.partial_decode = true};
    char *request = with_quotes(REQUEST_FOR("DELETE", "'oldObject':" NAMED("mutate")));
    struct fx_review *review =
        fx_review_create(&admission, snapshot, fx_text_of(request), 0);
    assert_non_null(review);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    assert_int_equal(fx_review_result(review)->decision, FX_DECISION_SKIPPED);
    fx_review_destroy(review);
    fx_snapshot_unref(snapshot);
    free(request);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_who_refuses),
        cmocka_unit_test(nobody_is_asked_about_deletes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
