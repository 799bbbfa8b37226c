/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c - compiles expressions and evaluates them.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/limits.h"
#include "base/regex.h"
#include "location/cel/cel.h"
#include "location/cel/check.h"
#include "location/cel/eval.h"
#include "location/cel/fold.h"

#define FEW_LOCALS 16u /* that live on the stack of an evaluation */

struct fx_cel_program {
    struct fx_arena arena; /* the source, the nodes, the constants */
    struct fx_cel_node *root;
    size_t n_locals;
    struct fx_regex **regexes;
    size_t n_regexes;
};

/* What a compilation gets. */
struct compilation {
    const struct fx_cel_env *env;
    const struct fx_cel_compile_options *options;
    struct fx_cel_program *program;
    struct fx_cel_faults *faults;
    enum fx_cel_stage stage;
    struct fx_err *err;
};

static bool parse(struct compilation *compilation, struct fx_text source) {
    struct fx_arena *arena = &compilation->program->arena;
    const char *copy = fx_arena_copy(arena, source);
    if (copy == NULL) {
        return fx_fail_nomem(compilation->err);
    }
    compilation->stage = FX_CEL_STAGE_PARSE;
    compilation->program->root = fx_cel_parse(arena, (struct fx_text){copy, source.len},
                                              compilation->faults, compilation->err);
    return compilation->program->root != NULL;
}

static enum fx_cel_check_mode check_mode(const struct fx_cel_compile_options *options) {
    return options->lenient ? FX_CEL_CHECK_LENIENT
           : options->loose ? FX_CEL_CHECK_LOOSE
                            : FX_CEL_CHECK_STRICT;
}

static bool check(struct compilation *compilation) {
    struct fx_cel_program *program = compilation->program;
    compilation->stage = FX_CEL_STAGE_CHECK;
    return compilation->options->unchecked
               ? fx_cel_resolve_unchecked(compilation->env, program->root,
                                          &program->arena, compilation->err)
               : fx_cel_check(compilation->env, program->root, &program->arena,
                              check_mode(compilation->options), compilation->faults,
                              compilation->err);
}

static bool fold(struct compilation *compilation) {
    struct fx_cel_program *program = compilation->program;
    struct fx_cel_folding folding = {
        .arena = &program->arena,
        .faults = compilation->faults,
        .err = compilation->err,
        .is_plain = compilation->options->plain,
    };
    compilation->stage = FX_CEL_STAGE_FOLD;
    const bool ok = fx_cel_fold(&folding, program->root);
    program->n_locals = folding.n_locals;
    program->regexes = folding.regexes;
    program->n_regexes = folding.n_regexes;
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING
               ? ok
               : fx_fail_exceeded(compilation->err);
}

/* NOLINTNEXTLINE(readability-function-size): three results. */
bool fx_cel_compile(const struct fx_cel_env *env, struct fx_text source,
                    const struct fx_cel_compile_options *options,
                    struct fx_cel_program **ret_program, struct fx_cel_faults *faults,
                    enum fx_cel_stage *ret_stage, struct fx_err *err) {
    static const struct fx_cel_compile_options none;
    struct fx_cel_program *program = calloc(1, sizeof *program);
    *ret_program = NULL;
    if (program == NULL) {
        return fx_fail_nomem(err);
    }
    fx_arena_init(&program->arena, FX_LIMIT_CEL_PROGRAM_BYTES);
    struct compilation compilation = {.env = env,
                                      .options = options == NULL ? &none : options,
                                      .program = program,
                                      .faults = faults,
                                      .err = err};
    err->code = FX_OK;
    if (parse(&compilation, source) && check(&compilation) &&
        (compilation.options->type_only || fold(&compilation))) {
        *ret_program = program;
        return true;
    }
    *ret_stage = compilation.stage;
    if (faults->failed && err->code == FX_OK) {
        (void)fx_fail_nomem(err);
    }
    fx_cel_faults_sort(faults);
    fx_cel_destroy(program);
    return false;
}

void fx_cel_destroy(struct fx_cel_program *program) {
    if (program == NULL) {
        return;
    }
    for (size_t i = 0; i < program->n_regexes; i++) {
        fx_regex_destroy(program->regexes[i]);
    }
    fx_arena_finish(&program->arena);
    free(program);
}

const struct fx_cel_type *fx_cel_program_type(const struct fx_cel_program *program) {
    return program->root->checked == NULL ? &fx_cel_dyn : program->root->checked;
}

const struct fx_cel_node *fx_cel_program_root(const struct fx_cel_program *program) {
    return program->root;
}

/* Room for the variables of loops: `few`, or from the arena. NULL without memory. */
static struct fx_cel_value *make_locals(const struct fx_cel_program *program,
                                        struct fx_cel_run *run,
                                        struct fx_cel_value *few) {
    return program->n_locals <= FEW_LOCALS
               ? few
               : fx_arena_alloc(run->arena, program->n_locals * sizeof *few);
}

struct fx_cel_value fx_cel_eval_part(const struct fx_cel_program *program,
                                     const struct fx_cel_node *node,
                                     const struct fx_cel_bound *bound, size_t n_bound,
                                     struct fx_cel_run *run, struct fx_err *err) {
    struct fx_cel_value value;
    run->cost = 0;
    run->err = err;
    run->regex = NULL;
    run->locals =
        fx_arena_alloc(run->arena, program->n_locals * sizeof *run->locals); /* UNSET */
    if (run->locals == NULL) {
        return fx_cel_no_memory(run);
    }
    for (size_t i = 0; i < n_bound; i++) {
        run->locals[bound[i].local->number] = bound[i].value;
    }
    fx_cel_eval_node(run, node, &value);
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING || fx_cel_is_fatal(&value)
               ? value
               : fx_cel_exceeded(run);
}

/* The value of a variable may be computed by an evaluation in this run, which is within
 * the one that asks for it: what belongs to that one is kept. */
struct fx_cel_value fx_cel_eval(const struct fx_cel_program *program,
                                struct fx_cel_run *run, struct fx_err *err) {
    struct fx_cel_value few[FEW_LOCALS];
    struct fx_cel_value *outer_locals = run->locals;
    struct fx_err *outer_err = run->err;
    run->cost = 0;
    run->err = err;
    run->regex = NULL;
    run->locals = make_locals(program, run, few);
    struct fx_cel_value value;
    if (run->locals == NULL) {
        value = fx_cel_no_memory(run);
    } else {
        fx_cel_eval_node(run, program->root, &value);
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING && !fx_cel_is_fatal(&value)) {
        value = fx_cel_exceeded(run);
    }
    run->locals = outer_locals;
    run->err = outer_err;
    return value;
}
