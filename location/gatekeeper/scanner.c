/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/scanner.c - splits a location into tokens. What starts a token
 * decides its type, in the order of spec section 1.1.
 */
#include "location/gatekeeper/scanner.h"

#include <assert.h>
#include <string.h>

static const char *const token_names[] = {
#define X(type, name) [TOKEN_##type] = name,
    TOKENS(X)
#undef X
};

const char *fx_location_token_name(enum token_type type) {
    return token_names[type];
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '-';
}

static bool at_end(const struct scanner *scanner) {
    return scanner->at >= scanner->source.len;
}

static char here(const struct scanner *scanner) {
    return scanner->source.data[scanner->at];
}

/* The bytes of the rune here; what is quoted may be any rune. */
static size_t rune_length(const struct scanner *scanner) {
    const struct fx_text rest = {scanner->source.data + scanner->at,
                                 scanner->source.len - scanner->at};
    uint32_t rune = 0;
    return fx_text_rune(rest, &rune);
}

static void store(struct scanner *scanner, size_t bytes) {
    assert(scanner->stored + bytes <= scanner->source.len);
    memcpy(scanner->store + scanner->stored, scanner->source.data + scanner->at, bytes);
    scanner->stored += bytes;
    scanner->at += bytes;
}

static enum token_type scan_run(struct scanner *scanner, bool (*belongs)(char c),
                                enum token_type type) {
    while (!at_end(scanner) && belongs(here(scanner))) {
        store(scanner, 1);
    }
    return type;
}

/*
 * quoted := '"' ( [^"\\] | '\\' any )* '"'      and the same between single quotes
 *
 * A backslash makes the next rune literal, whatever it is. Without an end it is an error
 * whose text is what was read so far.
 */
static enum token_type scan_quoted(struct scanner *scanner) {
    const char quote = here(scanner);
    scanner->at++;
    while (!at_end(scanner) && here(scanner) != quote) {
        if (here(scanner) == '\\') {
            scanner->at++;
        }
        if (!at_end(scanner)) {
            store(scanner, rune_length(scanner));
        }
    }
    if (at_end(scanner)) {
        return TOKEN_ERROR;
    }
    scanner->at++;
    return TOKEN_IDENT;
}

static enum token_type punctuation_type(char c, bool commas) {
    switch (c) {
    case '.': return TOKEN_SEPARATOR;
    case '[': return TOKEN_LBRACKET;
    case ']': return TOKEN_RBRACKET;
    case '*': return TOKEN_GLOB;
    case ':': return TOKEN_COLON;
    case ',': return commas ? TOKEN_COMMA : TOKEN_ERROR;
    default: return TOKEN_ERROR;
    }
}

static enum token_type scan_token(struct scanner *scanner) {
    if (at_end(scanner)) {
        return TOKEN_END;
    }
    const char c = here(scanner);
    if (is_digit(c)) {
        return scan_run(scanner, is_digit, TOKEN_INT);
    }
    if (is_word(c)) {
        return scan_run(scanner, is_word, TOKEN_IDENT);
    }
    if (c == '"' || c == '\'') {
        return scan_quoted(scanner);
    }
    store(scanner, rune_length(scanner));
    return punctuation_type(c, scanner->commas);
}

struct token fx_location_scan(struct scanner *scanner) {
    while (!at_end(scanner) && is_space(here(scanner))) {
        scanner->at++;
    }
    const size_t off = scanner->at;
    const size_t stored = scanner->stored;
    const enum token_type type = scan_token(scanner);
    const size_t len = type == TOKEN_END ? 1 : scanner->at - off;
    return (struct token){
        .type = type,
        .text = {scanner->store + stored, scanner->stored - stored},
        .off = (uint32_t)off,
        .len = (uint32_t)len,
    };
}
