/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/expression.c - compiles one expression of a policy.
 */
#include "base/limits.h"
#include "mutators/admission_policy/environment.h"
#include "value/tree.h"

#define KEY "expression"

#define MOST_MESSAGE_BYTES ((size_t)256 << 10)

/* An expression that is being compiled. */
struct map_compiling {
    struct map_reading *reading;
    const struct fx_cel_env *env;
    const json_t *node;
    const struct fx_cel_type *wanted;
    struct fx_arena arena; /* of faults */
    struct fx_cel_faults faults;
    enum fx_cel_stage stage;
    struct fx_err err;
};

/* Compiles; NULL if the expression is invalid or cannot be compiled. */
static struct fx_cel_program *run(struct map_compiling *compiling,
                                  const struct fx_cel_compile_options *options) {
    struct fx_cel_program *program = NULL;
    compiling->faults = (struct fx_cel_faults){.arena = &compiling->arena};
    fx_err_reset(&compiling->err);
    if (!fx_cel_compile(compiling->env, fx_tree_text(compiling->node), options, &program,
                        &compiling->faults, &compiling->stage, &compiling->err)) {
        return NULL;
    }
    return program;
}

/* Adds a fault of the whole expression. */
static void refuse_with(struct map_compiling *compiling, bool is_internal,
                        struct fx_text text) {
    const struct map_expression_fault fault = {
        .expression = compiling->node,
        .is_internal = is_internal,
        .detail = text,
        .brief = text,
    };
    fx_map_refuse_expression(compiling->reading, KEY, &fault);
}

/* Adds the fault of a result of another type. */
static void refuse_type(struct map_compiling *compiling, const struct fx_cel_type *type) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "must evaluate to ");
    fx_cel_type_print_long(&text, compiling->wanted);
    fx_buf_str(&text, " but got ");
    fx_cel_type_print_long(&text, type);
    fx_map_need(compiling->reading, !text.failed);
    refuse_with(compiling, false, fx_buf_view(&text));
    fx_buf_finish(&text);
}

/* The number of faults that are printed, each with its line: all of them, unless that
 * would be a very long text. */
static size_t count_printed(const struct fx_cel_faults *faults, struct fx_text source) {
    const size_t most = MOST_MESSAGE_BYTES / (2 * source.len + 1);
    return most >= faults->n ? faults->n : most == 0 ? 1 : most;
}

/* Adds the fault of an expression that does not parse, or whose types are wrong. */
static void refuse_text(struct map_compiling *compiling) {
    struct fx_buf text;
    struct fx_buf brief;
    const struct fx_text source = fx_tree_text(compiling->node);
    const struct fx_cel_faults *faults = &compiling->faults;
    const uint32_t at = faults->items[0].at;
    fx_buf_init(&text, 0);
    fx_buf_init(&brief, 0);
    fx_buf_str(&text, "compilation failed: ");
    struct fx_cel_faults printed = *faults;
    printed.n = count_printed(faults, source);
    fx_cel_faults_print(&printed, source, &text);
    fx_buf_str(&brief, faults->items[0].message);
    if (faults->n > 1) {
        fx_buf_printf(&brief, " (and %zu more)", faults->n - 1);
    }
    fx_map_need(compiling->reading, !text.failed && !brief.failed);
    const struct map_expression_fault fault = {
        .expression = compiling->node,
        .off = at < source.len ? at : 0,
        .len = at < source.len ? 1 : 0,
        .detail = fx_buf_view(&text),
        .brief = fx_buf_view(&brief),
    };
    fx_map_refuse_expression(compiling->reading, KEY, &fault);
    fx_buf_finish(&text);
    fx_buf_finish(&brief);
}

static bool has_type(const struct map_compiling *compiling,
                     const struct fx_cel_program *program) {
    return compiling->wanted == NULL ||
           fx_cel_type_equal(fx_cel_program_type(program), compiling->wanted);
}

/* Adds the fault of an expression whose constant parts fail. If its result has the wrong
 * type, too, that counts. */
static void refuse_folding(struct map_compiling *compiling) {
    static const struct fx_cel_compile_options type_only = {.type_only = true};
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "program instantiation failed: %s",
                  compiling->faults.items[0].message);
    fx_map_need(compiling->reading, !text.failed);
    struct fx_cel_program *program = run(compiling, &type_only);
    if (program != NULL && !has_type(compiling, program)) {
        refuse_type(compiling, fx_cel_program_type(program));
    } else {
        refuse_with(compiling, true, fx_buf_view(&text));
    }
    fx_cel_destroy(program);
    fx_buf_finish(&text);
}

static void refuse(struct map_compiling *compiling) {
    if (compiling->err.code == FX_ENOMEM) {
        fx_map_need(compiling->reading, false);
    } else if (compiling->err.code != FX_OK) {
        refuse_with(compiling, true, fx_text_of(compiling->err.msg));
    } else if (compiling->stage == FX_CEL_STAGE_FOLD) {
        refuse_folding(compiling);
    } else {
        refuse_text(compiling);
    }
}

static void compile(struct map_compiling *compiling,
                    struct map_expression *ret_expression) {
    struct fx_cel_program *program = run(compiling, NULL);
    if (program == NULL) {
        refuse(compiling);
    } else if (!has_type(compiling, program)) {
        refuse_type(compiling, fx_cel_program_type(program));
        fx_cel_destroy(program);
    } else {
        ret_expression->program = program;
    }
}

void fx_map_compile(struct map_reading *reading, const struct fx_cel_env *env,
                    const json_t *object, const struct fx_cel_type *wanted,
                    struct map_expression *ret_expression) {
    const json_t *node = fx_map_read_string(reading, object, KEY);
    struct map_compiling compiling = {
        .reading = reading,
        .env = env,
        .node = node,
        .wanted = wanted,
    };
    if (node == NULL || fx_text_trim_space(fx_tree_text(node)).len == 0) {
        const json_t *given = fx_tree_view_key(object, KEY);
        if (node != NULL || given == NULL || json_is_null(given)) {
            fx_map_require(reading, object, KEY, "expression is not specified");
        }
        return;
    }
    ret_expression->text = fx_tree_text(node);
    fx_arena_init(&compiling.arena, FX_LIMIT_CEL_PROGRAM_BYTES);
    compile(&compiling, ret_expression);
    fx_arena_finish(&compiling.arena);
}
