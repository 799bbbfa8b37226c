/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parser.h - private: the tokens of an expression (spec section 7.1;
 * white space and comments are skipped), and the common part of the parsers of
 * expressions and paths.
 *
 * A parse function sets *ret_node to its node, and leaves the parser after the text of
 * that node. The first fault ends the parse. A list of siblings is built with `struct
 * siblings`.
 */
#ifndef FX_LOCATION_JSONPATH_PARSER_H
#define FX_LOCATION_JSONPATH_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/jsonpath/program.h"

enum path_token_type {
    TOKEN_END,
    TOKEN_IDENT,
    TOKEN_NUMBER,
    TOKEN_QUOTED, /* "...", '...' or `...`; the closing quote may be missing */
    TOKEN_MARK,   /* any other rune */
    TOKEN_COMMENT /* an unterminated comment */
};

struct path_token {
    enum path_token_type type;
    char mark; /* the character of an ASCII TOKEN_MARK, else 0 */
    struct fx_text text;
    uint32_t off, len; /* at the end of the text, the byte after it */
};

struct path_scanner {
    struct fx_text source;
    size_t at;
};

/* Reads the next token. */
struct path_token fx_jsonpath_scan(struct path_scanner *scanner);

/* Returns the longest operator that starts with the token, and moves the scanner from the
 * end of the token to the end of the operator. If there is none, returns OPERATOR_NONE
 * and leaves the scanner; `?` alone is not an operator. */
enum operator_id fx_jsonpath_scan_operator(struct path_scanner *scanner,
                                           const struct path_token *token);

struct path_parser {
    struct path_scanner scanner;
    struct path_token token; /* the current token */
    uint32_t behind;         /* the end of the previous token */
    struct fx_jsonpath *program;
    size_t cap_nodes, cap_patterns;
    size_t stored;        /* bytes used in the program's store */
    unsigned depth;       /* nested expressions */
    bool in_key;          /* in the key of an object, which may contain placeholders */
    bool has_placeholder; /* the current key has a placeholder */
    struct fx_err *err;
};

/* A list of nodes that become the children of one node. */
struct siblings {
    node_index first, last;
    unsigned depth; /* of the deepest node */
    bool constant;  /* all are constants */
};

/* ---- parse.c --------------------------------------------------------------------- */

void fx_jsonpath_advance(struct path_parser *parser);
bool fx_jsonpath_is_mark(const struct path_parser *parser, char mark);
bool fx_jsonpath_skip_mark(struct path_parser *parser,
                           char mark); /* only if it is the current token */

/* Fails with "<what> is expected here" at the token. Always false. */
bool fx_jsonpath_fail_expected(struct path_parser *parser, const char *what);

/* Skips the mark, or fails with "`]` is expected here". */
bool fx_jsonpath_take_mark(struct path_parser *parser, char mark) FX_MUST_USE;

/* Adds a node without children whose span is the token. Errors: FX_ENOMEM. */
bool fx_jsonpath_add_node(struct path_parser *parser, enum node_type type,
                          node_index *ret_node) FX_MUST_USE;

/* Adds a constant whose token is skipped; the caller sets its value. Returns NULL with
 * FX_ENOMEM if out of memory. */
struct expression_node *fx_jsonpath_add_constant(struct path_parser *parser,
                                                 enum node_type type,
                                                 node_index *ret_node) FX_MUST_USE;

/* Fails with this message at the token. Always false. */
bool fx_jsonpath_fail_token(struct path_parser *parser, const char *message);

static inline struct expression_node *fx_jsonpath_at(struct path_parser *parser,
                                                     node_index index) {
    return &parser->program->nodes[index];
}

void fx_jsonpath_add_sibling(struct path_parser *parser, struct siblings *siblings,
                             node_index node);

/* Makes the siblings children of `parent`, whose span is from `off` to the end of the
 * previous token. Errors: FX_ELIMIT if the tree becomes too deep. */
bool fx_jsonpath_adopt(struct path_parser *parser, node_index parent,
                       const struct siblings *children, uint32_t off) FX_MUST_USE;

/* Copies the text into the program's store. */
struct fx_text fx_jsonpath_keep(struct path_parser *parser, struct fx_text text);

bool fx_jsonpath_parse_expression(struct path_parser *parser,
                                  node_index *ret_node) FX_MUST_USE;

/* Parses an expression and adds it to the siblings. */
bool fx_jsonpath_parse_child(struct path_parser *parser,
                             struct siblings *children) FX_MUST_USE;

/* ---- parse_primary.c ------------------------------------------------------------- */

/* Parses an operand with its prefix operators. */
bool fx_jsonpath_parse_operand(struct path_parser *parser,
                               node_index *ret_node) FX_MUST_USE;

/* ---- parse_path.c ---------------------------------------------------------------- */

/* Parses a path from its $ or @. */
bool fx_jsonpath_parse_path(struct path_parser *parser, node_index *ret_node) FX_MUST_USE;

/* Evaluates a node of constants at compile time, so that a failure is a syntax error, and
 * compiles a constant pattern. */
bool fx_jsonpath_check_constant(struct path_parser *parser, node_index node) FX_MUST_USE;

#endif
