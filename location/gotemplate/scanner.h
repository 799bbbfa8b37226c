/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/scanner.h - private: splits a template into tokens: the text
 * around actions, and the tokens in actions. Comments and white space are no tokens,
 * but each token records whether white space precedes it.
 */
#ifndef FX_LOCATION_GOTEMPLATE_SCANNER_H
#define FX_LOCATION_GOTEMPLATE_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* type, word. */
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

enum token_type {
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
    enum token_type type;
    bool spaced; /* white space precedes it */
    struct fx_text text;
    uint32_t off;
};

/* A position in the source, which is UTF-8. */
struct template_scanner {
    struct fx_text source;
    size_t at;
    bool in_action;
    size_t action;      /* its start */
    size_t parentheses; /* open in it */
    bool trims;         /* the white space that follows is not part of the text */
};

/* Reads the next token; at the end of the source always END. Errors: FX_ESYNTAX with
 * the span. */
bool template_scan(struct template_scanner *scanner, struct template_token *ret_token,
                   struct fx_err *err) FX_MUST_USE;

#endif
