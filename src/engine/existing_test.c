/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/existing_test.c - rules for existing objects: what a review notes of them, their
 * queries, their effect on one target, and triggers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/budget.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "engine/existing.h"
#include "engine/fake_mutator.h"
#include "engine/trigger.h"
#include "value/equal.h"

/* ---- a review ---------------------------------------------------------------------- */

#define MOST 4

struct play {
    struct fx_snapshot *snapshot;
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
};

static bool play(struct play *play, const struct fake_plan *plans, size_t n) {
    struct fx_mutator *mutators[MOST] = {NULL};
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .collects_stats = true};
    for (size_t i = 0; i < n; i++) {
        mutators[i] = &fake_create(&plans[i])->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    *play = (struct play){.err = FX_ERR_INIT};
    assert_true(fx_snapshot_build(&parts, 1, &play->snapshot, &play->err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    fx_arena_init(&play->arena, FX_LIMIT_ARENA_BYTES);
    play->root = fake_json("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
    return fx_converge(play->snapshot, &request, &play->arena, NULL, &play->root,
                       &play->outcome, &play->err);
}

static void finish(struct play *play) {
    fx_outcome_finish(&play->outcome);
    fx_arena_finish(&play->arena);
    fx_snapshot_unref(play->snapshot);
    json_decref(play->root);
}

/* The rules see the result of the mutators, change nothing, and come after validators,
 * whatever their names are. */
static void a_review_notes_rules_that_match(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .action = FX_ACTION_EXISTING, .if_key = "made", .set_key = "x"},
        {.name = "b", .action = FX_ACTION_EXISTING, .if_key = "missing"},
        {.name = "c", .action = FX_ACTION_WARN, .violation = "w"},
        {.name = "d", .set_key = "made", .set_value = "1"},
    };
    struct play run;
    assert_true(play(&run, plans, FX_COUNT(plans)));
    assert_int_equal(run.outcome.n_triggered, 1);
    assert_string_equal(run.snapshot->mutators[run.outcome.triggered[0]]->name, "a");
    assert_int_equal(run.outcome.triggered[0], 2);
    assert_int_equal(run.outcome.n_violations, 1);
    assert_null(fx_tree_view_key(run.root, "x"));
    bool has_stats = false;
    for (size_t i = 0; i < run.outcome.n_stats; i++) {
        const struct fx_mutator_stats *stats = &run.outcome.stats[i];
        has_stats = has_stats || (stats->mutator == 2 && stats->matched &&
                                  stats->applied && !stats->violated && !stats->changed);
    }
    assert_true(has_stats);
    finish(&run);
}

static void a_denial_is_still_a_denial(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .action = FX_ACTION_EXISTING},
        {.name = "b", .action = FX_ACTION_DENY, .violation = "no"},
    };
    struct play run;
    assert_false(play(&run, plans, FX_COUNT(plans)));
    assert_int_equal(run.err.code, FX_EDENIED);
    finish(&run);
}

static void a_match_that_fails(void **state) {
    (void)state;
    struct fake_plan plan = {
        .name = "a", .action = FX_ACTION_EXISTING, .match_error = "broken"};
    struct play run;
    assert_false(play(&run, &plan, 1));
    assert_int_equal(run.err.code, FX_EMUTATE);
    finish(&run);
    plan.ignores_failure = true;
    assert_true(play(&run, &plan, 1));
    assert_int_equal(run.outcome.n_triggered, 0);
    assert_int_equal(run.outcome.n_skipped, 1);
    finish(&run);
}

/* ---- queries ----------------------------------------------------------------------- */

static struct fx_existing_query query_of(const char *namespace_, const char *name) {
    return (struct fx_existing_query){.group = FX_TEXT("apps"),
                                      .version = FX_TEXT("v1"),
                                      .kind = FX_TEXT("Deployment"),
                                      .namespace_ = fx_text_of(namespace_),
                                      .name = fx_text_of(name)};
}

static json_t *deployment(const char *namespace_, const char *name, const char *label) {
    json_t *made = json_pack("{s:s, s:s, s:{s:s, s:s*, s:{s:s}}}", "apiVersion",
                             "apps/v1", "kind", "Deployment", "metadata", "name", name,
                             "namespace", namespace_, "labels", "tier", label);
    assert_non_null(made);
    return made;
}

static bool fits(const struct fx_existing_query *query, json_t *object_take) {
    struct fx_err err = FX_ERR_INIT;
    bool result = false;
    assert_true(fx_existing_query_fits(query, object_take, &result, &err));
    json_decref(object_take);
    return result;
}

static void queries_choose_objects(void **state) {
    (void)state;
    struct fx_existing_queries queries = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *selector = fake_json("{\"matchLabels\":{\"tier\":\"web\"}}");
    const struct fx_existing_query patterns = query_of("team-?", "api*");
    const struct fx_existing_query any = query_of("", "");
    const struct fx_existing_query one = query_of("team-a", "api");
    assert_true(fx_existing_queries_add(&queries, &patterns, NULL, &err));
    assert_true(fx_existing_queries_add(&queries, &any, selector, &err));
    assert_true(fx_existing_queries_add(&queries, &one, NULL, &err));
    json_decref(selector);
    assert_false(fx_existing_query_is_exact(&queries.items[0]));
    assert_false(fx_existing_query_is_exact(&queries.items[1]));
    assert_true(fx_existing_query_is_exact(&queries.items[2]));
    assert_true(fits(&queries.items[0], deployment("team-a", "api-2", "x")));
    assert_false(fits(&queries.items[0], deployment("team-ab", "api-2", "x")));
    assert_false(fits(&queries.items[0], deployment("team-a", "web", "x")));
    assert_false(fits(&queries.items[0], deployment(NULL, "api", "x")));
    assert_true(fits(&queries.items[1], deployment("x", "y", "web")));
    assert_true(fits(&queries.items[1], deployment(NULL, "y", "web")));
    assert_false(fits(&queries.items[1], deployment("x", "y", "db")));
    json_t *other = deployment("team-a", "api", "web");
    assert_int_equal(json_object_set_new(other, "apiVersion", json_string("apps/v2")), 0);
    assert_false(fits(&queries.items[2], other));
    fx_existing_queries_finish(&queries);
}

static void queries_that_are_refused(void **state) {
    (void)state;
    struct fx_existing_queries queries = {0};
    struct fx_err err = FX_ERR_INIT;
    const struct fx_existing_query any = query_of("", "");
    struct fx_existing_query kindless = any;
    kindless.kind = FX_TEXT("");
    assert_false(fx_existing_queries_add(&queries, &kindless, NULL, &err));
    assert_int_equal(err.code, FX_EINVALID);
    fx_err_reset(&err);
    json_t *selector =
        fake_json("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Never\"}]}");
    assert_false(fx_existing_queries_add(&queries, &any, selector, &err));
    assert_int_equal(err.code, FX_EINVALID);
    json_decref(selector);
    fx_err_reset(&err);
    for (size_t i = 0; i < FX_LIMIT_EXISTING_QUERIES; i++) {
        assert_true(fx_existing_queries_add(&queries, &any, NULL, &err));
    }
    assert_false(fx_existing_queries_add(&queries, &any, NULL, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_existing_queries_finish(&queries);
}

/* ---- a target ---------------------------------------------------------------------- */

static bool apply_fake(const struct fx_mutator *self, const struct fx_request *request,
                       json_t *trigger, json_t **target, struct fx_effect *ret_effect,
                       struct fx_err *err) {
    (void)trigger;
    return fake_apply(self, request, target, ret_effect, err);
}

static const struct fx_existing_ops existing = {.apply = apply_fake};
static const struct fx_mutator_ops ops = {
    .match = fake_match, .existing = &existing, .destroy = fake_destroy};

/* Applies a fake to {"a":"b"}. */
static enum fx_existing_result mutate(struct fake_plan plan, const char *wanted) {
    const struct fx_request request = {.operation = FX_OPERATION_NONE};
    struct fx_err err = FX_ERR_INIT;
    enum fx_existing_result result = FX_EXISTING_SAME;
    plan.name = "a";
    plan.action = FX_ACTION_EXISTING;
    struct fake *fake = fake_create(&plan);
    fake->head.ops = &ops;
    json_t *target = fake_json("{\"a\":\"b\"}");
    json_t *original = target;
    json_t *expected = fake_json(wanted);
    const bool ok =
        fx_existing_apply(&fake->head, &request, NULL, &target, &result, &err);
    assert_int_equal(ok, plan.apply_error == NULL);
    assert_true(fx_equal(target, expected));
    assert_true(result == FX_EXISTING_CHANGED || target == original);
    json_decref(expected);
    json_decref(target);
    fx_mutator_unref(&fake->head);
    return result;
}

static void a_target_is_mutated_until_it_settles(void **state) {
    (void)state;
    assert_int_equal(
        mutate((struct fake_plan){.set_key = "a", .set_value = "c"}, "{\"a\":\"c\"}"),
        FX_EXISTING_CHANGED);
    assert_int_equal(
        mutate((struct fake_plan){.set_key = "a", .set_value = "b"}, "{\"a\":\"b\"}"),
        FX_EXISTING_SAME);
    assert_int_equal(
        mutate((struct fake_plan){.set_key = "l", .set_value = "x", .append = true},
               "{\"a\":\"b\"}"),
        FX_EXISTING_UNSETTLED);
    const struct fake_plan once = {
        .set_key = "l", .set_value = "x", .append = true, .once = true};
    assert_int_equal(mutate(once, "{\"a\":\"b\",\"l\":[\"x\"]}"), FX_EXISTING_CHANGED);
    (void)mutate((struct fake_plan){.apply_error = "broken"}, "{\"a\":\"b\"}");
}

static void a_target_beyond_the_budget(void **state) {
    (void)state;
    const struct fx_request request = {.operation = FX_OPERATION_NONE};
    const struct fake_plan plan = {
        .name = "a", .action = FX_ACTION_EXISTING, .set_key = "a", .set_value = "c"};
    struct fx_err err = FX_ERR_INIT;
    enum fx_existing_result result = FX_EXISTING_SAME;
    struct fake *fake = fake_create(&plan);
    fake->head.ops = &ops;
    json_t *target = fake_json("{\"a\":\"b\"}");
    struct fx_budget budget = {.bound.units = 1};
    fx_budget_swap(&budget);
    assert_false(fx_spend(2));
    assert_false(fx_existing_apply(&fake->head, &request, NULL, &target, &result, &err));
    fx_budget_swap(&budget);
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(json_string_value(fx_tree_view_key(target, "a")), "b");
    json_decref(target);
    fx_mutator_unref(&fake->head);
}

/* ---- triggers ---------------------------------------------------------------------- */

static void a_trigger_keeps_the_request(void **state) {
    (void)state;
    const struct fake_plan plan = {.name = "a", .action = FX_ACTION_EXISTING};
    struct play run;
    assert_true(play(&run, &plan, 1));
    json_t *object = deployment("shop", "web", "x");
    json_t *user = fake_json("{\"username\":\"ann\",\"groups\":[\"g\"]}");
    const struct fx_request request = {.operation = FX_OPERATION_UPDATE,
                                       .namespace_ = FX_TEXT("shop"),
                                       .old_object = run.root,
                                       .user_info = user};
    struct fx_trigger *trigger =
        fx_trigger_create(run.snapshot, run.outcome.triggered, 1, &request, object);
    assert_non_null(trigger);
    assert_string_equal(trigger->identity, "apps/Deployment/shop/web");
    assert_string_equal(trigger->username, "ann");
    struct fx_trigger_view view = {.parts = NULL};
    assert_true(fx_trigger_view(trigger, &view, &run.err));
    assert_true(fx_equal(view.object, object));
    assert_true(fx_equal(view.request.old_object, run.root));
    assert_true(fx_equal(view.request.user_info, user));
    assert_null(view.request.admission);
    assert_null(view.request.namespace_object);
    assert_int_equal(view.request.operation, FX_OPERATION_UPDATE);
    assert_true(fx_text_is(view.request.namespace_, "shop"));
    assert_false(trigger->parts.secret);
    fx_trigger_view_finish(&view);
    fx_trigger_unref(trigger);
    json_decref(user);
    json_decref(object);
    finish(&run);
}

static void a_secret_is_wiped(void **state) {
    (void)state;
    const struct fake_plan plan = {.name = "a", .action = FX_ACTION_EXISTING};
    struct play run;
    assert_true(play(&run, &plan, 1));
    json_t *object = fake_json("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{}}");
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    struct fx_trigger *trigger =
        fx_trigger_create(run.snapshot, run.outcome.triggered, 1, &request, object);
    assert_non_null(trigger);
    assert_true(trigger->parts.secret);
    fx_trigger_unref(trigger);
    json_decref(object);
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_review_notes_rules_that_match),
        cmocka_unit_test(a_denial_is_still_a_denial),
        cmocka_unit_test(a_match_that_fails),
        cmocka_unit_test(queries_choose_objects),
        cmocka_unit_test(queries_that_are_refused),
        cmocka_unit_test(a_target_is_mutated_until_it_settles),
        cmocka_unit_test(a_target_beyond_the_budget),
        cmocka_unit_test(a_trigger_keeps_the_request),
        cmocka_unit_test(a_secret_is_wiped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
