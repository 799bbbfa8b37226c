/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/lexer.h - private: splits a query into tokens.
 */
#ifndef FX_LOCATION_JMESPATH_LEXER_H
#define FX_LOCATION_JMESPATH_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Type, text in messages, how strongly the token binds to what stands before it; 0 ends
 * an expression. */
#define QUERY_TOKENS(X)              \
    X(END, "the end of the text", 0) \
    X(NAME, "a name", 0)             \
    X(QUOTED, "a quoted name", 0)    \
    X(NUMBER, "a number", 0)         \
    X(STRING, "a string", 0)         \
    X(LITERAL, "a literal", 0)       \
    X(CURRENT, "`@`", 0)             \
    X(REFERENCE, "`&`", 0)           \
    X(COMMA, "`,`", 0)               \
    X(COLON, "`:`", 0)               \
    X(CLOSE_PAREN, "`)`", 0)         \
    X(CLOSE_BRACKET, "`]`", 0)       \
    X(CLOSE_BRACE, "`}`", 0)         \
    X(PIPE, "`|`", 1)                \
    X(OR, "`||`", 2)                 \
    X(AND, "`&&`", 3)                \
    X(EQUAL, "`==`", 5)              \
    X(UNEQUAL, "`!=`", 5)            \
    X(LESS, "`<`", 5)                \
    X(LESS_OR_EQUAL, "`<=`", 5)      \
    X(GREATER, "`>`", 5)             \
    X(GREATER_OR_EQUAL, "`>=`", 5)   \
    X(FLATTEN, "`[]`", 9)            \
    X(STAR, "`*`", 20)               \
    X(FILTER, "`[?`", 21)            \
    X(DOT, "`.`", 40)                \
    X(NOT, "`!`", 45)                \
    X(OPEN_BRACE, "`{`", 50)         \
    X(OPEN_BRACKET, "`[`", 55)       \
    X(OPEN_PAREN, "`(`", 60)

enum query_token_type {
#define X(name, text, binding) QUERY_TOKEN_##name,
    QUERY_TOKENS(X)
#undef X
        QUERY_N_TOKENS,
};

struct query_token {
    uint8_t type;        /* enum query_token_type */
    uint32_t off, len;   /* of END: the byte after the text */
    struct fx_text text; /* without quotes */
};

struct query_lexer {
    struct fx_text source;
    size_t at;
};

/* Returns how strongly a token binds, and its text in messages. */
int fx_jmespath_binding(unsigned type);
const char *fx_jmespath_token_text(unsigned type);

/* Reads the next token. Errors: FX_ESYNTAX with the span of an unknown character or of
 * a quote without an end. */
bool fx_jmespath_lex(struct query_lexer *lexer, struct query_token *ret_token,
                     struct fx_err *err) FX_MUST_USE;

#endif
