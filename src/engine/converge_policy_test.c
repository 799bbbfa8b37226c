/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_policy_test.c - rules that end their policy, or undo it if they fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"
#include "engine/mutator.h"
#include "value/equal.h"
#include "value/json.h"

#define MAX_RULES 8

/* A rule of a policy. */
struct policy_rule {
    struct fake_plan plan; /* its name is that of the policy */
    const char *rule;
    bool ends, restores;
};

static struct fx_mutator *make(const struct policy_rule *given, uint32_t position) {
    struct fake *fake = fake_create(&given->plan);
    assert_non_null(fake);
    assert_true(fx_mutator_set_rule(&fake->head, fx_text_of(given->rule), position));
    fake->head.run.once = true;
    fake->head.run.ends_policy = given->ends;
    fake->head.run.restores_policy = given->restores;
    fake->head.run.ignores_failure = given->restores;
    return &fake->head;
}

static struct fx_snapshot *build(const struct policy_rule *rules, size_t n) {
    struct fx_mutator *mutators[MAX_RULES];
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(n <= MAX_RULES);
    for (size_t i = 0; i < n; i++) {
        mutators[i] = make(&rules[i], (uint32_t)i);
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

/* Runs the loop with a trace or without one, and compares the result. `applied` names the
 * rules that the outcome lists. */
static void expect_with(const struct policy_rule *rules, size_t n, const char *wanted,
                        const char *applied, bool has_trace) {
    struct fx_snapshot *snapshot = build(rules, n);
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_outcome outcome;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    json_t *root = fake_json("{\"kind\":\"K\",\"a\":\"1\"}");
    json_t *expected = fake_json(wanted);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    if (!fx_converge(snapshot, &request, &arena, has_trace ? &trace : NULL, &root,
                     &outcome, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_true(fx_equal(expected, root));
    struct fx_buf names;
    fx_buf_init(&names, 0);
    for (size_t i = 0; i < outcome.n_applied; i++) {
        fx_buf_printf(&names, "%s%s", i == 0 ? "" : " ",
                      snapshot->mutators[outcome.applied[i]]->rule);
    }
    fx_buf_str(&names, "");
    assert_string_equal(names.data == NULL ? "" : names.data, applied);
    fx_buf_finish(&names);
    fx_outcome_finish(&outcome);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    json_decref(root);
    json_decref(expected);
    fx_snapshot_unref(snapshot);
}

static void expect(const struct policy_rule *rules, size_t n, const char *wanted,
                   const char *applied) {
    expect_with(rules, n, wanted, applied, false);
    expect_with(rules, n, wanted, applied, true);
}

/* The first rule that changes the object ends the policy, and no other policy. */
static void first_change_ends(void **state) {
    (void)state;
    const struct policy_rule rules[] = {
        {{.name = "p", .set_key = "a", .set_value = "1"}, "same", .ends = true},
        {{.name = "p", .set_key = "b", .set_value = "x"}, "first", .ends = true},
        {{.name = "p", .set_key = "c", .set_value = "x"}, "second", .ends = true},
        {{.name = "q", .set_key = "d", .set_value = "x"}, "other", .ends = true},
    };
    expect(rules, FX_COUNT(rules), "{\"kind\":\"K\",\"a\":\"1\",\"b\":\"x\",\"d\":\"x\"}",
           "same first other");
}

/* Without the option all rules are applied. */
static void all_rules(void **state) {
    (void)state;
    const struct policy_rule rules[] = {
        {{.name = "p", .set_key = "b", .set_value = "x"}, "first", .ends = false},
        {{.name = "p", .set_key = "c", .set_value = "x"}, "second", .ends = false},
    };
    expect(rules, FX_COUNT(rules), "{\"kind\":\"K\",\"a\":\"1\",\"b\":\"x\",\"c\":\"x\"}",
           "first second");
}

/* A rule that fails undoes the rules of its policy before it, and keeps those after it
 * from running; other policies count. */
static void failure_undoes(void **state) {
    (void)state;
    const struct policy_rule rules[] = {
        {{.name = "o", .set_key = "o", .set_value = "x"}, "earlier", .restores = true},
        {{.name = "p", .set_key = "a", .set_value = "2"}, "first", .restores = true},
        {{.name = "p", .set_key = "b", .set_value = "x"}, "second", .restores = true},
        {{.name = "p", .apply_error = "no"}, "fails", .restores = true},
        {{.name = "p", .set_key = "c", .set_value = "x"}, "late", .restores = true},
        {{.name = "q", .if_key = "b", .set_key = "saw", .set_value = "b"},
         "sees",
         .restores = true},
        {{.name = "q", .set_key = "q", .set_value = "x"}, "other", .restores = true},
    };
    expect(rules, FX_COUNT(rules), "{\"kind\":\"K\",\"a\":\"1\",\"o\":\"x\",\"q\":\"x\"}",
           "earlier other");
}

/* The same if its match fails, and if nothing has changed before. */
static void failed_match_undoes(void **state) {
    (void)state;
    const struct policy_rule rules[] = {
        {{.name = "o", .match_error = "no"}, "fails", .restores = true},
        {{.name = "o", .set_key = "o", .set_value = "x"}, "late", .restores = true},
        {{.name = "p", .set_key = "a", .set_value = "2"}, "first", .restores = true},
        {{.name = "p", .match_error = "no"}, "fails", .restores = true},
    };
    expect(rules, FX_COUNT(rules), "{\"kind\":\"K\",\"a\":\"1\"}", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_change_ends),
        cmocka_unit_test(all_rules),
        cmocka_unit_test(failure_undoes),
        cmocka_unit_test(failed_match_undoes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
