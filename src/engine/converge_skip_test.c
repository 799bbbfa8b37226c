/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_skip_test.c - steps that are skipped: how many steps there are, and
 * that the outcome is the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"

#define MUTATORS 3

static unsigned n_steps;

static bool count_and_match(const struct fx_mutator *self,
                            const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct fx_verdict *ret_verdict, struct fx_err *err) {
    n_steps++;
    return fake_match(self, request, subject, ret_verdict, err);
}

static bool apply_in_depth(const struct fx_mutator *self,
                           const struct fx_request *request, json_t **root,
                           struct fx_effect *ret_effect, struct fx_err *err) {
    const bool ok = fake_apply(self, request, root, ret_effect, err);
    ret_effect->depth = 1;
    return ok;
}

static const struct fx_mutator_ops ops = {
    .match = count_and_match,
    .apply = apply_in_depth,
    .access = fake_access,
    .destroy = fake_destroy,
};
static const struct fx_mutator_ops undeclared_ops = {
    .match = count_and_match, .apply = apply_in_depth, .destroy = fake_destroy};

/* Each sets the field of its name; `a` only where there is a `b`. */
static const struct fake_plan plans[MUTATORS] = {
    {.name = "a", .if_key = "b", .set_key = "a", .set_value = "1"},
    {.name = "b", .set_key = "b", .set_value = "1"},
    {.name = "c", .set_key = "c", .set_value = "1"},
};

/* What a mutator declares. */
enum declared { NONE, SETTLES, STAYS, FAR };

static struct fx_mutator *make(const struct fake_plan *plan, enum declared declared) {
    struct fake *fake = fake_create(plan);
    assert_non_null(fake);
    fake->head.ops = &undeclared_ops;
    fake->only_reads = declared == FAR;
    fake->uses_old_value = declared != SETTLES;
    assert_true(declared == NONE || fake_declare(fake, &ops));
    return &fake->head;
}

static struct fx_snapshot *make_snapshot(enum declared declared) {
    struct fx_mutator *mutators[MUTATORS];
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < MUTATORS; i++) {
        mutators[i] = make(&plans[i], declared);
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = MUTATORS};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < MUTATORS; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

/* Three passes of three: the first, one in which `a` finds its `b`, and the last. */
static const struct {
    enum declared declared;
    bool plain, reports_passes;
    unsigned n_steps;
} rows[] = {
    {SETTLES, false, false, 3 + 1 + 0},
    {SETTLES, false, true, 3 + 3 + 1}, /* each that changed something has one more */
    {STAYS, false, false, 3 + 3 + 1},
    {SETTLES, true, false, 9},
    {NONE, false, false, 9},
    {FAR, false, false, 3 + 3 + 1},
};

static void skips_steps(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_snapshot *snapshot = make_snapshot(rows[i].declared);
        const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                           .plain = rows[i].plain,
                                           .reports_passes = rows[i].reports_passes};
        struct fx_arena arena;
        struct fx_outcome outcome = {0};
        struct fx_err err = FX_ERR_INIT;
        json_t *root = json_object();
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        n_steps = 0;
        assert_true(fx_converge(snapshot, &request, &arena, NULL, &root, &outcome, &err));
        assert_int_equal(outcome.iterations, 3);
        assert_int_equal(outcome.n_applied, MUTATORS);
        assert_int_equal(json_object_size(root), MUTATORS);
        assert_int_equal(n_steps, rows[i].n_steps);
        fx_outcome_finish(&outcome);
        json_decref(root);
        fx_arena_finish(&arena);
        fx_snapshot_unref(snapshot);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skips_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
