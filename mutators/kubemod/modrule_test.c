/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/modrule_test.c - rules in the loop: the object view, the fields that
 * they may not write, and several rules on one object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "engine/input.h"
#include "mutators/kubemod/limits.h"
#include "mutators/kubemod/testing.h"

struct play {
    struct fx_snapshot *snapshot;
    struct fx_request request;
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
    bool ok;
    uint64_t deadline_ns; /* given; 0: none */
};

/* The texts are separated by newlines. */
static struct fx_snapshot *make_snapshot(const char *rules) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_snapshot *snapshot = NULL;
    struct fx_yaml_reader *reader = fx_yaml_open(fx_text_of(rules));
    json_t *policy = NULL;
    assert_non_null(reader);
    while (fx_yaml_next(reader, NULL, &policy, &err) && policy != NULL) {
        if (!fx_dialect_kubemod.compile(policy, &made, &err)) {
            fail_msg("%s", err.msg);
        }
        json_decref(policy);
    }
    fx_yaml_close(reader);
    const struct fx_snapshot_parts parts = {.mutators = made.mutators,
                                            .n_mutators = made.n_mutators};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    fx_compilation_finish(&made);
    return snapshot;
}

static void run(struct play *play, const char *rules, const char *object) {
    play->snapshot = make_snapshot(rules);
    if (play->request.operation == FX_OPERATION_NONE) {
        play->request.operation = FX_OPERATION_CREATE;
    }
    play->err = FX_ERR_INIT;
    fx_arena_init(&play->arena, FX_LIMIT_ARENA_BYTES);
    play->root = must_read(object);
    const struct fx_bound outer = fx_budget_narrow(0, play->deadline_ns);
    play->ok = fx_converge(play->snapshot, &play->request, &play->arena, NULL,
                           &play->root, &play->outcome, &play->err);
    (void)fx_budget_widen(outer);
}

static void end(struct play *play) {
    fx_outcome_finish(&play->outcome);
    json_decref(play->root);
    fx_arena_finish(&play->arena);
    fx_snapshot_unref(play->snapshot);
    *play = (struct play){0};
}

#define POD       "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns"
#define NEXT_RULE "\n---\n"
#define PATCHES(name, more, patch)                                               \
    "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: " name \
    ", namespace: ns}, spec: {type: Patch, " more                                \
    "match: [{select: $.kind}], patch: [" patch "]}}"
#define REJECTS(name, more)                                                      \
    "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: " name \
    ", namespace: ns}, spec: {type: Reject, " more "match: [{select: $.kind}]}}"

static const struct {
    const char *rules, *object, *expected;
    const char *drop; /* a part of the reason why a rule is skipped; NULL: none is */
} cases[] = {
    /* Removals of one select go from the highest index down. */
    {PATCHES("r", "", "{op: remove, select: '$.l[? @.x > 1]', path: '/l/#0'}"),
     POD "}, l: [{x: 1}, {x: 2}, {x: 0}, {x: 3}, {x: 4}]}", POD "}, l: [{x: 1}, {x: 0}]}",
     NULL},
    {PATCHES("r", "", "{op: remove, select: '$.l[2, 0]', path: '/l/#0'}"),
     POD "}, l: [a, b, c]}", POD "}, l: [b]}", NULL},
    /* Parts are escaped. */
    {PATCHES("r", "", "{op: replace, select: '$.m[*]', path: '/m/#0', value: new}"),
     POD "}, m: {a/b: x, c~d: x}}", POD "}, m: {a/b: new, c~d: new}}", NULL},
    /* No operation sees another one of its rule while it is computed. */
    {PATCHES("r", "",
             "{op: add, path: /a, value: one}, {op: add, path: /b, value: "
             "'{{ .Target.a }}'}"),
     POD "}}", POD "}, a: one, b: <no value>}", NULL},
    {PATCHES("r", "",
             "{op: add, select: '$.l[*]', path: '/got/#0', value: '{{ "
             ".SelectedItem }}-{{ .#0 }}-{{ .Namespace }}'}"),
     POD "}, l: [a, b]}", POD "}, l: [a, b], got: [a-0-ns, b-1-ns]}", NULL},
    /* What a rule writes over with the same is there for those of later tiers. */
    {PATCHES("a", "", "{op: add, path: /metadata/labels/x, value: one}")
         NEXT_RULE PATCHES("b", "executionTier: 1, ",
                           "{op: add, path: /got, value: '{{ .Target.metadata.labels.x "
                           "}}'}"),
     POD ", labels: {x: one}}}", POD ", labels: {x: one}}, got: one}", NULL},
    /* A rule that fails is skipped, and the others are applied. */
    {PATCHES("a", "", "{op: add, path: /a, value: one}, {op: replace, path: /no}")
         NEXT_RULE PATCHES("b", "", "{op: add, path: /b, value: two}"),
     POD "}}", POD "}, b: two}",
     "replace operation does not apply: doc is missing key: /no"},
    {PATCHES("r", "", "{op: add, select: '$.l[*]', path: '/x/#1'}"), POD "}, l: [a]}",
     POD "}, l: [a]}", "spec.patch[0]: `select` has only 1 key parts"},
    {PATCHES("r", "", "{op: add, path: /x, value: '{{ fail \"no\" }}'}"), POD "}}",
     POD "}}", "spec.patch[0]: "},
    /* What is not theirs. */
    {PATCHES("r", "", "{op: add, path: /syntheticRefs/x, value: one}"), POD "}}",
     POD "}}", "no rule may write there: /syntheticRefs/x"},
    {PATCHES("r", "", "{op: remove, path: /syntheticRefs}"), POD "}, syntheticRefs: 5}",
     POD "}, syntheticRefs: 5}", "no rule may write there"},
    {PATCHES("r", "", "{op: add, path: /metadata/managedFields/-1}"),
     POD ", managedFields: [1]}}", POD ", managedFields: [1]}}",
     "no rule may write there"},
    {PATCHES("r", "",
             "{op: add, path: /x, value: '{{ .Target.metadata.managedFields "
             "}}{{ .Target.syntheticRefs }}'}"),
     POD ", managedFields: [1]}, syntheticRefs: mine}",
     POD ", managedFields: [1]}, syntheticRefs: mine, x: '<no value>map[]'}", NULL},
    {PATCHES("r", "", "{op: add, path: /metadata, value: '{name: q}'}"),
     POD ", managedFields: [1]}}",
     "{apiVersion: v1, kind: Pod, metadata: {name: q, managedFields: [1]}}", NULL},
    {PATCHES("r", "", "{op: remove, path: /metadata}"), POD ", managedFields: [1]}}",
     "{apiVersion: v1, kind: Pod}", NULL},
    /* kubectl's note of what was applied. */
    {PATCHES("r", "", "{op: add, path: /spec/b, value: '<'}"),
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: "
         "'{\"spec\":{\"c\":1,\"a\":{\"z\":1,\"y\":2}},\"kind\":\"Pod\"}\n'}}}",
     POD
     ", annotations: {kubectl.kubernetes.io/last-applied-configuration: "
     "'{\"kind\":\"Pod\",\"spec\":{\"a\":{\"z\":1,\"y\":2},\"b\":\"\\u003c\",\"c\":1}}"
     "'}}, spec: {b: '<'}}",
     NULL},
    {PATCHES("r", "", "{op: replace, path: /a, value: b}"),
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}, a: "
         "x}",
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}, a: "
         "b}",
     NULL},
    {PATCHES("r", "", "{op: add, path: /a}"),
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '[1]'}}}",
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '[1]'}}, a: "
         "null}",
     NULL},
    {PATCHES("r", "", "{op: remove, path: /metadata/annotations}"),
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}}",
     POD "}}", NULL},
    {PATCHES("r", "",
             "{op: add, path: /l, value: '[{b: 1, a: 1}]'}, {op: remove, path: "
             "/l/0/zzz/y}"),
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}}",
     POD ", annotations: {kubectl.kubernetes.io/last-applied-configuration: "
         "'{\"l\":[{\"a\":1,\"b\":1}]}'}}, l: [{b: 1, a: 1}]}",
     NULL},
};

static void does_as_the_spec_says(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct play play = {0};
        run(&play, cases[i].rules, cases[i].object);
        if (!play.ok) {
            fail_msg("%s: %s", cases[i].rules, play.err.msg);
        }
        assert_value(play.root, cases[i].expected, cases[i].rules);
        assert_int_equal(play.outcome.n_skipped, cases[i].drop == NULL ? 0 : 1);
        if (cases[i].drop != NULL &&
            strstr(play.outcome.skipped[0].message, cases[i].drop) == NULL) {
            fail_msg("%s: wanted %s, got %s", cases[i].rules, cases[i].drop,
                     play.outcome.skipped[0].message);
        }
        end(&play);
    }
}

static void shows_namespace_and_node(void **state) {
    (void)state;
    json_t *namespace_ = must_read(
        "{kind: Namespace, metadata: {name: ns, labels: {a: b}, managedFields: [1], "
        "annotations: {kubectl.kubernetes.io/last-applied-configuration: x}}}");
    json_t *node = must_read("{kind: Node, metadata: {name: w, managedFields: [1]}}");
    const char *rule = PATCHES(
        "r", "", "{op: add, path: /got, value: '{{ .Target.syntheticRefs | toJson }}'}");
    const char *there =
        "got: {namespace: {kind: Namespace, metadata: {name: ns, labels: {a: "
        "b}, annotations: {}}}";
    char expected[512];
    const struct fx_input_key key = fx_input_core_key("Node", FX_TEXT("w"));
    struct fx_inputs inputs;
    fx_inputs_init(&inputs, NULL, 0);
    assert_true(fx_inputs_put(&inputs, &key, node));
    struct play play = {.request = {.namespace_object = namespace_, .inputs = &inputs}};
    run(&play, rule, POD ", annotations: {ref.kubemod.io/nodename: w}}}");
    (void)snprintf(expected, sizeof expected,
                   POD ", annotations: {ref.kubemod.io/nodename: w}}, %s, node: {kind: "
                       "Node, metadata: {name: w}}}}",
                   there);
    assert_value(play.root, expected, "both");
    end(&play);
    play.request.namespace_object = namespace_;
    play.request.inputs = &inputs;
    run(&play, rule, POD "}}");
    (void)snprintf(expected, sizeof expected, POD "}, %s}}", there);
    assert_value(play.root, expected, "namespace");
    end(&play);
    fx_inputs_finish(&inputs);
    json_decref(namespace_);
    json_decref(node);
}

static void rejects(void **state) {
    (void)state;
    const char *rules = REJECTS("b", "executionTier: 1, rejectMessage: 'no {{ "
                                     ".Target.metadata.name }} in {{ .Namespace }}', ")
        NEXT_RULE REJECTS("a", "executionTier: 2, ") NEXT_RULE REJECTS(
            "c", "executionTier: 3, rejectMessage: '{{ index .Target 1 }}', ")
            NEXT_RULE PATCHES("p", "", "{op: replace, path: /metadata/name, value: q}");
    struct play play = {0};
    run(&play, rules, POD "}}");
    assert_int_equal(play.err.code, FX_EDENIED);
    assert_string_equal(play.err.msg, "operation rejected by the following ModRule(s): "
                                      "ns/b: \"no q in ns\",ns/a,ns/c");
    assert_int_equal(play.outcome.n_skipped, 1);
    assert_false(play.outcome.skipped[0].fails);
    end(&play);
}

static void stops_in_time(void **state) {
    (void)state;
    struct play play = {.deadline_ns = 1};
    run(&play, PATCHES("r", "", "{op: add, path: /x}"), POD "}}");
    assert_int_equal(play.err.code, FX_EDEADLINE);
    end(&play);
}

/* A long match checks the deadline itself. */
static void stops_in_a_match(void **state) {
    (void)state;
    struct fx_buf rule;
    fx_buf_init(&rule, 0);
    fx_buf_str(&rule, "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: "
                      "{name: r, namespace: ns}, spec: {type: Reject, match: [");
    for (unsigned i = 0; i < 20; i++) {
        fx_buf_str(&rule, "{select: $.kind}, ");
    }
    fx_buf_str(&rule, "]}}");
    struct fx_snapshot *snapshot = make_snapshot(rule.data);
    const struct fx_mutator *mutator = snapshot->mutators[0];
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    struct fx_subject subject;
    struct fx_verdict verdict;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = must_read(POD "}}");
    fx_subject_read(object, &subject);
    assert_true(mutator->ops->match(mutator, &request, &subject, &verdict, &err));
    assert_true(verdict.matched);
    const struct fx_bound outer = fx_budget_narrow(0, 1);
    assert_false(mutator->ops->match(mutator, &request, &subject, &verdict, &err));
    (void)fx_budget_widen(outer);
    assert_false(verdict.matched);
    assert_int_equal(err.code, FX_EDEADLINE);
    json_decref(object);
    fx_snapshot_unref(snapshot);
    fx_buf_finish(&rule);
}

/* Where they are only tried out, it does not matter where they live. */
static void count_everywhere(void **state) {
    (void)state;
    static const char *const objects[] = {
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: other}}",
        "{apiVersion: v1, kind: Pod, metadata: {name: p}}",
        "{apiVersion: v1, kind: Namespace, metadata: {name: n}}",
    };
    for (size_t i = 0; i < FX_COUNT(objects) * 2; i++) {
        struct play play = {.request = {.everywhere = i % 2 == 1}};
        run(&play, REJECTS("r", ""), objects[i / 2]);
        assert_int_equal(play.ok ? FX_OK : play.err.code,
                         i % 2 == 1 ? FX_EDENIED : FX_OK);
        end(&play);
    }
}

static void templates_share_a_bound(void **state) {
    (void)state;
    static const char rules[] = PATCHES(
        "a", "", "{op: add, path: /a, value: '{{ repeat 60 \"x\" }}'}")
        NEXT_RULE PATCHES("b", "", "{op: add, path: /b, value: '{{ repeat 60 \"y\" }}'}")
            NEXT_RULE PATCHES("c", "",
                              "{op: add, path: /c, value: '{{ repeat 9 \"z\" }}'}");
    size_t text_left = 100;
    struct play play = {.request = {.text_left = &text_left}};
    run(&play, rules, POD "}}");
    assert_true(play.ok);
    assert_int_equal(play.outcome.n_skipped, 1);
    assert_string_equal(play.outcome.skipped[0].message,
                        "spec.patch[0]: it writes more than it may, 21 bytes too many");
    assert_int_equal(text_left, 29);
    end(&play);
}

/* Also a value that is not a template but is written often; an anchor counts each time.
 */
static void constants_have_a_bound(void **state) {
    (void)state;
    static const char rule[] =
        PATCHES("a", "",
                "{op: add, select: '$.l[*]', path: '/l/#0', value: '{a: &a [x, z], b: "
                "*a, c: *a}'}");
    for (size_t text_left = 56; text_left <= 57; text_left++) {
        size_t left = text_left; /* three times 1 + 3 * (1 + 1 + 2 * (1 + 1)) */
        struct play play = {.request = {.text_left = &left}};
        run(&play, rule, POD "}, l: [1, 2, 3]}");
        assert_int_equal(play.outcome.n_skipped, text_left < 57);
        end(&play);
    }
}

static void many_operations_are_refused(void **state) {
    (void)state;
    struct play play = {0};
    struct fx_buf object;
    fx_buf_init(&object, 0);
    fx_buf_str(&object, POD "}, l: [1");
    for (size_t i = 0; i < FX_LIMIT_MODRULE_OPERATIONS; i++) {
        fx_buf_str(&object, ",1");
    }
    fx_buf_str(&object, "]}");
    run(&play,
        PATCHES("r", "", "{op: replace, select: '$.l[*]', path: '/l/#0', value: '2'}"),
        object.data);
    assert_true(play.ok);
    assert_int_equal(play.outcome.n_skipped, 1);
    assert_string_equal(play.outcome.skipped[0].message,
                        "spec.patch[0]: it needs more than 10000 operations");
    end(&play);
    fx_buf_finish(&object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_as_the_spec_says),
        cmocka_unit_test(shows_namespace_and_node),
        cmocka_unit_test(rejects),
        cmocka_unit_test(stops_in_time),
        cmocka_unit_test(stops_in_a_match),
        cmocka_unit_test(count_everywhere),
        cmocka_unit_test(templates_share_a_bound),
        cmocka_unit_test(constants_have_a_bound),
        cmocka_unit_test(many_operations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
