/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/parser.h - private: what the parsers of a query share.
 *
 * Each parser reads from the current token on. On false, `err` is set.
 */
#ifndef FX_LOCATION_JMESPATH_PARSER_H
#define FX_LOCATION_JMESPATH_PARSER_H

#include "location/jmespath/lexer.h"
#include "location/jmespath/program.h"

struct query_parser {
    struct query_lexer lexer;
    struct query_token token, next; /* the current one, and the one after it */
    uint32_t behind;                /* the end of the token before the current one */
    unsigned depth;                 /* levels of expressions that are being parsed */
    struct fx_jmespath *query;
    struct fx_err *err;
};

/* Children of a node that is being made. */
struct query_children {
    struct fx_jmespath_node *first, *last;
};

/* ---- parse_nodes.c: tokens, nodes, texts ------------------------------------------- */

bool fx_jmespath_advance(struct query_parser *parser) FX_MUST_USE;

static inline bool fx_jmespath_is_token(const struct query_parser *parser,
                                        enum query_token_type type) {
    return parser->token.type == type;
}

/* Reads the token if it is of this type; otherwise fails. */
bool fx_jmespath_take_token(struct query_parser *parser,
                            enum query_token_type type) FX_MUST_USE;

/* Fails at the current token because `what` is expected. Always false. */
bool fx_jmespath_fail_expected(struct query_parser *parser, const char *what);

/* Makes a node with the span of the current token. NULL after an error. */
struct fx_jmespath_node *fx_jmespath_new_node(struct query_parser *parser,
                                              enum query_node_type type) FX_MUST_USE;

void fx_jmespath_add_child(struct query_children *children,
                           struct fx_jmespath_node *child);

/* Gives the node its children, and a span from `off` to the token before the current one.
 * Fails if it becomes too deep. */
bool fx_jmespath_adopt(struct query_parser *parser, struct fx_jmespath_node *node,
                       const struct query_children *children, uint32_t off) FX_MUST_USE;

/* Makes a node with these two children, whose span begins with that of the first. */
struct fx_jmespath_node *fx_jmespath_new_pair(struct query_parser *parser,
                                              enum query_node_type type,
                                              struct fx_jmespath_node *left,
                                              struct fx_jmespath_node *right) FX_MUST_USE;

/* Make a node of the current token, and go on behind it. NULL after an error. */
struct fx_jmespath_node *fx_jmespath_take_name(struct query_parser *parser,
                                               enum query_node_type type) FX_MUST_USE;
struct fx_jmespath_node *
fx_jmespath_take_literal(struct query_parser *parser) FX_MUST_USE;

/* Reads the current token, which is a number. */
bool fx_jmespath_take_integer(struct query_parser *parser,
                              int64_t *ret_integer) FX_MUST_USE;

/* ---- parse_brackets.c -------------------------------------------------------------- */

/* `a, b]`, behind the `[`. */
struct fx_jmespath_node *fx_jmespath_parse_list(struct query_parser *parser,
                                                uint32_t off) FX_MUST_USE;
/* `x: a, y: b}`, behind the `{`. */
struct fx_jmespath_node *fx_jmespath_parse_object(struct query_parser *parser,
                                                  uint32_t off) FX_MUST_USE;
/* `a, b)`, behind the `(`; `callee` is what stands before it. */
struct fx_jmespath_node *
fx_jmespath_parse_call(struct query_parser *parser,
                       const struct fx_jmespath_node *callee) FX_MUST_USE;
/* `0]`, `1:2:3]`, behind the `[`; `left` is what stands before it. */
struct fx_jmespath_node *
fx_jmespath_parse_index(struct query_parser *parser,
                        struct fx_jmespath_node *left) FX_MUST_USE;

/* ---- parse.c ----------------------------------------------------------------------- */

/* Parses operators that bind more strongly than `binding`, and their operands. */
struct fx_jmespath_node *fx_jmespath_parse_expression(struct query_parser *parser,
                                                      int binding) FX_MUST_USE;

/* Parses what a projection does with each element, up to an operator that binds less than
 * `binding`; then makes the projection. */
struct fx_jmespath_node *fx_jmespath_parse_projection(struct query_parser *parser,
                                                      enum query_node_type type,
                                                      struct fx_jmespath_node *left,
                                                      int binding) FX_MUST_USE;

#endif
