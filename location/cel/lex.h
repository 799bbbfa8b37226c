/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/lex.h - private: the tokens of an expression (spec/cel.md section 1).
 * White space and comments are skipped.
 */
#ifndef FX_LOCATION_CEL_LEX_H
#define FX_LOCATION_CEL_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/ast.h"

enum cel_token_type {
    CEL_END, /* of the text */
    CEL_EQUALS,
    CEL_NOT_EQUALS,
    CEL_IN,
    CEL_LESS,
    CEL_LESS_EQUALS,
    CEL_GREATER_EQUALS,
    CEL_GREATER,
    CEL_AND,
    CEL_OR,
    CEL_LEFT_BRACKET,
    CEL_RIGHT_BRACKET,
    CEL_LEFT_BRACE,
    CEL_RIGHT_BRACE,
    CEL_LEFT_PAREN,
    CEL_RIGHT_PAREN,
    CEL_DOT,
    CEL_COMMA,
    CEL_MINUS,
    CEL_NOT,
    CEL_QUESTION,
    CEL_COLON,
    CEL_PLUS,
    CEL_STAR,
    CEL_SLASH,
    CEL_PERCENT,
    CEL_TRUE,
    CEL_FALSE,
    CEL_NULL,
    CEL_FLOAT_NUMBER,
    CEL_INT_NUMBER,
    CEL_UINT_NUMBER,
    CEL_QUOTED,       /* a string, with its prefix and quotes */
    CEL_QUOTED_BYTES, /* bytes, the same */
    CEL_IDENTIFIER,
    CEL_ESCAPED_IDENTIFIER, /* `a-b` */
};

struct cel_token {
    enum cel_token_type type;
    uint32_t at, len; /* in bytes */
};

struct cel_tokens {
    struct cel_token *items; /* the last one is CEL_END */
    size_t n, cap;
};

/* Splits the text into tokens, in the arena. A character that starts no token, or a
 * quoted text that is not well-formed, is a fault and gives no token. False without
 * memory. */
bool fx_cel_lex(struct fx_arena *arena, struct fx_text source,
                struct fx_cel_faults *faults, struct cel_tokens *ret_tokens) FX_MUST_USE;

#endif
