/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/match_test.c - resource rules and selectors, and what the
 * index learns about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mutators/admission_policy/match.h"
#include "value/json.h"
#include "value/yaml.h"

static json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_yaml_reader *reader = fx_yaml_open(fx_text_of(text));
    json_t *value = NULL;
    assert_non_null(reader);
    if (!fx_yaml_next(reader, NULL, &value, &err)) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    fx_yaml_close(reader);
    return value;
}

/* A compiled `matchConstraints`, with its document. */
struct compiled_match {
    json_t *document;
    struct map_match match;
    struct fx_compilation compilation;
};

static void compile(struct compiled_match *compiled, const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf braces;
    fx_buf_init(&braces, 0);
    fx_buf_printf(&braces, "{%s}", text);
    *compiled = (struct compiled_match){.document = must_read(braces.data)};
    fx_buf_finish(&braces);
    assert_true(fx_map_match_read(compiled->document, "spec.matchResources",
                                  &compiled->match, &compiled->compilation, &err));
    if (compiled->compilation.n_faults > 0) {
        fail_msg("%s: %s", text, compiled->compilation.faults[0].text);
    }
}

static void drop(struct compiled_match *compiled) {
    fx_map_match_finish(&compiled->match);
    fx_compilation_finish(&compiled->compilation);
    json_decref(compiled->document);
}

/* ---- rules ------------------------------------------------------------------------- */

#define RULE(fields) "resourceRules: [{" fields "}]"
#define ALL          "apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']"
#define OF(groups, versions, operations, resources)                                  \
    "apiGroups: [" groups "], apiVersions: [" versions "], operations: [" operations \
    "], resources: [" resources "]"
#define POD       "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}}"
#define NODE      "{apiVersion: v1, kind: Node, metadata: {name: n}}"
#define NAMESPACE "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"

/* A row: does the match fit the object? `request` is the AdmissionRequest; NULL guesses
 * the resource. */
static const struct match_row {
    const char *match, *object, *request;
    enum fx_operation operation;
    enum map_criterion wanted;
} rows[] = {
    {RULE(ALL), POD, NULL, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(OF("''", "v1", "CREATE", "pods")), POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_NONE},
    {RULE(OF("''", "v1", "CREATE", "pods")), POD, NULL, FX_OPERATION_UPDATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(OF("''", "v1", "CREATE", "pods")), POD, NULL, FX_OPERATION_NONE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(ALL), POD, NULL, FX_OPERATION_DELETE, MAP_CRITERION_RESOURCE_RULES},
    {RULE(ALL), POD, NULL, FX_OPERATION_CONNECT, MAP_CRITERION_NONE},
    {RULE(OF("apps", "v1", "'*'", "pods")), POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(OF("''", "v2", "'*'", "pods")), POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(OF("apps, ''", "v2, v1", "'*'", "nodes, pods")), POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_NONE},
/* Subresources. */
#define SUB(sub) \
    "{resource: {group: '', version: v1, resource: pods}, subResource: " sub "}"
    {RULE(OF("''", "v1", "'*'", "pods")), POD, SUB("status"), FX_OPERATION_UPDATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(OF("''", "v1", "'*'", "pods/status")), POD, SUB("status"), FX_OPERATION_UPDATE,
     MAP_CRITERION_NONE},
    {RULE(OF("''", "v1", "'*'", "pods/*")), POD, SUB("status"), FX_OPERATION_UPDATE,
     MAP_CRITERION_NONE},
    {RULE(OF("''", "v1", "'*'", "pods/*")), POD, SUB("''"), FX_OPERATION_UPDATE,
     MAP_CRITERION_NONE},
    {RULE(OF("''", "v1", "'*'", "'*/*'")), POD, SUB("x"), FX_OPERATION_UPDATE,
     MAP_CRITERION_NONE},
    {RULE(OF("''", "v1", "'*'", "'*/scale'")), POD, SUB("status"), FX_OPERATION_UPDATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(ALL), POD, SUB("status"), FX_OPERATION_UPDATE, MAP_CRITERION_RESOURCE_RULES},
    /* Scopes: a Namespace is cluster-scoped. */
    {RULE(ALL ", scope: Namespaced"), POD, NULL, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL ", scope: Cluster"), POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(ALL ", scope: Cluster"), NODE, NULL, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL ", scope: Cluster"), NAMESPACE, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_NONE},
    {RULE(ALL ", scope: Namespaced"), NAMESPACE, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(ALL ", scope: '*'"), NODE, NULL, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    /* Names. */
    {RULE(ALL ", resourceNames: [q, p]"), POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_NONE},
    {RULE(ALL ", resourceNames: [q]"), POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(ALL ", resourceNames: []"), POD, NULL, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL ", resourceNames: [g]"),
     "{apiVersion: v1, kind: Pod, metadata: {generateName: g}}", NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_RESOURCE_RULES},
    /* Excluded resources. */
    {RULE(ALL) ", excludeResourceRules: [{" OF("''", "v1", "'*'", "pods") "}]", POD, NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_EXCLUDE_RESOURCE_RULES},
    {RULE(ALL) ", excludeResourceRules: [{" OF("''", "v1", "UPDATE", "pods") "}]", POD,
     NULL, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {"excludeResourceRules: [{" OF("''", "v1", "'*'", "nodes") "}]", POD, NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_NONE},
/* A request for another version, which the API server has converted. */
#define CONVERTED                                                            \
    "{resource: {group: '', version: v1, resource: pods}, requestResource: " \
    "{group: '', version: v2, resource: pods}}"
    {RULE(ALL), POD, CONVERTED, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL) ", matchPolicy: Equivalent", POD, CONVERTED, FX_OPERATION_CREATE,
     MAP_CRITERION_NONE},
    {RULE(ALL) ", matchPolicy: Exact", POD, CONVERTED, FX_OPERATION_CREATE,
     MAP_CRITERION_RESOURCE_RULES},
    {RULE(ALL) ", matchPolicy: Exact", POD, SUB("''"), FX_OPERATION_CREATE,
     MAP_CRITERION_NONE},
/* Selectors; the Namespace `shop` has team: red, the old object app: old. */
#define LABELED                                                                       \
    "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, labels: {app: " \
    "x}}}"
    {RULE(ALL) ", namespaceSelector: {matchLabels: {team: red}}", POD, NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL) ", namespaceSelector: {matchLabels: {team: blue}}", POD, NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_NAMESPACE_SELECTOR},
    {RULE(ALL) ", namespaceSelector: {matchLabels: {team: blue}}", NODE, NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL) ", namespaceSelector: {matchLabels: {team: red}}", NAMESPACE, NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_NAMESPACE_SELECTOR},
    {RULE(ALL) ", namespaceSelector: {matchLabels: {team: own}}",
     "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: own}}}", NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL) ", namespaceSelector: {}", POD, NULL, FX_OPERATION_CREATE,
     MAP_CRITERION_NONE},
    {RULE(ALL) ", objectSelector: {matchLabels: {app: x}}", LABELED, NULL,
     FX_OPERATION_CREATE, MAP_CRITERION_NONE},
    {RULE(ALL) ", objectSelector: {matchLabels: {app: old}}", LABELED, NULL,
     FX_OPERATION_UPDATE, MAP_CRITERION_NONE},
    {RULE(ALL) ", objectSelector: {matchLabels: {app: z}}", LABELED, NULL,
     FX_OPERATION_UPDATE, MAP_CRITERION_OBJECT_SELECTOR},
    {RULE(ALL) ", objectSelector: {matchExpressions: [{key: z, operator: "
               "DoesNotExist}]}",
     POD, NULL, FX_OPERATION_CREATE, MAP_CRITERION_NONE},
};

static const char *name_of(enum map_criterion criterion) {
    static const char *const names[] = {
#define X(name, text) text,
        MAP_CRITERIA(X)
#undef X
            "none",
    };
    return names[criterion];
}

static void check_row(size_t i, const struct match_row *row) {
    struct compiled_match compiled;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = must_read(row->object);
    json_t *admission = row->request == NULL ? NULL : must_read(row->request);
    json_t *namespace_ = must_read("{apiVersion: v1, kind: Namespace, metadata: {name: "
                                   "shop, labels: {team: red}}}");
    json_t *old = must_read("{metadata: {labels: {app: old}}}");
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_request request = {
        .operation = row->operation,
        .namespace_ = {subject.namespace_.len > 0 ? subject.namespace_.data : "",
                       subject.namespace_.len},
        .namespace_object = namespace_,
        .old_object = row->operation == FX_OPERATION_UPDATE ? old : NULL,
        .admission = admission};
    struct map_attributes attributes;
    enum map_criterion criterion = MAP_CRITERION_NONE;
    compile(&compiled, row->match);
    assert_true(fx_map_attributes_read(&request, &subject, &attributes));
    if (!fx_map_match_eval(&compiled.match, &attributes, &request, &subject, &criterion,
                           &err)) {
        fail_msg("row %zu: %s", i, err.msg);
    }
    if (criterion != row->wanted) {
        fail_msg("row %zu (%s): wanted %s, got %s", i, row->match, name_of(row->wanted),
                 name_of(criterion));
    }
    fx_map_attributes_finish(&attributes);
    drop(&compiled);
    json_decref(object);
    json_decref(admission);
    json_decref(namespace_);
    json_decref(old);
}

static void a_match_has_one_result(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        check_row(i, &rows[i]);
    }
}

/* A Namespace that is not known matters only if the rules match. */
static void an_unknown_namespace_is_an_error(void **state) {
    (void)state;
    static const char *const matches[] = {
        RULE(
            OF("apps", "v1", "'*'", "pods")) ", namespaceSelector: {matchLabels: {a: b}}",
        RULE(ALL) ", namespaceSelector: {matchLabels: {a: b}}",
    };
    for (size_t i = 0; i < FX_COUNT(matches); i++) {
        struct compiled_match compiled;
        struct fx_err err = FX_ERR_INIT;
        json_t *object = must_read(POD);
        struct fx_subject subject;
        fx_subject_read(object, &subject);
        const struct fx_request request = {.operation = FX_OPERATION_CREATE};
        struct map_attributes attributes;
        enum map_criterion criterion = MAP_CRITERION_NONE;
        compile(&compiled, matches[i]);
        assert_true(fx_map_attributes_read(&request, &subject, &attributes));
        assert_int_equal(fx_map_match_eval(&compiled.match, &attributes, &request,
                                           &subject, &criterion, &err),
                         i == 0);
        assert_string_equal(err.msg, i == 0 ? "" : "namespaces \"shop\" not found");
        fx_map_attributes_finish(&attributes);
        drop(&compiled);
        json_decref(object);
    }
}

static void policies_and_reviews_are_exempt(void **state) {
    (void)state;
    static const struct {
        const char *api_version, *kind;
        bool is_exempt;
    } kinds[] = {
        {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", true},
        {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", true},
        {"authentication.k8s.io/v1", "TokenReview", true},
        {"authorization.k8s.io/v1", "SubjectAccessReview", true},
        {"rbac.authorization.k8s.io/v1", "ClusterRole", false},
        {"v1", "TokenReview", false},
    };
    for (size_t i = 0; i < FX_COUNT(kinds); i++) {
        json_t *object = json_pack("{s:s, s:s}", "apiVersion", kinds[i].api_version,
                                   "kind", kinds[i].kind);
        struct fx_subject subject;
        struct map_attributes attributes;
        const struct fx_request request = {.operation = FX_OPERATION_CREATE};
        fx_subject_read(object, &subject);
        assert_true(fx_map_attributes_read(&request, &subject, &attributes));
        assert_int_equal(fx_map_is_exempt(&attributes), kinds[i].is_exempt);
        fx_map_attributes_finish(&attributes);
        json_decref(object);
    }
}

/* ---- the index --------------------------------------------------------------------- */

/* The bindings in one line: "apps/v1/Deployment 6, …"; "?" for any. */
static void print_bindings(struct fx_buf *buf, const struct fx_binding *bindings,
                           size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct fx_binding *one = &bindings[i];
        const struct fx_text any = FX_TEXT("?");
        fx_buf_str(buf, i > 0 ? ", " : "");
        fx_buf_text(buf, one->any_group ? any : one->group);
        fx_buf_char(buf, '/');
        fx_buf_text(buf, one->any_version ? any : one->version);
        fx_buf_char(buf, '/');
        fx_buf_text(buf, one->any_kind ? any : one->kind);
    }
}

static void the_index_knows_kinds(void **state) {
    (void)state;
    static const char *const matches[][2] = {
        {RULE(OF("''", "v1", "'*'", "pods, namespaces")), "/v1/Pod, /v1/Namespace"},
        {RULE(OF("apps", "'*'", "'*'", "deployments")), "apps/?/Deployment"},
        {RULE(OF("networking.k8s.io", "v1", "'*'", "ingresses, networkpolicies")),
         "networking.k8s.io/v1/Ingress, networking.k8s.io/v1/NetworkPolicy"},
        {RULE(OF("example.com", "v1", "'*'", "widgets")), "example.com/v1/?"},
        {RULE(OF("'*'", "v1", "'*'", "pods")), "?/v1/?"},
        {RULE(OF("apps", "v1", "'*'", "'*'")), "apps/v1/?"},
        {RULE(OF("''", "v1", "'*'", "pods/status")), "/v1/Pod"},
        {RULE(OF("apps", "v1", "'*'", "deployments/scale")), "?/?/?"},
        {RULE(OF("''", "v1", "'*'", "pods/*")), "?/?/?"},
        {"namespaceSelector: {}", ""},
    };
    for (size_t i = 0; i < FX_COUNT(matches); i++) {
        struct compiled_match compiled;
        struct fx_binding *bindings = NULL;
        struct fx_buf buf;
        size_t n = 0;
        compile(&compiled, matches[i][0]);
        fx_buf_init(&buf, 0);
        assert_true(fx_map_match_bindings(&compiled.match, &bindings, &n));
        print_bindings(&buf, bindings, n);
        if (!fx_text_is(fx_buf_view(&buf), matches[i][1])) {
            fail_msg("%s: wanted %s, got %s", matches[i][0], matches[i][1], buf.data);
        }
        fx_buf_finish(&buf);
        free(bindings);
        drop(&compiled);
    }
}

static void namespaces_are_known_by_name(void **state) {
    (void)state;
#define BY_NAME "kubernetes.io/metadata.name"
    static const struct {
        const char *match, *namespace_;
        bool may;
    } cases[] = {
        {"namespaceSelector: {matchLabels: {" BY_NAME ": a}}", "a", true},
        {"namespaceSelector: {matchLabels: {" BY_NAME ": a}}", "b", false},
        {"namespaceSelector: {matchLabels: {" BY_NAME ": a}}", "", true},
        {"namespaceSelector: {matchLabels: {" BY_NAME ": a, x: z}}", "b", true},
        {"namespaceSelector: {matchExpressions: [{key: " BY_NAME
         ", operator: NotIn, values: [kube-system]}]}",
         "kube-system", false},
        {"namespaceSelector: {}", "a", true},
        {"objectSelector: {}", "a", true},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct compiled_match compiled;
        compile(&compiled, cases[i].match);
        assert_int_equal(
            fx_map_match_may_match_namespace(&compiled.match, compiled.document,
                                             fx_text_of(cases[i].namespace_)),
            cases[i].may);
        drop(&compiled);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_has_one_result),
        cmocka_unit_test(an_unknown_namespace_is_an_error),
        cmocka_unit_test(policies_and_reviews_are_exempt),
        cmocka_unit_test(the_index_knows_kinds),
        cmocka_unit_test(namespaces_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
