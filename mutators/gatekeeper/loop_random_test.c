/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/loop_random_test.c - the loop skips steps whose result would be
 * that of the last step. This test makes random mutators and objects with few names, so
 * that they interact. The loop must give the same results as a plain loop, which runs
 * every mutator in every pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/slow_testing.h"
#include "engine/converge.h"
#include "engine/external.h"
#include "engine/snapshot.h"
#include "mutators/gatekeeper/random_testing.h"
#include "mutators/gatekeeper/testing.h"
#include "value/equal.h"

#define POOLS    50  /* of mutators, */
#define POOL     120 /* so many each, */
#define ROUNDS   500 /* from which so many sets are taken */
#define SET_MOST 10
#define UUID     "00000000-0000-0000-0000-000000000000"

/* ---- two runs -------------------------------------------------------------------- */

struct loop_run {
    struct fx_request request;
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
    bool ok;
};

static void run(struct loop_run *run, const struct fx_snapshot *snapshot,
                const struct fx_request *request, json_t *object, bool traced) {
    *run = (struct loop_run){.request = *request, .err = FX_ERR_INIT};
    run->request.placeholders = fx_placeholders_create();
    fx_arena_init(&run->arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&run->trace, &run->arena);
    run->root = json_incref(object);
    run->ok =
        fx_converge(snapshot, &run->request, &run->arena, traced ? &run->trace : NULL,
                    &run->root, &run->outcome, &run->err);
}

static void finish(struct loop_run *run) {
    fx_outcome_finish(&run->outcome);
    fx_trace_finish(&run->trace);
    json_decref(run->root);
    fx_arena_finish(&run->arena);
    fx_placeholders_destroy(run->request.placeholders);
}

static void assert_same_list(const uint32_t *a, size_t n_a, const uint32_t *b,
                             size_t n_b) {
    assert_int_equal(n_a, n_b);
    for (size_t i = 0; i < n_a; i++) {
        assert_int_equal(a[i], b[i]);
    }
}

static void assert_same_changes(const struct fx_trace_change *a,
                                const struct fx_trace_change *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].mutator, b[i].mutator);
        assert_int_equal(a[i].pass, b[i].pass);
        assert_true(fx_text_equal(a[i].path, b[i].path));
        assert_true(fx_equal(a[i].from, b[i].from) && fx_equal(a[i].to, b[i].to));
    }
}

static void assert_same_trace(const struct fx_trace *a, const struct fx_trace *b) {
    assert_int_equal(a->n_changes, b->n_changes);
    assert_same_changes(a->changes, b->changes, a->n_changes);
    assert_int_equal(a->n_steps, b->n_steps);
    for (size_t i = 0; i < a->n_steps; i++) {
        const struct fx_trace_step *left = &a->steps[i];
        const struct fx_trace_step *right = &b->steps[i];
        assert_int_equal(left->mutator, right->mutator);
        assert_int_equal(left->pass, right->pass);
        assert_int_equal(left->verdict.matched, right->verdict.matched);
        assert_ptr_equal(left->verdict.criterion, right->verdict.criterion);
        assert_int_equal(left->effect.applied, right->effect.applied);
        assert_int_equal(left->effect.changed, right->effect.changed);
        assert_ptr_equal(left->effect.criterion, right->effect.criterion);
    }
}

/* The mutators and paths of a cycle; its steps are reported if there is time. */
static void assert_same_cycle(const struct fx_outcome *a, const struct fx_outcome *b) {
    assert_int_equal(a->n_cycle, b->n_cycle);
    for (size_t i = 0; i < a->n_cycle; i++) {
        assert_int_equal(a->cycle[i].mutator, b->cycle[i].mutator);
        assert_true(fx_text_equal(a->cycle[i].path, b->cycle[i].path));
    }
    for (size_t i = 0; i < a->n_cycle_fields && b->n_cycle_fields > 0; i++) {
        assert_int_equal(a->n_cycle_fields, b->n_cycle_fields);
        assert_int_equal(a->cycle_fields[i].period, b->cycle_fields[i].period);
        assert_int_equal(a->cycle_fields[i].n_changes, b->cycle_fields[i].n_changes);
        assert_same_changes(a->cycle_fields[i].changes, b->cycle_fields[i].changes,
                            a->cycle_fields[i].n_changes);
    }
}

static void assert_same_outcome(const struct fx_outcome *a, const struct fx_outcome *b) {
    assert_int_equal(a->mutated, b->mutated);
    assert_int_equal(a->iterations, b->iterations);
    assert_same_list(a->applied, a->n_applied, b->applied, b->n_applied);
    assert_int_equal(a->n_passes, b->n_passes);
    for (size_t i = 0; i < a->n_passes; i++) {
        assert_same_list(a->passes[i].applied, a->passes[i].n_applied,
                         b->passes[i].applied, b->passes[i].n_applied);
    }
    assert_int_equal(a->n_stats, b->n_stats);
    for (size_t i = 0; i < a->n_stats; i++) {
        assert_int_equal(a->stats[i].mutator, b->stats[i].mutator);
        assert_int_equal(a->stats[i].matched, b->stats[i].matched);
        assert_int_equal(a->stats[i].applied, b->stats[i].applied);
        assert_int_equal(a->stats[i].changed, b->stats[i].changed);
        assert_int_equal(a->stats[i].failed, b->stats[i].failed);
    }
    assert_ptr_equal(a->failed, b->failed);
    assert_same_cycle(a, b);
}

/* The order of fields counts. */
static void assert_same_text(const json_t *a, const json_t *b) {
    struct fx_buf left, right;
    fx_buf_init(&left, 0);
    fx_buf_init(&right, 0);
    fx_json_write(&left, a, FX_JSON_COMPACT);
    fx_json_write(&right, b, FX_JSON_COMPACT);
    assert_string_equal(left.data, right.data);
    fx_buf_finish(&left);
    fx_buf_finish(&right);
}

/* ---- the test -------------------------------------------------------------------- */

#define CYCLING(kind, name, spec, other, operator)                                   \
    "{'apiVersion':'mutations.fixpoint.dev/v1alpha1','kind':'" kind "','metadata':{" \
    "'name':'" name "'},'spec':{" POD_ONLY "," spec                                  \
    ",'conditions':[{'location':'spec." other "','operator':'" operator"'}]}}"
#define SET(field) "'location':'spec." field "','parameters':{'assign':{'value':1}}"

/* Sets a while there is no b, b while there is an a, and removes both: a cycle unless
 * other mutators end it. They begin each pool. */
static const char *const cycling[] = {
    CYCLING("Assign", "f0", SET("b"), "a", "Exists"),
    CYCLING("Assign", "f1", SET("a"), "b", "DoesNotExist"),
    CYCLING("Remove", "f2", "'location':'spec.a'", "b", "Exists"),
    CYCLING("Remove", "f3", "'location':'spec.b'", "a", "DoesNotExist"),
};

struct pool {
    json_t *policies[POOL];
    struct fx_compilation made;
};

static void fill_pool(struct pool *pool) {
    *pool = (struct pool){.made = {0}};
    for (unsigned i = 0; i < POOL; i++) {
        struct fx_err err = FX_ERR_INIT;
        pool->policies[i] =
            i < FX_COUNT(cycling) ? must_read(cycling[i]) : make_policy(i);
        if (!fx_dialect_gatekeeper.compile(pool->policies[i], &pool->made, &err)) {
            assert_true(i >= FX_COUNT(cycling) && err.code != FX_ENOMEM);
        }
    }
    assert_true(pool->made.n_mutators > POOL / 2);
}

static void empty_pool(struct pool *pool) {
    fx_compilation_finish(&pool->made);
    for (size_t i = 0; i < POOL; i++) {
        json_decref(pool->policies[i]);
    }
}

static struct fx_snapshot *take_set(const struct pool *pool) {
    struct fx_mutator *mutators[FX_COUNT(cycling) + SET_MOST];
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    size_t n = 0;
    for (; n < FX_COUNT(cycling) && (n > 0 || one_in(10)); n++) {
        mutators[n] = pool->made.mutators[n];
    }
    for (unsigned more = 1 + throw(SET_MOST); more > 0; more--) {
        mutators[n++] = pool->made.mutators[throw((unsigned)pool->made.n_mutators)];
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    return snapshot;
}

/* How often what came of it. */
static struct {
    unsigned settled, long_ways, cycles, failures;
} counts;

static void count(const struct loop_run *run) {
    counts.settled += run->ok;
    counts.long_ways += run->ok && run->outcome.iterations > 2;
    counts.cycles += run->err.code == FX_ENOCONVERGE;
    counts.failures += run->err.code == FX_EMUTATE;
}

static void compare(const struct fx_snapshot *snapshot, const struct fx_request *request,
                    bool traced) {
    struct fx_request plain = *request;
    plain.plain = true;
    json_t *object = make_object();
    struct loop_run runs[2];
    run(&runs[0], snapshot, &plain, object, traced);
    run(&runs[1], snapshot, request, object, traced);
    assert_int_equal(runs[0].ok, runs[1].ok);
    assert_int_equal(runs[0].err.code, runs[1].err.code);
    assert_string_equal(runs[0].err.msg, runs[1].err.msg);
    assert_same_text(runs[0].root, runs[1].root);
    assert_same_outcome(&runs[0].outcome, &runs[1].outcome);
    assert_same_trace(&runs[0].trace, &runs[1].trace);
    count(&runs[0]);
    finish(&runs[0]);
    finish(&runs[1]);
    json_decref(object);
}

static void play(const struct pool *pool, json_t *namespace_object) {
    struct fx_snapshot *snapshot = take_set(pool);
    const struct fx_request request = {
        .operation = FX_OPERATION_CREATE,
        .source = FX_SOURCE_ORIGINAL,
        .namespace_object = one_in(3) ? NULL : namespace_object,
        .reports_passes = one_in(2),
        .collects_stats = one_in(2),
        .mutation_id = UUID,
    };
    compare(snapshot, &request, one_in(4));
    fx_snapshot_unref(snapshot);
}

static void both_loops_agree(void **state) {
    (void)state;
    json_t *namespace_object = must_read("{'apiVersion':'v1','kind':'Namespace','"
                                         "metadata':{'name':'ns','labels':{'p':'u'}}}");
    const unsigned pools = POOLS / slow();
    for (unsigned i = 0; i < pools; i++) {
        struct pool pool;
        is_flat = i % 2 == 0;
        fill_pool(&pool);
        for (unsigned k = 0; k < ROUNDS; k++) {
            play(&pool, namespace_object);
        }
        empty_pool(&pool);
    }
    json_decref(namespace_object);
    print_message("settled %u (%u in more than two passes), cycles %u, failures %u\n",
                  counts.settled, counts.long_ways, counts.cycles, counts.failures);
    assert_true(counts.long_ways > pools * ROUNDS / 50);
    assert_true(counts.cycles > pools * ROUNDS / 50);
    assert_true(counts.failures > pools * ROUNDS / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_loops_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
