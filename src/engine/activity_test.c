/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/activity_test.c - what another thread reads during the step of a mutator, and
 * after it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/activity.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"

static struct fx_activity activity;

static void expect_text(const char *expected) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_activity_print(&activity, &text);
    assert_string_equal(text.len == 0 ? "" : text.data, expected);
    fx_buf_finish(&text);
}

/* What could be read during each step, a line each. */
static struct fx_buf seen;

static bool look_and_match(const struct fx_mutator *self,
                           const struct fx_request *request,
                           const struct fx_subject *subject,
                           struct fx_verdict *ret_verdict, struct fx_err *err) {
    fx_activity_print(&activity, &seen);
    fx_buf_char(&seen, '\n');
    return fake_match(self, request, subject, ret_verdict, err);
}

static bool look_and_apply(const struct fx_mutator *self,
                           const struct fx_request *request, json_t **root,
                           struct fx_effect *ret_effect, struct fx_err *err) {
    fx_activity_print(&activity, &seen);
    fx_buf_char(&seen, '\n');
    return fake_apply(self, request, root, ret_effect, err);
}

static const struct fx_mutator_ops ops = {
    .match = look_and_match, .apply = look_and_apply, .destroy = fake_destroy};

static bool mutate(const struct fake_plan *plans, size_t n_plans, const char *text) {
    struct fx_mutator *mutators[4] = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_snapshot *snapshot = NULL;
    for (size_t i = 0; i < n_plans; i++) {
        struct fake *fake = fake_create(&plans[i]);
        if (fake == NULL) {
            abort();
        }
        fake->head.ops = &ops;
        mutators[i] = &fake->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n_plans};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < n_plans; i++) {
        fx_mutator_unref(mutators[i]);
    }
    struct fx_arena arena;
    fx_arena_init(&arena, 1 << 20);
    struct fx_outcome outcome;
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .activity = &activity};
    json_t *root = fake_json(text);
    assert_non_null(root);
    const bool ok = fx_converge(snapshot, &request, &arena, NULL, &root, &outcome, &err);
    json_decref(root);
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    fx_snapshot_unref(snapshot);
    return ok;
}

static int begin(void **state) {
    (void)state;
    fx_buf_init(&seen, 0);
    return fx_activity_init(&activity) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    fx_buf_finish(&seen);
    fx_activity_finish(&activity);
    return 0;
}

#define POLICY(name) "task, in policy Fake/" name ", on Pod\n"

static void test_each_step_is_published(void **state) {
    (void)state;
    static const struct fake_plan plans[] = {
        {.name = "a", .if_key = "none"}, {.name = "b", .set_key = "k", .set_value = "v"}};
    fx_activity_set_task(&activity, "task");
    assert_true(mutate(plans, 2, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"));
    const char *first_pass = POLICY("a") POLICY("b") POLICY("b");
    assert_memory_equal(seen.data, first_pass, strlen(first_pass));
    expect_text("task, on Pod"); /* the mutators are gone */
    assert_true(fx_activity_is_busy(&activity));
    fx_activity_set_task(&activity, NULL);
    expect_text("");
    assert_false(fx_activity_is_busy(&activity));
    fx_activity_set_task(&activity, "next");
    expect_text("next"); /* of an object not seen yet */
}

static void test_steps_of_a_tier(void **state) {
    (void)state;
    static const struct fake_plan plans[] = {{.name = "a",
                                              .match_first = true,
                                              .once = true,
                                              .set_key = "a",
                                              .set_value = "1"},
                                             {.name = "b",
                                              .match_first = true,
                                              .once = true,
                                              .set_key = "b",
                                              .set_value = "1"}};
    fx_activity_set_task(&activity, "task");
    assert_true(mutate(plans, 2, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"));
    assert_non_null(strstr(seen.data, POLICY("a") POLICY("b") POLICY("a") POLICY("b")));
}

static void test_a_failure_ends_the_step(void **state) {
    (void)state;
    static const struct fake_plan plans[] = {
        {.name = "a", .set_key = "k", .apply_error = "no"}};
    fx_activity_set_task(&activity, "task");
    assert_false(
        mutate(plans, 1, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}"));
    expect_text("task, on Deployment.apps");
}

/* The kind comes from the client. */
static void test_hostile_kinds(void **state) {
    (void)state;
    char longest[FX_ACTIVITY_KIND];
    memset(longest, 'k', sizeof longest);
    fx_activity_set_task(&activity, "task");
    fx_activity_begin_loop(&activity, FX_TEXT("a/b"), FX_TEXT("A\nB\"\xff"));
    expect_text("task, on A?B??.a?b");
    fx_activity_begin_loop(&activity, FX_TEXT("group"),
                           (struct fx_text){longest, sizeof longest});
    assert_int_equal(strlen(activity.kind), FX_ACTIVITY_KIND - 1);
    fx_activity_begin_loop(&activity, FX_TEXT(""), FX_TEXT(""));
    expect_text("task");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_step_is_published, begin, end),
        cmocka_unit_test_setup_teardown(test_steps_of_a_tier, begin, end),
        cmocka_unit_test_setup_teardown(test_a_failure_ends_the_step, begin, end),
        cmocka_unit_test_setup_teardown(test_hostile_kinds, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
