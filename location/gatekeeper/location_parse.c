/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location_parse.c - splits a location into tokens (spec section
 * 1.1), and parses them to steps (1.2 and 1.3), with the exclusions of the extended
 * syntax. The first character decides the type of a token. The first fault ends the
 * parse.
 */
#include "location/gatekeeper/location.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "value/tree.h"

/* type, name in messages. */
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

enum location_token_type {
#define X(type, name) TOKEN_##type,
    TOKENS(X)
#undef X
};

/* `text` is the token without quotes and escapes, in the scanner's store. The span covers
 * the token in the source, with its quotes. The span of the end token is the byte after
 * the text, so that a caret can point at it. */
struct location_token {
    enum location_token_type type;
    struct fx_text text;
    uint32_t off, len;
};

/* A position in the source, which is UTF-8. The text of every token is copied to
 * `store`, which has as many bytes as the source. */
struct location_scanner {
    struct fx_text source;
    bool commas; /* true if the syntax has commas; otherwise they are ERROR tokens */
    size_t at;
    char *store;
    size_t stored;
};

/* ---- tokens ------------------------------------------------------------------------ */

static const char *const token_names[] = {
#define X(type, name) [TOKEN_##type] = name,
    TOKENS(X)
#undef X
};

static const char *token_name(enum location_token_type type) {
    return token_names[type];
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_word(char c) {
    return fx_is_letter(c) || fx_is_digit(c) || c == '_' || c == '-';
}

static bool at_end(const struct location_scanner *scanner) {
    return scanner->at >= scanner->source.len;
}

static char here(const struct location_scanner *scanner) {
    return scanner->source.data[scanner->at];
}

/* Returns the length of the current rune; quoted text may contain any rune. */
static size_t rune_length(const struct location_scanner *scanner) {
    const struct fx_text rest = {scanner->source.data + scanner->at,
                                 scanner->source.len - scanner->at};
    uint32_t rune = 0;
    return fx_text_rune(rest, &rune);
}

static void store_bytes(struct location_scanner *scanner, size_t bytes) {
    assert(scanner->stored + bytes <= scanner->source.len);
    memcpy(scanner->store + scanner->stored, scanner->source.data + scanner->at, bytes);
    scanner->stored += bytes;
    scanner->at += bytes;
}

static enum location_token_type scan_run(struct location_scanner *scanner,
                                         bool (*belongs)(char c),
                                         enum location_token_type type) {
    while (!at_end(scanner) && belongs(here(scanner))) {
        store_bytes(scanner, 1);
    }
    return type;
}

/* quoted := '"' ( [^"\\] | '\\' any )* '"', or with single quotes. A backslash makes
 * the next rune literal. Without a closing quote it is an ERROR token with the text so
 * far. */
static enum location_token_type scan_quoted(struct location_scanner *scanner) {
    const char quote = here(scanner);
    scanner->at++;
    while (!at_end(scanner) && here(scanner) != quote) {
        if (here(scanner) == '\\') {
            scanner->at++;
        }
        if (!at_end(scanner)) {
            store_bytes(scanner, rune_length(scanner));
        }
    }
    if (at_end(scanner)) {
        return TOKEN_ERROR;
    }
    scanner->at++;
    return TOKEN_IDENT;
}

static enum location_token_type punctuation_type(char c, bool commas) {
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

static enum location_token_type scan_token(struct location_scanner *scanner) {
    if (at_end(scanner)) {
        return TOKEN_END;
    }
    const char c = here(scanner);
    if (fx_is_digit(c)) {
        return scan_run(scanner, fx_is_digit, TOKEN_INT);
    }
    if (is_word(c)) {
        return scan_run(scanner, is_word, TOKEN_IDENT);
    }
    if (c == '"' || c == '\'') {
        return scan_quoted(scanner);
    }
    store_bytes(scanner, rune_length(scanner));
    return punctuation_type(c, scanner->commas);
}

static struct location_token scan(struct location_scanner *scanner) {
    while (!at_end(scanner) && is_space(here(scanner))) {
        scanner->at++;
    }
    const size_t off = scanner->at;
    const size_t stored = scanner->stored;
    const enum location_token_type type = scan_token(scanner);
    const size_t len = type == TOKEN_END ? 1 : scanner->at - off;
    return (struct location_token){
        .type = type,
        .text = {scanner->store + stored, scanner->stored - stored},
        .off = (uint32_t)off,
        .len = (uint32_t)len,
    };
}

/* ---- steps ------------------------------------------------------------------------- */

struct location_parser {
    struct location_scanner scanner;
    struct location_token token; /* the current one */
    enum fx_location_syntax syntax;
    struct fx_location *location;
    size_t cap_steps;
    struct fx_err *err;
};

static void finish_step(struct fx_location_step *step) {
    for (size_t i = 0; i < step->n_except; i++) {
        json_decref(step->except[i]);
    }
    free(step->except);
    json_decref(step->value);
}

static void next_token(struct location_parser *parser) {
    parser->token = scan(&parser->scanner);
}

/* Fails with "unexpected token: expected <what><name>, got: <token>". */
static bool fail_token(struct location_parser *parser, const char *what,
                       struct fx_text name) {
    const struct location_token *token = &parser->token;
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_printf(&message, "unexpected token: expected %s%.*s, got: %s: ", what,
                  FX_TEXT_ARG(name), token_name(token->type));
    fx_text_quote_go(&message, token->text);
    (void)fx_buf_fail(&message, parser->err, FX_ESYNTAX);
    parser->err->off = token->off;
    parser->err->len = token->len;
    return false;
}

static bool fail_expected(struct location_parser *parser, const char *what) {
    return fail_token(parser, what, FX_TEXT(""));
}

/* Appends a step. On failure the caller keeps its value. */
static bool push_step(struct location_parser *parser, struct fx_location_step step) {
    struct fx_location *location = parser->location;
    if (location->n_steps >= FX_LIMIT_LOCATION_NODES) {
        return fx_fail_at(parser->err, FX_ELIMIT, parser->token.off, parser->token.len,
                          "location has more than %u steps", FX_LIMIT_LOCATION_NODES);
    }
    if (!FX_VEC_GROW(location->steps, location->n_steps, parser->cap_steps)) {
        return fx_fail_nomem(parser->err);
    }
    location->steps[location->n_steps++] = step;
    return true;
}

/* Parses decimal digits as Gatekeeper does: 64 bits that wrap around, and an error if a
 * step gives a negative number. So 2^63 is an error and 2^64 is 0 (spec section 1.2). */
static bool read_digits(struct fx_text digits, json_int_t *ret_value) {
    uint64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        value = value * 10 + (uint64_t)(digits.data[i] - '0');
        if (value > INT64_MAX) {
            return false;
        }
    }
    *ret_value = (json_int_t)value;
    return true;
}

static bool parse_integer(struct location_parser *parser, struct fx_text field,
                          json_t **ret_value) {
    const struct location_token *token = &parser->token;
    json_int_t value = 0;
    if (!read_digits(token->text, &value)) {
        return fx_fail_at(
            parser->err, FX_ESYNTAX, token->off, token->len,
            "invalid integer: overflow in integer string: %.*s: parsing key "
            "value for key: %.*s",
            FX_TEXT_ARG(token->text), FX_TEXT_ARG(field));
    }
    *ret_value = json_integer(value);
    return *ret_value != NULL || fx_fail_nomem(parser->err);
}

/* Parses IDENT | INT. `expected` is for the message about another token. */
static bool parse_key_value(struct location_parser *parser, struct fx_text field,
                            const char *expected, json_t **ret_value) {
    const struct location_token *token = &parser->token;
    if (token->type == TOKEN_IDENT) {
        *ret_value = fx_tree_new_string(token->text);
        if (*ret_value == NULL) {
            return fx_fail_nomem(parser->err);
        }
    } else if (token->type != TOKEN_INT) {
        return fail_expected(parser, expected);
    } else if (!parse_integer(parser, field, ret_value)) {
        return false;
    }
    next_token(parser);
    return true;
}

static bool parse_exclusion(struct location_parser *parser, struct fx_location_step *step,
                            size_t *cap, const char *expected) {
    json_t *value = NULL;
    if (!parse_key_value(parser, step->name, expected, &value)) {
        return false;
    }
    if (step->n_except >= FX_LIMIT_LOCATION_NODES) {
        json_decref(value);
        return fx_fail_at(parser->err, FX_ELIMIT, parser->token.off, parser->token.len,
                          "list has more than %u exclusions", FX_LIMIT_LOCATION_NODES);
    }
    if (!FX_VEC_GROW(step->except, step->n_except, *cap)) {
        json_decref(value);
        return fx_fail_nomem(parser->err);
    }
    step->except[step->n_except++] = value;
    return true;
}

/* True for the word `except` without quotes. */
static bool is_except(const struct location_token *token) {
    return token->type == TOKEN_IDENT && fx_text_is(token->text, "except") &&
           token->len == token->text.len;
}

/* exclusions := 'except' ( IDENT | INT ) ( ',' ( IDENT | INT ) )* */
static bool parse_exclusions(struct location_parser *parser,
                             struct fx_location_step *step) {
    size_t cap = 0;
    const char *expected = "key value after 'except' in listSpec";
    do {
        next_token(parser);
        if (!parse_exclusion(parser, step, &cap, expected)) {
            return false;
        }
        expected = "key value after ',' in listSpec";
    } while (parser->token.type == TOKEN_COMMA);
    return parser->token.type == TOKEN_RBRACKET ||
           fail_expected(parser, "',' or ']' following exclusion in listSpec");
}

/* value := '*' | IDENT | INT      and in the extended syntax: '*' exclusions? */
static bool parse_value(struct location_parser *parser, struct fx_location_step *step) {
    if (parser->token.type != TOKEN_GLOB) {
        return parse_key_value(parser, step->name, "key value or glob in listSpec",
                               &step->value);
    }
    step->glob = true;
    next_token(parser);
    return parser->syntax != FX_LOCATION_EXTENDED || !is_except(&parser->token) ||
           parse_exclusions(parser, step);
}

/* key := IDENT ':' value, the part of a list between its brackets */
static bool parse_key(struct location_parser *parser, struct fx_location_step *step) {
    if (parser->token.type != TOKEN_IDENT) {
        return fail_expected(parser, "keyField in listSpec");
    }
    step->name = parser->token.text;
    next_token(parser);
    if (parser->token.type != TOKEN_COLON) {
        return fail_token(parser, "':' following keyField ", step->name);
    }
    next_token(parser);
    return parse_value(parser, step);
}

/* list := '[' IDENT ':' value ']' */
static bool parse_list(struct location_parser *parser) {
    next_token(parser);
    struct fx_location_step step = {.type = FX_LOCATION_LIST};
    bool ok = parse_key(parser, &step);
    if (ok && parser->token.type != TOKEN_RBRACKET) {
        ok = fail_expected(parser, "']' following listSpec");
    }
    if (!ok || !push_step(parser, step)) {
        finish_step(&step);
        return false;
    }
    next_token(parser);
    return true;
}

/* Parses object list? */
static bool parse_field(struct location_parser *parser) {
    if (parser->token.type != TOKEN_IDENT) {
        return fail_expected(parser, "field name or eof");
    }
    const struct fx_location_step step = {.type = FX_LOCATION_OBJECT,
                                          .name = parser->token.text};
    if (!push_step(parser, step)) {
        return false;
    }
    next_token(parser);
    return parser->token.type != TOKEN_LBRACKET || parse_list(parser);
}

/* location := <empty> | object list? ( '.' object list? )* */
static bool parse_location(struct location_parser *parser) {
    next_token(parser);
    if (parser->token.type == TOKEN_END) {
        return true;
    }
    for (;;) {
        if (!parse_field(parser)) {
            return false;
        }
        if (parser->token.type == TOKEN_END) {
            return true;
        }
        if (parser->token.type != TOKEN_SEPARATOR) {
            return fail_expected(parser, "'.' or eof");
        }
        const struct location_token separator = parser->token;
        next_token(parser);
        if (parser->token.type == TOKEN_END) {
            return fx_fail_at(parser->err, FX_ESYNTAX, separator.off, separator.len,
                              "trailing separators are forbidden");
        }
    }
}

static bool check_text(struct fx_text text, struct fx_err *err) {
    if (text.len > FX_LIMIT_LOCATION_BYTES) {
        return fx_fail(err, FX_ELIMIT, "location is longer than %u bytes",
                       FX_LIMIT_LOCATION_BYTES);
    }
    if (!fx_text_is_utf8(text)) {
        return fx_fail(err, FX_ESYNTAX, "location is not valid UTF-8");
    }
    return true;
}

static struct fx_location *create_location(size_t text_len) {
    struct fx_location *location = calloc(1, sizeof *location);
    if (location == NULL) {
        return NULL;
    }
    location->names = malloc(text_len + 1);
    if (location->names == NULL) {
        free(location);
        return NULL;
    }
    return location;
}

/* Frees unused memory: thousands of locations are kept, and most are short. */
static bool trim_location(struct fx_location *location, struct fx_err *err) {
    if (location->n_steps == 0) {
        return true;
    }
    struct fx_location_step *steps =
        realloc(location->steps, location->n_steps * sizeof *steps);
    if (steps == NULL) {
        return fx_fail_nomem(err);
    }
    location->steps = steps;
    return true;
}

bool fx_location_parse(struct fx_text text, enum fx_location_syntax syntax,
                       struct fx_location **ret_location, struct fx_err *err) {
    if (!check_text(text, err)) {
        return false;
    }
    struct fx_location *location = create_location(text.len);
    if (location == NULL) {
        return fx_fail_nomem(err);
    }
    struct location_parser parser = {
        .scanner = {.source = text,
                    .commas = syntax == FX_LOCATION_EXTENDED,
                    .store = location->names},
        .syntax = syntax,
        .location = location,
        .err = err,
    };
    if (!parse_location(&parser) || !trim_location(location, err)) {
        fx_location_destroy(location);
        return false;
    }
    *ret_location = location;
    return true;
}

void fx_location_destroy(struct fx_location *location) {
    if (location == NULL) {
        return;
    }
    for (size_t i = 0; i < location->n_steps; i++) {
        finish_step(&location->steps[i]);
    }
    free(location->steps);
    free(location->names);
    free(location);
}
