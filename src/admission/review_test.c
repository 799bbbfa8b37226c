/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review_test.c - requests and what they are answered, step by step.
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

static const char policies_text[] =
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: AssignMetadata\n"
    "metadata: {name: owner}\n"
    "spec:\n"
    "  match: {namespaceSelector: {matchLabels: {team: a}}}\n"
    "  location: metadata.labels.owner\n"
    "  parameters: {assign: {value: me}}\n";

/* Labels everything, but in namespaces that are to be left alone. */
static const char excluding_text[] =
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: AssignMetadata\n"
    "metadata: {name: owner}\n"
    "spec:\n"
    "  location: metadata.labels.owner\n"
    "  parameters: {assign: {value: me}}\n"
    "---\n"
    "apiVersion: config.gatekeeper.sh/v1alpha1\n"
    "kind: Config\n"
    "metadata: {name: config, namespace: gatekeeper-system}\n"
    "spec:\n"
    "  match:\n"
    "  - {excludedNamespaces: [kube-*], processes: [mutation-webhook]}\n"
    "  - {excludedNamespaces: [all], processes: ['*']}\n"
    "  - {excludedNamespaces: [audited], processes: [audit, webhook]}\n";

static struct fx_snapshot *policies_snapshot(void) {
    return snapshot_of(policies_text);
}

/* Every namespace is team a's, but `b`, which waits, and `gone`, which fails. */
static json_t *team(const char *name) {
    return json_pack("{s:s, s:s, s:{s:s, s:{s:s}}}", "apiVersion", "v1", "kind",
                     "Namespace", "metadata", "name", name, "labels", "team", "a");
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    (void)user;
    if (fx_text_is(key->name, "gone")) {
        (void)fx_fail(err, FX_EMUTATE, "namespaces \"gone\" not found");
        return FX_LOOKUP_FAILED;
    }
    if (fx_text_is(key->name, "dry")) {
        (void)fx_fail_nomem(err);
        return FX_LOOKUP_FAILED;
    }
    if (fx_text_is(key->name, "b")) {
        return FX_LOOKUP_WAIT;
    }
    *ret_object = team("a");
    return FX_LOOKUP_FOUND;
}

static const struct fx_admission deny = {
    .on_error = FX_ON_ERROR_DENY,
    .own_namespace = "fixpoint",
    .find_input = find_input,
};
static const struct fx_admission defer = {
    .on_error = FX_ON_ERROR_DEFER,
    .find_input = find_input,
};
static const struct fx_admission allow = {.on_error = FX_ON_ERROR_ALLOW};

struct expectation {
    const char *about;
    const struct fx_admission *admission;
    const char *request; /* ' for " */
    unsigned status;
    enum fx_decision decision;
    const char *body; /* ' for " */
};

static void expect(struct fx_review *review, const struct expectation *expected) {
    const struct fx_review_result *result = fx_review_result(review);
    /* What is no AdmissionReview is a sentence, with quotes of its own. */
    char *body =
        expected->status == 200 ? with_quotes(expected->body) : strdup(expected->body);
    assert_non_null(result->body->data);
    assert_string_equal(result->body->data, body);
    assert_int_equal(result->status, expected->status);
    assert_int_equal(result->decision, expected->decision);
    assert_int_equal(result->failure != NULL,
                     expected->decision == FX_DECISION_FAILED ||
                         expected->decision == FX_DECISION_REFUSED ||
                         expected->decision == FX_DECISION_BROKEN);
    assert_int_equal(result->patch != NULL, expected->decision == FX_DECISION_MUTATED);
    assert_int_equal(result->retry_after, expected->status == 503);
    free(body);
}

static void run_table(const struct expectation *table, size_t count,
                      struct fx_snapshot *snapshot) {
    for (size_t i = 0; i < count; i++) {
        print_message("%s\n", table[i].about);
        char *request = with_quotes(table[i].request);
        struct fx_review *review =
            fx_review_create(table[i].admission, snapshot, fx_text_of(request), 0);
        assert_non_null(review);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE); /* and stays so */
        expect(review, &table[i]);
        fx_review_destroy(review);
        free(request);
    }
    fx_snapshot_unref(snapshot);
}

#define OWN "system:serviceaccount:fixpoint:gatekeeper-admin"
static const struct expectation gates[] = {
    {"ourselves", &deny,
     REQUEST("'operation':'CREATE','userInfo':{'username':'" OWN "'}," DONE), 200,
     FX_DECISION_SKIPPED, ALLOWED("Gatekeeper does not self-manage")},
    {"ourselves, before the operation is checked", &deny,
     REQUEST("'operation':'DELETE','userInfo':{'username':'" OWN "'}"), 200,
     FX_DECISION_SKIPPED, ALLOWED("Gatekeeper does not self-manage")},
    {"the default namespace of our own", &defer,
     REQUEST("'operation':'CREATE','userInfo':{'username':"
             "'system:serviceaccount:gatekeeper-system:gatekeeper-admin'}"),
     200, FX_DECISION_SKIPPED, ALLOWED("Gatekeeper does not self-manage")},
    {"another namespace's admin", &deny,
     REQUEST("'operation':'CREATE','userInfo':{'username':"
             "'system:serviceaccount:gatekeeper-system:gatekeeper-admin'}," DONE),
     200, FX_DECISION_UNCHANGED, UNCHANGED},
    {"a name that is too short", &deny,
     REQUEST("'operation':'CREATE','userInfo':{'username':"
             "'system:serviceaccount:gatekeeper-admin'}," DONE),
     200, FX_DECISION_UNCHANGED, UNCHANGED},
    {"DELETE", &deny, REQUEST("'operation':'DELETE','object':null"), 200,
     FX_DECISION_SKIPPED, ALLOWED("Mutating only on create or update")},
    {"CONNECT", &deny, REQUEST("'operation':'CONNECT'," DONE), 200, FX_DECISION_SKIPPED,
     ALLOWED("Mutating only on create or update")},
    {"no operation", &deny, REQUEST(DONE), 200, FX_DECISION_SKIPPED,
     ALLOWED("Mutating only on create or update")},
    {"a policy of ours", &deny,
     REQUEST("'operation':'CREATE','kind':{'group':'mutations.gatekeeper.sh'}"), 200,
     FX_DECISION_SKIPPED, ALLOWED("Not mutating gatekeeper resources")},
    {"a status of ours", &deny,
     REQUEST("'operation':'UPDATE','kind':{'group':'status.gatekeeper.sh'}"), 200,
     FX_DECISION_SKIPPED, ALLOWED("Not mutating gatekeeper resources")},
    {"a policy of the group that is only ours", &deny,
     REQUEST("'operation':'UPDATE','kind':{'group':'mutations.fixpoint.dev'}"), 200,
     FX_DECISION_SKIPPED, ALLOWED("Not mutating gatekeeper resources")},
    {"a group that only ends alike", &deny,
     REQUEST("'operation':'UPDATE','kind':{'group':'x.gatekeeper.sh'}," DONE), 200,
     FX_DECISION_UNCHANGED, UNCHANGED},
    {"null is absent", &deny,
     REQUEST("'operation':'CREATE','userInfo':null,'kind':null,'name':null,"
             "'namespace':null,'dryRun':null,'oldObject':null," DONE),
     200, FX_DECISION_UNCHANGED, UNCHANGED},
    {"v1beta1 is answered as v1beta1, the uid letter by letter", &deny,
     "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1',"
     "'request':{'uid':'\\u0001\\\\☃','operation':'CREATE'," DONE "}}",
     200, FX_DECISION_UNCHANGED,
     "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1',"
     "'response':{'uid':'\\u0001\\\\☃','allowed':true,"
     "'status':{'message':'Resource was not mutated','code':200}}}"},
};

static void test_gates(void **state) {
    (void)state;
    run_table(gates, FX_COUNT(gates), policies_snapshot());
}

#define REFUSED(about, request, body) \
    {about, &deny, request, 400, FX_DECISION_REFUSED, body}
static const struct expectation refusals[] = {
    REFUSED("no JSON", "hello",
            "the body is not JSON: invalid character 'h' looking for beginning of value"),
    REFUSED("nothing", "", "the body is not JSON: unexpected end of JSON input"),
    REFUSED("no review", "[]", "the body is not an AdmissionReview"),
    REFUSED("another kind", "{'kind':'Pod','apiVersion':'admission.k8s.io/v1'}",
            "the body is not an AdmissionReview"),
    REFUSED("another version", "{'kind':'AdmissionReview','apiVersion':'v1'}",
            "`apiVersion` must be admission.k8s.io/v1 or admission.k8s.io/v1beta1"),
    REFUSED("no request", "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1'}",
            "the AdmissionReview has no `request`"),
    REFUSED("no uid",
            "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{}}",
            "`request.uid` is missing"),
    REFUSED("a uid twice: the last counts", REQUEST("'uid':5"),
            "`request.uid` must be a string"),
    REFUSED("operation", REQUEST("'operation':[]"),
            "`request.operation` must be a string"),
    REFUSED("namespace", REQUEST("'namespace':{}"),
            "`request.namespace` must be a string"),
    REFUSED("name", REQUEST("'name':1"), "`request.name` must be a string"),
    REFUSED("dryRun", REQUEST("'dryRun':'yes'"), "`request.dryRun` must be a boolean"),
    REFUSED("kind", REQUEST("'kind':'Pod'"), "`request.kind` must be an object"),
    REFUSED("group", REQUEST("'kind':{'group':0}"),
            "`request.kind.group` must be a string"),
    REFUSED("userInfo", REQUEST("'userInfo':'me'"),
            "`request.userInfo` must be an object"),
    REFUSED("username", REQUEST("'userInfo':{'username':true}"),
            "`request.userInfo.username` must be a string"),
    REFUSED("an object that is a string", REQUEST("'operation':'CREATE','object':'x'"),
            "`request.object` must be an object"),
    REFUSED("no object", REQUEST("'operation':'CREATE'"), "`request.object` is missing"),
    REFUSED("a null object", REQUEST("'operation':'UPDATE','object':null"),
            "`request.object` is missing"),
    REFUSED("oldObject", REQUEST("'operation':'UPDATE','oldObject':[]," POD),
            "`request.oldObject` must be an object"),
};

static void test_refusals(void **state) {
    (void)state;
    run_table(refusals, FX_COUNT(refusals), policies_snapshot());
}

static void test_deep_nesting(void **state) {
    (void)state;
    enum { DEPTH = 5000 };
    static char text[DEPTH * 2 + 1];
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    struct fx_snapshot *snapshot = policies_snapshot();
    struct fx_review *review = fx_review_create(&deny, snapshot, fx_text_of(text), 0);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    assert_int_equal(fx_review_result(review)->status, 400);
    assert_int_equal(fx_review_result(review)->decision, FX_DECISION_REFUSED);
    fx_review_destroy(review);
    fx_snapshot_unref(snapshot);
}

#define PATCH_B64                                                                       \
    "W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7Im93bmVyIjoibWUif" \
    "X1d"
#define MUTATED                                                          \
    RESPONSE("'allowed':true,'patch':'" PATCH_B64                        \
             "','patchType':'JSONPatch','auditAnnotations':{'mutators':" \
             "'AssignMetadata/owner','iterations':'2'}")
#define IN(namespace_, operation) \
    REQUEST(POD_KIND ",'operation':'" operation "','namespace':'" namespace_ "'," POD)

static const struct expectation namespaces[] = {
    {"in a namespace that is found", &deny, IN("a", "CREATE"), 200, FX_DECISION_MUTATED,
     MUTATED},
    {"an update, whatever the old object is", &deny,
     REQUEST(POD_KIND ",'operation':'UPDATE','namespace':'a','oldObject':{'metadata':"
                      "{'labels':{'owner':'you'}}}," POD),
     200, FX_DECISION_MUTATED, MUTATED},
    {"a namespace that cannot be had", &deny, IN("gone", "CREATE"), 200,
     FX_DECISION_FAILED,
     RESPONSE("'allowed':false,'status':{'message':'namespaces \\'gone\\' not found',"
              "'code':500}")},
    {"no memory to look for it", &deny, IN("dry", "CREATE"), 503, FX_DECISION_BROKEN,
     "out of memory"},
    {"no source of namespaces: the selector fails", &allow, IN("a", "CREATE"), 200,
     FX_DECISION_FAILED,
     RESPONSE("'allowed':true,'warnings':['matching for mutator "
              "AssignMetadata.mutations.gatekeeper.sh /owner failed for  Pod a p: failed "
              "to run Match criteria: namespace selector for namespace-scoped object but "
              "missing Namespace']")},
    {"a Namespace is its own context", &deny,
     REQUEST("'kind':{'group':'','version':'v1','kind':'Namespace'},'operation':"
             "'CREATE','namespace':'gone','object':{'apiVersion':'v1','kind':'Namespace'"
             ",'metadata':{'name':'gone','labels':{'team':'a','owner':'you'}}}"),
     200, FX_DECISION_UNCHANGED, UNCHANGED},
    {"a Namespace by its kind of another group is none", &deny,
     REQUEST("'kind':{'group':'x','version':'v1','kind':'Namespace'},'operation':"
             "'CREATE','namespace':'gone'," POD),
     200, FX_DECISION_FAILED,
     RESPONSE("'allowed':false,'status':{'message':'namespaces \\'gone\\' not found',"
              "'code':500}")},
};

static void test_namespaces(void **state) {
    (void)state;
    run_table(namespaces, FX_COUNT(namespaces), policies_snapshot());
}

#define EXCLUDED ALLOWED("Namespace is set to be ignored by Gatekeeper config")
#define NAMESPACE_NAMED(name)                                                         \
    REQUEST("'kind':{'group':'','version':'v1','kind':'Namespace'},'operation':'CREA" \
            "TE','namespace':'all','object':{'apiVersion':'v1','kind':'Namespace','m" \
            "etadata':{'name':'" name "','labels':{'owner':'you'}}}")

static const struct expectation exclusions[] = {
    {"from this process", &deny, IN("kube-system", "CREATE"), 200, FX_DECISION_EXCLUDED,
     EXCLUDED},
    {"from all", &deny, IN("all", "UPDATE"), 200, FX_DECISION_EXCLUDED, EXCLUDED},
    {"from others", &allow, IN("audited", "CREATE"), 200, FX_DECISION_MUTATED, MUTATED},
    {"from nothing", &allow, IN("kub", "CREATE"), 200, FX_DECISION_MUTATED, MUTATED},
    {"before its namespace is looked for", &deny, IN("kube-gone", "CREATE"), 200,
     FX_DECISION_EXCLUDED, EXCLUDED},
    {"a Namespace by its own name", &deny, NAMESPACE_NAMED("kube-x"), 200,
     FX_DECISION_EXCLUDED, EXCLUDED},
    {"and by no other", &deny, NAMESPACE_NAMED("x"), 200, FX_DECISION_UNCHANGED,
     UNCHANGED},
    {"what is in none", &deny, REQUEST(POD_KIND ",'operation':'CREATE'," POD), 200,
     FX_DECISION_MUTATED, MUTATED},
};

static void test_exclusions(void **state) {
    (void)state;
    run_table(exclusions, FX_COUNT(exclusions), snapshot_of(excluding_text));
}

static struct fx_input_entry *awaited(struct fx_review *review) {
    uint64_t deadline_ns = 0;
    struct fx_inputs *inputs = fx_review_inputs(review, &deadline_ns);
    assert_int_equal(inputs->n_entries, 1);
    assert_int_equal(inputs->first->state, FX_INPUT_AWAITED);
    return inputs->first;
}

/* A review that waits for `b`, given what comes. */
static struct fx_review *start_waiting(struct fx_snapshot *snapshot, char **ret_request) {
    *ret_request = with_quotes(IN("b", "CREATE"));
    struct fx_review *review =
        fx_review_create(&deny, snapshot, fx_text_of(*ret_request), 0);
    assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
    assert_true(fx_text_is(awaited(review)->key.name, "b"));
    assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
    return review;
}

static void test_waiting(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = policies_snapshot();
    char *request = NULL;
    struct fx_review *review = start_waiting(snapshot, &request);
    fx_inputs_give(awaited(review), team("b"), NULL);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct expectation mutated = {"given", &deny, "", 200, FX_DECISION_MUTATED,
                                        MUTATED};
    expect(review, &mutated);
    fx_review_destroy(review);
    free(request);

    review = start_waiting(snapshot, &request);
    struct fx_err failure = FX_ERR_INIT;
    (void)fx_fail(&failure, FX_EMUTATE, "no answer");
    fx_inputs_give(awaited(review), NULL, &failure);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct expectation denied = {
        "not given",
        &deny,
        "",
        200,
        FX_DECISION_FAILED,
        RESPONSE("'allowed':false,'status':{'message':'no answer','code':500}")};
    expect(review, &denied);
    fx_review_destroy(review);
    free(request);

    /* An API server that cannot be reached is not a verdict. */
    review = start_waiting(snapshot, &request);
    (void)fx_fail(&failure, FX_EIO, "connection refused");
    fx_inputs_give(awaited(review), NULL, &failure);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    assert_int_equal(fx_review_result(review)->status, 503);
    assert_true(fx_review_result(review)->retry_after);
    fx_review_destroy(review);
    free(request);

    review = start_waiting(snapshot, &request); /* and one that is given up */
    fx_review_destroy(review);
    fx_review_destroy(NULL);
    free(request);
    fx_snapshot_unref(snapshot);
}

static void test_deadline(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = policies_snapshot();
    char *request = with_quotes(IN("a", "CREATE"));
    struct fx_review *review = fx_review_create(&deny, snapshot, fx_text_of(request), 1);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct expectation late = {
        "late", &deny, "", 503, FX_DECISION_BROKEN, "review deadline exceeded"};
    expect(review, &late);
    fx_review_destroy(review);
    free(request);
    fx_snapshot_unref(snapshot);
}

static void test_facts(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = policies_snapshot();
    char *request = with_quotes(REQUEST(
        "'operation':'UPDATE','name':'p','namespace':'a','dryRun':true,'kind':{'group':"
        "'g','version':'v','kind':'K'},'userInfo':{'username':'me'}," POD));
    struct fx_review *review = fx_review_create(&deny, snapshot, fx_text_of(request), 0);
    (void)fx_review_run(review);
    const struct fx_review_result *result = fx_review_result(review);
    assert_true(fx_text_is(result->uid, "u"));
    assert_true(fx_text_is(result->operation, "UPDATE"));
    assert_true(fx_text_is(result->group, "g"));
    assert_true(fx_text_is(result->version, "v"));
    assert_true(fx_text_is(result->kind, "K"));
    assert_true(fx_text_is(result->namespace_, "a"));
    assert_true(fx_text_is(result->name, "p"));
    assert_true(fx_text_is(result->username, "me"));
    assert_true(result->dry_run);
    assert_int_equal(result->outcome->n_applied, 1);
    assert_int_equal(result->snapshot->generation, 1);
    fx_review_destroy(review);
    free(request);
    fx_snapshot_unref(snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gates),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_deep_nesting), cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_exclusions),   cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_deadline),     cmocka_unit_test(test_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
