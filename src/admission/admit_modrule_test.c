/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit_modrule_test.c - ModRules before a cluster stores them: all faults at
 * once, in the form of an API server; and defaults.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "admission/admit.h"
#include "admission/review_texts.h"
#include "base/base64.h"
#include "base/limits.h"
#include "value/json.h"
#include "value/tree.h"

static const struct fx_admission admission = {.own_namespace = "fixpoint"};

#define KIND \
    "'kind':{'group':'api.kubemod.io','version':'v1beta1','kind':'ModRule'},'name':'r'"
#define ON(operation) "'operation':'" operation "','namespace':'ns'," KIND
#define RULE_OF(metadata, spec)                                                          \
    "{'apiVersion':'api.kubemod.io/v1beta1','kind':'ModRule','metadata':{" metadata "}," \
    "'spec':{" spec "}}"
#define RULE(spec) RULE_OF("'name':'r'", spec)
#define SOUND      "'type':'Reject','match':[{'select':'$.kind'}]"
#define UNSOUND    "'type':5,'match':[{'select':'$.a ]'},{}]"
#define LONG       "abignameabignameabignameabignameabignameabignameabignameabigname"
#define OLD        "'userInfo':{'username':'me'},'oldObject':"

/* The review of this request, run; its answer in `ret_answer`, counted. */
static struct fx_review *run(struct fx_review *review, json_t **ret_answer) {
    struct fx_err err = FX_ERR_INIT;
    assert_non_null(review);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    const struct fx_text body = {result->body->data, result->body->len};
    *ret_answer = result->status == 200 ? fx_json_read(body, NULL, &err) : NULL;
    assert_true((*ret_answer != NULL) == (result->status == 200));
    return review;
}

static struct fx_review *admit(const char *request, json_t **ret_answer) {
    return run(fx_admit_create(&admission, fx_text_of(request), 0), ret_answer);
}

static const json_t *status_of(const json_t *answer) {
    return fx_tree_view_key(fx_tree_view_key(answer, "response"), "status");
}

static void is_equal(struct fx_text text, const char *expected) {
    if (!fx_text_is(text, expected)) {
        fail_msg("wanted %s, got %.*s", expected, FX_TEXT_ARG(text));
    }
}

static const struct {
    const char *field, *reason, *message;
} causes[] = {
    {"spec.type", "FieldValueTypeInvalid",
     "Invalid value: \"integer\": spec.type in body must be of type string: \"integer\""},
    {"spec.match[0].select", "FieldValueInvalid",
     "Invalid value: \"$.a ]\": an operator, or the end of the expression, is expected "
     "here, not `]` (at character 5)"},
    {"spec.match[1].select", "FieldValueRequired", "Required value"},
};

static void tells_all_faults(void **state) {
    (void)state;
    char *request = with_quotes(REQUEST(ON("CREATE") ",'object':" RULE(UNSOUND)));
    json_t *answer = NULL;
    struct fx_review *review = admit(request, &answer);
    const json_t *status = status_of(answer);
    const json_t *details = fx_tree_view_key(status, "details");
    const json_t *list = fx_tree_view_key(details, "causes");
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_str(&message, "ModRule.api.kubemod.io \"r\" is invalid: [");
    is_equal(fx_tree_view_string(details, "name"), "r");
    is_equal(fx_tree_view_string(details, "group"), "api.kubemod.io");
    is_equal(fx_tree_view_string(details, "kind"), "ModRule");
    assert_int_equal(json_array_size(list), FX_COUNT(causes));
    for (size_t i = 0; i < FX_COUNT(causes); i++) {
        const json_t *cause = json_array_get(list, i);
        is_equal(fx_tree_view_string(cause, "field"), causes[i].field);
        is_equal(fx_tree_view_string(cause, "reason"), causes[i].reason);
        is_equal(fx_tree_view_string(cause, "message"), causes[i].message);
        fx_buf_printf(&message, "%s%s: %s", i == 0 ? "" : ", ", causes[i].field,
                      causes[i].message);
    }
    fx_buf_char(&message, ']');
    is_equal(fx_tree_view_string(status, "message"), message.data);
    is_equal(fx_tree_view_string(status, "reason"), "Invalid");
    assert_int_equal(json_integer_value(fx_tree_view_key(status, "code")), 422);
    assert_int_equal(fx_review_result(review)->decision, FX_DECISION_FAILED);
    assert_int_equal(fx_review_result(review)->failure->code, FX_EINVALID);
    fx_buf_finish(&message);
    json_decref(answer);
    fx_review_destroy(review);
    free(request);
}

/* What becomes of a request: allowed, or a denial with this message. */
static const struct {
    const char *about, *request;
    const char *message; /* NULL: allowed */
} verdicts[] = {
    {"a sound one", REQUEST(ON("CREATE") ",'object':" RULE(SOUND)), NULL},
    {"an update to the worse",
     REQUEST(ON("UPDATE") "," OLD RULE(SOUND) ",'object':" RULE("'type':'Reject'")),
     "ModRule.api.kubemod.io \"r\" is invalid: spec.match: Required value"},
    {"a patch that says nothing",
     REQUEST(ON("CREATE") ",'object':" RULE(
         "'type':'Patch','match':[{'select':'$.kind'}],'patch':[]")),
     "ModRule.api.kubemod.io \"r\" is invalid: spec.patch: Required value: field 'patch' "
     "cannot be empty for ModRules of type Patch"},
    {"one without a name",
     REQUEST(ON("CREATE") ",'object':" RULE_OF("'generateName':'r-'", "'type':'Reject'")),
     "ModRule.api.kubemod.io \"\" is invalid: spec.match: Required value"},
    {"an unsound one may go",
     REQUEST(ON("DELETE") "," OLD RULE(UNSOUND) ",'object':null"), NULL},
    {"and so may one of which nothing is known", REQUEST(ON("DELETE")), NULL},
    {"an unsupported version",
     REQUEST(
         ON("CREATE") ",'object':{'apiVersion':'api.kubemod.io/v2','kind':'ModRule'}"),
     "no matches for kind \"ModRule\" in version \"api.kubemod.io/v2\""},
    {"how long names may be is for others to say",
     REQUEST("'operation':'CREATE','kind':{'group':'api.kubemod.io','kind':'ModRule'},"
             "'name':'" LONG "','object':" RULE_OF("'name':'" LONG "'", SOUND)),
     NULL},
};

static void allows_and_denies(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(verdicts); i++) {
        print_message("%s\n", verdicts[i].about);
        char *request = with_quotes(verdicts[i].request);
        json_t *answer = NULL;
        struct fx_review *review = admit(request, &answer);
        const json_t *response = fx_tree_view_key(answer, "response");
        assert_int_equal(json_is_true(fx_tree_view_key(response, "allowed")),
                         verdicts[i].message == NULL);
        if (verdicts[i].message != NULL) {
            is_equal(fx_tree_view_string(status_of(answer), "message"),
                     verdicts[i].message);
        }
        json_decref(answer);
        fx_review_destroy(review);
        free(request);
    }
}

/* Where the object says nothing, the request says in which namespace it is to be. */
static void knows_the_namespace(void **state) {
    (void)state;
#define WITH_TARGET(metadata)                                            \
    "'object':" RULE_OF("'name':'r'" metadata,                           \
                        "'type':'Reject','match':[{'select':'$.kind'}]," \
                        "'targetNamespaceRegex':'.*'")
    static const struct {
        const char *request;
        const char *warning; /* a part; NULL: there is none */
    } cases[] = {
        {REQUEST("'operation':'CREATE','namespace':'kubemod-system'," KIND
                 "," WITH_TARGET("")),
         NULL},
        {REQUEST(ON("CREATE") "," WITH_TARGET("")), "in namespace \"ns\""},
        {REQUEST(ON("UPDATE") "," OLD "{}," WITH_TARGET(",'namespace':'ns'")),
         "in namespace \"ns\""},
        {REQUEST("'operation':'CREATE'," KIND "," WITH_TARGET("")),
         "in namespace \"default\""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *request = with_quotes(cases[i].request);
        json_t *answer = NULL;
        struct fx_review *review = admit(request, &answer);
        const json_t *response = fx_tree_view_key(answer, "response");
        const json_t *warnings = fx_tree_view_key(response, "warnings");
        assert_true(json_is_true(fx_tree_view_key(response, "allowed")));
        assert_int_equal(json_array_size(warnings), cases[i].warning == NULL ? 0 : 1);
        assert_true(cases[i].warning == NULL ||
                    fx_text_contains(fx_tree_text(json_array_get(warnings, 0)),
                                     fx_text_of(cases[i].warning)));
        json_decref(answer);
        fx_review_destroy(review);
        free(request);
    }
}

/* An object of the API server's version before the last is answered as such. */
static void answers_in_the_version_of_the_request(void **state) {
    (void)state;
    char *request = with_quotes(
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/"
        "v1beta1','request':{'uid':'u'," ON("CREATE") ",'object':" RULE(UNSOUND) "}}");
    json_t *answers[2] = {NULL, NULL};
    fx_review_destroy(admit(request, &answers[0]));
    fx_review_destroy(run(fx_defaults_create(fx_text_of(request), 0), &answers[1]));
    for (size_t i = 0; i < FX_COUNT(answers); i++) {
        is_equal(fx_tree_view_string(answers[i], "apiVersion"),
                 "admission.k8s.io/v1beta1");
        json_decref(answers[i]);
    }
    free(request);
}

/* However much is wrong, an answer stays one that can be read. */
static void tells_so_many_faults(void **state) {
    (void)state;
    struct fx_buf request;
    fx_buf_init(&request, 0);
    fx_buf_str(&request, "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1',"
                         "'request':{'uid':'u'," ON(
                             "CREATE") ",'object':{'apiVersion':'api.kubemod.io/v1beta1'"
                                       ",'kind':'ModRule','metadata':{'name':'r'},'spec':"
                                       "{'type':'Reject','match':[{}");
    for (size_t i = 1; i < 200; i++) {
        fx_buf_str(&request, ",{}");
    }
    fx_buf_str(&request, "]}}}}");
    char *text = with_quotes(request.data);
    json_t *answer = NULL;
    fx_review_destroy(admit(text, &answer));
    const json_t *status = status_of(answer);
    const json_t *list = fx_tree_view_key(fx_tree_view_key(status, "details"), "causes");
    assert_int_equal(json_array_size(list), FX_LIMIT_REPORTED_FAULTS);
    assert_true(
        fx_text_ends(fx_tree_view_string(status, "message"),
                     FX_TEXT("spec.match[49].select: Required value, and 150 more]")));
    json_decref(answer);
    free(text);
    fx_buf_finish(&request);
}

/* ---- defaults --------------------------------------------------------------------- */

/* What is answered: a patch, or none ("") where it is allowed as it is. */
static const struct {
    const char *about, *request, *patch;
} fillings[] = {
    {"two fields", REQUEST(ON("CREATE") ",'object':" RULE(SOUND)),
     "[{'op':'add','path':'/spec/match/0/matchFor','value':'Any'},"
     "{'op':'add','path':'/spec/admissionOperations','value':['CREATE','UPDATE']}]"},
    {"an update, of what is unsound in other things",
     REQUEST(ON("UPDATE") ",'object':" RULE(
         "'type':5,'admissionOperations':[],'match':[5]") "," OLD RULE("")),
     "[{'op':'add','path':'/spec/admissionOperations/0','value':'CREATE'},"
     "{'op':'add','path':'/spec/admissionOperations/1','value':'UPDATE'}]"},
    {"no field is missing",
     REQUEST(ON("CREATE") ",'object':" RULE("'admissionOperations':['DELETE'],'match':[{"
                                            "'matchFor':'All'}]")),
     ""},
    {"a DELETE", REQUEST(ON("DELETE") "," OLD RULE(SOUND) ",'object':null"), ""},
    {"another kind", REQUEST("'operation':'CREATE'," POD_KIND "," POD), ""},
    {"no policy of these", REQUEST(ON("CREATE") ",'object':{}"), ""},
};

static void expect_patch(const json_t *response, const char *wanted) {
    const struct fx_text encoded = fx_tree_view_string(response, "patch");
    struct fx_buf patch;
    fx_buf_init(&patch, 0);
    assert_true(fx_base64_decode(&patch, encoded));
    fx_buf_char(&patch, '\0');
    char *expected = with_quotes(wanted);
    assert_string_equal(patch.data, expected);
    assert_int_equal(fx_tree_view_key(response, "patchType") != NULL, wanted[0] != '\0');
    free(expected);
    fx_buf_finish(&patch);
}

static void fills_in(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(fillings); i++) {
        print_message("%s\n", fillings[i].about);
        char *request = with_quotes(fillings[i].request);
        json_t *answer = NULL;
        struct fx_review *review =
            run(fx_defaults_create(fx_text_of(request), 0), &answer);
        const struct fx_review_result *result = fx_review_result(review);
        const json_t *response = fx_tree_view_key(answer, "response");
        const bool changes = fillings[i].patch[0] != '\0';
        assert_true(json_is_true(fx_tree_view_key(response, "allowed")));
        assert_int_equal(result->decision,
                         changes ? FX_DECISION_MUTATED : FX_DECISION_UNCHANGED);
        assert_int_equal(result->patch != NULL, changes);
        assert_null(result->failure);
        expect_patch(response, fillings[i].patch);
        json_decref(answer);
        fx_review_destroy(review);
        free(request);
    }
}

static void refuses_what_is_no_review(void **state) {
    (void)state;
    static const struct {
        const char *request;
        uint64_t deadline_ns;
        unsigned status;
        const char *body;
    } cases[] = {
        {"{}", 0, 400, "the body is not an AdmissionReview"},
        {REQUEST(ON("CREATE")), 0, 400, "`request.object` is missing"},
        {REQUEST(ON("CREATE") ",'object':" RULE(SOUND)), 1, 503,
         "review deadline exceeded"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *request = with_quotes(cases[i].request);
        json_t *answer = NULL;
        struct fx_review *review =
            run(fx_defaults_create(fx_text_of(request), cases[i].deadline_ns), &answer);
        const struct fx_review_result *result = fx_review_result(review);
        assert_int_equal(result->status, cases[i].status);
        assert_string_equal(result->body->data, cases[i].body);
        fx_review_destroy(review);
        free(request);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_all_faults),
        cmocka_unit_test(allows_and_denies),
        cmocka_unit_test(knows_the_namespace),
        cmocka_unit_test(answers_in_the_version_of_the_request),
        cmocka_unit_test(tells_so_many_faults),
        cmocka_unit_test(fills_in),
        cmocka_unit_test(refuses_what_is_no_review),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
