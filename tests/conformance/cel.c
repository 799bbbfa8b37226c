/* SPDX-License-Identifier: Apache-2.0
 *
 * cel.c - admission-policy/cel.jsonl, cel-run.jsonl and k8slib.jsonl: an expression and
 * its variables in; its type, value and cost out, or what is wrong with it.
 */
#include <string.h>

#include "base/macros.h"
#include "cel_values.h"
#include "kinds.h"
#include "location/cel_library/library.h"
#include "skips.h"
#include "value/tree.h"

#define MOST_VARIABLES 64
#define MOST_FAULTS    12 /* that a case has */

/* A case that is run: what it declares, and what came of it. */
struct cel_case {
    const json_t *row, *expect;
    struct fx_case_result *result;
    struct fx_arena arena;
    struct fx_cel_variable variables[MOST_VARIABLES];
    struct fx_cel_value values[MOST_VARIABLES];
    json_t *trees[MOST_VARIABLES];
    struct fx_cel_env env;
    struct fx_cel_faults faults;
    enum fx_cel_stage stage;
    struct fx_err err;
};

static bool flag(const json_t *row, const char *name) {
    return json_is_true(fx_tree_view_key(row, name));
}

/* Adds a variable with its type, dyn if the case gives none. False if the type is not one
 * that Kubernetes has. */
static bool add_variable(struct cel_case *run_case, struct fx_cel_run *run,
                         const char *name) {
    const struct fx_text type =
        fx_tree_view_string(fx_tree_view_key(run_case->row, "typeEnv"), name);
    const json_t *value =
        fx_tree_view_key(fx_tree_view_key(run_case->row, "bindings"), name);
    const size_t i = run_case->env.n_variables++;
    run_case->variables[i] = (struct fx_cel_variable){
        name, type.len == 0 ? &fx_cel_dyn : fx_cel_type_parse(&run_case->arena, type)};
    run_case->values[i] =
        value == NULL
            ? fx_cel_fail(run, "no such attribute: %s", name)
            : fx_case_cel_read(run, value, run_case->variables[i].type == &fx_cel_dyn,
                               &run_case->trees[i]);
    return run_case->variables[i].type != NULL;
}

/* Adds the variables that are typed, and those that only have a value. */
static bool add_variables(struct cel_case *run_case, struct fx_cel_run *run) {
    const json_t *types = fx_tree_view_key(run_case->row, "typeEnv");
    const json_t *values = fx_tree_view_key(run_case->row, "bindings");
    if (json_object_size(types) + json_object_size(values) > MOST_VARIABLES) {
        return false;
    }
    bool ok = true;
    for (void *iter = fx_node_first(types); iter != NULL && ok;
         iter = fx_node_next(types, iter)) {
        ok = add_variable(run_case, run, json_object_iter_key(iter));
    }
    for (void *iter = fx_node_first(values); iter != NULL && ok;
         iter = fx_node_next(values, iter)) {
        ok = fx_tree_view_key(types, json_object_iter_key(iter)) != NULL ||
             add_variable(run_case, run, json_object_iter_key(iter));
    }
    return ok;
}

/* ---- what is wrong with an expression ------------------------------------------------
 */

static const char *stage_name(enum fx_cel_stage stage) {
    return stage == FX_CEL_STAGE_PARSE   ? "parse"
           : stage == FX_CEL_STAGE_CHECK ? "check"
                                         : "fold";
}

/* Fails the case where fault `i` is not as it wants it; of parse errors only positions
 * are compared. */
static void expect_fault(struct cel_case *run_case, const json_t *expected, size_t i) {
    char position[2][64];
    long line = 0;
    long column = 0;
    fx_cel_position(fx_tree_view_string(run_case->row, "expr"),
                    run_case->faults.items[i].at, &line, &column);
    (void)snprintf(position[0], sizeof position[0], "%lld:%lld",
                   (long long)json_integer_value(json_object_get(expected, "line")),
                   (long long)json_integer_value(json_object_get(expected, "col")));
    (void)snprintf(position[1], sizeof position[1], "%ld:%ld", line, column);
    fx_case_expect_text(run_case->result, "position", fx_text_of(position[0]),
                        fx_text_of(position[1]));
    if (run_case->stage == FX_CEL_STAGE_CHECK) {
        fx_case_expect_text(run_case->result, "message",
                            fx_tree_view_string(expected, "message"),
                            fx_text_of(run_case->faults.items[i].message));
    }
}

static void expect_faults(struct cel_case *run_case) {
    const json_t *errors = fx_tree_view_key(run_case->expect, "errors");
    const size_t n = json_array_size(errors);
    const size_t got =
        run_case->faults.n < MOST_FAULTS ? run_case->faults.n : MOST_FAULTS;
    if (run_case->stage == FX_CEL_STAGE_FOLD || n == 0) {
        fx_case_expect_part(
            run_case->result, "message", fx_tree_view_string(run_case->expect, "message"),
            run_case->faults.n == 0 ? FX_TEXT("")
                                    : fx_text_of(run_case->faults.items[0].message));
        return;
    }
    for (size_t i = 0; i < n && i < got; i++) {
        expect_fault(run_case, json_array_get(errors, i), i);
        if (run_case->stage == FX_CEL_STAGE_PARSE) {
            return;
        }
    }
    char counts[2][32];
    (void)snprintf(counts[0], sizeof counts[0], "%zu", n);
    (void)snprintf(counts[1], sizeof counts[1], "%zu", got);
    fx_case_expect_text(run_case->result, "number of errors", fx_text_of(counts[0]),
                        fx_text_of(counts[1]));
}

/* The expression does not compile. */
static void expect_invalid(struct cel_case *run_case) {
    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_cel_faults_print(&run_case->faults, fx_tree_view_string(run_case->row, "expr"),
                        &printed);
    fx_buf_str(&printed, run_case->faults.n == 0 ? run_case->err.msg : "");
    if (!flag(run_case->expect, "error")) {
        fx_case_fail(run_case->result, "compiles", "yes",
                     printed.data == NULL ? "" : printed.data);
    }
    fx_buf_finish(&printed);
    const struct fx_text phase = fx_tree_view_string(run_case->expect, "phase");
    if (flag(run_case->expect, "panic") || phase.len == 0) {
        return;
    }
    fx_case_expect_text(run_case->result, "phase", phase, FX_TEXT("compile"));
    const struct fx_text stage = fx_tree_view_string(run_case->expect, "stage");
    if (stage.len != 0) {
        fx_case_expect_text(run_case->result, "stage", stage,
                            fx_text_of(stage_name(run_case->stage)));
        expect_faults(run_case);
    }
}

/* ---- what an expression gives ---------------------------------------------------------
 */

static void expect_value(struct cel_case *run_case, struct fx_cel_value value) {
    const json_t *expected = fx_tree_view_key(run_case->expect, "value");
    struct fx_buf texts[2];
    fx_buf_init(&texts[0], 0);
    fx_buf_init(&texts[1], 0);
    fx_case_cel_print(&texts[1], value, fx_tree_view_key(expected, "map") != NULL);
    if (flag(run_case->expect, "error")) {
        const bool failed = fx_cel_is_error(value);
        fx_case_expect_bool(run_case->result, texts[1].data, true, failed);
        if (failed && fx_tree_view_string(run_case->expect, "phase").len > 0 &&
            !flag(run_case->expect, "panic")) {
            fx_case_expect_text(run_case->result, "phase",
                                fx_tree_view_string(run_case->expect, "phase"),
                                FX_TEXT("runtime"));
            struct fx_text message = fx_tree_view_string(run_case->expect, "message");
            if (fx_text_ends(message, FX_TEXT(".*"))) { /* it was a pattern */
                message.len -= 2;
            }
            if (!fx_text_starts(message, FX_TEXT("internal error: "))) { /* of Go */
                fx_case_expect_part(run_case->result, "message", message,
                                    fx_text_of(value.error));
            }
        }
    } else if (expected != NULL) {
        fx_case_cel_print_typed(&texts[0], expected);
        fx_case_expect_text(run_case->result, "value", fx_buf_view(&texts[0]),
                            fx_buf_view(&texts[1]));
    }
    fx_buf_finish(&texts[0]);
    fx_buf_finish(&texts[1]);
}

static void expect_cost(struct cel_case *run_case, uint64_t cost) {
    const json_t *expected = fx_tree_view_key(run_case->expect, "runtimeCost");
    char texts[2][32];
    (void)snprintf(texts[0], sizeof texts[0], "%lld",
                   (long long)json_integer_value(expected));
    (void)snprintf(texts[1], sizeof texts[1], "%llu", (unsigned long long)cost);
    if (expected != NULL) {
        fx_case_expect_text(run_case->result, "cost", fx_text_of(texts[0]),
                            fx_text_of(texts[1]));
    }
}

static void expect_type(struct cel_case *run_case, const struct fx_cel_program *program) {
    const struct fx_text expected = fx_tree_view_string(run_case->expect, "deducedType");
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_cel_type_print(&text, fx_cel_program_type(program));
    if (expected.len > 0) {
        fx_case_expect_text(run_case->result, "type", expected, fx_buf_view(&text));
    }
    fx_buf_finish(&text);
}

static void evaluate(struct cel_case *run_case, struct fx_cel_run *run) {
    struct fx_cel_program *program = NULL;
    const struct fx_cel_compile_options options = {
        .unchecked =
            flag(run_case->row, "disableCheck") || flag(run_case->row, "parseOnly"),
    };
    if (!fx_cel_compile(&run_case->env, fx_tree_view_string(run_case->row, "expr"),
                        &options, &program, &run_case->faults, &run_case->stage,
                        &run_case->err)) {
        expect_invalid(run_case);
        return;
    }
    expect_type(run_case, program);
    if (!flag(run_case->row, "checkOnly")) {
        const struct fx_cel_value value = fx_cel_eval(program, run, &run_case->err);
        expect_value(run_case, value);
        expect_cost(run_case, run->cost);
    }
    fx_cel_destroy(program);
}

void fx_case_cel(json_t *row, struct fx_case_result *result) {
    result->skipped = fx_case_cel_skip_reason(row);
    if (result->skipped != NULL) {
        return;
    }
    struct cel_case run_case = {
        .row = row,
        .expect = fx_tree_view_key(row, "expect"),
        .result = result,
        .err = FX_ERR_INIT,
    };
    fx_arena_init(&run_case.arena, (size_t)64 << 20);
    run_case.faults.arena = &run_case.arena;
    const bool is_mutation = fx_text_is(fx_tree_view_string(row, "env"), "mutation");
    run_case.env = (struct fx_cel_env){
        .variables = run_case.variables,
        .libraries = is_mutation ? fx_cel_mutation_libraries : fx_cel_policy_libraries,
        .has_objects = is_mutation,
    };
    struct fx_cel_run run = {
        .arena = &run_case.arena,
        .variables = run_case.values,
        .cost_limit = FX_CEL_COST_LIMIT,
        .err = &run_case.err,
    };
    if (add_variables(&run_case, &run)) {
        evaluate(&run_case, &run);
    } else {
        result->skipped = "CEL: a type that Kubernetes does not have";
    }
    for (size_t i = 0; i < run_case.env.n_variables; i++) {
        json_decref(run_case.trees[i]);
    }
    fx_arena_finish(&run_case.arena);
}
