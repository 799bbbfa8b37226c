/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_kinds_test.c - run options of mutators: tiers, match first, once,
 * ignored failures, actions; and views of the object.
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

#define MAX_FAKES 8

/* A fake, and members of its head that differ from those of fakes. */
struct cast {
    struct fake_plan plan;
    const char *namespace_;
    const struct fx_mutator_ops *ops; /* instead of those of a fake */
    bool checks_deletes;              /* rather than a validator: run.checks_deletes */
};

struct play {
    struct fx_snapshot *snapshot;
    struct fx_request request;
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
    bool ok;
};

static struct fx_mutator *make(const struct cast *cast) {
    struct fake *fake = fake_create(&cast->plan);
    assert_non_null(fake);
    if (cast->ops != NULL) {
        fake->head.ops = cast->ops;
        if (cast->ops->validate != NULL) {
            fake->head.run.action =
                cast->checks_deletes ? FX_ACTION_MUTATE : FX_ACTION_DENY;
            fake->head.run.checks_deletes = cast->checks_deletes;
        }
    }
    if (cast->namespace_ != NULL) {
        assert_true(fx_mutator_set_namespace(&fake->head, fx_text_of(cast->namespace_)));
    }
    return &fake->head;
}

static void begin(struct play *play, const struct cast *casts, size_t n) {
    struct fx_mutator *mutators[MAX_FAKES];
    assert_true(n <= MAX_FAKES);
    for (size_t i = 0; i < n; i++) {
        mutators[i] = make(&casts[i]);
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    play->err = FX_ERR_INIT;
    assert_true(fx_snapshot_build(&parts, 1, &play->snapshot, &play->err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    play->request.operation = FX_OPERATION_CREATE;
    fx_arena_init(&play->arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&play->trace, &play->arena);
}

static void run(struct play *play, const char *object) {
    play->root = fake_json(object);
    assert_non_null(play->root);
    play->ok = fx_converge(play->snapshot, &play->request, &play->arena, &play->trace,
                           &play->root, &play->outcome, &play->err);
}

static void end(struct play *play) {
    fx_outcome_finish(&play->outcome);
    fx_trace_finish(&play->trace);
    json_decref(play->root);
    fx_arena_finish(&play->arena);
    fx_snapshot_unref(play->snapshot);
    *play = (struct play){0};
}

static void expect_root(const struct play *play, const char *text) {
    json_t *wanted = fake_json(text);
    struct fx_buf got;
    fx_buf_init(&got, 0);
    fx_json_write(&got, play->root, FX_JSON_COMPACT);
    if (!fx_equal(wanted, play->root)) {
        fail_msg("wanted %s, got %s", text, got.data);
    }
    fx_buf_finish(&got);
    json_decref(wanted);
}

/* Runs the loop, and compares the result. */
static void expect(const struct cast *casts, size_t n, const char *object,
                   const char *wanted) {
    struct play play = {0};
    begin(&play, casts, n);
    run(&play, object);
    if (!play.ok) {
        fail_msg("%s", play.err.msg);
    }
    expect_root(&play, wanted);
    end(&play);
}

#define APPENDS(word) .set_key = "l", .set_value = word, .append = true, .once = true

/* ---- order ----------------------------------------------------------------------- */

static void tiers_come_before_names(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", APPENDS("2")}, .plan.tier = 2},
        {.plan = {.name = "b", APPENDS("1")}, .plan.tier = -5},
        {.plan = {.name = "c", APPENDS("3")}, .plan.tier = 2},
        {.plan = {.name = "d", APPENDS("0")}, .plan.rank = 0, .plan.tier = -6},
    };
    expect(casts, FX_COUNT(casts), "{}", "{\"l\": [\"0\", \"1\", \"2\", \"3\"]}");
}

static void namespaces_are_part_of_the_id(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", APPENDS("x")}, .namespace_ = "n", .plan.tier = 1},
        {.plan = {.name = "a", APPENDS("y")}, .namespace_ = "m"},
        {.plan = {.name = "a", APPENDS("z")}},
        /* The same policy again, at another place: it counts. */
        {.plan = {.name = "a", APPENDS("w")}, .namespace_ = "n"},
    };
    struct play play = {0};
    struct fx_buf id;
    begin(&play, casts, FX_COUNT(casts));
    assert_int_equal(play.snapshot->n_mutators, 3);
    run(&play, "{}");
    expect_root(&play, "{\"l\": [\"z\", \"y\", \"w\"]}");
    fx_buf_init(&id, 0);
    fx_mutator_print_id(&id, play.snapshot->mutators[1]);
    assert_string_equal(id.data, "Fake.test.dev m/a");
    assert_string_equal(play.snapshot->mutators[1]->full_name, "m/a");
    assert_string_equal(play.snapshot->mutators[0]->full_name, "a");
    fx_buf_finish(&id);
    end(&play);
}

/* ---- match first ----------------------------------------------------------------- */

#define NEEDS_L_APPENDS(word) .if_key = "l", APPENDS(word)

static void none_of_a_tier_sees_the_others(void **state) {
    (void)state;
    const struct cast both[] = {
        {.plan = {.name = "a", APPENDS("1")}, .plan.match_first = true},
        {.plan = {.name = "b", NEEDS_L_APPENDS("2")}, .plan.match_first = true},
    };
    const struct cast tiers[] = {
        {.plan = {.name = "a", APPENDS("1")}, .plan.match_first = true},
        {.plan = {.name = "b", NEEDS_L_APPENDS("2")},
         .plan.match_first = true,
         .plan.tier = 1},
    };
    const struct cast alone[] = {
        {.plan = {.name = "a", APPENDS("1")}},
        {.plan = {.name = "b", NEEDS_L_APPENDS("2")}},
    };
    expect(both, 2, "{}", "{\"l\": [\"1\"]}");
    expect(tiers, 2, "{}", "{\"l\": [\"1\", \"2\"]}");
    expect(alone, 2, "{}", "{\"l\": [\"1\", \"2\"]}");
}

/* A mutator that is no candidate for the new object is not matched with its tier. */
static void an_object_that_moves_leaves_the_tier(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", .set_key = "kind", .set_value = "B", .once = true},
         .plan.match_first = true},
        {.plan = {.name = "b", .binding = "B", APPENDS("b")}, .plan.match_first = true},
        {.plan = {.name = "c", .binding = "A", APPENDS("c")}, .plan.match_first = true},
    };
    /* c matched, and is no candidate any more. */
    expect(casts, FX_COUNT(casts), "{\"apiVersion\": \"v1\", \"kind\": \"A\"}",
           "{\"apiVersion\": \"v1\", \"kind\": \"B\", \"l\": [\"c\"]}");
}

/* ---- once ------------------------------------------------------------------------ */

static void those_not_reinvoked_run_after_others(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", APPENDS("1")}, .plan.rank = 2, .plan.match_first = true},
        {.plan = {.name = "b", .if_key = "late", APPENDS("2")},
         .plan.rank = 2,
         .plan.match_first = true},
        {.plan = {.name = "c", .if_key = "l", .set_key = "late", .set_value = "1"},
         .plan.rank = 1},
    };
    struct play play = {0};
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{}");
    expect_root(&play, "{\"l\": [\"1\", \"2\"], \"late\": \"1\"}");
    assert_int_equal(play.outcome.iterations, 3);
    assert_int_equal(play.outcome.n_applied, 3);
    end(&play);
}

/* ---- ignored failures ------------------------------------------------------------ */

static bool write_and_fail(const struct fx_mutator *self,
                           const struct fx_request *request, json_t **root,
                           struct fx_effect *ret_effect, struct fx_err *err) {
    (void)self;
    (void)request;
    (void)ret_effect;
    json_t *own = fx_tree_own_root(root);
    return own != NULL &&
           fx_tree_set_take(own, FX_TEXT("half"), json_string("written")) &&
           fx_fail(err, FX_EMUTATE, "it broke");
}

static const struct fx_mutator_ops half_ops = {
    .match = fake_match, .apply = write_and_fail, .destroy = fake_destroy};

static void those_whose_failure_is_ignored_are_skipped(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", APPENDS("1")}},
        {.plan = {.name = "b"}, .plan.ignores_failure = true, .ops = &half_ops},
        {.plan = {.name = "c", .match_error = "no match today"},
         .plan.ignores_failure = true},
        {.plan = {.name = "d", .match_error = "nor here"},
         .plan.ignores_failure = true,
         .plan.match_first = true},
        {.plan = {.name = "e", .set_key = "x", .set_value = "1"}},
    };
    struct play play = {.request.collects_stats = true};
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{}");
    assert_true(play.ok);
    expect_root(&play, "{\"l\": [\"1\"], \"x\": \"1\"}");
    assert_int_equal(play.outcome.n_skipped, 3);
    assert_int_equal(play.outcome.skipped[0].mutator, 1);
    assert_true(play.outcome.skipped[0].fails);
    assert_string_equal(play.outcome.skipped[0].message, "it broke");
    assert_string_equal(play.outcome.skipped[1].message, "no match today");
    assert_string_equal(play.outcome.skipped[2].message, "nor here");
    assert_null(play.outcome.failed);
    assert_int_equal(play.outcome.n_applied, 2);
    size_t n_failed = 0;
    for (size_t i = 0; i < play.outcome.n_stats; i++) {
        n_failed += play.outcome.stats[i].failed ? 1 : 0;
    }
    assert_int_equal(n_failed, 3);
    size_t n_told = 0;
    for (size_t i = 0; i < play.trace.n_steps; i++) {
        n_told += play.trace.steps[i].failure != NULL ? 1 : 0;
    }
    assert_int_equal(n_told, 3);
    end(&play);
}

/* ---- validators ------------------------------------------------------------------ */

static bool validator(const struct fx_mutator *self, const struct fx_request *request,
                      json_t *root, struct fx_buf *entry, struct fx_err *note,
                      struct fx_err *err) {
    const struct fake_plan *plan = &((const struct fake *)self)->plan;
    (void)request;
    (void)root;
    if (plan->apply_error != NULL) {
        return fx_fail(err, FX_EMUTATE, "%s", plan->apply_error);
    }
    if (plan->set_value != NULL) {
        (void)fx_fail(note, FX_EMUTATE, "%s", plan->set_value);
    }
    fx_buf_str(entry, self->name);
    return true;
}

static const struct fx_denial fakes_say = {"fakes refuse: ", ","};
static const struct fx_denial others_say = {"others refuse: ", " and "};

static const struct fx_mutator_ops validator_ops = {
    .match = fake_match,
    .apply = fake_apply,
    .validate = validator,
    .denial = &fakes_say,
    .destroy = fake_destroy,
};

static const struct fx_mutator_ops other_ops = {
    .match = fake_match,
    .apply = fake_apply,
    .validate = validator,
    .denial = &others_say,
    .destroy = fake_destroy,
};

static void validators_see_the_result(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "j", .if_key = "x"}, .ops = &validator_ops},
        {.plan = {.name = "i", .if_key = "x"}, .plan.tier = 1, .ops = &validator_ops},
        {.plan = {.name = "k", .if_key = "no"}, .ops = &validator_ops},
        {.plan = {.name = "o"}, .plan.rank = 3, .ops = &other_ops},
        {.plan = {.name = "p", .set_value = "lost words"},
         .plan.rank = 3,
         .ops = &other_ops},
        {.plan = {.name = "q", .apply_error = "it broke"},
         .plan.rank = 4,
         .plan.ignores_failure = true,
         .ops = &other_ops},
        {.plan = {.name = "z", .set_key = "x", .set_value = "1"}, .plan.rank = 5},
    };
    struct play play = {.request.collects_stats = true};
    begin(&play, casts, FX_COUNT(casts));
    assert_int_equal(play.snapshot->n_acting, 1);
    assert_true(play.snapshot->validates_deletes);
    run(&play, "{}");
    assert_false(play.ok);
    assert_int_equal(play.err.code, FX_EDENIED);
    assert_string_equal(play.err.msg, "fakes refuse: j,i; others refuse: o and p");
    assert_true(fx_text_is(play.outcome.denial, play.err.msg));
    assert_int_equal(play.outcome.n_violations, 4);
    assert_int_equal(play.outcome.n_skipped, 2);
    assert_false(play.outcome.skipped[0].fails);
    assert_string_equal(play.outcome.skipped[0].message, "lost words");
    assert_true(play.outcome.skipped[1].fails);
    end(&play);
}

/* `action entry`, one for each, with "; " between them. */
static void expect_violations(const struct fx_outcome *outcome, const char *text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < outcome->n_violations; i++) {
        fx_buf_printf(&buf, "%s%u %u:", i == 0 ? "" : "; ",
                      (unsigned)outcome->violations[i].mutator,
                      (unsigned)outcome->violations[i].action);
        fx_buf_text(&buf, outcome->violations[i].entry);
    }
    assert_string_equal(buf.data == NULL ? "" : buf.data, text);
    fx_buf_finish(&buf);
}

static void warnings_and_audits_allow(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", .action = FX_ACTION_AUDIT, .violation = "no owner"}},
        {.plan = {.name = "b", .action = FX_ACTION_DENY}},
        {.plan = {.name = "c", .action = FX_ACTION_WARN}},
        {.plan = {.name = "d", .action = FX_ACTION_WARN, .violation = "old"}},
        {.plan = {.name = "z", .set_key = "x", .set_value = "1"}},
    };
    struct play play = {.request.collects_stats = true};
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{}");
    assert_true(play.ok);
    assert_true(play.outcome.mutated);
    assert_int_equal(play.outcome.denial.len, 0);
    expect_violations(&play.outcome, "1 3:no owner; 4 2:old");
    assert_int_equal(play.outcome.n_stats, 3);
    assert_false(play.outcome.stats[0].violated);
    assert_true(play.outcome.stats[1].violated && play.outcome.stats[2].violated);
    end(&play);
}

static void a_denial_keeps_the_warnings(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", .action = FX_ACTION_WARN, .violation = "old"}},
        {.plan = {.name = "b", .action = FX_ACTION_DENY, .violation = "no owner"}},
        {.plan = {.name = "c", .action = FX_ACTION_DENY, .violation = "no team"}},
    };
    struct play play = {0};
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{}");
    assert_int_equal(play.err.code, FX_EDENIED);
    assert_string_equal(play.err.msg, "no owner; no team");
    expect_violations(&play.outcome, "0 2:old; 1 1:no owner; 2 1:no team");
    end(&play);
}

/* Only what does not deny is cut, and never within a character. */
static void long_messages_are_cut(void **state) {
    (void)state;
    char message[2 * FX_LIMIT_VIOLATION_BYTES + 1];
    for (size_t i = 0; i + 1 < sizeof message; i += 2) {
        memcpy(message + i, "é", 2);
    }
    message[sizeof message - 1] = '\0';
    const struct cast casts[] = {
        {.plan = {.name = "a", .action = FX_ACTION_WARN, .violation = message}},
        {.plan = {.name = "b", .action = FX_ACTION_DENY, .violation = message}},
    };
    struct play play = {0};
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{}");
    assert_int_equal(play.err.code, FX_EDENIED);
    assert_int_equal(play.outcome.n_violations, 2);
    const struct fx_text cut = play.outcome.violations[0].entry;
    assert_int_equal(cut.len, FX_LIMIT_VIOLATION_BYTES - 1);
    assert_true(fx_text_is_utf8(cut));
    assert_true(fx_text_ends(cut, FX_TEXT("é…")));
    assert_int_equal(play.outcome.violations[1].entry.len, sizeof message - 1);
    assert_int_equal(play.outcome.denial.len, sizeof message - 1);
    end(&play);
}

static void validators_alone_change_nothing(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", APPENDS("1")}},
        {.plan = {.name = "j", .if_key = "l"}, .ops = &validator_ops},
    };
    struct play play = {.request.only_validators = true};
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{}");
    assert_true(play.ok);
    expect_root(&play, "{}");
    assert_int_equal(play.outcome.iterations, 0);
    assert_false(play.outcome.mutated);
    end(&play);
    play.request.only_validators = true;
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{\"l\": []}");
    assert_int_equal(play.err.code, FX_EDENIED);
    end(&play);
}

static void rules_check_deletes(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", APPENDS("1")}},
        {.plan = {.name = "b", .if_key = "x", .apply_error = "nothing to patch"},
         .checks_deletes = true,
         .ops = &validator_ops},
    };
    struct play play = {.request = {.only_validators = true, .collects_stats = true}};
    begin(&play, casts, FX_COUNT(casts));
    assert_true(play.snapshot->validates_deletes);
    assert_int_equal(play.snapshot->n_acting, 2);
    run(&play, "{}");
    assert_true(play.ok);
    expect_root(&play, "{}");
    end(&play);
    play.request.only_validators = true;
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{\"x\": 1}");
    assert_false(play.ok);
    assert_int_equal(play.err.code, FX_EMUTATE);
    assert_non_null(strstr(play.err.msg, "nothing to patch"));
    assert_ptr_equal(play.outcome.failed, play.snapshot->mutators[1]);
    end(&play);
}

/* ---- views ----------------------------------------------------------------------- */

static bool show(const struct fx_request *request, json_t **root, json_t **ret_kept,
                 struct fx_err *err) {
    (void)request;
    json_t *own = fx_tree_own_root(root);
    *ret_kept = json_incref(fx_tree_view_key(own, "mask"));
    return (own != NULL && fx_tree_set_take(own, FX_TEXT("mask"), json_string("on"))) ||
           fx_fail_nomem(err);
}

static bool restore(json_t **root, const json_t *kept, struct fx_err *err) {
    json_t *own = fx_tree_own_root(root);
    if (own == NULL) {
        return fx_fail_nomem(err);
    }
    fx_tree_remove_key(own, FX_TEXT("mask"));
    return kept == NULL ||
           fx_tree_set_take(own, FX_TEXT("mask"), json_string(json_string_value(kept))) ||
           fx_fail_nomem(err);
}

static const struct fx_object_view mask = {.show = show, .restore = restore};

static const struct fx_mutator_ops masked_ops = {
    .match = fake_match, .apply = fake_apply, .view = &mask, .destroy = fake_destroy};

static const struct fx_mutator_ops masked_validator_ops = {
    .match = fake_match,
    .apply = fake_apply,
    .validate = validator,
    .denial = &fakes_say,
    .view = &mask,
    .destroy = fake_destroy,
};

#define WANTS_MASK(word) .if_key = "mask", .if_value = "on", APPENDS(word)

static void only_its_mutators_see_a_view(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", WANTS_MASK("1")}},
        {.plan = {.name = "b", WANTS_MASK("2")}, .plan.rank = 1, .ops = &masked_ops},
        {.plan = {.name = "c", WANTS_MASK("3")}, .plan.rank = 1, .ops = &masked_ops},
        {.plan = {.name = "d", WANTS_MASK("4")}, .plan.rank = 2},
    };
    expect(casts, FX_COUNT(casts), "{}", "{\"l\": [\"2\", \"3\"]}");
    expect(casts, FX_COUNT(casts), "{\"mask\": \"mine\"}",
           "{\"l\": [\"2\", \"3\"], \"mask\": \"mine\"}");
}

static void a_view_changes_nothing(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "a", .if_key = "no", APPENDS("1")}, .ops = &masked_ops},
    };
    struct play play = {0};
    begin(&play, casts, 1);
    run(&play, "{\"x\": 1}");
    assert_true(play.ok);
    expect_root(&play, "{\"x\": 1}");
    assert_false(play.outcome.mutated);
    assert_int_equal(play.outcome.iterations, 1);
    end(&play);
}

static void validators_see_a_view(void **state) {
    (void)state;
    const struct cast casts[] = {
        {.plan = {.name = "j", .if_key = "mask", .if_value = "on"},
         .ops = &masked_validator_ops},
        {.plan = {.name = "k", .if_key = "mask", .if_value = "on"},
         .ops = &validator_ops},
    };
    struct play play = {0};
    begin(&play, casts, FX_COUNT(casts));
    run(&play, "{}");
    assert_string_equal(play.err.msg, "fakes refuse: j");
    expect_root(&play, "{}");
    end(&play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiers_come_before_names),
        cmocka_unit_test(namespaces_are_part_of_the_id),
        cmocka_unit_test(none_of_a_tier_sees_the_others),
        cmocka_unit_test(an_object_that_moves_leaves_the_tier),
        cmocka_unit_test(those_not_reinvoked_run_after_others),
        cmocka_unit_test(those_whose_failure_is_ignored_are_skipped),
        cmocka_unit_test(validators_see_the_result),
        cmocka_unit_test(warnings_and_audits_allow),
        cmocka_unit_test(a_denial_keeps_the_warnings),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(validators_alone_change_nothing),
        cmocka_unit_test(rules_check_deletes),
        cmocka_unit_test(only_its_mutators_see_a_view),
        cmocka_unit_test(a_view_changes_nothing),
        cmocka_unit_test(validators_see_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
