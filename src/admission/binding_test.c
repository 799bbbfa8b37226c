/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/binding_test.c - all Bindings are allowed; which Pod is annotated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "admission/admit.h"
#include "admission/review_texts.h"

#define KIND       "'kind':{'group':'','version':'v1','kind':'Binding'}"
#define CREATE     "'operation':'CREATE'," KIND
#define NAMED      ",'namespace':'shop','name':'web'"
#define TO(target) ",'object':{'kind':'Binding','metadata':{},'target':" target "}"
#define NODE       "{'apiVersion':'v1','kind':'Node','name':'w-1.zone'}"
#define FINE       RESPONSE("'allowed':true,'status':{'code':200}")
#define NO_NAMES                                                                       \
    RESPONSE(                                                                          \
        "'allowed':true,'status':{'code':200},'warnings':['the Pod was not annotated " \
        "with its Node: a name in the Binding is not a lowercase RFC 1123 subdomain']")

static const struct {
    const char *about, *request;
    const char *binding; /* NULL: no Pod is annotated */
    const char *body;
} cases[] = {
    {"of a Pod", REQUEST(CREATE NAMED TO(NODE)), "shop/web to w-1.zone", FINE},
    {"as the scheduler sends it",
     REQUEST(CREATE NAMED ",'object':{'kind':'Binding','apiVersion':'v1','metadata':{"
                          "'name':'web','namespace':'shop','uid':'u'},'target':" NODE
                          "}"),
     "shop/web to w-1.zone", FINE},
    {"named in the object alone",
     REQUEST(CREATE ",'object':{'metadata':{'name':'web','namespace':'shop'},'target':"
                    "{'name':'w'}}"),
     "shop/web to w", FINE},
    {"what the request says counts",
     REQUEST(CREATE NAMED ",'object':{'metadata':{'name':'a','namespace':'kube-system'}"
                          ",'target':{'name':'w'}}"),
     "shop/web to w", FINE},
    {"without a kind", REQUEST(CREATE NAMED TO("{'name':'w'}")), "shop/web to w", FINE},
    {"an empty kind", REQUEST(CREATE NAMED TO("{'kind':'','name':'w'}")), "shop/web to w",
     FINE},
    {"to no Node", REQUEST(CREATE NAMED TO("{'kind':'Pod','name':'w'}")), NULL, FINE},
    {"a dry run", REQUEST(CREATE NAMED ",'dryRun':true" TO(NODE)), NULL, FINE},
    {"no dry run", REQUEST(CREATE NAMED ",'dryRun':false" TO(NODE)),
     "shop/web to w-1.zone", FINE},
    {"another operation", REQUEST("'operation':'UPDATE'," KIND NAMED TO(NODE)), NULL,
     FINE},
    {"a removal", REQUEST("'operation':'DELETE'," KIND NAMED), NULL, FINE},
    {"another kind", REQUEST("'operation':'CREATE'," POD_KIND NAMED TO(NODE)), NULL,
     FINE},
    {"another group",
     REQUEST("'operation':'CREATE','kind':{'group':'x','kind':'Binding'}" NAMED TO(NODE)),
     NULL, FINE},
    {"an empty name", REQUEST(CREATE NAMED TO("{'name':''}")), NULL, NO_NAMES},
    {"no target", REQUEST(CREATE NAMED ",'object':{}"), NULL, NO_NAMES},
    {"a path as the Node", REQUEST(CREATE NAMED TO("{'name':'../../w'}")), NULL,
     NO_NAMES},
    {"a path as the Pod",
     REQUEST(CREATE ",'namespace':'shop','name':'a/status'" TO(NODE)), NULL, NO_NAMES},
    {"a path as the namespace", REQUEST(CREATE ",'namespace':'..','name':'web'" TO(NODE)),
     NULL, NO_NAMES},
};

static struct fx_review *run(const char *text) {
    struct fx_review *review = fx_binding_create(fx_text_of(text), 0);
    assert_non_null(review);
    assert_null(fx_binding_view(review));
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    return review;
}

static void expect_body(const struct fx_review *review, const char *expected) {
    char *body = with_quotes(expected);
    assert_int_equal(fx_review_result(review)->status, 200);
    assert_string_equal(fx_review_result(review)->body->data, body);
    free(body);
}

static void expect_binding(const struct fx_review *review, const char *expected) {
    const struct fx_pod_binding *binding = fx_binding_view(review);
    if (expected == NULL) {
        assert_null(binding);
        return;
    }
    char text[1000];
    assert_non_null(binding);
    (void)snprintf(text, sizeof text, "%.*s/%.*s to %.*s",
                   FX_TEXT_ARG(binding->namespace_), FX_TEXT_ARG(binding->pod),
                   FX_TEXT_ARG(binding->node));
    assert_string_equal(text, expected);
}

static void allows_all(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].about);
        char *request = with_quotes(cases[i].request);
        struct fx_review *review = run(request);
        expect_body(review, cases[i].body);
        expect_binding(review, cases[i].binding);
        fx_review_destroy(review);
        free(request);
    }
}

static void says_what_it_is_told_to(void **state) {
    (void)state;
    char *request = with_quotes(REQUEST(CREATE NAMED TO(NODE)));
    struct fx_review *review = run(request);
    fx_binding_warn(review, "first");
    fx_binding_warn(review, "no such Pod");
    expect_body(review, RESPONSE("'allowed':true,'status':{'code':200},'warnings':['no "
                                 "such Pod']"));
    expect_binding(review, "shop/web to w-1.zone");
    fx_review_destroy(review);
    free(request);
}

/* An answer has the version of its question. */
static void speaks_v1beta1(void **state) {
    (void)state;
    char *request = with_quotes(
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1','request':{"
        "'uid':'u'," CREATE NAMED TO(NODE) "}}");
    struct fx_review *review = run(request);
    expect_body(review,
                "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1',"
                "'response':{'uid':'u','allowed':true,'status':{'code':200}}}");
    expect_binding(review, "shop/web to w-1.zone");
    fx_review_destroy(review);
    free(request);
}

static void refuses_what_is_no_review(void **state) {
    (void)state;
    static const char *const texts[] = {"", "{", "[]", "{'kind':'Binding'}",
                                        REQUEST(CREATE NAMED)};
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        char *request = with_quotes(texts[i]);
        struct fx_review *review = run(request);
        assert_int_equal(fx_review_result(review)->status, 400);
        assert_null(fx_binding_view(review));
        fx_review_destroy(review);
        free(request);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allows_all),
        cmocka_unit_test(says_what_it_is_told_to),
        cmocka_unit_test(speaks_v1beta1),
        cmocka_unit_test(refuses_what_is_no_review),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
