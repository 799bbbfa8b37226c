/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/scanner.h - private: the text of a location as tokens (spec
 * section 1.1).
 */
#ifndef FX_LOCATION_GATEKEEPER_SCANNER_H
#define FX_LOCATION_GATEKEEPER_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* type, name as messages print it. */
#define TOKENS(X)             \
    X(IDENT, "IDENT")         \
    X(INT, "INT")             \
    X(END, "EOF")             \
    X(ERROR, "ERROR")         \
    X(SEPARATOR, "SEPARATOR") \
    X(LBRACKET, "LBRACKET")   \
    X(RBRACKET, "RBRACKET")   \
    X(GLOB, "GLOB")           \
    X(COLON, "COLON")         \
    X(COMMA, "COMMA")

enum token_type {
#define X(type, name) TOKEN_##type,
    TOKENS(X)
#undef X
};

/* `text` is the token without quotes and escapes, and lies in the scanner's store. The
 * span is that of the source, quotes included; the end of the text is the byte behind
 * it, so that a caret can stand there. */
struct token {
    enum token_type type;
    struct fx_text text;
    uint32_t off, len;
};

/* A place in the source, which is UTF-8. Every token's text is copied to `store`, which
 * needs as many bytes as the source. */
struct scanner {
    struct fx_text source;
    bool commas; /* are there any in this syntax? Else they are ERROR tokens */
    size_t at;
    char *store;
    size_t stored;
};

struct token fx_location_scan(struct scanner *scanner);
const char *fx_location_token_name(enum token_type type);

#endif
