/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/ignore_test.c - the label by which a namespace keeps rules away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/mutator.h"
#include "engine/request.h"
#include "mutators/kubemod/testing.h"

#define LABEL            "admission.kubemod.io/ignore"
#define LABELS(value)    "labels: {" LABEL ": " value "}"
#define NAMESPACE(value) "{kind: Namespace, metadata: {name: ns, " LABELS(value) "}}"
#define POD              "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}}"
#define RULE_OF(namespace, type, more)                                                  \
    "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, "          \
    "namespace: " namespace "}, spec: {type: " type ", match: [{select: $.kind}] " more \
                            "}}"
#define PATCH   ", patch: [{op: add, path: /x}]"
#define OURS    RULE_OF("ns", "Patch", PATCH)
#define CLUSTER RULE_OF("kubemod-system", "Patch", ", targetNamespaceRegex: '.*'" PATCH)

static const struct {
    const char *about, *rule, *object;
    const char *namespace_object; /* NULL: not known */
    const char *criterion;        /* NULL: it matches */
} cases[] = {
    {"labelled", OURS, POD, NAMESPACE("'true'"), LABEL},
    {"and a rule of the cluster", CLUSTER, POD, NAMESPACE("'true'"), LABEL},
    {"and a validator", RULE_OF("ns", "Reject", ""), POD, NAMESPACE("'true'"), LABEL},
    {"another value", OURS, POD, NAMESPACE("'True'"), NULL},
    {"no text", OURS, POD, NAMESPACE("true"), NULL},
    {"another label", OURS, POD, "{metadata: {name: ns, labels: {a: 'true'}}}", NULL},
    {"an annotation", OURS, POD,
     "{metadata: {name: ns, annotations: {" LABEL ": 'true'}}}", NULL},
    {"no labels", OURS, POD, "{metadata: {name: ns}}", NULL},
    {"an unknown Namespace", OURS, POD, NULL, NULL},
    {"a label of the object is none of its namespace", OURS,
     "{kind: Pod, metadata: {name: p, namespace: ns, " LABELS("'true'") "}}",
     NAMESPACE("''"), NULL},
    {"the Namespace itself", CLUSTER,
     "{apiVersion: v1, kind: Namespace, metadata: {name: ns, " LABELS("'true'") "}}",
     NULL, LABEL},
    {"the Namespace itself, as it is to be", CLUSTER,
     "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}", NAMESPACE("'true'"),
     NULL},
    {"what is in no namespace", CLUSTER,
     "{apiVersion: v1, kind: Node, metadata: {name: n, " LABELS("'true'") "}}", NULL,
     NULL},
    {"not even with one at hand", CLUSTER,
     "{apiVersion: v1, kind: Node, metadata: {name: n}}", NAMESPACE("'true'"), NULL},
    {"another group's Namespace", CLUSTER,
     "{apiVersion: x/v1, kind: Namespace, metadata: {name: n, " LABELS("'true'") "}}",
     NULL, NULL},
};

static void expect(size_t at, const struct fx_mutator *rule) {
    json_t *object = must_read(cases[at].object);
    json_t *namespace_object =
        cases[at].namespace_object == NULL ? NULL : must_read(cases[at].namespace_object);
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_request request = {
        .operation = FX_OPERATION_CREATE,
        .namespace_ = subject.namespace_.len > 0 ? subject.namespace_ : FX_TEXT(""),
        .namespace_object = namespace_object,
    };
    struct fx_verdict verdict;
    struct fx_err err = FX_ERR_INIT;
    assert_true(rule->ops->match(rule, &request, &subject, &verdict, &err));
    assert_int_equal(verdict.matched, cases[at].criterion == NULL);
    if (cases[at].criterion != NULL) {
        assert_string_equal(verdict.criterion, cases[at].criterion);
    }
    json_decref(namespace_object);
    json_decref(object);
}

static void keeps_away(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].about);
        struct fx_compilation made = {0};
        struct fx_err err = FX_ERR_INIT;
        json_t *policy = must_read(cases[i].rule);
        assert_true(fx_dialect_kubemod.compile(policy, &made, &err));
        expect(i, made.mutators[0]);
        fx_compilation_finish(&made);
        json_decref(policy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
