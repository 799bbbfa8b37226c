/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/scanner.h - the tokens of an expression (spec section 7.1; inside
 * this room only). Blanks and comments between them are passed over.
 */
#ifndef FX_LOCATION_JSONPATH_SCANNER_H
#define FX_LOCATION_JSONPATH_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct token {
    enum token_type type;
    char mark; /* of a TOKEN_MARK that is ASCII, else 0 */
    struct fx_text text;
    uint32_t off, len; /* at the end of the text: one byte behind it */
};

struct scanner {
    struct fx_text source;
    size_t at;
};

/* The next token. */
struct token fx_jsonpath_scan(struct scanner *scanner);

/* The operator that the token begins or is: of those that the text there may begin, the
 * longest. The scanner, which stands behind the token, moves behind the operator; where
 * there is none (OPERATOR_NONE) it stays. `?` alone is none of these. */
enum operator_id fx_jsonpath_scan_operator(struct scanner *scanner,
                                           const struct token *token);

#endif
