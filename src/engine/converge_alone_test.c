/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_alone_test.c - passes whose changes no other mutator undoes, and passes
 * that leave the object as it was although mutators changed it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"

#define MOST 4

/* How often the object was unshared, and how often shared. */
static unsigned n_own, n_shared;

static bool count_and_apply(const struct fx_mutator *self,
                            const struct fx_request *request, json_t **root,
                            struct fx_effect *ret_effect, struct fx_err *err) {
    const bool own = fx_tree_is_unshared(*root);
    const bool ok = fake_apply(self, request, root, ret_effect, err);
    n_own += ret_effect->changed && own;
    n_shared += ret_effect->changed && !own;
    ret_effect->depth = 1;
    return ok;
}

static const struct fx_mutator_ops ops = {
    .match = fake_match,
    .apply = count_and_apply,
    .access = fake_access,
    .destroy = fake_destroy,
};

/* It reads what it writes and what its match needs. */
static struct fx_mutator *make(const struct fake_plan *plan) {
    struct fake *fake = fake_create(plan);
    assert_non_null(fake);
    fake->uses_old_value = true;
    assert_true(fake_declare(fake, &ops));
    return &fake->head;
}

static const struct {
    struct fake_plan plans[MOST];
    const char *object;
    unsigned iterations;
    bool mutated;
    unsigned n_own, n_shared; /* changes of its own object, and of a shared one */
} rows[] = {
    /* The first copies what the caller holds. */
    {{{.name = "a", .set_key = "a", .set_value = "1"}}, "{}", 2, true, 0, 1},
    {{{.name = "a", .if_key = "b", .set_key = "a", .set_value = "1"},
      {.name = "b", .if_key = "c", .set_key = "b", .set_value = "1"},
      {.name = "c", .set_key = "c", .set_value = "1"}},
     "{}",
     4,
     true,
     2,
     1},
    /* Two of one field: later passes may undo what they do. */
    {{{.name = "a", .if_key = "b", .set_key = "a", .set_value = "1"},
      {.name = "b", .set_key = "b", .set_value = "1"},
      {.name = "c", .if_key = "z", .set_key = "a", .set_value = "1"}},
     "{}",
     3,
     true,
     0,
     2},
    /* Undone within a pass, alone and beside one that stays. */
    {{{.name = "a", .set_key = "a", .set_value = "2"},
      {.name = "b", .set_key = "a", .set_value = "1"}},
     "{\"a\":\"1\"}",
     1,
     false,
     1,
     1},
    {{{.name = "a", .set_key = "a", .set_value = "2"},
      {.name = "b", .set_key = "a", .set_value = "1"},
      {.name = "c", .set_key = "c", .set_value = "1"}},
     "{\"a\":\"1\"}",
     2,
     true,
     3,
     2},
};

static void converge(const struct fx_snapshot *snapshot, const char *object, bool plain,
                     struct fx_outcome *ret_outcome, json_t **ret_root) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE, .plain = plain};
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    *ret_root = fake_json(object);
    n_own = 0;
    n_shared = 0;
    assert_true(
        fx_converge(snapshot, &request, &arena, NULL, ret_root, ret_outcome, &err));
    fx_outcome_finish(ret_outcome);
    fx_arena_finish(&arena);
}

static struct fx_snapshot *build(struct fx_mutator **mutators, size_t n) {
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

static void copies_what_may_be_undone(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_mutator *mutators[MOST];
        struct fx_outcome outcomes[2];
        json_t *roots[2];
        size_t n = 0;
        while (n < MOST && rows[i].plans[n].name != NULL) {
            mutators[n] = make(&rows[i].plans[n]);
            n++;
        }
        struct fx_snapshot *snapshot = build(mutators, n);
        converge(snapshot, rows[i].object, true, &outcomes[0], &roots[0]);
        converge(snapshot, rows[i].object, false, &outcomes[1], &roots[1]);
        assert_int_equal(n_own, rows[i].n_own);
        assert_int_equal(n_shared, rows[i].n_shared);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(outcomes[k].iterations, rows[i].iterations);
            assert_int_equal(outcomes[k].mutated, rows[i].mutated);
        }
        assert_true(json_equal(roots[0], roots[1]));
        json_decref(roots[0]);
        json_decref(roots[1]);
        fx_snapshot_unref(snapshot);
    }
}

/* One that may write anywhere makes a difference to those that it acts beside. */
static void minds_who_may_undo_anything(void **state) {
    (void)state;
    static const char *const kinds[] = {"Other", "Pod"};
    for (size_t i = 0; i < FX_COUNT(kinds); i++) {
        const struct fake_plan plans[] = {
            {.name = "a", .if_key = "b", .set_key = "a", .set_value = "1"},
            {.name = "b", .set_key = "b", .set_value = "1"},
            {.name = "c", .binding = kinds[i], .set_key = "c", .set_value = "1"},
        };
        struct fx_mutator *mutators[] = {make(&plans[0]), make(&plans[1]),
                                         make(&plans[2])};
        free(mutators[2]->hashes);
        mutators[2]->hashes = NULL;
        struct fx_snapshot *snapshot = build(mutators, FX_COUNT(mutators));
        struct fx_outcome outcome;
        json_t *root = NULL;
        converge(snapshot, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}", false, &outcome,
                 &root);
        assert_int_equal(n_shared, i == 0 ? 1 : 2);
        assert_int_equal(json_object_size(root), i == 0 ? 4 : 5);
        json_decref(root);
        fx_snapshot_unref(snapshot);
    }
}

/* One that takes back in a second pass what it did in the first. */
static bool apply_to_and_fro(const struct fx_mutator *self,
                             const struct fx_request *request, json_t **root,
                             struct fx_effect *ret_effect, struct fx_err *err) {
    (void)self;
    (void)request;
    static const char *const values[] = {"2", "1"};
    *ret_effect = (struct fx_effect){.applied = true};
    if (n_own == FX_COUNT(values)) {
        return true;
    }
    ret_effect->changed = true;
    ret_effect->depth = 1;
    json_t *own = fx_tree_own_root(root);
    return (own != NULL &&
            fx_tree_set_take(own, FX_TEXT("a"), json_string(values[n_own++]))) ||
           fx_fail_nomem(err);
}

static void sees_what_one_takes_back(void **state) {
    (void)state;
    static const struct fx_mutator_ops to_and_fro = {
        .match = fake_match, .apply = apply_to_and_fro, .destroy = fake_destroy};
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "a"},
        {.name = "b", .if_key = "z", .set_key = "b", .set_value = "1"},
    };
    struct fx_mutator *mutators[] = {make(&plans[0]), make(&plans[1])};
    struct fx_outcome outcome;
    json_t *root = NULL;
    mutators[0]->ops = &to_and_fro;
    struct fx_snapshot *snapshot = build(mutators, FX_COUNT(mutators));
    converge(snapshot, "{\"a\":\"1\"}", false, &outcome, &root);
    assert_int_equal(outcome.iterations, 3);
    assert_false(outcome.mutated);
    json_decref(root);
    fx_snapshot_unref(snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_what_may_be_undone),
        cmocka_unit_test(minds_who_may_undo_anything),
        cmocka_unit_test(sees_what_one_takes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
