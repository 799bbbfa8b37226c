/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/trial_test.c - the loop in an order of our choice; and rules that promise no
 * idempotence, of which policies have none yet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/analyzer.h"
#include "base/arena.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"
#include "value/equal.h"

/* Fakes by name: index 0 is `a`. */
static struct fx_snapshot *snapshot_of(const struct fake_plan *plans, size_t n_plans) {
    struct fx_mutator *mutators[8];
    assert_true(n_plans <= FX_COUNT(mutators));
    for (size_t i = 0; i < n_plans; i++) {
        struct fake *fake = fake_create(&plans[i]);
        assert_non_null(fake);
        mutators[i] = &fake->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n_plans};
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < n_plans; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

static struct trial_outcome run(const struct fx_snapshot *snapshot, const uint32_t *order,
                                size_t n_order, const char *object, size_t steps) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    struct fx_arena arena;
    fx_arena_init(&arena, 1u << 20);
    const struct trial trial = {snapshot, &request, order, n_order, &steps, &arena};
    struct trial_outcome outcome;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fake_json(object);
    assert_true(fx_trial_run(&trial, root, &outcome, &err));
    json_decref(root);
    fx_arena_finish(&arena);
    return outcome;
}

static void assert_object(const struct trial_outcome *outcome, const char *expected) {
    json_t *wanted = fake_json(expected);
    assert_true(fx_equal(outcome->object, wanted));
    json_decref(wanted);
}

/* The first that changes `x` wins: both check its absence by its value. */
static void order(void **state) {
    (void)state;
    static const struct fake_plan plans[] = {
        {.name = "a", .if_key = "x", .if_value = "", .set_key = "x", .set_value = "1"},
        {.name = "b", .if_key = "x", .if_value = "", .set_key = "x", .set_value = "2"},
    };
    static const uint32_t forth[] = {0, 1};
    static const uint32_t back[] = {1, 0};
    struct fx_snapshot *snapshot = snapshot_of(plans, 2);
    struct trial_outcome outcome = run(snapshot, forth, 2, "{\"x\":\"\"}", 100);
    assert_true(outcome.settled);
    assert_null(outcome.cycle_start);
    assert_object(&outcome, "{\"x\":\"1\"}");
    fx_trial_finish(&outcome);
    outcome = run(snapshot, back, 2, "{\"x\":\"\"}", 100);
    assert_object(&outcome, "{\"x\":\"2\"}");
    fx_trial_finish(&outcome);
    outcome = run(snapshot, back, 0, "{\"x\":\"\"}", 100);
    assert_true(outcome.settled);
    assert_object(&outcome, "{\"x\":\"\"}");
    fx_trial_finish(&outcome);
    outcome = run(snapshot, forth, 2, "{\"x\":\"\"}", 3);
    assert_true(outcome.exhausted);
    fx_trial_finish(&outcome);
    fx_snapshot_unref(snapshot);
}

/* 1 → 2, 2 → 3 → 1 → 2: against the order a step needs a pass, but for the last two. */
static void cycle(void **state) {
    (void)state;
    static const struct fake_plan plans[] = {
        {.name = "a", .if_key = "x", .if_value = "1", .set_key = "x", .set_value = "2"},
        {.name = "b", .if_key = "x", .if_value = "2", .set_key = "x", .set_value = "3"},
        {.name = "c", .if_key = "x", .if_value = "3", .set_key = "x", .set_value = "1"},
        {.name = "d"},
        {.name = "e"},
        {.name = "f"},
        {.name = "g"},
        {.name = "h"},
    };
    static const uint32_t against[] = {2, 1, 0, 3, 4, 5, 6, 7};
    struct fx_snapshot *snapshot = snapshot_of(plans, FX_COUNT(plans));
    struct trial_outcome outcome =
        run(snapshot, against, FX_COUNT(against), "{\"x\":\"1\"}", 1000);
    assert_false(outcome.settled);
    assert_non_null(outcome.cycle_start);
    assert_int_equal(outcome.n_cycle_passes, 2);

    size_t steps = 1000;
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    struct fx_arena arena;
    fx_arena_init(&arena, 1u << 20);
    const struct trial trial = {snapshot,          &request, against,
                                FX_COUNT(against), &steps,   &arena};
    struct trial_record record = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_trial_replay(&trial, outcome.cycle_start, 2, NULL, &record, &err));
    assert_int_equal(record.n_steps, 3);
    assert_true(fx_equal(record.steps[0].before, record.steps[2].after));
    fx_trial_record_finish(&record);
    fx_arena_finish(&arena);
    fx_trial_finish(&outcome);

    /* In order, one pass goes all the way round. */
    static const uint32_t along[] = {0, 1, 2};
    outcome = run(snapshot, along, FX_COUNT(along), "{\"x\":\"1\"}", 1000);
    assert_true(outcome.settled);
    assert_int_equal(outcome.n_cycle_passes, 1);
    fx_trial_finish(&outcome);
    fx_snapshot_unref(snapshot);
}

static void failure(void **state) {
    (void)state;
    static const struct fake_plan plans[] = {
        {.name = "a", .set_key = "x", .set_value = "1"},
        {.name = "b", .if_key = "x", .set_key = "y", .apply_error = "no"},
        {.name = "c", .match_error = "never"},
    };
    static const uint32_t all[] = {0, 1, 2};
    struct fx_snapshot *snapshot = snapshot_of(plans, 3);
    struct trial_outcome outcome = run(snapshot, all, 3, "{}", 100);
    assert_false(outcome.settled);
    assert_int_equal(outcome.failed, 1);
    assert_string_equal(outcome.failure.msg, "no");
    fx_trial_finish(&outcome);
    outcome = run(snapshot, all + 2, 1, "{}", 100);
    assert_int_equal(outcome.failed, 2);
    fx_trial_finish(&outcome);
    fx_snapshot_unref(snapshot);
}

static unsigned next_random(unsigned *state) {
    *state = *state * 1103515245u + 12345u;
    return *state >> 16 & 0x7fff;
}

/* A rule that replaces one value of a field by another. The rules of the second dialect
 * are not reinvoked, and those of one tier match before any of them is applied. */
static struct fake_plan random_plan(unsigned *random) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const char *const keys[] = {"x", "y"};
    static const char *const values[] = {"1", "2", "3", "4"};
    const bool match_first = next_random(random) % 4 == 0;
    return (struct fake_plan){
        .match_first = match_first,
        .rank = match_first ? 1 : 0,
        .tier = match_first ? (int)(next_random(random) % 3) - 1 : 0,
        .name = names[next_random(random) % FX_COUNT(names)],
        .if_key = keys[next_random(random) % 8 == 0],
        .if_value = values[next_random(random) % 4],
        .set_key = keys[next_random(random) % 8 == 0],
        .set_value = values[next_random(random) % 4],
        .once = match_first || next_random(random) % 8 == 0,
    };
}

/* In their own order, a trial ends where the loop of a review ends, which skips steps and
 * compares less. */
static void is_the_loop(void **state) {
    (void)state;
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5};
    unsigned random = 1;
    unsigned n_settled = 0;
    for (int round = 0; round < 4000; round++) {
        struct fake_plan plans[6];
        for (size_t i = 0; i < FX_COUNT(plans); i++) {
            plans[i] = random_plan(&random);
        }
        struct fx_snapshot *snapshot = snapshot_of(plans, FX_COUNT(plans));
        struct trial_outcome outcome =
            run(snapshot, all, snapshot->n_mutators, "{\"x\":\"1\",\"y\":\"2\"}", 10000);
        const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                           .mutation_id = ""};
        struct fx_outcome expected;
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        json_t *root = fake_json("{\"x\":\"1\",\"y\":\"2\"}");
        fx_arena_init(&arena, 1u << 20);
        const bool ok =
            fx_converge(snapshot, &request, &arena, NULL, &root, &expected, &err);
        assert_int_equal(outcome.settled, ok);
        assert_true(!ok || fx_equal(outcome.object, root));
        n_settled += ok;
        json_decref(root);
        fx_outcome_finish(&expected);
        fx_arena_finish(&arena);
        fx_trial_finish(&outcome);
        fx_snapshot_unref(snapshot);
    }
    assert_in_range(n_settled, 2000, 3995); /* both happen */
}

/* The findings on one object, as "rule path;". */
static void expect(const struct fake_plan *plans, size_t n_plans, const char *object,
                   const char *expected) {
    struct fx_snapshot *snapshot = snapshot_of(plans, n_plans);
    json_t *root = fake_json(object);
    const struct fx_analysis_input input = {
        .snapshot = snapshot, .objects = &root, .n_objects = 1};
    struct fx_analysis analysis;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, "");
    assert_true(fx_analysis_run(&input, &analysis, &err));
    for (size_t i = 0; i < analysis.n_findings; i++) {
        fx_buf_printf(&buf, "%s %s;", fx_analysis_rule_name(analysis.findings[i].rule),
                      analysis.findings[i].path);
    }
    assert_string_equal(buf.data, expected);
    fx_buf_finish(&buf);
    fx_analysis_finish(&analysis);
    json_decref(root);
    fx_snapshot_unref(snapshot);
}

#define POD "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"

static void idempotence(void **state) {
    (void)state;
    static const struct fake_plan once[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .append = true, .once = true}};
    static const struct fake_plan ever[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .append = true}};
    static const struct fake_plan set[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .once = true}};
    static const struct fake_plan two[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .append = true, .once = true},
        {.name = "b", .set_key = "m", .set_value = "x", .append = true, .once = true}};
    expect(once, 1, POD, "reinvocation /l/1;");
    expect(two, 2, POD, "reinvocation /l/1;reinvocation /m/1;");
    expect(ever, 1, POD, "idempotence /l;");
    expect(set, 1, POD, "");
}

/* Only mutators of one dialect and tier are swapped. Of two dialects, the later one
 * overwrites what the other one sets. */
static void order_that_is_settled(void **state) {
    (void)state;
#define SETS(value, of, at) \
    {.name = value,         \
     .set_key = "x",        \
     .set_value = value,    \
     .once = true,          \
     .rank = of,            \
     .tier = at}
    static const struct fake_plan one_tier[] = {SETS("a", 1, 2), SETS("b", 1, 2)};
    static const struct fake_plan tiers[] = {SETS("a", 1, 2), SETS("b", 1, 3)};
    static const struct fake_plan dialects[] = {SETS("a", 0, 0), SETS("b", 1, 0)};
    static const struct fake_plan several[] = {SETS("a", 0, 0), SETS("b", 1, 0),
                                               SETS("c", 1, 1), SETS("d", 1, 1),
                                               SETS("e", 1, 2)};
    static const struct fake_plan last[] = {SETS("a", 0, 0), SETS("b", 1, 0),
                                            SETS("c", 1, 1), SETS("d", 1, 1)};
#undef SETS
    expect(one_tier, 2, POD, "order /x;");
    expect(tiers, 2, POD, "");
    expect(dialects, 2, POD, "undo /x;");
    expect(several, 5, POD, "undo /x;"); /* the last tier decides */
    expect(last, 4, POD, "undo /x;order /x;");
}

/* A mutator that is not reinvoked does not undo what others write over its value. */
static void undoing(void **state) {
    (void)state;
    static const struct fake_plan over[] = {
        {.name = "a", .set_key = "x", .set_value = "1", .once = true},
        {.name = "b", .set_key = "x", .set_value = "2"},
    };
    static const struct fake_plan both[] = {
        {.name = "a", .set_key = "x", .set_value = "1"},
        {.name = "b", .set_key = "x", .set_value = "2"},
    };
    expect(both, 2, POD, "undo /x;");
    expect(over, 2, POD, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),       cmocka_unit_test(cycle),
        cmocka_unit_test(failure),     cmocka_unit_test(order_that_is_settled),
        cmocka_unit_test(idempotence), cmocka_unit_test(undoing),
        cmocka_unit_test(is_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
