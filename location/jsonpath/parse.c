/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parse.c - tokens and nodes for all parsers; operators and precedence
 * (spec section 7.2), constants, and the whole text.
 */
#include "location/jsonpath/parser.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "base/vec.h"
#include "location/jsonpath/value.h"

/* ---- tokens and nodes -------------------------------------------------------------- */

void fx_jsonpath_advance(struct path_parser *parser) {
    parser->behind = (uint32_t)parser->scanner.at;
    parser->token = fx_jsonpath_scan(&parser->scanner);
}

bool fx_jsonpath_is_mark(const struct path_parser *parser, char mark) {
    return parser->token.type == TOKEN_MARK && parser->token.mark == mark;
}

bool fx_jsonpath_skip_mark(struct path_parser *parser, char mark) {
    const bool there = fx_jsonpath_is_mark(parser, mark);
    if (there) {
        fx_jsonpath_advance(parser);
    }
    return there;
}

/* Operators of other languages, and the ones to use. */
static const struct {
    const char *text, *instead;
} foreign[] = {
    {"=", "=="},
    {"and", "&&"},
    {"or", "||"},
    {"not", "!"},
};

static const char *find_instead(struct fx_text text) {
    for (size_t i = 0; i < FX_COUNT(foreign); i++) {
        if (fx_text_is(text, foreign[i].text)) {
            return foreign[i].instead;
        }
    }
    return NULL;
}

/* Returns the text of the token, or of the operator that starts with it. */
static struct fx_text text_at_fault(const struct path_parser *parser) {
    struct path_scanner behind = parser->scanner;
    const enum operator_id id = fx_jsonpath_scan_operator(&behind, &parser->token);
    return id == OPERATOR_NONE ? parser->token.text
                               : fx_text_of(fx_jsonpath_operator(id)->text);
}

bool fx_jsonpath_fail_token(struct path_parser *parser, const char *message) {
    return fx_fail_at(parser->err, FX_ESYNTAX, parser->token.off, parser->token.len, "%s",
                      message);
}

bool fx_jsonpath_fail_expected(struct path_parser *parser, const char *what) {
    const struct path_token *token = &parser->token;
    if (token->type == TOKEN_COMMENT) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token->off, 2,
                          "this comment has no end");
    }
    if (token->type == TOKEN_END) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token->off, token->len,
                          "%s is expected here, where the text ends", what);
    }
    const struct fx_text text = text_at_fault(parser);
    const char *instead = find_instead(text);
    if (instead != NULL) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token->off, token->len,
                          "unknown operator `%.*s`: write `%s`", FX_TEXT_ARG(text),
                          instead);
    }
    return fx_fail_at(parser->err, FX_ESYNTAX, token->off, (uint32_t)text.len,
                      "%s is expected here, not `%.*s`", what, FX_TEXT_ARG(text));
}

bool fx_jsonpath_take_mark(struct path_parser *parser, char mark) {
    if (fx_jsonpath_skip_mark(parser, mark)) {
        return true;
    }
    const char quoted[] = {'`', mark, '`', '\0'};
    return fx_jsonpath_fail_expected(parser, quoted);
}

bool fx_jsonpath_add_node(struct path_parser *parser, enum node_type type,
                          node_index *ret_node) {
    struct fx_jsonpath *program = parser->program;
    if (!FX_VEC_GROW(program->nodes, program->n_nodes, parser->cap_nodes)) {
        return fx_fail_nomem(parser->err);
    }
    *ret_node = (node_index)program->n_nodes;
    program->nodes[program->n_nodes++] = (struct expression_node){
        .type = (uint8_t)type,
        .depth = 1,
        .off = parser->token.off,
        .len = parser->token.len,
    };
    return true;
}

struct expression_node *fx_jsonpath_add_constant(struct path_parser *parser,
                                                 enum node_type type,
                                                 node_index *ret_node) {
    if (!fx_jsonpath_add_node(parser, type, ret_node)) {
        return NULL;
    }
    fx_jsonpath_advance(parser);
    struct expression_node *node = fx_jsonpath_at(parser, *ret_node);
    node->is_constant = true;
    return node;
}

void fx_jsonpath_add_sibling(struct path_parser *parser, struct siblings *siblings,
                             node_index node) {
    const struct expression_node *added = fx_jsonpath_at(parser, node);
    assert(added->next == 0 && (added->type == NODE_NONE || node != 0));
    if (siblings->first == 0) {
        siblings->first = node;
        siblings->constant = added->is_constant;
    } else {
        fx_jsonpath_at(parser, siblings->last)->next = node;
        siblings->constant = siblings->constant && added->is_constant;
    }
    siblings->last = node;
    siblings->depth = added->depth > siblings->depth ? added->depth : siblings->depth;
}

bool fx_jsonpath_adopt(struct path_parser *parser, node_index parent,
                       const struct siblings *children, uint32_t off) {
    struct expression_node *node = fx_jsonpath_at(parser, parent);
    node->first = children->first;
    node->depth = (uint16_t)(children->depth + 1);
    node->off = off;
    node->len = parser->behind - off;
    if (node->depth > FX_LIMIT_JSONPATH_DEPTH) {
        return fx_fail_at(parser->err, FX_ELIMIT, node->off, node->len,
                          "expression is more than %u levels deep",
                          FX_LIMIT_JSONPATH_DEPTH);
    }
    return true;
}

struct fx_text fx_jsonpath_keep(struct path_parser *parser, struct fx_text text) {
    char *copy = parser->program->store + parser->stored;
    assert(parser->stored + text.len <= parser->scanner.source.len);
    memcpy(copy, text.data, text.len);
    parser->stored += text.len;
    return (struct fx_text){copy, text.len};
}

/* ---- constants --------------------------------------------------------------------- */

/* Reports an operation that fails on its constants as a syntax error. */
static bool fail_syntax(struct path_parser *parser) {
    if (parser->err->code == FX_EMUTATE) {
        parser->err->code = FX_ESYNTAX;
    }
    return false;
}

/* Compiles a constant right operand as a pattern. */
static bool compile_pattern(struct path_parser *parser, struct path_run *run,
                            node_index infix, const struct expression_node *right) {
    struct fx_jsonpath *program = parser->program;
    const struct path_value none = {.kind = VALUE_UNDEFINED};
    struct path_value value;
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

static bool is_match(const struct expression_node *node) {
    return node->type == NODE_INFIX &&
           (node->id == OPERATOR_MATCH || node->id == OPERATOR_NO_MATCH);
}

static bool check_node(struct path_parser *parser, struct path_run *run,
                       node_index index) {
    const struct expression_node *node = fx_jsonpath_at(parser, index);
    const struct expression_node *right =
        fx_jsonpath_at(parser, fx_jsonpath_at(parser, node->first)->next);
    const struct path_value none = {.kind = VALUE_UNDEFINED};
    struct path_value value;
    if (is_match(node) && right->is_constant &&
        !compile_pattern(parser, run, index, right)) {
        return false;
    }
    return !node->is_constant || fx_jsonpath_eval_node(run, node, &none, &value) ||
           fail_syntax(parser);
}

bool fx_jsonpath_check_constant(struct path_parser *parser, node_index node) {
    if (!fx_jsonpath_at(parser, node)->is_constant &&
        !is_match(fx_jsonpath_at(parser, node))) {
        return true;
    }
    alignas(max_align_t) char block[RUN_BLOCK_BYTES];
    struct path_run run;
    fx_jsonpath_run_init(&run, parser->program, NULL, block, parser->err);
    const bool ok = check_node(parser, &run, node);
    fx_jsonpath_run_finish(&run);
    return ok;
}

/* ---- expressions ------------------------------------------------------------------- */

/* Returns the current operator without skipping it. */
static enum operator_id peek_operator(const struct path_parser *parser,
                                      struct path_scanner *ret_behind) {
    *ret_behind = parser->scanner;
    return fx_jsonpath_scan_operator(ret_behind, &parser->token);
}

static bool make_infix(struct path_parser *parser, enum operator_id id, node_index left,
                       node_index right, node_index *ret_node) {
    const uint32_t off = fx_jsonpath_at(parser, left)->off;
    struct siblings operands = {0};
    fx_jsonpath_add_sibling(parser, &operands, left);
    fx_jsonpath_add_sibling(parser, &operands, right);
    if (!fx_jsonpath_add_node(parser, NODE_INFIX, ret_node) ||
        !fx_jsonpath_adopt(parser, *ret_node, &operands, off)) {
        return false;
    }
    struct expression_node *node = fx_jsonpath_at(parser, *ret_node);
    node->id = (uint8_t)id;
    node->as.pattern = NULL;
    node->is_constant = operands.constant && id != OPERATOR_IN;
    return fx_jsonpath_check_constant(parser, *ret_node);
}

/* operation := operand ( operator operand )*, with operators of at least the precedence
 * `least`. Operators of equal precedence are grouped from left to right. */
static bool parse_operation(struct path_parser *parser, int least, node_index *ret_node) {
    if (!fx_jsonpath_parse_operand(parser, ret_node)) {
        return false;
    }
    for (;;) {
        struct path_scanner behind;
        const enum operator_id id = peek_operator(parser, &behind);
        if (id == OPERATOR_NONE || fx_jsonpath_operator(id)->binding < least) {
            return true;
        }
        parser->scanner = behind;
        fx_jsonpath_advance(parser);
        node_index right = 0;
        if (!parse_operation(parser, fx_jsonpath_operator(id)->binding + 1, &right) ||
            !make_infix(parser, id, *ret_node, right, ret_node)) {
            return false;
        }
    }
}

/* Parses the part of a choice after its condition: expression ( ':' expression )?; the
 * second one may be missing only at the end of the text. */
static bool parse_choice(struct path_parser *parser, node_index condition,
                         node_index *ret_node) {
    const uint32_t off = fx_jsonpath_at(parser, condition)->off;
    struct siblings children = {0};
    fx_jsonpath_add_sibling(parser, &children, condition);
    if (!fx_jsonpath_parse_child(parser, &children)) {
        return false;
    }
    if (fx_jsonpath_skip_mark(parser, ':')) {
        if (!fx_jsonpath_parse_child(parser, &children)) {
            return false;
        }
    } else if (parser->token.type != TOKEN_END) {
        return fx_jsonpath_fail_expected(parser, "`:` and the alternative");
    }
    return fx_jsonpath_add_node(parser, NODE_IF, ret_node) &&
           fx_jsonpath_adopt(parser, *ret_node, &children, off);
}

/* expression := operation ( '?' expression ( ':' expression )? )? */
bool fx_jsonpath_parse_expression(struct path_parser *parser, node_index *ret_node) {
    if (parser->depth >= FX_LIMIT_JSONPATH_DEPTH) {
        return fx_fail_at(parser->err, FX_ELIMIT, parser->token.off, parser->token.len,
                          "expression is more than %u levels deep",
                          FX_LIMIT_JSONPATH_DEPTH);
    }
    parser->depth++;
    bool ok = parse_operation(parser, 0, ret_node);
    if (ok && fx_jsonpath_skip_mark(parser, '?')) {
        ok = parse_choice(parser, *ret_node, ret_node);
    }
    parser->depth--;
    return ok;
}

bool fx_jsonpath_parse_child(struct path_parser *parser, struct siblings *children) {
    node_index child = 0;
    if (!fx_jsonpath_parse_expression(parser, &child)) {
        return false;
    }
    fx_jsonpath_add_sibling(parser, children, child);
    return true;
}

static bool check_text(struct fx_text text, struct fx_err *err) {
    if (text.len > FX_LIMIT_JSONPATH_BYTES) {
        return fx_fail(err, FX_ELIMIT, "expression is longer than %u bytes",
                       FX_LIMIT_JSONPATH_BYTES);
    }
    return fx_text_is_utf8(text) ||
           fx_fail(err, FX_ESYNTAX, "expression is not valid UTF-8");
}

static bool parse_pure_path(struct path_parser *parser) {
    if (!fx_jsonpath_is_mark(parser, '$') && !fx_jsonpath_is_mark(parser, '@')) {
        return fx_jsonpath_fail_expected(parser, "a path, which begins with `$`,");
    }
    return fx_jsonpath_parse_path(parser, &parser->program->root) &&
           (parser->token.type == TOKEN_END ||
            fx_jsonpath_fail_expected(
                parser, "the end of the path (a patch selects with a path alone)"));
}

static bool parse_whole(struct path_parser *parser) {
    return fx_jsonpath_parse_expression(parser, &parser->program->root) &&
           (parser->token.type == TOKEN_END ||
            fx_jsonpath_fail_expected(parser,
                                      "an operator, or the end of the expression,"));
}

static struct fx_jsonpath *create_program(size_t text_len) {
    struct fx_jsonpath *path = calloc(1, sizeof *path);
    if (path == NULL) {
        return NULL;
    }
    path->store = malloc(text_len + 1);
    if (path->store == NULL) {
        free(path);
        return NULL;
    }
    return path;
}

/* Frees unused memory: thousands of expressions are kept, and most are small. */
static bool trim_program(struct path_parser *parser) {
    struct fx_jsonpath *path = parser->program;
    struct expression_node *nodes = realloc(path->nodes, path->n_nodes * sizeof *nodes);
    if (nodes == NULL) {
        return fx_fail_nomem(parser->err);
    }
    path->nodes = nodes;
    return true;
}

static bool parse_program(struct path_parser *parser, enum fx_jsonpath_use use) {
    node_index none = 0;
    fx_jsonpath_advance(parser);
    return fx_jsonpath_add_node(parser, NODE_NONE, &none) &&
           (use == FX_JSONPATH_PATH ? parse_pure_path(parser) : parse_whole(parser)) &&
           trim_program(parser);
}

bool fx_jsonpath_compile(struct fx_text text, enum fx_jsonpath_use use,
                         struct fx_jsonpath **ret_path, struct fx_err *err) {
    if (!check_text(text, err)) {
        return false;
    }
    struct path_parser parser = {
        .scanner = {.source = text},
        .program = create_program(text.len),
        .err = err,
    };
    if (parser.program == NULL) {
        return fx_fail_nomem(err);
    }
    /* All constants share the budget of one evaluation. */
    const struct fx_bound outer = fx_budget_narrow(FX_LIMIT_JSONPATH_STEPS, 0);
    const bool ok =
        fx_spend(text.len) ? parse_program(&parser, use) : fx_fail_exceeded(err);
    (void)fx_budget_widen(outer);
    if (!ok) {
        fx_jsonpath_destroy(parser.program);
        return false;
    }
    parser.program->is_field_path = fx_jsonpath_find_field_path(parser.program);
    *ret_path = parser.program;
    return true;
}
