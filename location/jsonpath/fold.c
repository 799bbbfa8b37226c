/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/fold.c - what can be known of constants when an expression is
 * compiled: whether operators take them, and what pattern they are.
 */
#include <stdalign.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "location/jsonpath/parser.h"
#include "location/jsonpath/value.h"

/* What fails on any object fails at once. */
static bool fail_syntax(struct parser *parser) {
    if (parser->err->code == FX_EMUTATE) {
        parser->err->code = FX_ESYNTAX;
    }
    return false;
}

/* Compiles the constant as the pattern of an operator. */
static bool compile_pattern(struct parser *parser, struct run *run, node_index infix,
                            const struct node *right) {
    struct fx_jsonpath *program = parser->program;
    const struct value none = {.kind = VALUE_UNDEFINED};
    struct value value;
    struct fx_text text;
    if (program->n_patterns >= FX_LIMIT_JSONPATH_PATTERNS) {
        return fx_fail_at(parser->err, FX_ELIMIT, right->off, right->len,
                          "expression has more than %u regular expressions",
                          FX_LIMIT_JSONPATH_PATTERNS);
    }
    if (!FX_VEC_GROW(program->patterns, program->n_patterns, parser->cap_patterns)) {
        return fx_fail_nomem(parser->err);
    }
    if (!fx_jsonpath_eval_node(run, right, &none, &value) ||
        !fx_jsonpath_text(run, &value, &text)) {
        return fail_syntax(parser);
    }
    struct fx_regex *regex = NULL;
    if (!fx_regex_compile(text, &regex, parser->err)) {
        parser->err->off = right->off;
        parser->err->len = right->len;
        return false;
    }
    program->patterns[program->n_patterns++] = regex;
    fx_jsonpath_at(parser, infix)->as.pattern = regex;
    return true;
}

static bool is_match(const struct node *node) {
    return node->type == NODE_INFIX &&
           (node->id == OPERATOR_MATCH || node->id == OPERATOR_NO_MATCH);
}

static bool check(struct parser *parser, struct run *run, node_index index) {
    const struct node *node = fx_jsonpath_at(parser, index);
    const struct node *right =
        fx_jsonpath_at(parser, fx_jsonpath_at(parser, node->first)->next);
    const struct value none = {.kind = VALUE_UNDEFINED};
    struct value value;
    if (is_match(node) && right->is_constant &&
        !compile_pattern(parser, run, index, right)) {
        return false;
    }
    return !node->is_constant || fx_jsonpath_eval_node(run, node, &none, &value) ||
           fail_syntax(parser);
}

bool fx_jsonpath_check_constant(struct parser *parser, node_index node) {
    if (!fx_jsonpath_at(parser, node)->is_constant &&
        !is_match(fx_jsonpath_at(parser, node))) {
        return true;
    }
    alignas(max_align_t) char block[RUN_BLOCK_BYTES];
    struct run run;
    fx_jsonpath_run_init(&run, parser->program, NULL, block, parser->err);
    const bool ok = check(parser, &run, node);
    fx_jsonpath_run_finish(&run);
    return ok;
}
