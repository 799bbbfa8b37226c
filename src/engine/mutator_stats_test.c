/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator_stats_test.c - the stats of each mutator in a review.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "engine/converge_run.h"
#include "engine/fake_mutator.h"

#define MAX_FAKES 64

struct loop_trial {
    struct fx_snapshot *snapshot;
    struct fx_arena arena;
    struct fx_outcome outcome;
    json_t *root;
    enum fx_code code;
};

static void try_on(struct loop_trial *trial, const struct fake_plan *plans, size_t n,
                   const char *object, bool collects) {
    struct fx_mutator *mutators[MAX_FAKES];
    struct fx_err err = FX_ERR_INIT;
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .collects_stats = collects};
    for (size_t i = 0; i < n; i++) {
        struct fake *fake = fake_create(&plans[i]);
        assert_non_null(fake);
        mutators[i] = &fake->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    assert_true(fx_snapshot_build(&parts, 1, &trial->snapshot, &err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    fx_arena_init(&trial->arena, FX_LIMIT_ARENA_BYTES);
    trial->root = fake_json(object);
    assert_non_null(trial->root);
    trial->code = fx_converge(trial->snapshot, &request, &trial->arena, NULL,
                              &trial->root, &trial->outcome, &err)
                      ? FX_OK
                      : err.code;
}

static void finish(struct loop_trial *trial) {
    fx_outcome_finish(&trial->outcome);
    json_decref(trial->root);
    fx_arena_finish(&trial->arena);
    fx_snapshot_unref(trial->snapshot);
    *trial = (struct loop_trial){0};
}

/* "0 matched applied changed failed" */
static void expect(const struct loop_trial *trial, size_t at, const char *wanted) {
    assert_true(at < trial->outcome.n_stats);
    const struct fx_mutator_stats *entry = &trial->outcome.stats[at];
    char got[64];
    (void)snprintf(got, sizeof got, "%u%s%s%s%s", (unsigned)entry->mutator,
                   entry->matched ? " matched" : "", entry->applied ? " applied" : "",
                   entry->changed ? " changed" : "", entry->failed ? " failed" : "");
    assert_string_equal(got, wanted);
}

static const struct fake_plan plans[] = {
    {.name = "a", .if_key = "late", .set_key = "x", .set_value = "1"},
    {.name = "b", .set_key = "there", .set_value = "1"},
    {.name = "c", .if_key = "no", .set_key = "x", .set_value = "1"},
    {.name = "d"},
    {.name = "e", .set_key = "late", .set_value = "1"},
};

/* `a` matches only in the second pass, and comes before those that did in the first. */
static void test_who_did_what(void **state) {
    (void)state;
    struct loop_trial trial = {0};
    try_on(&trial, plans, 5, "{\"there\": \"1\"}", true);
    assert_int_equal(trial.code, FX_OK);
    assert_int_equal(trial.outcome.iterations, 3);
    assert_int_equal(trial.outcome.n_stats, 4);
    expect(&trial, 0, "0 matched applied changed");
    expect(&trial, 1, "1 matched applied");
    expect(&trial, 2, "3 matched");
    expect(&trial, 3, "4 matched applied changed");
    finish(&trial);
}

static void test_only_when_asked_for(void **state) {
    (void)state;
    struct loop_trial trial = {0};
    try_on(&trial, plans, 5, "{}", false);
    assert_int_equal(trial.outcome.n_stats, 0);
    finish(&trial);
    try_on(&trial, plans, 0, "{}", true);
    assert_int_equal(trial.outcome.n_stats, 0);
    finish(&trial);
}

static void test_who_failed(void **state) {
    (void)state;
    static const struct fake_plan apply[] = {
        {.name = "a", .set_key = "x", .set_value = "1"},
        {.name = "b", .apply_error = "no"},
        {.name = "c", .set_key = "y", .set_value = "1"},
    };
    static const struct fake_plan match[] = {{.name = "a", .match_error = "no"}};
    struct loop_trial trial = {0};
    try_on(&trial, apply, 3, "{}", true);
    assert_int_equal(trial.code, FX_EMUTATE);
    assert_int_equal(trial.outcome.n_stats, 2);
    expect(&trial, 0, "0 matched applied changed");
    expect(&trial, 1, "1 matched failed");
    finish(&trial);
    try_on(&trial, match, 1, "{}", true);
    assert_int_equal(trial.code, FX_EMUTATE);
    assert_int_equal(trial.outcome.n_stats, 1);
    expect(&trial, 0, "0 failed");
    finish(&trial);
}

/* The passes that find the cycle do not count. */
static void test_no_fixed_point(void **state) {
    (void)state;
    static const struct fake_plan endless[] = {
        {.name = "a", .set_key = "list", .set_value = "1", .append = true},
        {.name = "b", .if_key = "no"},
    };
    struct loop_trial trial = {0};
    try_on(&trial, endless, 2, "{}", true);
    assert_int_equal(trial.code, FX_ENOCONVERGE);
    assert_int_equal(trial.outcome.n_stats, 1);
    expect(&trial, 0, "0 matched applied changed");
    finish(&trial);
}

static void test_many(void **state) {
    (void)state;
    struct fake_plan many[MAX_FAKES];
    char names[MAX_FAKES][8];
    for (int i = 0; i < MAX_FAKES; i++) {
        (void)snprintf(names[i], sizeof names[i], "m%02d", i);
        /* every other one waits for what the last one sets */
        many[i] = (struct fake_plan){.name = names[i],
                                     .if_key = i % 2 == 0 ? "late" : NULL,
                                     .set_key = i == MAX_FAKES - 1 ? "late" : names[i],
                                     .set_value = "1"};
    }
    struct loop_trial trial = {0};
    try_on(&trial, many, MAX_FAKES, "{}", true);
    assert_int_equal(trial.outcome.n_stats, MAX_FAKES);
    for (uint32_t i = 0; i < MAX_FAKES; i++) {
        assert_int_equal(trial.outcome.stats[i].mutator, i);
        assert_true(trial.outcome.stats[i].changed);
    }
    finish(&trial);
}

static void wait_ns(uint64_t ns) {
    const uint64_t until = fx_clock_ns() + ns;
    while (fx_clock_ns() < until) {
    }
}

/* A step is timed; the time of mutators that do not match is not counted. */
static void test_time(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_stats stats = {.arena = &arena};
    for (int pass = 0; pass < 2; pass++) {
        fx_stats_begin_pass(&stats);
        struct fx_mutator_stats *entry = fx_stats_begin_step(&stats, 3);
        assert_non_null(entry);
        wait_ns(2000000);
        fx_stats_end_step(&stats, entry);
        wait_ns(8000000); /* as many that do not match would take */
        fx_stats_skip(&stats);
        entry = fx_stats_begin_step(&stats, 7);
        assert_non_null(entry);
        fx_stats_end_step(&stats, entry);
    }
    assert_int_equal(stats.n_items, 2);
    assert_true(stats.items[0].ns >= 4000000);
    assert_true(stats.items[1].ns < 8000000); /* far less, but on a busy machine */
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_did_what), cmocka_unit_test(test_only_when_asked_for),
        cmocka_unit_test(test_who_failed),   cmocka_unit_test(test_no_fixed_point),
        cmocka_unit_test(test_many),         cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
