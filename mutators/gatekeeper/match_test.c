/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/match_test.c - spec.match, criterion by criterion, and their order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "engine/fake_mutator.h"
#include "mutators/gatekeeper/match.h"

#define POD(metadata) \
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": " metadata "}"
#define IN_NS POD("{\"name\": \"p\", \"namespace\": \"ns\"}")
#define CLUSTER_ROLE                                                                 \
    "{\"apiVersion\": \"rbac.authorization.k8s.io/v1\", \"kind\": \"ClusterRole\", " \
    "\"metadata\": {\"name\": \"r\"}}"
#define NAMESPACE                                                                 \
    "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": " \
    "\"ns\", "                                                                    \
    "\"labels\": {\"env\": \"prod\"}}}"
#define PREFIX "failed to run Match criteria: "

/* `says`: NULL: it matches; else the criterion that does not hold, or the error. */
struct match_case {
    const char *match, *object, *around, *source, *says;
};

static const struct match_case cases[] = {
    {"null", IN_NS, NULL, "", NULL},
    {"{}", IN_NS, NULL, "", NULL},
    /* kinds */
    {"{\"kinds\": []}", IN_NS, NULL, "", NULL},
    {"{\"kinds\": [{}]}", IN_NS, NULL, "", NULL},
    {"{\"kinds\": [{\"kinds\": [\"Pod\"]}]}", IN_NS, NULL, "", NULL},
    {"{\"kinds\": [{\"kinds\": [\"pod\"]}]}", IN_NS, NULL, "", "kinds"},
    {"{\"kinds\": [{\"apiGroups\": [\"\"], \"kinds\": [\"*\"]}]}", IN_NS, NULL, "", NULL},
    {"{\"kinds\": [{\"apiGroups\": [\"apps\"], \"kinds\": [\"Pod\"]}]}", IN_NS, NULL, "",
     "kinds"},
    {"{\"kinds\": [{\"apiGroups\": [\"apps\"]}, {\"apiGroups\": [\"*\"], \"kinds\": "
     "[\"Pod\"]}]}",
     IN_NS, NULL, "", NULL},
    {"{\"kinds\": [{\"apiGroups\": [\"rbac*\"]}]}", CLUSTER_ROLE, NULL, "", "kinds"},
    {"{\"kinds\": [null]}", IN_NS, NULL, "", NULL},
    /* scope */
    {"{\"scope\": \"Cluster\"}", CLUSTER_ROLE, NULL, "", NULL},
    {"{\"scope\": \"Cluster\"}", NAMESPACE, NULL, "", NULL},
    {"{\"scope\": \"Cluster\"}", NAMESPACE, NAMESPACE, "", NULL},
    {"{\"scope\": \"Cluster\"}", IN_NS, NULL, "", "scope"},
    {"{\"scope\": \"Cluster\"}", CLUSTER_ROLE, NAMESPACE, "", "scope"},
    {"{\"scope\": \"Namespaced\"}", IN_NS, NULL, "", NULL},
    {"{\"scope\": \"Namespaced\"}", POD("{}"), NAMESPACE, "", NULL},
    {"{\"scope\": \"Namespaced\"}", POD("{}"), NULL, "", "scope"},
    {"{\"scope\": \"Namespaced\"}", NAMESPACE, NULL, "", "scope"},
    {"{\"scope\": \"cluster\"}", IN_NS, NULL, "", NULL},
    {"{\"scope\": \"\"}", IN_NS, NULL, "", NULL},
    /* namespaces */
    {"{\"namespaces\": [\"x\", \"n*\"]}", IN_NS, NULL, "", NULL},
    {"{\"namespaces\": [\"x\"]}", IN_NS, NULL, "", "namespaces"},
    {"{\"namespaces\": [\"x\"]}", CLUSTER_ROLE, NULL, "", NULL},
    {"{\"namespaces\": [\"ns\"]}", NAMESPACE, NULL, "", NULL},
    {"{\"namespaces\": [\"x\"]}", NAMESPACE, NULL, "", "namespaces"},
    /* The accompanying namespace's name comes before metadata.namespace. */
    {"{\"namespaces\": [\"ns\"]}", POD("{\"namespace\": \"x\"}"), NAMESPACE, "", NULL},
    {"{\"namespaces\": [\"x\"]}", POD("{\"namespace\": \"x\"}"), NAMESPACE, "",
     "namespaces"},
    {"{\"namespaces\": [\"ns\"]}", POD("{}"), "{\"metadata\": {}}", "", "namespaces"},
    {"{\"namespaces\": [null]}", POD("{}"), "{}", "", NULL},
    /* excludedNamespaces */
    {"{\"excludedNamespaces\": [\"ns\"]}", IN_NS, NULL, "", "excludedNamespaces"},
    {"{\"excludedNamespaces\": [\"*s\"]}", IN_NS, NULL, "", "excludedNamespaces"},
    {"{\"excludedNamespaces\": [\"x\"]}", IN_NS, NULL, "", NULL},
    {"{\"excludedNamespaces\": [\"*\"]}", CLUSTER_ROLE, NULL, "", NULL},
    {"{\"excludedNamespaces\": [\"ns\"]}", NAMESPACE, NULL, "", "excludedNamespaces"},
    {"{\"namespaces\": [\"ns\"], \"excludedNamespaces\": [\"ns\"]}", IN_NS, NULL, "",
     "excludedNamespaces"},
    /* labelSelector */
    {"{\"labelSelector\": {}}", IN_NS, NULL, "", NULL},
    {"{\"labelSelector\": null}", IN_NS, NULL, "", NULL},
    {"{\"labelSelector\": {\"matchLabels\": {\"a\": \"b\"}}}", IN_NS, NULL, "",
     "labelSelector"},
    {"{\"labelSelector\": {\"matchLabels\": {\"a\": \"b\"}}}",
     POD("{\"labels\": {\"a\": \"b\"}}"), NULL, "", NULL},
    {"{\"labelSelector\": {\"matchExpressions\": [{\"operator\": \"Bad\"}]}}", IN_NS,
     NULL, "", PREFIX "\"Bad\" is not a valid label selector operator"},
    /* An early no hides a later error. */
    {"{\"namespaces\": [\"x\"], \"labelSelector\": {\"matchExpressions\": "
     "[{\"operator\": \"Bad\"}]}}",
     IN_NS, NULL, "", "namespaces"},
    /* namespaceSelector */
    {"{\"namespaceSelector\": {\"matchLabels\": {\"env\": \"prod\"}}}", IN_NS, NAMESPACE,
     "", NULL},
    {"{\"namespaceSelector\": {\"matchLabels\": {\"env\": \"dev\"}}}", IN_NS, NAMESPACE,
     "", "namespaceSelector"},
    {"{\"namespaceSelector\": {\"matchLabels\": {\"env\": \"prod\"}}}", NAMESPACE, NULL,
     "", NULL},
    {"{\"namespaceSelector\": {\"matchLabels\": {\"env\": \"dev\"}}}", CLUSTER_ROLE, NULL,
     "", NULL},
    {"{\"namespaceSelector\": {\"matchExpressions\": [{\"operator\": \"Bad\"}]}}",
     CLUSTER_ROLE, NULL, "", NULL},
    {"{\"namespaceSelector\": {}}", IN_NS, NULL, "",
     PREFIX "namespace selector for namespace-scoped object but missing Namespace"},
    {"{\"namespaceSelector\": {\"matchExpressions\": [{\"operator\": \"Bad\"}]}}", IN_NS,
     NULL, "", PREFIX "\"Bad\" is not a valid label selector operator"},
    {"{\"namespaceSelector\": {}}", IN_NS, "{}", "", NULL},
    /* name */
    {"{\"name\": \"p\"}", IN_NS, NULL, "", NULL},
    {"{\"name\": \"\"}", IN_NS, NULL, "", NULL},
    {"{\"name\": \"q\"}", IN_NS, NULL, "", "name"},
    {"{\"name\": \"q*\"}", POD("{\"generateName\": \"q-\"}"), NULL, "", NULL},
    {"{\"name\": \"*-\"}", POD("{\"generateName\": \"q-\"}"), NULL, "", "name"},
    {"{\"name\": \"q-\"}", POD("{\"generateName\": \"q-\"}"), NULL, "", "name"},
    /* source */
    {"{\"source\": \"\"}", IN_NS, NULL, "", NULL},
    {"{\"source\": \"All\"}", IN_NS, NULL, "", NULL},
    {"{\"source\": \"All\"}", IN_NS, NULL, "Bogus", NULL},
    {"{\"source\": \"Original\"}", IN_NS, NULL, "Original", NULL},
    {"{\"source\": \"Original\"}", IN_NS, NULL, "Generated", "source"},
    {"{\"source\": \"Original\"}", IN_NS, NULL, "All", "source"},
    {"{\"source\": \"Original\"}", IN_NS, NULL, "",
     PREFIX "source field not specified for resource p"},
    {"{\"source\": \"Original\"}", IN_NS, NULL, "Bo\"gus",
     PREFIX "invalid source field \"Bo\\\"gus\""},
    {"{\"source\": \"all\"}", IN_NS, NULL, "", PREFIX "invalid source field \"all\""},
    {"{\"name\": \"q\", \"source\": \"all\"}", IN_NS, NULL, "", "name"},
};

static void run_case(const struct match_case *c, enum fx_match_syntax syntax) {
    json_t *node = fake_json(c->match);
    json_t *object = fake_json(c->object);
    json_t *around = c->around == NULL ? NULL : fake_json(c->around);
    assert_true(node != NULL && object != NULL && (c->around == NULL || around != NULL));
    const struct fx_request request = {
        .source = fx_source_parse(fx_text_of(c->source)),
        .source_text = fx_text_of(c->source),
        .namespace_object = around,
    };
    struct fx_subject subject;
    struct fx_match *match = NULL;
    struct fx_verdict verdict = {false, NULL};
    struct fx_err err = FX_ERR_INIT;
    fx_subject_read(object, &subject);
    assert_true(fx_match_compile(node, syntax, &match, &err));
    const bool ok = fx_match_eval(match, &request, &subject, &verdict, &err);
    const char *says = ok ? verdict.criterion : err.msg;
    if ((says == NULL) != (c->says == NULL) ||
        (says != NULL && strcmp(says, c->says) != 0) ||
        (ok && verdict.matched != (says == NULL))) {
        fail_msg("%s on %s: %s", c->match, c->object, says == NULL ? "matches" : says);
    }
    fx_match_destroy(match);
    json_decref(around);
    json_decref(object);
    json_decref(node);
}

static void matches(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        run_case(&cases[i], FX_MATCH_GATEKEEPER);
        run_case(&cases[i], FX_MATCH_EXTENDED);
    }
}

#define ANNOTATED(annotations) POD("{\"annotations\": " annotations "}")
#define BY_ANNOTATION \
    "{\"annotationSelector\": {\"matchLabels\": {\"a\": \"any text!\"}}}"

/* The criterion that is not Gatekeeper's, and its position among the others. */
static const struct match_case extended[] = {
    {"{\"annotationSelector\": {}}", IN_NS, NULL, "", NULL},
    {"{\"annotationSelector\": null}", IN_NS, NULL, "", NULL},
    {BY_ANNOTATION, ANNOTATED("{\"a\": \"any text!\"}"), NULL, "", NULL},
    {BY_ANNOTATION, ANNOTATED("{\"a\": \"other\"}"), NULL, "", "annotationSelector"},
    {BY_ANNOTATION, POD("{\"labels\": {\"a\": \"any text!\"}}"), NULL, "",
     "annotationSelector"},
    {BY_ANNOTATION, POD("{\"annotations\": []}"), NULL, "", "annotationSelector"},
    {"{\"annotationSelector\": {\"matchExpressions\": [{\"key\": \"a\", \"operator\": "
     "\"NotIn\", \"values\": [\"\"]}]}}",
     IN_NS, NULL, "", NULL},
    {"{\"namespaceSelector\": {\"matchLabels\": {\"a\": \"b\"}}, \"annotationSelector\": "
     "{\"matchLabels\": {\"a\": \"b\"}}}",
     IN_NS, NAMESPACE, "", "namespaceSelector"},
    {"{\"annotationSelector\": {\"matchLabels\": {\"a\": \"b\"}}, \"name\": \"q\"}",
     IN_NS, NULL, "", "annotationSelector"},
    {"{\"annotationSelector\": {}, \"name\": \"q\"}", IN_NS, NULL, "", "name"},
};

static void matches_annotations(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(extended); i++) {
        run_case(&extended[i], FX_MATCH_EXTENDED);
    }
    /* Gatekeeper does not know it, whatever it says. */
    static const struct match_case unknown[] = {
        {BY_ANNOTATION, IN_NS, NULL, "", NULL},
        {"{\"annotationSelector\": 5}", IN_NS, NULL, "", NULL},
    };
    for (size_t i = 0; i < FX_COUNT(unknown); i++) {
        run_case(&unknown[i], FX_MATCH_GATEKEEPER);
    }
}

/* A bad one is refused at once. */
static void refuses_annotation_selectors(void **state) {
    (void)state;
    static const struct {
        const char *match, *error, *node;
    } rows[] = {
        {"{\"annotationSelector\": 5}",
         "json: cannot unmarshal number into Go struct field "
         "Match.spec.match.annotationSelector of type v1.LabelSelector",
         "5"},
        {"{\"annotationSelector\": {\"matchExpressions\": [{\"key\": \"a\", "
         "\"operator\": \"Inn\"}]}}",
         "spec.match.annotationSelector: \"Inn\" is not a valid label selector operator",
         "{\"key\": \"a\", \"operator\": \"Inn\"}"},
        {"{\"annotationSelector\": {\"matchExpressions\": [{\"key\": \"a\", "
         "\"operator\": \"In\"}]}}",
         "spec.match.annotationSelector: values: Invalid value: []string(nil): for 'in', "
         "'notin' operators, values set can't be empty",
         "{\"key\": \"a\", \"operator\": \"In\"}"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        json_t *node = fake_json(rows[i].match);
        json_t *expected = fake_json(rows[i].node);
        struct fx_match *match = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_match_compile(node, FX_MATCH_EXTENDED, &match, &err));
        assert_string_equal(err.msg, rows[i].error);
        assert_int_equal(err.code, FX_EINVALID);
        assert_true(json_equal(err.node, expected));
        json_decref(expected);
        json_decref(node);
    }
}

static const struct {
    const char *match, *error;
} refused[] = {
    {"[]", "json: cannot unmarshal array into Go struct field Spec.spec.match of type "
           "match.Match"},
    {"{\"kinds\": {}}", "json: cannot unmarshal object into Go struct field "
                        "Match.spec.match.kinds of type []match.Kinds"},
    {"{\"kinds\": [\"Pod\"]}", "json: cannot unmarshal string into Go struct field "
                               "Match.spec.match.kinds of type match.Kinds"},
    {"{\"kinds\": [{\"kinds\": \"Pod\"}]}",
     "json: cannot unmarshal string into Go struct field Kinds.spec.match.kinds.kinds of "
     "type []string"},
    {"{\"kinds\": [{\"apiGroups\": [1]}]}",
     "json: cannot unmarshal number into Go struct field "
     "Kinds.spec.match.kinds.apiGroups of type string"},
    {"{\"scope\": true}", "json: cannot unmarshal bool into Go struct field "
                          "Match.spec.match.scope of type v1.ResourceScope"},
    {"{\"namespaces\": \"x\"}",
     "json: cannot unmarshal string into Go struct field "
     "Match.spec.match.namespaces of type []wildcard.Wildcard"},
    {"{\"excludedNamespaces\": [{}]}",
     "json: cannot unmarshal object into Go struct field "
     "Match.spec.match.excludedNamespaces of type wildcard.Wildcard"},
    {"{\"labelSelector\": 1}", "json: cannot unmarshal number into Go struct field "
                               "Match.spec.match.labelSelector of type v1.LabelSelector"},
    {"{\"namespaceSelector\": {\"matchLabels\": 1}}",
     "json: cannot unmarshal number into Go struct field "
     "LabelSelector.spec.match.namespaceSelector.matchLabels of type map[string]string"},
    {"{\"name\": 1}", "json: cannot unmarshal number into Go struct field "
                      "Match.spec.match.name of type wildcard.Wildcard"},
    {"{\"source\": []}", "json: cannot unmarshal array into Go struct field "
                         "Match.spec.match.source of type string"},
};

static void wrong_types(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        json_t *node = fake_json(refused[i].match);
        struct fx_match *match = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_match_compile(node, FX_MATCH_GATEKEEPER, &match, &err));
        assert_string_equal(err.msg, refused[i].error);
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(err.node);
        json_decref(node);
    }
}

/* `says`: NULL: nothing; `node`: what is pointed at. */
static const struct {
    const char *match, *says, *node;
} checked[] = {
    {"null", NULL, NULL},
    {"{\"source\": \"Original\", \"namespaceSelector\": {}}", NULL, NULL},
    {"{\"source\": \"Bar\"}", PREFIX "invalid source field \"Bar\"", "\"Bar\""},
    {"{\"labelSelector\": {\"matchLabels\": {\"a\": \"b\"}, \"matchExpressions\": "
     "[{\"key\": \"k\", \"operator\": \"Exists\"}, {\"operator\": \"Inn\"}]}}",
     PREFIX "\"Inn\" is not a valid label selector operator", "{\"operator\": \"Inn\"}"},
    {"{\"namespaceSelector\": {\"matchLabels\": {\"a\": \"-\"}}}",
     PREFIX
     "values[0][a]: Invalid value: \"-\": a valid label must be an empty string or "
     "consist of alphanumeric characters, '-', '_' or '.', and must start and end "
     "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
     "'12345', regex used for validation is "
     "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
     "{\"a\": \"-\"}"},
    {"{\"namespaceSelector\": {\"matchExpressions\": [null]}}",
     PREFIX "\"\" is not a valid label selector operator", "[null]"},
    /* The first of several. */
    {"{\"source\": \"Bar\", \"labelSelector\": {\"matchExpressions\": "
     "[{\"key\": \"k\", \"operator\": \"In\"}]}}",
     PREFIX "values: Invalid value: []string(nil): for 'in', 'notin' operators, values "
            "set can't be empty",
     "{\"key\": \"k\", \"operator\": \"In\"}"},
};

static void can_only_fail(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(checked); i++) {
        json_t *node = fake_json(checked[i].match);
        struct fx_match *match = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_true(fx_match_compile(node, FX_MATCH_GATEKEEPER, &match, &err));
        assert_int_equal(fx_match_check(match, &err), checked[i].says == NULL);
        if (checked[i].says != NULL) {
            json_t *expected = fake_json(checked[i].node);
            assert_int_equal(err.code, FX_EMUTATE);
            assert_string_equal(err.msg, checked[i].says);
            assert_true(json_equal(err.node, expected));
            json_decref(expected);
        }
        fx_match_destroy(match);
        json_decref(node);
    }
}

static void exact_namespaces(void **state) {
    (void)state;
    static const struct {
        const char *match;
        size_t n;
    } lists[] = {
        {"null", 0},
        {"{\"namespaces\": []}", 0},
        {"{\"namespaces\": [\"a\", \"b\"]}", 2},
        {"{\"namespaces\": [\"a\", \"b*\"]}", 0},
    };
    for (size_t i = 0; i < FX_COUNT(lists); i++) {
        json_t *node = fake_json(lists[i].match);
        struct fx_match *match = NULL;
        struct fx_err err = FX_ERR_INIT;
        size_t n = 99;
        assert_true(fx_match_compile(node, FX_MATCH_GATEKEEPER, &match, &err));
        json_decref(node); /* the match keeps what it needs */
        const struct fx_text *names = fx_match_exact_namespaces(match, &n);
        assert_int_equal(n, lists[i].n);
        assert_true(n == 0 || (fx_text_is(names[0], "a") && fx_text_is(names[1], "b")));
        fx_match_destroy(match);
    }
    fx_match_destroy(NULL);
}

static void subjects(void **state) {
    (void)state;
    static const struct {
        const char *object, *group, *version;
        bool is_namespace;
    } objects[] = {
        {"{\"apiVersion\": \"v1\", \"kind\": \"Namespace\"}", "", "v1", true},
        {"{\"apiVersion\": \"apps/v1\", \"kind\": \"Namespace\"}", "apps", "v1", false},
        {"{\"apiVersion\": \"/v1\", \"kind\": \"Namespace\"}", "", "v1", true},
        {"{\"apiVersion\": \"group/\"}", "group", "", false},
        {"{\"apiVersion\": \"/\"}", "", "", false},
        {"{\"apiVersion\": \"a/b/c\"}", "", "", false},
        {"{\"apiVersion\": 1, \"kind\": [], \"metadata\": []}", "", "", false},
        {"[]", "", "", false},
    };
    for (size_t i = 0; i < FX_COUNT(objects); i++) {
        json_t *object = fake_json(objects[i].object);
        struct fx_subject subject;
        fx_subject_read(object, &subject);
        assert_true(fx_text_is(subject.group, objects[i].group));
        assert_true(fx_text_is(subject.version, objects[i].version));
        assert_int_equal(subject.is_namespace, objects[i].is_namespace);
        assert_null(subject.labels);
        json_decref(object);
    }
}

static void vocabularies(void **state) {
    (void)state;
    assert_int_equal(fx_operation_parse(FX_TEXT("UPDATE")), FX_OPERATION_UPDATE);
    assert_int_equal(fx_operation_parse(FX_TEXT("update")), FX_OPERATION_NONE);
    assert_int_equal(fx_operation_parse(FX_TEXT("")), FX_OPERATION_NONE);
    assert_string_equal(fx_operation_name(FX_OPERATION_CONNECT), "CONNECT");
    assert_string_equal(fx_operation_name(FX_OPERATION_NONE), "");
    assert_int_equal(fx_source_parse(FX_TEXT("Generated")), FX_SOURCE_GENERATED);
    assert_int_equal(fx_source_parse(FX_TEXT("")), FX_SOURCE_NONE);
    assert_int_equal(fx_source_parse(FX_TEXT("generated")), FX_SOURCE_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(subjects),
        cmocka_unit_test(exact_namespaces),
        cmocka_unit_test(vocabularies),
        cmocka_unit_test(can_only_fail),
        cmocka_unit_test(matches_annotations),
        cmocka_unit_test(refuses_annotation_selectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
