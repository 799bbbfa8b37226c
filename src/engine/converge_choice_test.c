/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_choice_test.c - a request that selects rules: the others neither mutate
 * nor validate.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"

static const struct fake_plan plans[] = {
    {.name = "a", .set_key = "a", .set_value = "1"},
    {.name = "b", .if_key = "a", .set_key = "b", .set_value = "2"},
    {.name = "c", .if_key = "b", .set_key = "c", .set_value = "3"},
};
#define N_PLANS FX_COUNT(plans)

static bool is_in(const struct fx_mutator *mutator, struct fx_text names) {
    return fx_text_contains(names, fx_text_of(mutator->name));
}

static struct fx_snapshot *make_snapshot(void) {
    struct fx_mutator *mutators[N_PLANS];
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < N_PLANS; i++) {
        struct fake *fake = fake_create(&plans[i]);
        assert_non_null(fake);
        mutators[i] = &fake->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = N_PLANS};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < N_PLANS; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

/* The names of the keys that were set, when only mutators of these names run. */
static void expect(const struct fx_rule_choice *choice, bool with_trace,
                   const char *wanted) {
    struct fx_snapshot *snapshot = make_snapshot();
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .choice = choice};
    struct fx_outcome outcome = {0};
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fake_json("{\"kind\":\"K\"}");
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    assert_true(fx_converge(snapshot, &request, &arena, with_trace ? &trace : NULL, &root,
                            &outcome, &err));
    assert_int_equal(json_object_size(root), 1 + strlen(wanted));
    for (const char *at = wanted; *at != '\0'; at++) {
        const char key[] = {*at, '\0'};
        assert_non_null(fx_tree_view_key(root, key));
    }
    fx_outcome_finish(&outcome);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    json_decref(root);
    fx_snapshot_unref(snapshot);
}

static void chooses(void **state) {
    (void)state;
    static const struct {
        const char *names, *wanted;
    } cases[] = {
        {"abc", "abc"}, {"ab", "ab"}, {"ac", "a"}, {"bc", ""}, {"a", "a"}, {"", ""},
    };
    expect(NULL, false, "abc");
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_rule_choice choice = {is_in, fx_text_of(cases[i].names)};
        expect(&choice, false, cases[i].wanted);
        expect(&choice, true, cases[i].wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chooses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
