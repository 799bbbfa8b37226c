/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/parser.h - private: the parse of one template. The parser reads one
 * token at a time; the first fault ends the parse.
 */
#ifndef FX_LOCATION_GOTEMPLATE_PARSER_H
#define FX_LOCATION_GOTEMPLATE_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/program.h"

/* ---- scanner.c --------------------------------------------------------------------- */

/* The tokens are the text around actions, and those in actions. Comments and white space
 * are not tokens, but each token records whether white space precedes it. */

/* type, word */
#define KEYWORDS(X)         \
    X(BLOCK, "block")       \
    X(BREAK, "break")       \
    X(CONTINUE, "continue") \
    X(DEFINE, "define")     \
    X(ELSE, "else")         \
    X(CLOSE, "end")         \
    X(FALSE, "false")       \
    X(IF, "if")             \
    X(NIL, "nil")           \
    X(RANGE, "range")       \
    X(TEMPLATE, "template") \
    X(TRUE, "true")         \
    X(WITH, "with")

enum template_token_type {
    TOKEN_TEXT,  /* outside of actions */
    TOKEN_OPEN,  /* {{ */
    TOKEN_SHUT,  /* }} */
    TOKEN_END,   /* of the source */
    TOKEN_DOT,   /* . */
    TOKEN_FIELD, /* .name, the text is without the dot */
    TOKEN_VARIABLE,
    TOKEN_IDENTIFIER,
    TOKEN_NUMBER,
    TOKEN_RUNE,
    TOKEN_STRING,
    TOKEN_RAW_STRING,
    TOKEN_LEFT,    /* ( */
    TOKEN_RIGHT,   /* ) */
    TOKEN_PIPE,    /* | */
    TOKEN_COMMA,   /* , */
    TOKEN_ASSIGN,  /* = */
    TOKEN_DECLARE, /* := */
    TOKEN_OTHER,   /* any other ASCII character */
#define X(type, word) TOKEN_##type,
    KEYWORDS(X)
#undef X
};

/* `text` is the source text, with quotes. */
struct template_token {
    enum template_token_type type;
    bool spaced; /* white space precedes it */
    struct fx_text text;
    uint32_t off;
};

/* A position in the source, which is UTF-8. */
struct template_scanner {
    struct fx_text source;
    size_t at;
    bool in_action;
    size_t action;      /* the start of the current action */
    size_t parentheses; /* the number that is open in it */
    bool trims;         /* the text begins after the white space that follows */
};

/* Reads the next token, which is always END at the end of the source. Errors: FX_ESYNTAX
 * with the span. */
bool template_scan(struct template_scanner *scanner, struct template_token *ret_token,
                   struct fx_err *err) FX_MUST_USE;

/* ---- parse.c ----------------------------------------------------------------------- */

/* A variable in scope. */
struct declared {
    struct fx_text name;
    uint32_t id;
};

/* A statement that names a template. The template may be defined later. */
struct use {
    struct use *next;
    struct statement *statement;
};

struct template_parser {
    struct template_scanner scanner;
    struct template_token token; /* the current one */
    uint32_t end;                /* the end of the previous one */
    struct fx_gotemplate *program;
    const struct fx_gotemplate_library *functions; /* or NULL */
    struct declared *variables;                    /* the innermost last */
    size_t n_variables, cap_variables;
    size_t first_variable; /* of the current definition */
    uint32_t n_ids;
    size_t n_nodes, nesting, loops;
    struct use *uses; /* statements that name a template */
    struct fx_err *err;
};

/* Reads the next token. */
bool parser_advance(struct template_parser *parser) FX_MUST_USE;

/* Allocates `n` nodes of that size and counts them. Errors: FX_ELIMIT, FX_ENOMEM. */
void *parser_nodes(struct template_parser *parser, size_t n, size_t bytes) FX_MUST_USE;

/* Enters and leaves a level of nesting. Errors: FX_ELIMIT. */
bool parser_enter(struct template_parser *parser) FX_MUST_USE;
void parser_leave(struct template_parser *parser);

/* Sets the error at the current token. Always false. */
#define PARSER_FAIL(parser, code, ...)                                                \
    fx_fail_at((parser)->err, code, (parser)->token.off, parser_token_length(parser), \
               __VA_ARGS__)
uint32_t parser_token_length(const struct template_parser *parser);

/* Returns the source from `off` to the end of the previous token. */
struct source_span parser_span(const struct template_parser *parser, uint32_t off);

/* Fails with "unexpected <token> in <where>". Always false. */
bool parser_fail_token(struct template_parser *parser, const char *where);

/* Finds a variable in scope; `$` is always found. */
bool parser_find_variable(const struct template_parser *parser, struct fx_text name,
                          uint32_t *ret_id);

/* Declares a variable; *ret_id identifies it. */
bool parser_declare(struct template_parser *parser, struct fx_text name,
                    uint32_t *ret_id) FX_MUST_USE;

/* Parses a pipeline up to and including the token `shut` (SHUT or RIGHT). `where` is
 * "if", "range", … for messages; only "range" can declare two variables. */
bool parser_pipeline(struct template_parser *parser, const char *where,
                     enum template_token_type shut,
                     const struct pipeline **ret_pipeline) FX_MUST_USE;

/* Parses program->source into the program. */
bool program_parse(struct fx_gotemplate *program,
                   const struct fx_gotemplate_library *functions,
                   struct fx_err *err) FX_MUST_USE;

/* ---- literals -------------------------------------------------------------------- */

/* Reads a NUMBER or RUNE token. Errors: FX_ESYNTAX. */
bool literal_read_number(const struct template_token *token, struct literal *ret_literal,
                         struct fx_err *err) FX_MUST_USE;

/* Reads a STRING or RAW_STRING token; the text is in the arena or in the source.
 * Errors: FX_ESYNTAX, FX_ENOMEM. */
bool literal_read_string(struct fx_arena *arena, const struct template_token *token,
                         struct fx_text *ret_string, struct fx_err *err) FX_MUST_USE;

#endif
