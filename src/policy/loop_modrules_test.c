/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/loop_modrules_test.c - random sets of Gatekeeper mutators and ModRules side by
 * side: a review ends; no Gatekeeper mutator changes its result; and skipping steps
 * changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "engine/converge.h"
#include "policy/policies_testing.h"
#include "value/equal.h"
#include "value/yaml.h"

#define ROUNDS 600

static uint32_t seed = 20261122;

static uint32_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static const char *pick(const char *const *words, size_t n) {
    return words[next_random() % n];
}

static const char *const fields[] = {"a", "b", "c", "d"};
static const char *const values[] = {"x", "y"};

static void add_assign(struct fx_buf *text, unsigned number) {
    fx_buf_printf(
        text,
        "---\n{apiVersion: mutations.gatekeeper.sh/v1, kind: Assign, metadata: {name: "
        "g%u}, spec: {applyTo: [{groups: [\"\"], versions: [v1], kinds: [Pod]}], "
        "location: spec.%s, parameters: {assign: {value: %s}}}}\n",
        number, pick(fields, FX_COUNT(fields)), pick(values, FX_COUNT(values)));
}

static void add_mutator(struct fx_buf *text, unsigned number) {
    if (next_random() % 3 != 0) {
        add_assign(text, number);
        return;
    }
    fx_buf_printf(
        text,
        "---\n{apiVersion: mutations.gatekeeper.sh/v1, kind: ModifySet, metadata: {name: "
        "g%u}, spec: {applyTo: [{groups: [\"\"], versions: [v1], kinds: [Pod]}], "
        "location: spec.list, parameters: {values: {fromList: [%s]}}}}\n",
        number, pick(values, FX_COUNT(values)));
}

/* What it does, of one field. */
static void print_patch(char *patch, size_t size, unsigned number) {
    const char *field = pick(fields, FX_COUNT(fields));
    switch (next_random() % 5) {
    case 0:
        (void)snprintf(patch, size, "{op: add, path: /spec/%s, value: z%u}", field,
                       number);
        break;
    case 1: (void)snprintf(patch, size, "{op: remove, path: /spec/%s}", field); break;
    case 2:
        (void)snprintf(patch, size, "{op: add, path: /spec/list/-1, value: %s%u}", field,
                       number);
        break;
    case 3:
        (void)snprintf(patch, size,
                       "{op: replace, path: /spec/%s, value: '{{ .Target.spec.a }}%u'}",
                       field, number);
        break;
    default:
        (void)snprintf(patch, size,
                       "{op: remove, select: '$.spec.list[*]', path: '/spec/list/#0'}");
        break;
    }
}

static void add_rule(struct fx_buf *text, unsigned number) {
    char patch[256];
    print_patch(patch, sizeof patch, number);
    fx_buf_printf(
        text,
        "---\n{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r%u, "
        "namespace: ns}, spec: {type: Patch, executionTier: %u, match: [{select: "
        "$.spec.%s, negate: %s}], patch: [%s]}}\n",
        number, (unsigned)(next_random() % 3), pick(fields, FX_COUNT(fields)),
        next_random() % 2 == 0 ? "true" : "false", patch);
}

static json_t *read_object(void) {
    static const char *const objects[] = {
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}, spec: {}}",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}, spec: {a: x, "
        "list: [x]}}",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n, managedFields: "
        "[1]}, syntheticRefs: 7, spec: {b: y, c: x, list: [q, r]}}",
    };
    struct fx_err err = FX_ERR_INIT;
    json_t *object = NULL;
    struct fx_yaml_reader *reader =
        fx_yaml_open(fx_text_of(pick(objects, FX_COUNT(objects))));
    assert_true(fx_yaml_next(reader, NULL, &object, &err));
    fx_yaml_close(reader);
    return object;
}

/* The result; NULL if there is no fixed point. */
static json_t *converge(const struct fx_policies *policies, json_t *object, bool plain,
                        bool *ret_mutated) {
    const struct fx_request request = {
        .operation = FX_OPERATION_CREATE, .plain = plain, .mutation_id = "id"};
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_incref(object);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    const bool ok =
        fx_converge(policies->snapshot, &request, &arena, NULL, &root, &outcome, &err);
    assert_true(ok || err.code == FX_ENOCONVERGE || err.code == FX_EMUTATE);
    assert_true(outcome.iterations <= policies->snapshot->n_mutators + 1);
    *ret_mutated = outcome.mutated;
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    if (!ok) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* True where it ended. */
static bool play(const struct fx_policies *both, const struct fx_policies *gatekeeper) {
    json_t *object = read_object();
    bool mutated = false;
    json_t *result = converge(both, object, false, &mutated);
    json_t *plain = converge(both, object, true, &mutated);
    assert_int_equal(result == NULL, plain == NULL);
    const bool ok = result != NULL;
    if (ok) {
        assert_true(fx_equal(result, plain));
        json_t *again = converge(gatekeeper, result, false, &mutated);
        assert_non_null(again);
        assert_false(mutated);
        assert_true(fx_equal(json_object_get(result, "syntheticRefs"),
                             json_object_get(object, "syntheticRefs")));
        json_decref(again);
    }
    json_decref(plain);
    json_decref(result);
    json_decref(object);
    return ok;
}

static void ends_in_a_joint_fixed_point(void **state) {
    (void)state;
    size_t n_ended = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        for (unsigned i = 0; i < 3; i++) {
            add_mutator(&text, i);
        }
        struct fx_policies *gatekeeper = build_one(text.data, NULL);
        const unsigned n_rules = next_random() % 5 + 1;
        for (unsigned i = 0; i < n_rules; i++) {
            add_rule(&text, i);
        }
        struct fx_policies *both = build_one(text.data, NULL);
        n_ended += play(both, gatekeeper) ? 1 : 0;
        fx_policies_unref(both);
        fx_policies_unref(gatekeeper);
        fx_buf_finish(&text);
    }
    assert_true(n_ended > ROUNDS / 2);
}

/* Two versions of one rule are one rule, whatever their tiers; two of one name in two
 * namespaces are two. */
static void tells_rules_apart(void **state) {
    (void)state;
#define RULE_OF(namespace, tier)                                                 \
    "---\n{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: " \
    "r" namespace "}, spec: {type: Reject, executionTier: " tier                 \
                  ", match: [{select: $.kind}]}}\n"
    struct fx_policies *policies =
        build_one(RULE_OF(", namespace: ns", "1") RULE_OF(", namespace: m", "1")
                      RULE_OF(", namespace: ns", "2") RULE_OF("", "1"),
                  NULL);
    assert_int_equal(policies->snapshot->n_mutators, 3);
    expect_findings(policies, "p.yaml:2: warning: ModRule/ns/r: is defined again in "
                              "p.yaml, line 6, which counts\n");
    struct fx_policies *next = build_one(
        "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, "
        "namespace: m}, spec: {type: reject, match: [{select: '$.a ]'}]}}\n",
        policies);
    assert_int_equal(next->snapshot->n_mutators, 1);
    assert_string_equal(next->snapshot->mutators[0]->full_name, "m/r");
    assert_int_equal(next->findings.n_items, 2); /* each fault by itself */
    assert_int_equal(next->findings.items[1].caret_len, 1);
    fx_policies_unref(next);
    fx_policies_unref(policies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_in_a_joint_fixed_point),
        cmocka_unit_test(tells_rules_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
