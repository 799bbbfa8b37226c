/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/scanner.c - splits an expression into tokens, as Go's text/scanner
 * does. The first character decides the type of a token.
 */
#include "location/jsonpath/parser.h"

#include <assert.h>
#include <string.h>

static bool at_end(const struct path_scanner *scanner) {
    return scanner->at >= scanner->source.len;
}

/* Returns a byte ahead of the current position; 0 after the end. */
static char ahead(const struct path_scanner *scanner, size_t by) {
    if (by >= scanner->source.len - scanner->at) {
        return '\0';
    }
    return scanner->source.data[scanner->at + by];
}

static bool is_hex(char c) {
    return fx_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Runes beyond ASCII that cannot start a name: punctuation, white space, symbols,
 * unassigned code points. All others count as letters. */
static const struct {
    uint32_t first, last;
} no_letters[] = {
    {0x0080, 0x00A9},   {0x00AB, 0x00B4}, {0x00B6, 0x00B9}, {0x00BB, 0x00BF},
    {0x00D7, 0x00D7},   {0x00F7, 0x00F7}, {0x2000, 0x206F}, {0x20A0, 0x20FF},
    {0x2190, 0x2BFF},   {0x3000, 0x3004}, {0x3008, 0x3020}, {0xD800, 0xF8FF},
    {0xFE00, 0xFE6F},   {0xFEFF, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFFE0, 0xFFFF},
    {0x1F000, 0x1FAFF}, {0xE0000, ~0u},
};

static bool is_letter(uint32_t rune) {
    if (rune < 0x80) {
        return (rune >= 'a' && rune <= 'z') || (rune >= 'A' && rune <= 'Z') ||
               rune == '_';
    }
    for (size_t i = 0; i < FX_COUNT(no_letters); i++) {
        if (rune >= no_letters[i].first && rune <= no_letters[i].last) {
            return false;
        }
    }
    return true;
}

/* Gets the current rune and its length; the scanner is not at the end. */
static size_t rune_here(const struct path_scanner *scanner, uint32_t *ret_rune) {
    const struct fx_text rest = {scanner->source.data + scanner->at,
                                 scanner->source.len - scanner->at};
    return fx_text_rune(rest, ret_rune);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Skips from // to the end of the line. */
static void skip_line(struct path_scanner *scanner) {
    while (!at_end(scanner) && ahead(scanner, 0) != '\n') {
        scanner->at++;
    }
}

/* Skips a block comment; false if it has no end. */
static bool skip_block(struct path_scanner *scanner) {
    for (size_t at = scanner->at + 2; at + 1 < scanner->source.len; at++) {
        if (scanner->source.data[at] == '*' && scanner->source.data[at + 1] == '/') {
            scanner->at = at + 2;
            return true;
        }
    }
    return false;
}

/* Skips white space and comments; false at an unterminated comment. */
static bool skip_blanks(struct path_scanner *scanner) {
    while (!at_end(scanner)) {
        if (is_blank(ahead(scanner, 0))) {
            scanner->at++;
        } else if (ahead(scanner, 0) == '/' && ahead(scanner, 1) == '/') {
            skip_line(scanner);
        } else if (ahead(scanner, 0) == '/' && ahead(scanner, 1) == '*') {
            if (!skip_block(scanner)) {
                return false;
            }
        } else {
            return true;
        }
    }
    return true;
}

/* ident := ( letter | '_' ) ( letter | digit | '_' )* */
static bool scan_ident(struct path_scanner *scanner) {
    uint32_t rune = 0;
    size_t bytes = rune_here(scanner, &rune);
    if (!is_letter(rune)) {
        return false;
    }
    do {
        scanner->at += bytes;
        if (at_end(scanner)) {
            return true;
        }
        bytes = rune_here(scanner, &rune);
    } while (is_letter(rune) || (rune >= '0' && rune <= '9'));
    return true;
}

static void scan_digits(struct path_scanner *scanner, bool hex) {
    while (fx_is_digit(ahead(scanner, 0)) || ahead(scanner, 0) == '_' ||
           (hex && is_hex(ahead(scanner, 0)))) {
        scanner->at++;
    }
}

/* number := ( '0x' | '0b' | '0o' )? digits? ( '.' digits? )? ( 'e' [+-]? digits )?, in
 * hexadecimal with `p` instead of `e`. The value is checked by the parser. */
static void scan_number(struct path_scanner *scanner) {
    const char second = (char)(ahead(scanner, 1) | 0x20);
    const bool prefixed = ahead(scanner, 0) == '0' && strchr("xbo", second) != NULL;
    const bool hex = prefixed && second == 'x';
    scanner->at += prefixed ? 2 : 0;
    scan_digits(scanner, hex);
    if (ahead(scanner, 0) == '.') {
        scanner->at++;
        scan_digits(scanner, hex);
    }
    if ((ahead(scanner, 0) | 0x20) == (hex ? 'p' : 'e')) {
        scanner->at++;
        scanner->at += ahead(scanner, 0) == '+' || ahead(scanner, 0) == '-';
        scan_digits(scanner, false);
    }
}

/* Scans to the closing quote. Without a closing quote it scans to the end of the line, or
 * in backquotes to the end of the text. */
static void scan_quoted(struct path_scanner *scanner) {
    const char quote = ahead(scanner, 0);
    scanner->at++;
    while (!at_end(scanner) && ahead(scanner, 0) != quote) {
        if (quote != '`' && ahead(scanner, 0) == '\n') {
            return;
        }
        const bool pair = quote != '`' && ahead(scanner, 0) == '\\' &&
                          scanner->source.len - scanner->at > 1;
        scanner->at += pair ? 2 : 1;
    }
    scanner->at += !at_end(scanner);
}

static enum path_token_type scan_token(struct path_scanner *scanner) {
    const char c = ahead(scanner, 0);
    if (c == '"' || c == '\'' || c == '`') {
        scan_quoted(scanner);
        return TOKEN_QUOTED;
    }
    if (fx_is_digit(c) || (c == '.' && fx_is_digit(ahead(scanner, 1)))) {
        scan_number(scanner);
        return TOKEN_NUMBER;
    }
    if (scan_ident(scanner)) {
        return TOKEN_IDENT;
    }
    uint32_t rune = 0;
    scanner->at += rune_here(scanner, &rune);
    return TOKEN_MARK;
}

struct path_token fx_jsonpath_scan(struct path_scanner *scanner) {
    struct path_token token = {.type = TOKEN_COMMENT};
    const bool ends = skip_blanks(scanner);
    const size_t off = scanner->at;
    if (!ends) {
        scanner->at = scanner->source.len;
    } else {
        token.type = at_end(scanner) ? TOKEN_END : scan_token(scanner);
    }
    token.text = (struct fx_text){scanner->source.data + off, scanner->at - off};
    token.off = (uint32_t)off;
    token.len = token.type == TOKEN_END ? 1 : (uint32_t)token.text.len;
    if (token.type == TOKEN_MARK && token.text.len == 1) {
        token.mark = token.text.data[0];
    }
    return token;
}

enum operator_id fx_jsonpath_scan_operator(struct path_scanner *scanner,
                                           const struct path_token *token) {
    enum operator_id longest = OPERATOR_NONE;
    size_t most = 0;
    const struct fx_text rest = {token->text.data, scanner->source.len - token->off};
    for (unsigned id = 0; id < OPERATOR_NONE; id++) {
        const struct fx_text own = fx_text_of(fx_jsonpath_operator(id)->text);
        const bool here = token->type == TOKEN_MARK ? fx_text_starts(rest, own)
                                                    : token->type == TOKEN_IDENT &&
                                                          fx_text_equal(token->text, own);
        if (here && own.len > most) {
            longest = (enum operator_id)id;
            most = own.len;
        }
    }
    if (longest != OPERATOR_NONE) {
        scanner->at = token->off + most;
    }
    return longest;
}
