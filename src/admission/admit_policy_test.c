/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit_policy_test.c - MutatingAdmissionPolicies before a cluster stores them:
 * the answer of the webhook is the one that an API server gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "admission/admit.h"
#include "admission/review_texts.h"
#include "value/json.h"
#include "value/tree.h"

#define GROUP "admissionregistration.k8s.io"
#define POLICY(spec)                                                                    \
    REQUEST("'operation':'CREATE','kind':{'group':'" GROUP                              \
            "','version':'v1','kind':'MutatingAdmissionPolicy'},'name':'p','object':{"  \
            "'apiVersion':'" GROUP "/v1','kind':'MutatingAdmissionPolicy','metadata':{" \
            "'name':'p'},'spec':{'reinvocationPolicy':'Never','matchConstraints':{"     \
            "'resourceRules':[{'apiGroups':[''],'apiVersions':['v1'],'operations':["    \
            "'CREATE'],'resources':['pods']}]}," spec "}}")
#define APPLY(expression)                                                   \
    "'mutations':[{'patchType':'ApplyConfiguration','applyConfiguration':{" \
    "'expression':'" expression "'}}]"
#define INVALID(fault) "MutatingAdmissionPolicy." GROUP " \"p\" is invalid: " fault
#define FIELD          "spec.mutations[0].applyConfiguration.expression"

/* What becomes of a policy: allowed, or the message of the status and its causes. */
static const struct {
    const char *request, *message, *reason, *cause;
} cases[] = {
    {POLICY(APPLY("Object{}")), NULL, NULL, NULL},
    {POLICY(APPLY("Object{a: object.b + nope}")),
     INVALID(FIELD ": Invalid value: \"Object{a: object.b + nope}\": compilation failed: "
                   "ERROR: <input>:1:22: undeclared reference to 'nope' (in container "
                   "'')\n | Object{a: object.b + nope}\n | .....................^"),
     "FieldValueInvalid",
     "Invalid value: \"Object{a: object.b + nope}\": compilation failed: ERROR: "
     "<input>:1:22: undeclared reference to 'nope' (in container '')\n | Object{a: "
     "object.b + nope}\n | .....................^"},
    {POLICY(APPLY("Object{a: 1 / int(\\\"x\\\")}")),
     INVALID(FIELD
             ": Internal error: program instantiation failed: type conversion error "
             "from 'string' to 'int'"),
     "InternalError",
     "Internal error: program instantiation failed: type conversion error from 'string' "
     "to 'int'"},
    {POLICY("'failurePolicy':'Never'," APPLY("Object{}")),
     INVALID("spec.failurePolicy: Unsupported value: \"Never\": supported values: "
             "\"Fail\", \"Ignore\""),
     "FieldValueNotSupported",
     "Unsupported value: \"Never\": supported values: \"Fail\", \"Ignore\""},
};

static void expect_text(struct fx_text text, const char *expected) {
    if (!fx_text_is(text, expected)) {
        fail_msg("wanted %s, got %.*s", expected, FX_TEXT_ARG(text));
    }
}

static void answers(void **state) {
    (void)state;
    static const struct fx_admission admission = {.own_namespace = "fixpoint"};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        char *request = with_quotes(cases[i].request);
        struct fx_review *review = fx_admit_create(&admission, fx_text_of(request), 0);
        assert_non_null(review);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        json_t *answer =
            fx_json_read(fx_buf_view(fx_review_result(review)->body), NULL, &err);
        const json_t *response = fx_tree_view_key(answer, "response");
        const json_t *status = fx_tree_view_key(response, "status");
        const json_t *causes =
            fx_tree_view_key(fx_tree_view_key(status, "details"), "causes");
        assert_int_equal(json_is_true(fx_tree_view_key(response, "allowed")),
                         cases[i].message == NULL);
        if (cases[i].message != NULL) {
            expect_text(fx_tree_view_string(status, "message"), cases[i].message);
            assert_int_equal(json_integer_value(fx_tree_view_key(status, "code")), 422);
            expect_text(fx_tree_view_string(json_array_get(causes, 0), "message"),
                        cases[i].cause);
            expect_text(fx_tree_view_string(json_array_get(causes, 0), "reason"),
                        cases[i].reason);
        }
        json_decref(answer);
        fx_review_destroy(review);
        free(request);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
