/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/parser.h - private: what the files of the parser share.
 *
 * The parser has one function for each rule of cel-go's grammar, and recovers from a
 * syntax error as the parser generator of cel-go does: the rule with the error ends, and
 * tokens are skipped up to one that may follow a rule that is being parsed. So the rest
 * of the text is parsed too, and what is wrong in it, or before the syntax error, is
 * reported as cel-go reports it: the first fault is the one with the first position.
 *
 * A function of a rule always returns a node; after an error it may be an unknown one.
 * fx_cel_parse() gives no nodes to its caller if there is any fault.
 */
#ifndef FX_LOCATION_CEL_PARSER_H
#define FX_LOCATION_CEL_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "location/cel/ast.h"
#include "location/cel/lex.h"

#define FX_CEL_MOST_DEPTH      250u /* rules of one kind in each other, and operators */
#define FX_CEL_MOST_CHARACTERS 100000u    /* code points of an expression */
#define FX_CEL_MOST_SKIPPED    256u       /* tokens that one recovery skips */
#define FX_CEL_MOST_RECOVERIES 30u        /* of one expression */
#define FX_CEL_MOST_NODES      (1u << 18) /* of one expression, macros expanded */

/* A set of types of tokens. */
typedef uint64_t cel_set;
#define CEL_SET(type) (UINT64_C(1) << (type))

/* What starts an expression, or an argument that may be optional. */
#define CEL_STARTS                                                                   \
    (CEL_SET(CEL_LEFT_BRACKET) | CEL_SET(CEL_LEFT_BRACE) | CEL_SET(CEL_LEFT_PAREN) | \
     CEL_SET(CEL_DOT) | CEL_SET(CEL_MINUS) | CEL_SET(CEL_NOT) | CEL_SET(CEL_TRUE) |  \
     CEL_SET(CEL_FALSE) | CEL_SET(CEL_NULL) | CEL_SET(CEL_FLOAT_NUMBER) |            \
     CEL_SET(CEL_INT_NUMBER) | CEL_SET(CEL_UINT_NUMBER) | CEL_SET(CEL_QUOTED) |      \
     CEL_SET(CEL_QUOTED_BYTES) | CEL_SET(CEL_IDENTIFIER))
#define CEL_OPTIONAL_STARTS (CEL_STARTS | CEL_SET(CEL_QUESTION))
#define CEL_FIELD_STARTS    (CEL_SET(CEL_IDENTIFIER) | CEL_SET(CEL_ESCAPED_IDENTIFIER))
#define CEL_RELATIONS                                                             \
    (CEL_SET(CEL_LESS) | CEL_SET(CEL_LESS_EQUALS) | CEL_SET(CEL_GREATER_EQUALS) | \
     CEL_SET(CEL_GREATER) | CEL_SET(CEL_EQUALS) | CEL_SET(CEL_NOT_EQUALS) |       \
     CEL_SET(CEL_IN))
#define CEL_FACTORS (CEL_SET(CEL_STAR) | CEL_SET(CEL_SLASH) | CEL_SET(CEL_PERCENT))
#define CEL_TERMS   (CEL_SET(CEL_PLUS) | CEL_SET(CEL_MINUS))
#define CEL_MEMBERS (CEL_SET(CEL_DOT) | CEL_SET(CEL_LEFT_BRACKET))

/* The tokens that may follow a rule, which is being parsed. */
struct cel_follow {
    cel_set next; /* exactly here */
    cel_set any;  /* here, or after one of the rules around this one */
};

/* What may follow a rule within another one: `set`, and, if that one may end after it,
 * what follows that one. */
static inline struct cel_follow fx_cel_follow(const struct cel_follow *outer, cel_set set,
                                              bool may_end) {
    return (struct cel_follow){.next = set | (may_end ? outer->next : 0),
                               .any = set | outer->any};
}

/* The rules whose depth is limited. */
enum cel_rule { CEL_RULE_EXPRESSION, CEL_RULE_RELATION, CEL_RULE_CALC, CEL_RULES };

struct cel_parser {
    struct fx_arena *arena;
    struct fx_text source;
    struct cel_tokens tokens;
    size_t at; /* index of the current token */
    struct fx_cel_faults *faults;
    struct fx_err *err;

    /* No memory, a limit, or the budget: nothing more is read or reported. */
    bool stopped;
    bool failed;        /* it stopped since `err` is set */
    bool is_recovering; /* no syntax error is reported before a token has matched */
    /* Where the errors since the last match were, so that each skips a token. */
    size_t error_at;
    uint64_t error_states;
    unsigned recoveries;

    unsigned depth[CEL_RULES];
    size_t n_nodes, n_locals;
    struct fx_cel_node spare; /* is returned if there is no memory for a node */
};

/* What a rule returns. */
struct cel_operand {
    struct fx_cel_node *node;
    unsigned height; /* operators, fields, methods and indexes in each other */
    uint32_t start;  /* of its first token */
};

/* Arguments of a call, or elements. */
struct cel_nodes {
    struct fx_cel_node **items;
    bool *is_optional; /* as many, of a list (`has_flags`) */
    size_t n, cap, cap_flags;
    bool has_flags, any_optional;
    unsigned height;
};

/* ---- recover.c: tokens, and syntax errors ------------------------------------------ */

/* The type of the current token, or of the one after it. */
static inline enum cel_token_type fx_cel_ahead(const struct cel_parser *parser,
                                               size_t by) {
    return by < parser->tokens.n - parser->at ? parser->tokens.items[parser->at + by].type
                                              : CEL_END;
}

static inline bool fx_cel_is_ahead(const struct cel_parser *parser, cel_set set) {
    return (CEL_SET(fx_cel_ahead(parser, 0)) & set) != 0;
}

static inline struct cel_token fx_cel_token(const struct cel_parser *parser) {
    return parser->tokens.items[parser->at];
}

struct fx_text fx_cel_token_text(const struct cel_parser *parser, struct cel_token token);

/* Stops the parse, so that nothing more is read or reported, with a fault that has no
 * position. */
void fx_cel_stop_at_limit(struct cel_parser *parser, const char *message);

/* Stops without memory, or since the budget is exceeded. */
void fx_cel_stop_without_memory(struct cel_parser *parser);
void fx_cel_stop_over_budget(struct cel_parser *parser);

/* Reports a syntax error at the token so far ahead, unless the parser is recovering. */
void fx_cel_report(struct cel_parser *parser, size_t ahead, const char *what);

/* Skips the current token, of which the caller knows that it is right, and returns it. */
struct cel_token fx_cel_take(struct cel_parser *parser);

/* Skips a token of this type, and gets it. Another token is an error: if the one after
 * it has the type, both are skipped; if it may follow (`next`), the missing one is
 * imagined, with length 0. Else returns false: the rule ends in fx_cel_recover(). */
bool fx_cel_match(struct cel_parser *parser, enum cel_token_type type, cel_set next,
                  struct cel_token *ret_token) FX_MUST_USE;

/* Checks that the current token is one of a set, unless the parser is recovering. If it
 * is not, but the one after it is, skips it. Else reports an error and returns false. */
bool fx_cel_expect(struct cel_parser *parser, cel_set set) FX_MUST_USE;

/* Ends a rule with an error: skips tokens up to one that may follow it or the rules
 * around it. `state` (below 64) is the place of the error in the grammar. */
void fx_cel_recover(struct cel_parser *parser, const struct cel_follow *follow,
                    unsigned state);

/* Skips tokens up to one of the set. */
void fx_cel_skip_to(struct cel_parser *parser, cel_set set);

/* Counts a rule in itself; stops the parse where there are too many. */
void fx_cel_enter(struct cel_parser *parser, enum cel_rule rule);
void fx_cel_leave(struct cel_parser *parser, enum cel_rule rule);

/* ---- build.c: nodes ---------------------------------------------------------------- */

/* A zeroed node; never NULL. */
struct fx_cel_node *fx_cel_new_node(struct cel_parser *parser, enum fx_cel_node_type type,
                                    uint32_t at);

/* A node for what could not be parsed. */
struct fx_cel_node *fx_cel_new_unknown(struct cel_parser *parser, uint32_t at);

/* Adds a fault, and returns an unknown node. */
struct fx_cel_node *fx_cel_refuse(struct cel_parser *parser, uint32_t at,
                                  const char *message);

struct fx_cel_node *fx_cel_new_literal(struct cel_parser *parser, uint32_t at,
                                       struct fx_cel_value value);
struct fx_cel_node *fx_cel_new_name(struct cel_parser *parser, uint32_t at,
                                    struct fx_text name);
struct fx_cel_node *fx_cel_new_list_node(struct cel_parser *parser, uint32_t at,
                                         const struct cel_nodes *items);

/* A call of a function with these arguments, as they are in memory. */
struct fx_cel_node *fx_cel_new_call(struct cel_parser *parser, uint32_t at,
                                    struct fx_text function, struct fx_cel_node *target,
                                    const struct cel_nodes *args);

/* A call with `n` arguments that follow. */
struct fx_cel_node *fx_cel_new_call_of(struct cel_parser *parser, uint32_t at,
                                       const char *function, size_t n, ...);

/* Adds a node to a list. */
void fx_cel_add_node(struct cel_parser *parser, struct cel_nodes *nodes,
                     struct cel_operand operand, bool is_optional);

/* The larger height, and one more. */
static inline unsigned fx_cel_higher(unsigned a, unsigned b) {
    return (a > b ? a : b) + 1;
}

/* The operand with its height checked: stops the parse if it is over the limit. */
struct cel_operand fx_cel_limit_height(struct cel_parser *parser,
                                       struct cel_operand operand);

/* ---- parse.c, parse_member.c, parse_primary.c, parse_literal.c --------------------- */

struct cel_operand fx_cel_parse_expression(struct cel_parser *parser,
                                           const struct cel_follow *follow);
struct cel_operand fx_cel_parse_member(struct cel_parser *parser,
                                       const struct cel_follow *follow);
struct cel_operand fx_cel_parse_primary(struct cel_parser *parser,
                                        const struct cel_follow *follow);

/* Parses the arguments of a call, from the first one. */
void fx_cel_parse_arguments(struct cel_parser *parser, const struct cel_follow *follow,
                            struct cel_nodes *ret_args);

/* Parses the name of a field. A fault of its spelling is in *ret_fault, else NULL. */
struct fx_text fx_cel_parse_field(struct cel_parser *parser,
                                  const struct cel_follow *follow,
                                  const char **ret_fault);

struct cel_operand fx_cel_parse_literal(struct cel_parser *parser,
                                        const struct cel_follow *follow);

/* ---- macro.c ----------------------------------------------------------------------- */

/* Expands the call if it is that of a macro; else makes a call. `target` NULL: a global
 * one. `at` is its opening parenthesis. */
struct fx_cel_node *fx_cel_call_or_macro(struct cel_parser *parser, uint32_t at,
                                         struct fx_text function,
                                         struct fx_cel_node *target,
                                         const struct cel_nodes *args);

/* ---- copy.c ------------------------------------------------------------------------ */

/* A deep copy, whose positions are those of the original. */
struct fx_cel_node *fx_cel_copy(struct cel_parser *parser,
                                const struct fx_cel_node *node);

#endif
