/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/lex.c - splits an expression into tokens. As in cel-go a token is the
 * longest text that matches; where none matches, the text up to and including the first
 * character that cannot continue one is refused, and the next token starts after it.
 */
#include "location/cel/lex.h"

#include "base/budget.h"

struct lexer {
    struct fx_text source;
    size_t at;
    /* By their quote, and raw or not: a text in three quotes that starts before this
     * offset has no end. */
    size_t unclosed[2][2];
};

/* Returns the byte at an offset; 0 after the end. */
static char byte_at(const struct lexer *lexer, size_t at) {
    return (char)(at < lexer->source.len ? lexer->source.data[at] : '\0');
}

static bool starts_name(char c) {
    return fx_is_letter(c) || c == '_';
}

static bool continues_name(char c) {
    return starts_name(c) || fx_is_digit(c);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

static bool is_quote(char c) {
    return c == '\'' || c == '"';
}

/* Returns the offset after the character at `at`, or after the end. */
static size_t after_character(const struct lexer *lexer, size_t at) {
    uint32_t rune = 0;
    if (at >= lexer->source.len) {
        return lexer->source.len;
    }
    return at + fx_text_rune(fx_text_rest(lexer->source, at), &rune);
}

static void skip_blanks(struct lexer *lexer) {
    for (; lexer->at < lexer->source.len; lexer->at++) {
        if (byte_at(lexer, lexer->at) == '/' && byte_at(lexer, lexer->at + 1) == '/') {
            while (lexer->at < lexer->source.len && byte_at(lexer, lexer->at) != '\n') {
                lexer->at++;
            }
        } else if (!is_blank(byte_at(lexer, lexer->at))) {
            return;
        }
    }
    lexer->at = lexer->source.len;
}

static size_t skip_digits(const struct lexer *lexer, size_t at) {
    while (fx_is_digit(byte_at(lexer, at))) {
        at++;
    }
    return at;
}

/* ---- quoted texts ---------------------------------------------------------------- */

/* Moves *at over `most` digits of a base. False at the first character that is none. */
static bool skip_escaped_digits(const struct lexer *lexer, size_t *at, size_t most,
                                unsigned base) {
    for (size_t i = 0; i < most; i++, ++*at) {
        if (fx_digit_of(byte_at(lexer, *at)) >= base) {
            return false;
        }
    }
    return true;
}

/* Moves *at over an escape, from its backslash. False: *at is where it fails. */
static bool skip_escape(const struct lexer *lexer, size_t *at) {
    const char c = byte_at(lexer, ++*at);
    switch (c) {
    case 'x':
    case 'X': ++*at; return skip_escaped_digits(lexer, at, 2, 16);
    case 'u': ++*at; return skip_escaped_digits(lexer, at, 4, 16);
    case 'U': ++*at; return skip_escaped_digits(lexer, at, 8, 16);
    case '0':
    case '1':
    case '2':
    case '3': ++*at; return skip_escaped_digits(lexer, at, 2, 8);
    default: break;
    }
    if (!fx_is_one_of(c, "abfnrtv\"'\\?`")) {
        return false;
    }
    ++*at;
    return true;
}

static bool at_triple(const struct lexer *lexer, size_t at, char quote) {
    return byte_at(lexer, at) == quote && byte_at(lexer, at + 1) == quote &&
           byte_at(lexer, at + 2) == quote;
}

/* Moves *at from the first of three quotes behind the last three. False if they are
 * missing, or at an invalid escape. */
static bool skip_triple(const struct lexer *lexer, size_t *at, bool is_raw) {
    const char quote = byte_at(lexer, *at);
    *at += 3;
    while (*at < lexer->source.len) {
        if (at_triple(lexer, *at, quote)) {
            *at += 3;
            return true;
        }
        if (!is_raw && byte_at(lexer, *at) == '\\') {
            if (!skip_escape(lexer, at)) {
                return false;
            }
        } else {
            ++*at;
        }
    }
    return false;
}

/* Moves *at from the opening quote behind the closing one. False: *at is where it
 * fails. */
static bool skip_single(const struct lexer *lexer, size_t *at, bool is_raw) {
    const char quote = byte_at(lexer, *at);
    ++*at;
    while (*at < lexer->source.len && byte_at(lexer, *at) != quote) {
        const char c = byte_at(lexer, *at);
        if (c == '\n' || c == '\r') {
            return false;
        }
        if (!is_raw && c == '\\') {
            if (!skip_escape(lexer, at)) {
                return false;
            }
        } else {
            ++*at;
        }
    }
    if (*at >= lexer->source.len) {
        return false;
    }
    ++*at;
    return true;
}

/* quoted := ['r'] ( "'" … "'" | "'''" … "'''" | the same with '"' ), from its quote.
 * Without its end a text in three quotes is an empty one in two. */
static bool skip_quoted(struct lexer *lexer, size_t *at, bool is_raw) {
    const size_t start = *at;
    const char quote = byte_at(lexer, start);
    size_t *unclosed = &lexer->unclosed[quote == '"'][is_raw];
    if (start >= *unclosed && at_triple(lexer, start, quote)) {
        if (skip_triple(lexer, at, is_raw)) {
            return true;
        }
        *unclosed = *at; /* an escape ends behind its quote: the others fail here, too */
    }
    *at = start;
    return skip_single(lexer, at, is_raw);
}

/* Bytes and strings with a prefix: [bB]? [rR]? quoted. False: there is none here. */
static bool scan_prefixed(struct lexer *lexer, enum cel_token_type *ret_type) {
    size_t at = lexer->at;
    const bool is_bytes = (byte_at(lexer, at) | 0x20) == 'b';
    at += is_bytes;
    const bool is_raw = (byte_at(lexer, at) | 0x20) == 'r';
    at += is_raw;
    if (!is_quote(byte_at(lexer, at)) || !skip_quoted(lexer, &at, is_raw)) {
        return false;
    }
    lexer->at = at;
    *ret_type = is_bytes ? CEL_QUOTED_BYTES : CEL_QUOTED;
    return true;
}

/* ---- numbers, names, marks ------------------------------------------------------- */

/* Returns the end of an exponent at `at`, or `at` if there is none. */
static size_t skip_exponent(const struct lexer *lexer, size_t at) {
    if ((byte_at(lexer, at) | 0x20) != 'e') {
        return at;
    }
    const char sign = byte_at(lexer, at + 1);
    const size_t digits = at + (sign == '+' || sign == '-' ? 2 : 1);
    return fx_is_digit(byte_at(lexer, digits)) ? skip_digits(lexer, digits) : at;
}

static enum cel_token_type end_integer(struct lexer *lexer, size_t at) {
    const bool is_unsigned = (byte_at(lexer, at) | 0x20) == 'u';
    lexer->at = at + is_unsigned;
    return is_unsigned ? CEL_UINT_NUMBER : CEL_INT_NUMBER;
}

/* number := digits '.' digits exponent? | digits exponent | '.' digits exponent?
 *         | ( digits | '0x' hexdigits ) [uU]? */
static enum cel_token_type scan_number(struct lexer *lexer) {
    if (byte_at(lexer, lexer->at) == '0' && byte_at(lexer, lexer->at + 1) == 'x' &&
        fx_digit_of(byte_at(lexer, lexer->at + 2)) < 16) {
        size_t at = lexer->at + 2;
        while (fx_digit_of(byte_at(lexer, at)) < 16) {
            at++;
        }
        return end_integer(lexer, at);
    }
    const size_t whole = skip_digits(lexer, lexer->at);
    size_t at = whole;
    if (byte_at(lexer, at) == '.' && fx_is_digit(byte_at(lexer, at + 1))) {
        at = skip_digits(lexer, at + 1);
    }
    at = skip_exponent(lexer, at);
    if (at == whole) {
        return end_integer(lexer, at);
    }
    lexer->at = at;
    return CEL_FLOAT_NUMBER;
}

static enum cel_token_type scan_name(struct lexer *lexer) {
    static const struct {
        const char *text;
        enum cel_token_type type;
    } keywords[] = {
        {"in", CEL_IN}, {"true", CEL_TRUE}, {"false", CEL_FALSE}, {"null", CEL_NULL}};
    const size_t start = lexer->at;
    while (continues_name(byte_at(lexer, lexer->at))) {
        lexer->at++;
    }
    const struct fx_text name = {lexer->source.data + start, lexer->at - start};
    for (size_t i = 0; i < FX_COUNT(keywords); i++) {
        if (fx_text_is(name, keywords[i].text)) {
            return keywords[i].type;
        }
    }
    return CEL_IDENTIFIER;
}

/* A name in backquotes. False: lexer->at is where it fails. */
static bool scan_escaped_name(struct lexer *lexer) {
    const size_t start = ++lexer->at;
    while (continues_name(byte_at(lexer, lexer->at)) ||
           fx_is_one_of(byte_at(lexer, lexer->at), ".-/ ")) {
        lexer->at++;
    }
    if (lexer->at == start || byte_at(lexer, lexer->at) != '`') {
        return false;
    }
    lexer->at++;
    return true;
}

/* A mark of one or two characters. False: lexer->at is where it fails. */
static bool scan_mark(struct lexer *lexer, enum cel_token_type *ret_type) {
    static const struct {
        char text[3];
        enum cel_token_type type;
    } marks[] = {
        {"==", CEL_EQUALS},
        {"!=", CEL_NOT_EQUALS},
        {"<=", CEL_LESS_EQUALS},
        {"<", CEL_LESS},
        {">=", CEL_GREATER_EQUALS},
        {">", CEL_GREATER},
        {"&&", CEL_AND},
        {"||", CEL_OR},
        {"[", CEL_LEFT_BRACKET},
        {"{", CEL_LEFT_BRACE},
        {"]", CEL_RIGHT_BRACKET},
        {"}", CEL_RIGHT_BRACE},
        {"(", CEL_LEFT_PAREN},
        {")", CEL_RIGHT_PAREN},
        {".", CEL_DOT},
        {",", CEL_COMMA},
        {"-", CEL_MINUS},
        {"!", CEL_NOT},
        {"?", CEL_QUESTION},
        {":", CEL_COLON},
        {"+", CEL_PLUS},
        {"*", CEL_STAR},
        {"/", CEL_SLASH},
        {"%", CEL_PERCENT},
    };
    const char first = byte_at(lexer, lexer->at);
    const char second = byte_at(lexer, lexer->at + 1);
    for (size_t i = 0; i < FX_COUNT(marks); i++) {
        const char *mark = marks[i].text;
        if (mark[0] == first && (mark[1] == '\0' || mark[1] == second)) {
            lexer->at += mark[1] == '\0' ? 1 : 2;
            *ret_type = marks[i].type;
            return true;
        }
    }
    lexer->at += fx_is_one_of(first, "=&|");
    return false;
}

/* Scans a token; the lexer is not at the end. False: there is none, and lexer->at is the
 * first character that cannot continue one. */
static bool scan_token(struct lexer *lexer, enum cel_token_type *ret_type) {
    const char c = byte_at(lexer, lexer->at);
    if (is_quote(c)) {
        *ret_type = CEL_QUOTED;
        return skip_quoted(lexer, &lexer->at, false);
    }
    if (fx_is_one_of(c, "rRbB") && scan_prefixed(lexer, ret_type)) {
        return true;
    }
    if (starts_name(c)) {
        *ret_type = scan_name(lexer);
        return true;
    }
    if (fx_is_digit(c) || (c == '.' && fx_is_digit(byte_at(lexer, lexer->at + 1)))) {
        *ret_type = scan_number(lexer);
        return true;
    }
    if (c == '`') {
        *ret_type = CEL_ESCAPED_IDENTIFIER;
        return scan_escaped_name(lexer);
    }
    return scan_mark(lexer, ret_type);
}

static bool add_token(struct fx_arena *arena, struct cel_tokens *tokens,
                      struct cel_token token) {
    if (!FX_ARENA_GROW(arena, tokens->items, tokens->n, tokens->cap)) {
        return false;
    }
    tokens->items[tokens->n++] = token;
    return true;
}

bool fx_cel_lex(struct fx_arena *arena, struct fx_text source,
                struct fx_cel_faults *faults, struct cel_tokens *ret_tokens) {
    struct lexer lexer = {.source = source};
    for (skip_blanks(&lexer); lexer.at < source.len; skip_blanks(&lexer)) {
        if (!fx_spend(1)) {
            return false;
        }
        struct cel_token token = {.at = (uint32_t)lexer.at};
        if (scan_token(&lexer, &token.type)) {
            token.len = (uint32_t)(lexer.at - token.at);
            if (!add_token(arena, ret_tokens, token)) {
                return false;
            }
        } else {
            lexer.at = after_character(&lexer, lexer.at);
            const struct fx_text bad = {source.data + token.at, lexer.at - token.at};
            fx_cel_faults_add(faults, token.at,
                              "Syntax error: token recognition error at: '%.*s'",
                              FX_TEXT_ARG(bad));
        }
    }
    const struct cel_token end = {.type = CEL_END, .at = (uint32_t)source.len};
    return add_token(arena, ret_tokens, end);
}
