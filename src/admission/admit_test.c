/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit_test.c - policies and Namespaces before a cluster stores them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "admission/admit.h"
#include "admission/review_texts.h"

static const struct fx_admission admission = {.own_namespace = "fixpoint"};

struct expectation {
    const char *about;
    const char *request; /* ' for " */
    unsigned status;
    enum fx_decision decision;
    const char *body; /* ' for " */
};

static void expect(struct fx_review *review, const struct expectation *expected) {
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE); /* and stays so */
    const struct fx_review_result *result = fx_review_result(review);
    char *body =
        expected->status == 200 ? with_quotes(expected->body) : strdup(expected->body);
    assert_string_equal(result->body->data, body);
    assert_int_equal(result->status, expected->status);
    assert_int_equal(result->decision, expected->decision);
    assert_int_equal(result->failure != NULL,
                     expected->decision != FX_DECISION_UNCHANGED &&
                         expected->decision != FX_DECISION_SKIPPED);
    assert_null(result->outcome);
    assert_null(result->patch);
    fx_review_destroy(review);
    free(body);
}

#define META(fields)                         \
    "'apiVersion':'mutations.gatekeeper.sh/" \
    "v1','kind':'AssignMetadata','metadata':{'name':'a'},'spec':{" fields "}"
#define GOOD META("'location':'metadata.labels.a','parameters':{'assign':{'value':'b'}}")
#define BAD  META("'location':'spec.a','parameters':{'assign':{'value':'b'}}")
#define KIND                                                                             \
    "'kind':{'group':'mutations.gatekeeper.sh','version':'v1','kind':'AssignMetadata'}," \
    "'name':'a'"
#define ON(operation) "'operation':'" operation "'," KIND
#define OWN           "'userInfo':{'username':'system:serviceaccount:fixpoint:gatekeeper-admin'}"
#define ALLOW         RESPONSE("'allowed':true,'status':{'code':200}")
#define DENY(message, code) \
    RESPONSE("'allowed':false,'status':{'message':'" message "','code':" code "}")
#define BAD_WORDS DENY("invalid location for assignmetadata a: spec.a", "422")
#define LONG      "abignameabignameabignameabignameabignameabignameabignameabigname"

static const struct expectation policies[] = {
    {"a sound one", REQUEST(ON("CREATE") ",'object':{" GOOD "}"), 200,
     FX_DECISION_UNCHANGED, ALLOW},
    {"one that is not", REQUEST(ON("CREATE") ",'object':{" BAD "}"), 200,
     FX_DECISION_FAILED, BAD_WORDS},
    {"the old object is of no account",
     REQUEST(ON("UPDATE") ",'object':{" GOOD "},'oldObject':{" BAD "}"), 200,
     FX_DECISION_UNCHANGED, ALLOW},
    {"an update to the worse",
     REQUEST(ON("UPDATE") ",'object':{" BAD "},'oldObject':{" GOOD "}"), 200,
     FX_DECISION_FAILED, BAD_WORDS},
    {"a DELETE: the one that was",
     REQUEST(ON("DELETE") ",'object':null,'oldObject':{" BAD "}"), 200,
     FX_DECISION_FAILED, BAD_WORDS},
    {"a DELETE of a sound one", REQUEST(ON("DELETE") ",'oldObject':{" GOOD "}"), 200,
     FX_DECISION_UNCHANGED, ALLOW},
    {"a DELETE of who knows what", REQUEST(ON("DELETE")), 200, FX_DECISION_FAILED,
     DENY("For admission webhooks registered for DELETE operations, please use "
          "Kubernetes v1.15.0+.",
          "500")},
    {"a DELETE of them all",
     REQUEST("'operation':'DELETE','kind':{'group':'mutations.gatekeeper.sh'}"), 200,
     FX_DECISION_UNCHANGED, ALLOW},
    {"ourselves", REQUEST(ON("CREATE") "," OWN ",'object':{" BAD "}"), 200,
     FX_DECISION_SKIPPED, ALLOWED("Gatekeeper does not self-manage")},
    {"no object", REQUEST(ON("CREATE")), 400, FX_DECISION_REFUSED,
     "`request.object` is missing"},
    {"no review", "[]", 400, FX_DECISION_REFUSED, "the body is not an AdmissionReview"},
    {"values of the wrong type",
     REQUEST(ON("CREATE") ",'object':{" META("'location':5") "}"), 200,
     FX_DECISION_FAILED,
     DENY("json: cannot unmarshal number into Go struct field "
          "AssignMetadataSpec.spec.location of type string",
          "500")},
    {"a name that is too long, and counted so whatever else is wrong",
     REQUEST(
         "'operation':'CREATE','kind':{'group':'mutations.gatekeeper.sh'},'name':'" LONG
         "','object':{" BAD "}"),
     200, FX_DECISION_FAILED,
     DENY("resource cannot have metadata.name larger than 63 char; length: 64", "500")},
    {"such a name elsewhere", REQUEST("'operation':'CREATE','name':'" LONG "'," POD), 200,
     FX_DECISION_UNCHANGED, ALLOW},
    {"no policy", REQUEST("'operation':'CREATE'," POD), 200, FX_DECISION_UNCHANGED,
     ALLOW},
    {"no policy, and gone", REQUEST("'operation':'DELETE','name':'p'"), 200,
     FX_DECISION_UNCHANGED, ALLOW},
    {"a policy of an unsupported kind",
     REQUEST(
         "'operation':'CREATE','kind':{'group':'constraints.gatekeeper.sh'},'object':{"
         "'apiVersion':'constraints.gatekeeper.sh/v1','kind':'X'}"),
     200, FX_DECISION_UNCHANGED, ALLOW},
};

static void guards_policies(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(policies); i++) {
        print_message("%s\n", policies[i].about);
        char *request = with_quotes(policies[i].request);
        expect(fx_admit_create(&admission, fx_text_of(request), 0), &policies[i]);
        free(request);
    }
}

static void only_one_config(void **state) {
    (void)state;
    char *request = with_quotes(REQUEST(
        "'operation':'CREATE','kind':{'group':'config.gatekeeper.sh'},'object':{"
        "'apiVersion':'config.gatekeeper.sh/v1alpha1','kind':'Config','metadata':{"
        "'name':'mine'}}"));
    struct fx_review *review = fx_admit_create(&admission, fx_text_of(request), 0);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    assert_int_equal(result->decision, FX_DECISION_FAILED);
    assert_string_equal(result->failure->msg, "config resource must have name 'config'");
    assert_non_null(strstr(result->body->data, "\"code\":422}"));
    fx_review_destroy(review);
    free(request);
}

/* Unknown fields give warnings, and the policy is allowed. */
static void warns(void **state) {
    (void)state;
    char *request = with_quotes(REQUEST(
        ON("CREATE") ",'object':{" META("'location':'metadata.labels.a','parameters':{"
                                        "'assign':{'value':'b'}},'matches':{}") "}"));
    struct fx_review *review = fx_admit_create(&admission, fx_text_of(request), 0);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    assert_int_equal(result->decision, FX_DECISION_UNCHANGED);
    const struct fx_text body = {result->body->data, result->body->len};
    assert_true(fx_text_contains(
        body, FX_TEXT("\"allowed\":true,\"status\":{\"code\":200},\"warnings\":[\"")));
    assert_true(fx_text_contains(body, FX_TEXT("matches")));
    assert_true(fx_text_ends(body, FX_TEXT("\"]}}")));
    fx_review_destroy(review);
    free(request);
}

#define LABEL          "admission.gatekeeper.sh/ignore"
#define NAMESPACE_KIND "'kind':{'group':'','version':'v1','kind':'Namespace'}"
#define NAMESPACE(name, labels)                                                 \
    NAMESPACE_KIND                                                              \
    ",'object':{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'" name \
    "','labels':" labels "}}"
#define LABELLED(name) NAMESPACE(name, "{'" LABEL "':''}")
#define EXEMPT(name)   ALLOWED("Namespace " name " is allowed to set " LABEL)
#define FORBIDDEN                                                                        \
    RESPONSE(                                                                            \
        "'allowed':false,'status':{'message':'Only exempt namespace can have the " LABEL \
        " label','reason':'Forbidden','code':403}")
#define CREATE      "'operation':'CREATE',"
#define OF_STATUS   "'operation':'UPDATE','subResource':'status',"
#define OF_FINALIZE "'operation':'UPDATE','subResource':'finalize',"
#define WAS(labels) ",'oldObject':{'metadata':{'name':'x','labels':" labels "}}"

static const struct expectation labels[] = {
    {"by name", REQUEST(CREATE LABELLED("free")), 200, FX_DECISION_UNCHANGED,
     EXEMPT("free")},
    {"by its start", REQUEST(CREATE LABELLED("kube-x")), 200, FX_DECISION_UNCHANGED,
     EXEMPT("kube-x")},
    {"by its end", REQUEST("'operation':'UPDATE'," LABELLED("my-sys")), 200,
     FX_DECISION_UNCHANGED, EXEMPT("my-sys")},
    {"with or without the label", REQUEST(CREATE NAMESPACE("free", "{}")), 200,
     FX_DECISION_UNCHANGED, EXEMPT("free")},
    {"no other user", REQUEST(CREATE LABELLED("freed")), 200, FX_DECISION_FAILED,
     FORBIDDEN},
    {"in no update", REQUEST("'operation':'UPDATE'," LABELLED("x-kube-x")), 200,
     FX_DECISION_FAILED, FORBIDDEN},
    {"whatever its value", REQUEST(CREATE NAMESPACE("x", "{'" LABEL "':null}")), 200,
     FX_DECISION_FAILED, FORBIDDEN},
    {"another label", REQUEST(CREATE NAMESPACE("x", "{'a':'" LABEL "'}")), 200,
     FX_DECISION_UNCHANGED, ALLOWED("Namespace is not setting the " LABEL " label")},
    {"no labels", REQUEST(CREATE NAMESPACE("x", "null")), 200, FX_DECISION_UNCHANGED,
     ALLOWED("Namespace is not setting the " LABEL " label")},
    {"not by way of the status", REQUEST(OF_STATUS LABELLED("x") WAS("{'a':''}")), 200,
     FX_DECISION_FAILED, FORBIDDEN},
    {"nor of the finalizers", REQUEST(OF_FINALIZE LABELLED("x") WAS("null")), 200,
     FX_DECISION_FAILED, FORBIDDEN},
    {"nor where it is not said what was before", REQUEST(OF_STATUS LABELLED("x")), 200,
     FX_DECISION_FAILED, FORBIDDEN},
    {"what has it already can end",
     REQUEST(OF_FINALIZE LABELLED("x") WAS("{'" LABEL "':''}")), 200,
     FX_DECISION_UNCHANGED, ALLOWED("Namespace has the " LABEL " label already")},
    {"but is not written otherwise",
     REQUEST("'operation':'UPDATE'," LABELLED("x") WAS("{'" LABEL "':''}")), 200,
     FX_DECISION_FAILED, FORBIDDEN},
    {"a status without it", REQUEST(OF_STATUS NAMESPACE("x", "{}")), 200,
     FX_DECISION_UNCHANGED, ALLOWED("Namespace is not setting the " LABEL " label")},
    {"a subresource of another type", REQUEST("'subResource':1," CREATE LABELLED("x")),
     400, FX_DECISION_REFUSED, "`request.subResource` must be a string"},
    {"a DELETE", REQUEST("'operation':'DELETE'," NAMESPACE_KIND), 200,
     FX_DECISION_UNCHANGED, ALLOWED("Delete is always allowed")},
    {"no Namespace", REQUEST(CREATE POD_KIND "," POD), 200, FX_DECISION_UNCHANGED,
     ALLOWED("Not a namespace")},
    {"a Namespace of another group",
     REQUEST(CREATE "'kind':{'group':'x','kind':'Namespace'}"), 200,
     FX_DECISION_UNCHANGED, ALLOWED("Not a namespace")},
    {"no object", REQUEST(CREATE NAMESPACE_KIND), 400, FX_DECISION_REFUSED,
     "`request.object` is missing"},
    {"no review", "{}", 400, FX_DECISION_REFUSED, "the body is not an AdmissionReview"},
};

static void guards_the_label(void **state) {
    (void)state;
    static const char *const names[] = {"also", "free"};
    static const char *const prefixes[] = {"kube-"};
    static const char *const suffixes[] = {"-sys"};
    static const struct fx_exemptions exempt = {names, prefixes, suffixes, 2, 1, 1};
    for (size_t i = 0; i < FX_COUNT(labels); i++) {
        print_message("%s\n", labels[i].about);
        char *request = with_quotes(labels[i].request);
        expect(fx_guard_create(fx_guard_find(FX_TEXT("/v1/admitlabel")), &exempt,
                               fx_text_of(request), 0),
               &labels[i]);
        free(request);
    }
}

static void late(void **state) {
    (void)state;
    static const struct fx_exemptions none = {0};
    const struct expectation expected = {"late", "", 503, FX_DECISION_BROKEN,
                                         "review deadline exceeded"};
    char *request = with_quotes(REQUEST(CREATE LABELLED("x")));
    expect(fx_guard_create(fx_guard_find(FX_TEXT("/v1/admitlabel")), &none,
                           fx_text_of(request), 1),
           &expected);
    expect(fx_admit_create(&admission, fx_text_of(request), 1), &expected);
    free(request);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_policies),
        cmocka_unit_test(only_one_config),
        cmocka_unit_test(warns),
        cmocka_unit_test(guards_the_label),
        cmocka_unit_test(late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
