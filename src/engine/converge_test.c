/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_test.c - the loop: order, settling, mutators that are not reinvoked,
 * errors, cycles, and that the index does not change the outcome.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"
#include "value/equal.h"

#define MAX_FAKES 64
#define UUID      "00000000-0000-0000-0000-000000000000"

/* One run of the loop, and its result. */
struct loop_trial {
    struct fx_snapshot *snapshot;
    struct fx_request request;
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
    bool ok;
    uint64_t deadline_ns;      /* given; 0: none */
    enum fx_exceeded exceeded; /* of its budget */
};

static struct fx_snapshot *make_snapshot(const struct fake_plan *plans, size_t n) {
    struct fx_mutator *mutators[MAX_FAKES];
    struct fx_err err = FX_ERR_INIT;
    struct fx_snapshot *snapshot = NULL;
    assert_true(n <= MAX_FAKES);
    for (size_t i = 0; i < n; i++) {
        struct fake *fake = fake_create(&plans[i]);
        assert_non_null(fake);
        mutators[i] = &fake->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

static void try_traced(struct loop_trial *trial, const struct fake_plan *plans, size_t n,
                       const char *object, struct fx_trace *trace) {
    trial->snapshot = make_snapshot(plans, n);
    trial->request.operation = FX_OPERATION_CREATE;
    trial->request.mutation_id = UUID;
    trial->err = FX_ERR_INIT;
    fx_arena_init(&trial->arena, FX_LIMIT_ARENA_BYTES);
    if (trace != NULL) {
        fx_trace_init(trace, &trial->arena);
    }
    trial->root = fake_json(object);
    assert_non_null(trial->root);
    const struct fx_bound outer = fx_budget_narrow(0, trial->deadline_ns);
    trial->ok = fx_converge(trial->snapshot, &trial->request, &trial->arena, trace,
                            &trial->root, &trial->outcome, &trial->err);
    trial->exceeded = fx_budget_widen(outer);
}

static void try(struct loop_trial *trial, const struct fake_plan *plans, size_t n,
                const char *object) {
    try_traced(trial, plans, n, object, NULL);
}

static void finish(struct loop_trial *trial) {
    fx_outcome_finish(&trial->outcome);
    json_decref(trial->root);
    fx_arena_finish(&trial->arena);
    fx_snapshot_unref(trial->snapshot);
    *trial = (struct loop_trial){0};
}

static void expect_root(const struct loop_trial *trial, const char *text) {
    json_t *wanted = fake_json(text);
    struct fx_buf got;
    if (!trial->ok) {
        fail_msg("%s", trial->err.msg);
    }
    fx_buf_init(&got, 0);
    fx_json_write(&got, trial->root, FX_JSON_COMPACT);
    if (!fx_equal(wanted, trial->root)) {
        fail_msg("wanted %s, got %s", text, got.data);
    }
    fx_buf_finish(&got);
    json_decref(wanted);
}

static void expect_error(const struct loop_trial *trial, enum fx_code code,
                         const char *text) {
    assert_false(trial->ok);
    assert_string_equal(trial->err.msg, text);
    assert_int_equal(trial->err.code, code);
}

static void nothing_to_do(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .if_key = "no", .set_key = "x", .set_value = "1"},
        {.name = "b", .set_key = "x", .set_value = "0"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 2, "{\"x\": \"0\"}");
    expect_root(&trial, "{\"x\": \"0\"}");
    assert_false(trial.outcome.mutated);
    assert_int_equal(trial.outcome.iterations, 1);
    assert_int_equal(trial.outcome.n_applied, 0);
    finish(&trial);
    try(&trial, NULL, 0, "{}");
    expect_root(&trial, "{}");
    assert_int_equal(trial.outcome.iterations, 1);
    finish(&trial);
}

/* Bytewise: "B" < "a" < "a-b" < "a.b" < "a1", whatever the order given. */
static void runs_in_order(void **state) {
    (void)state;
    const char *const names[] = {"a1", "a", "B", "a.b", "a-b"};
    struct fake_plan plans[5];
    for (size_t i = 0; i < 5; i++) {
        plans[i] = (struct fake_plan){.name = names[i],
                                      .set_key = "order",
                                      .set_value = names[i],
                                      .append = true,
                                      .once = true};
    }
    struct loop_trial trial = {0};
    try(&trial, plans, 5, "{}");
    expect_root(&trial, "{\"order\": [\"B\", \"a\", \"a-b\", \"a.b\", \"a1\"]}");
    assert_int_equal(trial.outcome.iterations, 2);
    finish(&trial);
}

static void last_writer_wins(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "x", .set_value = "1"},
        {.name = "b", .set_key = "x", .set_value = "2"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 2, "{}");
    expect_root(&trial, "{\"x\": \"2\"}");
    assert_true(trial.outcome.mutated);
    assert_int_equal(trial.outcome.iterations, 2);
    assert_int_equal(trial.outcome.n_applied, 2);
    assert_int_equal(trial.outcome.applied[0], 0);
    assert_int_equal(trial.outcome.applied[1], 1);
    finish(&trial);
}

/* They change the object within the pass, and restore it: nothing is changed. */
static void undone_within_a_pass(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "x", .set_value = "1"},
        {.name = "b", .set_key = "x", .set_value = "0"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 2, "{\"x\": \"0\"}");
    expect_root(&trial, "{\"x\": \"0\"}");
    assert_false(trial.outcome.mutated);
    assert_int_equal(trial.outcome.iterations, 1);
    assert_int_equal(trial.outcome.n_applied, 0);
    finish(&trial);
}

/* Each waits for the one after it. */
static void chain_in_reverse(void **state) {
    (void)state;
    enum { N = 12 };
    static char names[N + 1][8];
    struct fake_plan plans[N];
    for (size_t i = 0; i <= N; i++) {
        (void)snprintf(names[i], sizeof names[i], "k%02zu", i);
    }
    for (size_t i = 0; i < N; i++) {
        plans[i] = (struct fake_plan){.name = names[i],
                                      .if_key = names[i + 1],
                                      .set_key = names[i],
                                      .set_value = "y"};
    }
    struct loop_trial trial = {0};
    try(&trial, plans, N, "{\"k12\": \"y\"}");
    assert_true(trial.ok);
    assert_int_equal(trial.outcome.iterations, N + 1);
    assert_int_equal(trial.outcome.n_applied, N);
    assert_int_equal(trial.outcome.n_cycle, 0);
    assert_int_equal(json_object_size(trial.root), N + 1);
    finish(&trial);
}

/* The budget counts mutators that never match. */
static void budget_counts_all(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .append = true},
        {.name = "b", .binding = "Other"},
        {.name = "c", .binding = "Other"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 3,
        "{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"metadata\": "
        "{\"namespace\": \"ns\", \"generateName\": \"web-\"}}");
    expect_error(&trial, FX_ENOCONVERGE,
                 "mutation not converging: mutation " UUID
                 " not converging for apps Deployment ns web-");
    assert_int_equal(trial.outcome.iterations, 4);
    assert_int_equal(json_array_size(json_object_get(trial.root, "l")), 4);
    finish(&trial);
}

static void cycle_is_named(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .append = true},
        {.name = "b", .set_key = "quiet", .set_value = "1"},
        {.name = "c", .set_key = "m", .set_value = "y", .append = true},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 3, "{\"l\": [], \"m\": []}");
    expect_error(&trial, FX_ENOCONVERGE,
                 "mutation not converging: mutation " UUID " not converging for    ");
    assert_int_equal(trial.outcome.n_cycle, 2);
    assert_int_equal(trial.outcome.cycle[0].mutator, 0);
    assert_int_equal(trial.outcome.cycle[1].mutator, 2);
    assert_true(fx_text_is(trial.outcome.cycle[0].path, "/l/3") ||
                fx_text_is(trial.outcome.cycle[0].path, "/l/-"));
    finish(&trial);
}

static void not_reinvoked(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        /* Without `once` this one would never settle. */
        {.name = "a", .set_key = "l", .set_value = "x", .append = true, .once = true},
        /* It matches in the second pass. */
        {.name = "b",
         .if_key = "late",
         .set_key = "l",
         .set_value = "y",
         .append = true,
         .once = true},
        {.name = "c", .set_key = "late", .set_value = "1"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 3, "{}");
    expect_root(&trial, "{\"l\": [\"x\", \"y\"], \"late\": \"1\"}");
    assert_int_equal(trial.outcome.iterations, 3);
    assert_int_equal(trial.outcome.n_applied, 3);
    finish(&trial);
}

/* A mutator that is reinvoked if needed runs in the second pass, and in a later one only
 * if others have changed the object. */
static void reinvoked_if_needed(void **state) {
    (void)state;
    const struct fake_plan alone[] = {
        {.name = "a",
         .set_key = "l",
         .set_value = "x",
         .append = true,
         .once = true,
         .again = true},
        {.name = "b", .set_key = "l", .set_value = "y", .append = true, .once = true},
        {.name = "c",
         .if_key = "never",
         .set_key = "l",
         .set_value = "z",
         .append = true,
         .once = true,
         .again = true},
    };
    const struct fake_plan with_others[] = {
        alone[0],
        {.name = "p", .rank = 1, .set_key = "m", .set_value = "1"},
        {.name = "q", .rank = 1, .if_key = "m", .set_key = "n", .set_value = "1"},
        {.name = "r", .rank = 1, .if_key = "n", .set_key = "never", .set_value = "1"},
    };
    struct loop_trial trial = {0};
    try(&trial, alone, 1, "{}");
    expect_root(&trial, "{\"l\": [\"x\", \"x\"]}");
    finish(&trial);
    try(&trial, alone, 3, "{}");
    expect_root(&trial, "{\"l\": [\"x\", \"y\", \"x\"]}");
    finish(&trial);
    try(&trial, with_others, 4, "{}");
    expect_root(&trial,
                "{\"l\": [\"x\", \"x\"], \"m\": \"1\", \"n\": \"1\", \"never\": \"1\"}");
    finish(&trial);
}

/* A mutator that is reinvoked if needed, and one of every pass, write one field: a whole
 * pass leaves the object as it was, and the last one decides. */
static void reinvoked_and_overwritten(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "k", .set_value = "1", .once = true, .again = true},
        {.name = "b", .rank = 1, .set_key = "k", .set_value = "2"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 2, "{}");
    expect_root(&trial, "{\"k\": \"2\"}");
    assert_int_equal(trial.outcome.iterations, 2);
    finish(&trial);
    try(&trial, plans, 2, "{\"k\": \"2\"}");
    expect_root(&trial, "{\"k\": \"2\"}");
    assert_int_equal(trial.outcome.iterations, 1);
    finish(&trial);
}

/* What `apply` does not match has had no step: it may match in a later pass. */
static void matched_by_apply(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a",
         .if_key = "late",
         .checks_late = true,
         .set_key = "l",
         .set_value = "x",
         .append = true,
         .once = true},
        {.name = "b", .rank = 1, .set_key = "late", .set_value = "1"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 2, "{}");
    expect_root(&trial, "{\"late\": \"1\", \"l\": [\"x\"]}");
    finish(&trial);
}

/* Failures that a mutator reports: the others run; the first denies, unless one is of the
 * server. Those without a code are ignored. */
static void reported_failures(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .failure = "ignored", .set_key = "x", .set_value = "1"},
        {.name = "b", .failure = "first", .failure_code = 403},
        {.name = "c", .failure = "second", .failure_code = 403},
        {.name = "d", .failure = "server", .failure_code = 500},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 1, "{}");
    expect_root(&trial, "{\"x\": \"1\"}");
    assert_int_equal(trial.outcome.n_skipped, 1); /* once for both passes */
    assert_true(trial.outcome.skipped[0].fails);
    assert_true(trial.outcome.skipped[0].is_reported);
    assert_true(fx_text_is(trial.outcome.skipped[0].part, "plan"));
    assert_string_equal(trial.outcome.skipped[0].message, "ignored");
    finish(&trial);
    try(&trial, plans, 3, "{}");
    expect_error(&trial, FX_EDENIED, "first");
    assert_int_equal(trial.outcome.n_violations, 2);
    assert_int_equal(trial.outcome.denial_code, 403);
    assert_string_equal(trial.outcome.denial_reason, "Invalid");
    assert_true(fx_text_is(trial.outcome.violations[1].entry, "second"));
    assert_true(fx_text_is(trial.outcome.violations[1].part, "plan"));
    finish(&trial);
    try(&trial, plans, 4, "{}");
    expect_error(&trial, FX_EDENIED, "server");
    assert_int_equal(trial.outcome.denial_code, 500);
    finish(&trial);
}

/* The others undo the change of a mutator that is not reinvoked in the next pass. */
static void back_where_it_began(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .if_key = "x", .if_value = "1", .set_key = "x", .set_value = "0"},
        {.name = "b", .set_key = "x", .set_value = "1", .once = true},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 2, "{\"x\": \"0\"}");
    expect_root(&trial, "{\"x\": \"0\"}");
    assert_false(trial.outcome.mutated);
    assert_int_equal(trial.outcome.iterations, 3);
    finish(&trial);
}

static void errors_abort(void **state) {
    (void)state;
    const char *pod = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": "
                      "{\"name\": \"p\", \"generateName\": \"g-\"}}";
    const struct fake_plan apply = {.name = "x", .apply_error = "it broke"};
    const struct fake_plan match = {.name = "x", .match_error = "it broke"};
    struct loop_trial trial = {0};
    try(&trial, &apply, 1, pod);
    expect_error(&trial, FX_EMUTATE,
                 "mutation " UUID " for mutator Fake.test.dev /x failed for  Pod  p: "
                 "it broke");
    finish(&trial);
    try(&trial, &match, 1, pod);
    expect_error(&trial, FX_EMUTATE,
                 "matching for mutator Fake.test.dev /x failed for  Pod  p: it broke");
    finish(&trial);
}

static void deadline_is_kept(void **state) {
    (void)state;
    const struct fake_plan plan = {
        .name = "a", .set_key = "l", .set_value = "x", .append = true};
    struct loop_trial trial = {.deadline_ns = 1};
    try(&trial, &plan, 1, "{}");
    expect_error(&trial, FX_EDEADLINE, "deadline exceeded in pass 1 of the mutators");
    assert_int_equal(trial.exceeded, FX_EXCEEDED_TIME);
    finish(&trial);
    trial.deadline_ns = fx_clock_ns() + UINT64_C(3600000000000);
    try(&trial, &plan, 1, "{}");
    assert_int_equal(trial.err.code, FX_ENOCONVERGE);
    assert_int_equal(trial.exceeded, FX_EXCEEDED_NOTHING);
    finish(&trial);
}

static void original_is_untouched(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "l", .set_value = "y", .append = true, .once = true},
        {.name = "b", .set_key = "x", .set_value = "1"},
    };
    const char *text = "{\"l\": [\"x\"], \"same\": {\"deep\": [1]}}";
    json_t *original = fake_json(text);
    json_t *copy = fake_json(text);
    struct fx_snapshot *snapshot = make_snapshot(plans, 2);
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    json_t *root = json_incref(original);
    assert_true(fx_converge(snapshot, &request, &arena, NULL, &root, &outcome, &err));
    assert_true(fx_equal(original, copy));
    assert_ptr_not_equal(root, original);
    assert_int_equal(json_array_size(json_object_get(root, "l")), 2);
    /* A node that no mutator wrote is the same node. */
    assert_ptr_equal(json_object_get(root, "same"), json_object_get(original, "same"));
    json_decref(root);
    json_decref(original);
    json_decref(copy);
    fx_arena_finish(&arena);
    fx_snapshot_unref(snapshot);
}

/* A mutator changes the kind of the object: mutators of the new kind that come after it
 * run in the same pass, those before it in the next. */
static void kind_changes(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .binding = "New", .set_key = "a", .set_value = "1"},
        {.name = "b", .binding = "Old", .set_key = "kind", .set_value = "New"},
        {.name = "c", .binding = "New", .set_key = "c", .set_value = "1"},
        {.name = "d", .binding = "Old", .set_key = "d", .set_value = "1"},
    };
    struct loop_trial trial = {0};
    try(&trial, plans, 4, "{\"apiVersion\": \"v1\", \"kind\": \"Old\"}");
    expect_root(&trial, "{\"apiVersion\": \"v1\", \"kind\": \"New\", \"a\": \"1\", "
                        "\"c\": \"1\"}");
    assert_int_equal(trial.outcome.iterations, 3);
    assert_int_equal(trial.outcome.n_applied, 3);
    finish(&trial);
}

static void trace_has_all(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .binding = "Other"},
        {.name = "b", .set_key = "x", .set_value = "1"},
        {.name = "c", .if_key = "y", .set_key = "z", .set_value = "1"},
    };
    struct loop_trial trial = {0};
    struct fx_trace trace;
    try_traced(&trial, plans, 3, "{\"kind\": \"Pod\", \"x\": \"0\"}", &trace);
    expect_root(&trial, "{\"kind\": \"Pod\", \"x\": \"1\"}");
    assert_int_equal(trace.n_changes, 1);
    assert_int_equal(trace.changes[0].mutator, 1);
    assert_int_equal(trace.changes[0].pass, 1);
    assert_true(fx_text_is(trace.changes[0].path, "/x"));
    assert_string_equal(json_string_value(trace.changes[0].from), "0");
    assert_string_equal(json_string_value(trace.changes[0].to), "1");
    /* Pass 1: all three; pass 2: the one that matches. */
    assert_int_equal(trace.n_steps, 4);
    assert_string_equal(trace.steps[0].verdict.criterion, "applyTo");
    assert_true(trace.steps[1].verdict.matched);
    assert_true(trace.steps[1].effect.changed);
    assert_string_equal(trace.steps[2].verdict.criterion, "if");
    assert_int_equal(trace.steps[3].mutator, 1);
    assert_int_equal(trace.steps[3].pass, 2);
    assert_true(trace.steps[3].effect.applied);
    assert_false(trace.steps[3].effect.changed);
    fx_trace_finish(&trace);
    finish(&trial);
}

/* A mutator that changes something in every pass has a step in each; one that has settled
 * has two; one that does not match has one. */
static void trace_has_news(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .append = true},
        {.name = "b", .set_key = "y", .set_value = "1"},
        {.name = "c", .binding = "Other"},
        {.name = "d", .binding = "Other"},
    };
    struct loop_trial trial = {0};
    struct fx_trace trace;
    try_traced(&trial, plans, 4, "{\"kind\": \"Pod\"}", &trace);
    assert_int_equal(trial.err.code, FX_ENOCONVERGE);
    size_t n_steps[4] = {0};
    for (size_t i = 0; i < trace.n_steps; i++) {
        n_steps[trace.steps[i].mutator]++;
    }
    assert_int_equal(n_steps[0], 5);
    assert_int_equal(n_steps[1], 2);
    assert_int_equal(n_steps[2], 1);
    assert_int_equal(n_steps[3], 1);
    fx_trace_finish(&trace);
    finish(&trial);
}

/* A generator of our own, so that a failure can be repeated (xorshift). */
static uint32_t next_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static const char *pick(uint32_t *seed, const char *const *words, size_t n) {
    return words[next_random(seed) % n];
}

static struct fake_plan random_plan(uint32_t *seed, const char *name) {
    static const char *const kinds[] = {NULL, "A", "A", "B", "B", "C"};
    static const char *const namespaces[] = {NULL, NULL, "n1", "n2"};
    static const char *const keys[] = {"kind", "x", "y", "z", "apiVersion"};
    static const char *const conditions[] = {NULL, "x", "y", "z"};
    static const char *const values[] = {"A", "B", "C", "v1"};
    static const char *const wanted[] = {NULL, "A", "B", "v1"};
    struct fake_plan plan = {
        .name = name,
        .binding = pick(seed, kinds, 6),
        .namespace_ = pick(seed, namespaces, 4),
        .if_key = pick(seed, conditions, 4),
        .if_value = pick(seed, wanted, 4),
        .set_key = pick(seed, keys, 5),
        .set_value = pick(seed, values, 4),
        .once = next_random(seed) % 4 == 0,
        .ignores_failure = next_random(seed) % 4 == 0,
        .rank = next_random(seed) % 3,
        .tier = (int)(next_random(seed) % 2),
    };
    plan.match_first = plan.rank == 1;
    if (next_random(seed) % 10 == 0) {
        plan.match_error = "no match today";
    }
    return plan;
}

/* Each mutator has one step in a pass, in order. Mutators of a tier that is matched first
 * are in the trace in the order of their results. */
static void expect_turns(const struct fx_trace *trace,
                         const struct fx_snapshot *snapshot) {
    for (size_t i = 1; i < trace->n_steps; i++) {
        const struct fx_trace_step *last = &trace->steps[i - 1];
        const struct fx_trace_step *step = &trace->steps[i];
        const struct fx_mutator *a = snapshot->mutators[last->mutator];
        const struct fx_mutator *b = snapshot->mutators[step->mutator];
        const bool is_tier = a->run.match_first && b->run.match_first &&
                             a->rank == b->rank && a->tier == b->tier;
        assert_true(
            step->pass > last->pass ||
            (step->pass == last->pass && (step->mutator > last->mutator || is_tier)));
    }
}

/* With a trace every mutator runs, without one those that the index finds. */
static void index_changes_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const char *const objects[] = {
        "{\"apiVersion\": \"v1\", \"kind\": \"A\", \"metadata\": {\"namespace\": "
        "\"n1\"}}",
        "{\"apiVersion\": \"v1\", \"kind\": \"B\", \"metadata\": {\"namespace\": "
        "\"n2\"}}",
        "{\"apiVersion\": \"v1\", \"kind\": \"A\", \"x\": \"v1\"}",
        "{\"apiVersion\": \"v1\", \"kind\": \"C\", \"metadata\": {\"namespace\": "
        "\"n3\"}}",
    };
    uint32_t seed = 20240229;
    size_t n_failed = 0;
    size_t n_mutated = 0;
    for (unsigned round = 0; round < 4000; round++) {
        struct fake_plan plans[FX_COUNT(names)];
        const size_t n = next_random(&seed) % FX_COUNT(names) + 1;
        for (size_t i = 0; i < n; i++) {
            plans[i] = random_plan(&seed, names[i]);
        }
        const char *object = pick(&seed, objects, FX_COUNT(objects));
        struct loop_trial indexed = {0};
        struct loop_trial whole = {0};
        struct fx_trace trace;
        try(&indexed, plans, n, object);
        try_traced(&whole, plans, n, object, &trace);
        assert_int_equal(indexed.ok, whole.ok);
        if (!indexed.ok) {
            assert_string_equal(indexed.err.msg, whole.err.msg);
            n_failed++;
        } else {
            assert_true(fx_equal(indexed.root, whole.root));
            assert_int_equal(indexed.outcome.mutated, whole.outcome.mutated);
            assert_int_equal(indexed.outcome.iterations, whole.outcome.iterations);
            assert_int_equal(indexed.outcome.n_applied, whole.outcome.n_applied);
            assert_int_equal(indexed.outcome.n_skipped, whole.outcome.n_skipped);
            n_mutated += indexed.outcome.mutated ? 1 : 0;
        }
        expect_turns(&trace, whole.snapshot);
        fx_trace_finish(&trace);
        finish(&indexed);
        finish(&whole);
    }
    /* The rounds are of all sorts. */
    assert_true(n_failed > 200 && n_mutated > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(runs_in_order),
        cmocka_unit_test(last_writer_wins),
        cmocka_unit_test(undone_within_a_pass),
        cmocka_unit_test(chain_in_reverse),
        cmocka_unit_test(budget_counts_all),
        cmocka_unit_test(cycle_is_named),
        cmocka_unit_test(not_reinvoked),
        cmocka_unit_test(reinvoked_if_needed),
        cmocka_unit_test(reinvoked_and_overwritten),
        cmocka_unit_test(matched_by_apply),
        cmocka_unit_test(reported_failures),
        cmocka_unit_test(back_where_it_began),
        cmocka_unit_test(errors_abort),
        cmocka_unit_test(deadline_is_kept),
        cmocka_unit_test(original_is_untouched),
        cmocka_unit_test(kind_changes),
        cmocka_unit_test(trace_has_all),
        cmocka_unit_test(trace_has_news),
        cmocka_unit_test(index_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
