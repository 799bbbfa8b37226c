/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parser.h - what the parsers of expressions and of paths share (inside
 * this room only). One token is looked at; the first fault ends the parse.
 *
 * A function that parses leaves its node in *ret_node and stands behind it. A list of
 * siblings is built with `struct siblings`.
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

enum token_type {
    TOKEN_END,
    TOKEN_IDENT,
    TOKEN_NUMBER,
    TOKEN_QUOTED, /* "...", '...' or `...`, perhaps without its end */
    TOKEN_MARK,   /* any other rune */
    TOKEN_COMMENT /* one that does not end */
};

struct path_token {
    enum token_type type;
    char mark; /* of a TOKEN_MARK that is ASCII, else 0 */
    struct fx_text text;
    uint32_t off, len; /* at the end of the text: one byte behind it */
};

struct path_scanner {
    struct fx_text source;
    size_t at;
};

/* The next token. */
struct path_token fx_jsonpath_scan(struct path_scanner *scanner);

/* The operator that the token begins or is: of those that the text there may begin, the
 * longest. The scanner, which stands behind the token, moves behind the operator; where
 * there is none (OPERATOR_NONE) it stays. `?` alone is none of these. */
enum operator_id fx_jsonpath_scan_operator(struct path_scanner *scanner,
                                           const struct path_token *token);

struct path_parser {
    struct path_scanner scanner;
    struct path_token token; /* the one to be looked at */
    uint32_t behind;         /* where the one before it ends */
    struct fx_jsonpath *program;
    size_t cap_nodes, cap_patterns;
    size_t stored;        /* bytes of the program's store */
    unsigned depth;       /* expressions in one another */
    bool in_key;          /* of an object, where placeholders may stand */
    bool has_placeholder; /* the key at hand has one */
    struct fx_err *err;
};

/* Nodes that are to become the children of one. */
struct siblings {
    node_index first, last;
    unsigned depth; /* of the deepest */
    bool constant;  /* all of them */
};

/* ---- parser.c -------------------------------------------------------------------- */

void fx_jsonpath_advance(struct path_parser *parser);
bool fx_jsonpath_is_mark(const struct path_parser *parser, char mark);
bool fx_jsonpath_skip_mark(struct path_parser *parser, char mark); /* where it is there */

/* "<what> is expected here", at the token. Always false. */
bool fx_jsonpath_fail_expected(struct path_parser *parser, const char *what);

/* Takes the mark, or fails: "`]` is expected here". */
bool fx_jsonpath_take_mark(struct path_parser *parser, char mark) FX_MUST_USE;

/* Adds a node of the type at the token, without children. Errors: FX_ENOMEM. */
bool fx_jsonpath_add_node(struct path_parser *parser, enum node_type type,
                          node_index *ret_node) FX_MUST_USE;

static inline struct node *fx_jsonpath_at(struct path_parser *parser, node_index index) {
    return &parser->program->nodes[index];
}

void fx_jsonpath_add_sibling(struct path_parser *parser, struct siblings *siblings,
                             node_index node);

/* Gives the siblings to their parent, which reaches from `off` to what was last taken.
 * Errors: FX_ELIMIT where the tree becomes too deep. */
bool fx_jsonpath_adopt(struct path_parser *parser, node_index parent,
                       const struct siblings *children, uint32_t off) FX_MUST_USE;

/* The token's text as one of the program's. */
struct fx_text fx_jsonpath_keep(struct path_parser *parser, struct fx_text text);

/* ---- parse.c --------------------------------------------------------------------- */

bool fx_jsonpath_parse_expression(struct path_parser *parser,
                                  node_index *ret_node) FX_MUST_USE;

/* ---- parse_primary.c ------------------------------------------------------------- */

/* An operand, with what stands before it. */
bool fx_jsonpath_parse_operand(struct path_parser *parser,
                               node_index *ret_node) FX_MUST_USE;

/* ---- parse_path.c ---------------------------------------------------------------- */

/* A path, from its $ or @ on. */
bool fx_jsonpath_parse_path(struct path_parser *parser, node_index *ret_node) FX_MUST_USE;

/* What is made of constants alone fails here, if it fails at all; a constant pattern is
 * compiled. */
bool fx_jsonpath_check_constant(struct path_parser *parser, node_index node) FX_MUST_USE;

#endif
