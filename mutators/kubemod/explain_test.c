/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/explain_test.c - why a rule does not match, where it writes, and an
 * object on which it acts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/access.h"
#include "engine/request.h"
#include "mutators/kubemod/modrule.h"
#include "mutators/kubemod/testing.h"

#define OBJECT                                                                        \
    "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, labels: {app: " \
    "api}}, num: 3, big: 1000650000, z: null, t: true, l: [a, b], none: [], m: {k: v}}"

static void compile(const char *text, struct fx_compilation *ret_compilation) {
    struct fx_err err = FX_ERR_INIT;
    json_t *policy = must_read(text);
    if (!fx_dialect_kubemod.compile(policy, ret_compilation, &err)) {
        fail_msg("%s: %s", text, err.msg);
    }
    json_decref(policy);
}

/* ---- why ------------------------------------------------------------------------- */

#define ITEM(item) "namespace: shop}, spec: {match: [{" item "}]"

static const struct {
    const char *rule, *criterion, *wanted, *found;
} cases[] = {
    {ITEM("select: $.kind, matchValue: Job"), "match[0]", "$.kind == \"Job\"", "\"Pod\""},
    {ITEM("select: $.kind, matchValues: [Job, 'a\"b']"), "match[0]",
     "$.kind in [\"Job\", \"a\\\"b\"]", "\"Pod\""},
    {ITEM("select: $.kind, matchRegex: '^J\\d'"), "match[0]", "$.kind =~ ^J\\d",
     "\"Pod\""},
    {ITEM("select: $.kind, matchValue: Pod, negate: true"), "match[0]",
     "not $.kind == \"Pod\"", "\"Pod\""},
    {ITEM("select: '$.l[*]', matchFor: All, matchValue: a"), "match[0]",
     "all of $.l[*] == \"a\"", "[\"a\",\"b\"]"},
    {ITEM("select: $.none"), "match[0]", "$.none", "nothing"},
    {ITEM("select: $.no"), "match[0]", "$.no", "nothing"},
    {ITEM("select: $.z"), "match[0]", "$.z", "null"},
    {ITEM("select: $.num, matchValue: '4'"), "match[0]", "$.num == \"4\"", "3"},
    {ITEM("select: $.big, matchValue: '1000650000'"), "match[0]",
     "$.big == \"1000650000\"", "1000650000, which counts as 1.00065e+09"},
    {ITEM("select: $.m, matchValue: v"), "match[0]", "$.m == \"v\"", "{\"k\":\"v\"}"},
    /* The paths that an expression reads are reported, too. */
    {ITEM("select: '$.num > 3'"), "match[0]", "$.num > 3", "false, as $.num is 3"},
    {ITEM("select: '$.num > 3 || isDefined($.no)'"), "match[0]",
     "$.num > 3 || isDefined($.no)", "false, as $.num is 3, $.no is nothing"},
    {ITEM("select: 'kind == \"Job\"'"), "match[0]", "kind == \"Job\"",
     "false, as kind is \"Pod\""},
    {ITEM("select: '!$.t && $.num == 1 && $.num == 2 && $.num == 3 && $.num == 4'"),
     "match[0]", "!$.t && $.num == 1 && $.num == 2 && $.num == 3 && $.num == 4",
     "false, as $.t is true, $.num is 3, $.num is 3, $.num is 3, …"},
    {ITEM("select: 'false'"), "match[0]", "false", "false"},
    /* A rule that fails on the object does not match. */
    {ITEM("select: $.kind.x"), "match[0]", "$.kind.x",
     "an error: nothing can be selected from a text"},
    /* Before the items. */
    {"namespace: prod}, spec: {match: [{select: $.kind}]", "namespace", "prod",
     "namespace shop"},
    {"namespace: kubemod-system}, spec: {targetNamespaceRegex: ^prod-, match: [{select: "
     "$.kind}]",
     "targetNamespaceRegex", "^prod-", "namespace shop"},
    {"namespace: kubemod-system}, spec: {match: [{select: $.kind}]",
     "targetNamespaceRegex", "none, so only cluster-scoped objects", "namespace shop"},
    {"namespace: shop}, spec: {admissionOperations: [DELETE, UPDATE], match: [{select: "
     "$.kind}]",
     "admissionOperations", "UPDATE, DELETE", "CREATE"},
};

/* Matches the object, which the criterion is to keep from it. */
static void ask(const struct fx_mutator *rule, json_t *object, const char *criterion,
                struct fx_criterion *ret_criterion, struct fx_buf *found) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    struct fx_subject subject;
    struct fx_verdict verdict = {.matched = false};
    struct fx_err err = FX_ERR_INIT;
    fx_subject_read(object, &subject);
    fx_buf_init(found, 0);
    assert_true(rule->ops->match(rule, &request, &subject, &verdict, &err));
    assert_false(verdict.matched);
    assert_string_equal(verdict.criterion, criterion);
    fx_mutator_explain(rule, verdict.criterion, ret_criterion);
    rule->ops->found(rule, &request, &subject, verdict.criterion, found);
}

static void says_what_it_wants_and_finds(void **state) {
    (void)state;
    json_t *object = must_read(OBJECT);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char text[1024];
        struct fx_compilation made = {0};
        struct fx_criterion criterion;
        struct fx_buf found;
        (void)snprintf(text, sizeof text,
                       "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: "
                       "{name: r, %s, type: Reject}}",
                       cases[i].rule);
        compile(text, &made);
        ask(made.mutators[0], object, cases[i].criterion, &criterion, &found);
        assert_string_equal(criterion.field.data, cases[i].criterion);
        assert_string_equal(criterion.wanted.data, cases[i].wanted);
        assert_string_equal(found.data, cases[i].found);
        fx_criterion_finish(&criterion);
        fx_buf_finish(&found);
        fx_compilation_finish(&made);
    }
    json_decref(object);
}

/* Of a long value, a line or two are reported. */
static void cuts_what_it_finds(void **state) {
    (void)state;
    struct fx_compilation made = {0};
    struct fx_criterion criterion;
    struct fx_buf found;
    compile("{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, "
            "namespace: shop}, spec: {type: Reject, match: [{select: $.text, matchValue: "
            "x}]}}",
            &made);
    json_t *object = must_read(OBJECT);
    char long_text[1001];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_int_equal(json_object_set_new(object, "text", json_string(long_text)), 0);
    ask(made.mutators[0], object, "match[0]", &criterion, &found);
    assert_in_range(found.len, 100, 200);
    assert_string_equal(found.data + found.len - strlen("x…"), "x…");
    fx_criterion_finish(&criterion);
    fx_buf_finish(&found);
    fx_compilation_finish(&made);
    json_decref(object);
}

/* ---- where it writes ------------------------------------------------------------- */

#define MEMBER(name)  {FX_PATH_MEMBER, {name, sizeof name - 1}, NULL}
#define TOKEN(name)   {FX_PATH_TOKEN, {name, sizeof name - 1}, NULL}
#define ELEMENT(name) {FX_PATH_ELEMENT, {name, sizeof name - 1}, NULL}

static const struct {
    struct fx_path_step path[4];
    size_t n_steps;
    bool may;
} paths[] = {
    {{MEMBER("a")}, 0, true},
    {{MEMBER("a")}, 1, true},
    {{MEMBER("x")}, 1, false},
    {{MEMBER("a"), MEMBER("b/c")}, 2, true},
    {{TOKEN("a"), TOKEN("b/c"), TOKEN("d")}, 3, true},
    {{MEMBER("a"), MEMBER("b~1c")}, 2, false},
    {{MEMBER("l"), ELEMENT("name")}, 2, true},
    {{TOKEN("l"), TOKEN("7")}, 2, true},
    {{MEMBER("m"), ELEMENT("name"), MEMBER("i")}, 3, true},
    {{MEMBER("m"), TOKEN("0"), MEMBER("i")}, 3, true},
    {{MEMBER("m"), TOKEN("1")}, 2, false},
    {{MEMBER("m"), ELEMENT("name"), MEMBER("x")}, 3, false},
    {{MEMBER("n"), ELEMENT("name")}, 2, false},
    {{MEMBER("k#0")}, 1, true},
    {{MEMBER("s"), ELEMENT("name"), MEMBER("i"), MEMBER("x")}, 4, true},
};

static void tells_where_it_writes(void **state) {
    (void)state;
    struct fx_compilation made = {0};
    compile("{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, "
            "namespace: shop}, spec: {type: Patch, match: [{select: $.kind}], patch: ["
            "{op: add, path: /a/b~1c, value: x}, {op: add, path: /l/-, value: x}, "
            "{op: add, path: /m/0/i, value: x}, {op: add, path: /n/o, value: x}, "
            "{op: add, path: '/k#0', value: x}, "
            "{op: add, select: '$.s[*]', path: 'x/s/#0/i#0', value: x}]}}",
            &made);
    const struct fx_mutator *rule = made.mutators[0];
    for (size_t i = 0; i < FX_COUNT(paths); i++) {
        struct fx_err err = FX_ERR_INIT;
        bool may = false;
        assert_true(
            fx_access_may_write(rule, paths[i].path, paths[i].n_steps, &may, &err));
        if (may != paths[i].may) {
            fail_msg("path %zu", i);
        }
    }
    fx_compilation_finish(&made);
}

/* ---- an object on which it acts -------------------------------------------------- */

static const struct {
    const char *rule;
    const char *object; /* NULL: none can be made */
} examples[] = {
    {"namespace: shop}, spec: {match: [{select: $.kind, matchValue: Deployment}], patch: "
     "[{op: add, path: /x, value: v}]",
     "{apiVersion: apps/v1, kind: Deployment, metadata: {name: example, namespace: "
     "shop}}"},
    {"namespace: shop}, spec: {match: [{select: '$.metadata.labels[\"app\"]', "
     "matchValues: ['1', x]}, {select: $.spec.num, matchValue: '1'}, {select: "
     "$.spec.flag, "
     "matchValue: 'true'}, {select: $.spec.no, negate: true}], patch: [{op: add, path: "
     "/x, value: v}]",
     "{apiVersion: v1, kind: Pod, metadata: {name: example, namespace: shop, labels: "
     "{app: '1'}}, spec: {num: 1, flag: true}}"},
    {"namespace: shop}, spec: {match: [{select: '$.spec.containers[*].image', "
     "matchRegex: "
     "':latest$'}], patch: [{op: remove, path: /spec/hostNetwork}, {op: replace, select: "
     "'$.spec.volumes[*]', path: '/spec/volumes/#0', value: x}]",
     "{apiVersion: v1, kind: Pod, metadata: {name: example, namespace: shop}, spec: "
     "{containers: [{name: example, image: ':latest'}], hostNetwork: example, volumes: "
     "[example]}}"},
    {"namespace: kubemod-system}, spec: {targetNamespaceRegex: '^shop$', match: "
     "[{select: "
     "$.kind}], patch: [{op: add, path: /x, value: v}]",
     "{apiVersion: v1, kind: Pod, metadata: {name: example, namespace: shop}}"},
    {"namespace: kubemod-system}, spec: {targetNamespaceRegex: '.*', match: [{select: "
     "$.kind}], patch: [{op: add, path: /x, value: v}]",
     "{apiVersion: v1, kind: Pod, metadata: {name: example, namespace: default}}"},
    {"namespace: kubemod-system}, spec: {match: [{select: $.kind, matchValue: Node}], "
     "patch: [{op: add, path: /x, value: v}]",
     "{apiVersion: v1, kind: Node, metadata: {name: example}}"},
    {"namespace: kubemod-system}, spec: {targetNamespaceRegex: '^[a-c]{3}$', match: "
     "[{select: $.kind}], patch: [{op: add, path: /x, value: v}]",
     NULL},
    /* Contradictions and selects that are not plain paths are ignored. */
    {"namespace: shop}, spec: {match: [{select: $.kind.x, matchValue: v}, {select: "
     "'$.num > 1'}, {select: $..x}], patch: [{op: add, path: /x, value: v}]",
     "{apiVersion: v1, kind: Pod, metadata: {name: example, namespace: shop}}"},
};

static void makes_an_object(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(examples); i++) {
        char text[1024];
        struct fx_compilation made = {0};
        struct fx_err err = FX_ERR_INIT;
        (void)snprintf(text, sizeof text,
                       "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: "
                       "{name: r, %s, type: Patch}}",
                       examples[i].rule);
        compile(text, &made);
        json_t *object = made.mutators[0]->ops->example(made.mutators[0], &err);
        assert_int_equal(err.code, FX_OK);
        if (examples[i].object == NULL) {
            assert_null(object);
        } else {
            assert_non_null(object);
            assert_value(object, examples[i].object, examples[i].rule);
        }
        json_decref(object);
        fx_compilation_finish(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_wants_and_finds),
        cmocka_unit_test(cuts_what_it_finds),
        cmocka_unit_test(tells_where_it_writes),
        cmocka_unit_test(makes_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
