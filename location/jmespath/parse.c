/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/parse.c - operators and operands, and the whole query. An operator
 * continues an expression if it binds more strongly than what stands before the
 * expression (Pratt's method); the bindings are those of Kyverno, where `!a[?b]` is
 * `(!a)[?b]`.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "base/limits.h"
#include "location/jmespath/parser.h"

static struct fx_jmespath_node *new_current(struct query_parser *parser) {
    struct fx_jmespath_node *node = fx_jmespath_new_node(parser, QUERY_CURRENT);
    if (node != NULL) {
        node->len = 0;
    }
    return node;
}

/* ---- projections ------------------------------------------------------------------- */

/* What follows a dot: a name, `*`, a list or an object. */
static struct fx_jmespath_node *parse_after_dot(struct query_parser *parser,
                                                int binding) {
    const uint32_t off = parser->token.off;
    switch (parser->token.type) {
    case QUERY_TOKEN_NAME:
    case QUERY_TOKEN_QUOTED:
    case QUERY_TOKEN_STAR: return fx_jmespath_parse_expression(parser, binding);
    case QUERY_TOKEN_OPEN_BRACKET:
        return fx_jmespath_advance(parser) ? fx_jmespath_parse_list(parser, off) : NULL;
    case QUERY_TOKEN_OPEN_BRACE:
        return fx_jmespath_advance(parser) ? fx_jmespath_parse_object(parser, off) : NULL;
    default:
        (void)fx_jmespath_fail_expected(parser, "a name, `*`, `[` or `{`");
        return NULL;
    }
}

/* What is done with each element. */
static struct fx_jmespath_node *parse_body(struct query_parser *parser, int binding) {
    const unsigned type = parser->token.type;
    if (fx_jmespath_binding(type) <= fx_jmespath_binding(QUERY_TOKEN_FLATTEN)) {
        return new_current(parser);
    }
    if (type == QUERY_TOKEN_OPEN_BRACKET || type == QUERY_TOKEN_FILTER) {
        return fx_jmespath_parse_expression(parser, binding);
    }
    if (type == QUERY_TOKEN_DOT) {
        return fx_jmespath_advance(parser) ? parse_after_dot(parser, binding) : NULL;
    }
    (void)fx_jmespath_fail_expected(parser, "`.`, `[` or an operator");
    return NULL;
}

struct fx_jmespath_node *fx_jmespath_parse_projection(struct query_parser *parser,
                                                      enum query_node_type type,
                                                      struct fx_jmespath_node *left,
                                                      int binding) {
    return left == NULL
               ? NULL
               : fx_jmespath_new_pair(parser, type, left, parse_body(parser, binding));
}

/* `*`, or `.*` behind `left`. */
static struct fx_jmespath_node *parse_values(struct query_parser *parser,
                                             struct fx_jmespath_node *left, int binding) {
    return fx_jmespath_advance(parser)
               ? fx_jmespath_parse_projection(parser, QUERY_VALUES, left, binding)
               : NULL;
}

/* `[]`: the elements of what is flattened are projected. */
static struct fx_jmespath_node *parse_flatten(struct query_parser *parser,
                                              struct fx_jmespath_node *left) {
    struct query_children children = {left, left};
    struct fx_jmespath_node *flatten = fx_jmespath_new_node(parser, QUERY_FLATTEN);
    if (flatten == NULL || left == NULL || !fx_jmespath_advance(parser) ||
        !fx_jmespath_adopt(parser, flatten, &children, left->off)) {
        return NULL;
    }
    return fx_jmespath_parse_projection(parser, QUERY_EACH, flatten,
                                        fx_jmespath_binding(QUERY_TOKEN_FLATTEN));
}

/* `[? condition ]` */
static struct fx_jmespath_node *parse_filter(struct query_parser *parser,
                                             struct fx_jmespath_node *left) {
    struct query_children children = {left, left};
    if (left == NULL || !fx_jmespath_advance(parser)) {
        return NULL;
    }
    struct fx_jmespath_node *condition = fx_jmespath_parse_expression(parser, 0);
    if (condition == NULL || !fx_jmespath_take_token(parser, QUERY_TOKEN_CLOSE_BRACKET)) {
        return NULL;
    }
    struct fx_jmespath_node *filter = fx_jmespath_new_node(parser, QUERY_FILTER);
    struct fx_jmespath_node *body =
        parse_body(parser, fx_jmespath_binding(QUERY_TOKEN_FILTER));
    if (filter == NULL || body == NULL) {
        return NULL;
    }
    fx_jmespath_add_child(&children, body);
    fx_jmespath_add_child(&children, condition);
    return fx_jmespath_adopt(parser, filter, &children, left->off) ? filter : NULL;
}

/* `[*]`, `[0]` or `[1:2]` behind `left`; the current token follows the `[`. */
static struct fx_jmespath_node *parse_bracket(struct query_parser *parser,
                                              struct fx_jmespath_node *left) {
    if (left == NULL) {
        return NULL;
    }
    if (fx_jmespath_is_token(parser, QUERY_TOKEN_NUMBER) ||
        fx_jmespath_is_token(parser, QUERY_TOKEN_COLON)) {
        return fx_jmespath_parse_index(parser, left);
    }
    if (!fx_jmespath_is_token(parser, QUERY_TOKEN_STAR)) {
        (void)fx_jmespath_fail_expected(parser, "a number, `:` or `*`");
        return NULL;
    }
    return fx_jmespath_advance(parser) &&
                   fx_jmespath_take_token(parser, QUERY_TOKEN_CLOSE_BRACKET)
               ? fx_jmespath_parse_projection(parser, QUERY_EACH, left,
                                              fx_jmespath_binding(QUERY_TOKEN_STAR))
               : NULL;
}

/* ---- operands ---------------------------------------------------------------------- */

/* An expression that begins with `[`. */
static struct fx_jmespath_node *parse_open_bracket(struct query_parser *parser) {
    const uint32_t off = parser->token.off;
    if (!fx_jmespath_advance(parser)) {
        return NULL;
    }
    const unsigned type = parser->token.type;
    const bool is_star =
        type == QUERY_TOKEN_STAR && parser->next.type == QUERY_TOKEN_CLOSE_BRACKET;
    return type == QUERY_TOKEN_NUMBER || type == QUERY_TOKEN_COLON || is_star
               ? parse_bracket(parser, new_current(parser))
               : fx_jmespath_parse_list(parser, off);
}

static struct fx_jmespath_node *parse_paren(struct query_parser *parser) {
    if (!fx_jmespath_advance(parser)) {
        return NULL;
    }
    struct fx_jmespath_node *inner = fx_jmespath_parse_expression(parser, 0);
    return inner != NULL && fx_jmespath_take_token(parser, QUERY_TOKEN_CLOSE_PAREN)
               ? inner
               : NULL;
}

/* `!a`, `&a` */
static struct fx_jmespath_node *parse_prefix(struct query_parser *parser,
                                             enum query_node_type type) {
    const int binding = fx_jmespath_binding(parser->token.type);
    struct fx_jmespath_node *prefix = fx_jmespath_new_node(parser, type);
    if (prefix == NULL || !fx_jmespath_advance(parser)) {
        return NULL;
    }
    struct fx_jmespath_node *operand = fx_jmespath_parse_expression(parser, binding);
    const struct query_children children = {operand, operand};
    return operand != NULL && fx_jmespath_adopt(parser, prefix, &children, prefix->off)
               ? prefix
               : NULL;
}

static struct fx_jmespath_node *parse_field(struct query_parser *parser) {
    const bool is_quoted = fx_jmespath_is_token(parser, QUERY_TOKEN_QUOTED);
    struct fx_jmespath_node *field = fx_jmespath_take_name(parser, QUERY_FIELD);
    if (field != NULL && is_quoted &&
        fx_jmespath_is_token(parser, QUERY_TOKEN_OPEN_PAREN)) {
        (void)fx_fail_at(parser->err, FX_ESYNTAX, field->off, field->len,
                         "the name of a function has no quotes");
        return NULL;
    }
    return field;
}

static struct fx_jmespath_node *parse_current(struct query_parser *parser) {
    struct fx_jmespath_node *node = fx_jmespath_new_node(parser, QUERY_CURRENT);
    return node != NULL && fx_jmespath_advance(parser) ? node : NULL;
}

static struct fx_jmespath_node *parse_brace(struct query_parser *parser) {
    const uint32_t off = parser->token.off;
    return fx_jmespath_advance(parser) ? fx_jmespath_parse_object(parser, off) : NULL;
}

static struct fx_jmespath_node *parse_operand(struct query_parser *parser) {
    switch (parser->token.type) {
    case QUERY_TOKEN_NAME:
    case QUERY_TOKEN_QUOTED: return parse_field(parser);
    case QUERY_TOKEN_STRING:
    case QUERY_TOKEN_LITERAL: return fx_jmespath_take_literal(parser);
    case QUERY_TOKEN_CURRENT: return parse_current(parser);
    case QUERY_TOKEN_STAR:
        return parse_values(parser, new_current(parser),
                            fx_jmespath_binding(QUERY_TOKEN_STAR));
    case QUERY_TOKEN_FILTER: return parse_filter(parser, new_current(parser));
    case QUERY_TOKEN_FLATTEN: return parse_flatten(parser, new_current(parser));
    case QUERY_TOKEN_OPEN_BRACKET: return parse_open_bracket(parser);
    case QUERY_TOKEN_OPEN_BRACE: return parse_brace(parser);
    case QUERY_TOKEN_OPEN_PAREN: return parse_paren(parser);
    case QUERY_TOKEN_NOT: return parse_prefix(parser, QUERY_NOT);
    case QUERY_TOKEN_REFERENCE: return parse_prefix(parser, QUERY_REFERENCE);
    default: (void)fx_jmespath_fail_expected(parser, "an expression"); return NULL;
    }
}

/* ---- operators --------------------------------------------------------------------- */

/* An operator between two expressions; the current token is the operator. */
static struct fx_jmespath_node *parse_infix(struct query_parser *parser,
                                            enum query_node_type type,
                                            struct fx_jmespath_node *left) {
    const int binding = fx_jmespath_binding(parser->token.type);
    return fx_jmespath_advance(parser)
               ? fx_jmespath_new_pair(parser, type, left,
                                      fx_jmespath_parse_expression(parser, binding))
               : NULL;
}

static struct fx_jmespath_node *parse_comparison(struct query_parser *parser,
                                                 enum query_comparison comparison,
                                                 struct fx_jmespath_node *left) {
    struct fx_jmespath_node *node = parse_infix(parser, QUERY_COMPARE, left);
    if (node != NULL) {
        node->as.comparison = comparison;
    }
    return node;
}

static struct fx_jmespath_node *parse_dot(struct query_parser *parser,
                                          struct fx_jmespath_node *left) {
    const int binding = fx_jmespath_binding(QUERY_TOKEN_DOT);
    if (!fx_jmespath_advance(parser)) {
        return NULL;
    }
    return fx_jmespath_is_token(parser, QUERY_TOKEN_STAR)
               ? parse_values(parser, left, binding)
               : fx_jmespath_new_pair(parser, QUERY_CHAIN, left,
                                      parse_after_dot(parser, binding));
}

/* Continues the expression `left` with the current token. */
static struct fx_jmespath_node *parse_operator(struct query_parser *parser,
                                               struct fx_jmespath_node *left) {
    switch (parser->token.type) {
    case QUERY_TOKEN_DOT: return parse_dot(parser, left);
    case QUERY_TOKEN_PIPE: return parse_infix(parser, QUERY_PIPE, left);
    case QUERY_TOKEN_OR: return parse_infix(parser, QUERY_OR, left);
    case QUERY_TOKEN_AND: return parse_infix(parser, QUERY_AND, left);
    case QUERY_TOKEN_EQUAL: return parse_comparison(parser, QUERY_EQUAL, left);
    case QUERY_TOKEN_UNEQUAL: return parse_comparison(parser, QUERY_UNEQUAL, left);
    case QUERY_TOKEN_LESS: return parse_comparison(parser, QUERY_LESS, left);
    case QUERY_TOKEN_LESS_OR_EQUAL:
        return parse_comparison(parser, QUERY_LESS_OR_EQUAL, left);
    case QUERY_TOKEN_GREATER: return parse_comparison(parser, QUERY_GREATER, left);
    case QUERY_TOKEN_GREATER_OR_EQUAL:
        return parse_comparison(parser, QUERY_GREATER_OR_EQUAL, left);
    case QUERY_TOKEN_FLATTEN: return parse_flatten(parser, left);
    case QUERY_TOKEN_FILTER: return parse_filter(parser, left);
    case QUERY_TOKEN_OPEN_BRACKET:
        return fx_jmespath_advance(parser) ? parse_bracket(parser, left) : NULL;
    case QUERY_TOKEN_OPEN_PAREN:
        return fx_jmespath_advance(parser) ? fx_jmespath_parse_call(parser, left) : NULL;
    default: (void)fx_jmespath_fail_expected(parser, "an operator"); return NULL;
    }
}

struct fx_jmespath_node *fx_jmespath_parse_expression(struct query_parser *parser,
                                                      int binding) {
    if (++parser->depth > FX_LIMIT_JMESPATH_DEPTH) {
        (void)fx_fail_at(parser->err, FX_ELIMIT, parser->token.off, parser->token.len,
                         "query is more than %u levels deep", FX_LIMIT_JMESPATH_DEPTH);
        return NULL;
    }
    struct fx_jmespath_node *left = parse_operand(parser);
    while (left != NULL && fx_jmespath_binding(parser->token.type) > binding) {
        left = parse_operator(parser, left);
    }
    parser->depth--;
    return left;
}

/* ---- the whole query --------------------------------------------------------------- */

static struct fx_jmespath *create_query(struct fx_text text) {
    struct fx_jmespath *query = calloc(1, sizeof *query);
    if (query == NULL) {
        return NULL;
    }
    fx_arena_init(&query->arena, FX_LIMIT_JMESPATH_MEMORY);
    query->text.data = fx_arena_copy(&query->arena, text);
    query->text.len = text.len;
    query->literals = json_array();
    if (query->text.data == NULL || query->literals == NULL) {
        fx_jmespath_destroy(query);
        return NULL;
    }
    return query;
}

static bool parse_query(struct query_parser *parser) {
    if (!fx_jmespath_lex(&parser->lexer, &parser->next, parser->err) ||
        !fx_jmespath_advance(parser)) {
        return false;
    }
    parser->query->root = fx_jmespath_parse_expression(parser, 0);
    return parser->query->root != NULL &&
           (fx_jmespath_is_token(parser, QUERY_TOKEN_END) ||
            fx_jmespath_fail_expected(parser, "an operator or the end of the text"));
}

static bool check_text(struct fx_text text, struct fx_err *err) {
    if (text.len > FX_LIMIT_JMESPATH_BYTES) {
        return fx_fail(err, FX_ELIMIT, "query has more than %u bytes",
                       FX_LIMIT_JMESPATH_BYTES);
    }
    return fx_text_is_utf8(text) || fx_fail(err, FX_ESYNTAX, "query is not UTF-8");
}

bool fx_jmespath_compile(struct fx_text text, struct fx_jmespath **ret_query,
                         struct fx_err *err) {
    if (!check_text(text, err)) {
        return false;
    }
    struct query_parser parser = {.query = create_query(text), .err = err};
    if (parser.query == NULL) {
        return fx_fail_nomem(err);
    }
    parser.lexer.source = parser.query->text;
    if (!(fx_spend(text.len) || fx_fail_exceeded(err)) || !parse_query(&parser)) {
        fx_jmespath_destroy(parser.query);
        return false;
    }
    fx_jmespath_classify(parser.query);
    *ret_query = parser.query;
    return true;
}
