/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_cycle_test.c - the reports of passes, and of cycles: which mutator
 * changes which field, in the shortest cycle of each field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"

#define MAX_FAKES 16

/* One run of the loop, and its result. */
struct loop_trial {
    struct fx_snapshot *snapshot;
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
    bool ok;
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

static void try(struct loop_trial *trial, bool reports_passes,
                const struct fake_plan *plans, size_t n, const char *object) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .reports_passes = reports_passes};
    *trial = (struct loop_trial){.snapshot = make_snapshot(plans, n),
                                 .root = fake_json(object)};
    fx_arena_init(&trial->arena, FX_LIMIT_ARENA_BYTES);
    assert_non_null(trial->root);
    trial->ok = fx_converge(trial->snapshot, &request, &trial->arena, NULL, &trial->root,
                            &trial->outcome, &trial->err);
}

static void finish(struct loop_trial *trial) {
    fx_outcome_finish(&trial->outcome);
    json_decref(trial->root);
    fx_arena_finish(&trial->arena);
    fx_snapshot_unref(trial->snapshot);
}

/* The change, as `mutator:pass from>to`. */
static void print_change(struct fx_buf *buf, const struct fx_trace_change *change) {
    fx_buf_printf(buf, " %u:%u ", (unsigned)change->mutator, (unsigned)change->pass);
    if (change->from != NULL) {
        fx_json_write(buf, change->from, FX_JSON_COMPACT);
    }
    fx_buf_char(buf, '>');
    if (change->to != NULL) {
        fx_json_write(buf, change->to, FX_JSON_COMPACT);
    }
}

/* `/path period: changes; …` */
static void expect_cycle(const struct fx_outcome *outcome, const char *text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < outcome->n_cycle_fields; i++) {
        const struct fx_cycle_field *field = &outcome->cycle_fields[i];
        fx_buf_str(&buf, i == 0 ? "" : "; ");
        fx_buf_text(&buf, field->path);
        fx_buf_printf(&buf, " %u:", (unsigned)field->period);
        for (size_t j = 0; j < field->n_changes; j++) {
            print_change(&buf, &field->changes[j]);
        }
    }
    assert_string_equal(buf.data == NULL ? "" : buf.data, text);
    fx_buf_finish(&buf);
}

#define RULE(id, if_, is, set, to) \
    {.name = id, .if_key = if_, .if_value = is, .set_key = set, .set_value = to}

/* u and v repeat after two passes, x and y after three; z is restored in each. */
static void cycles_are_reported(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        RULE("a", "u", "1", "v", "1"), RULE("b", "u", "0", "v", "0"),
        RULE("c", "v", "0", "u", "1"), RULE("d", "v", "1", "u", "0"),
        RULE("e", "x", "0", "y", "0"), RULE("f", "y", "1", "x", "0"),
        RULE("g", "x", "1", "y", "1"), RULE("h", "y", "0", "x", "1"),
        RULE("i", "z", "0", "z", "1"), RULE("j", "z", "1", "z", "0"),
    };
    struct loop_trial trial;
    try(&trial, false, plans, FX_COUNT(plans),
        "{\"u\": \"0\", \"v\": \"0\", \"x\": \"0\", \"y\": \"0\", \"z\": \"0\"}");
    assert_int_equal(trial.err.code, FX_ENOCONVERGE);
    assert_int_equal(trial.outcome.iterations, FX_COUNT(plans) + 1);
    expect_cycle(&trial.outcome, "/u 2: 2:1 \"0\">\"1\" 3:2 \"1\">\"0\"; "
                                 "/v 2: 1:1 \"1\">\"0\" 0:2 \"0\">\"1\"; "
                                 "/x 3: 7:1 \"0\">\"1\" 5:3 \"1\">\"0\"; "
                                 "/y 3: 4:1 \"1\">\"0\" 6:2 \"0\">\"1\"");
    finish(&trial);
}

/* A list that grows never repeats: the report has one pass. */
static void growth_is_reported(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .set_key = "l", .set_value = "x", .append = true},
        {.name = "b", .set_key = "z", .set_value = "1"},
        {.name = "c", .set_key = "z", .set_value = "0"},
    };
    struct loop_trial trial;
    try(&trial, false, plans, 3, "{\"z\": \"0\"}");
    assert_int_equal(trial.err.code, FX_ENOCONVERGE);
    assert_int_equal(json_array_size(json_object_get(trial.root, "l")), 4);
    expect_cycle(&trial.outcome, "/l/4 0: 0:1 >\"x\"");
    finish(&trial);
}

static void passes_are_reported(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        {.name = "a", .if_key = "b", .set_key = "a", .set_value = "1"},
        {.name = "b", .set_key = "b", .set_value = "1"},
        {.name = "c", .if_key = "no", .set_key = "c", .set_value = "1"},
    };
    struct loop_trial trial;
    try(&trial, true, plans, 3, "{}");
    assert_true(trial.ok);
    assert_int_equal(trial.outcome.n_passes, 3);
    assert_int_equal(trial.outcome.passes[0].n_applied, 1);
    assert_int_equal(trial.outcome.passes[0].applied[0], 1);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(trial.outcome.passes[i].n_applied, 2);
        assert_int_equal(trial.outcome.passes[i].applied[0], 0);
        assert_int_equal(trial.outcome.passes[i].applied[1], 1);
    }
    finish(&trial);
    /* They are reported without a fixed point, too. */
    const struct fake_plan grows = {
        .name = "a", .set_key = "l", .set_value = "x", .append = true};
    try(&trial, true, &grows, 1, "{}");
    assert_int_equal(trial.err.code, FX_ENOCONVERGE);
    assert_int_equal(trial.outcome.n_passes, 2);
    finish(&trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_are_reported),
        cmocka_unit_test(growth_is_reported),
        cmocka_unit_test(passes_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
