/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/scanner.c - splits a template into tokens: finds the actions and
 * the tokens in them, and reads literals.
 */
#include "location/gotemplate/parser.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/runes.h"
#include "base/strconv.h"

static const struct {
    const char *word;
    enum template_token_type type;
} keywords[] = {
#define X(type, word) {word, TOKEN_##type},
    KEYWORDS(X)
#undef X
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Returns the text that is not read yet. */
static struct fx_text rest(const struct template_scanner *scanner) {
    return (struct fx_text){scanner->source.data + scanner->at,
                            scanner->source.len - scanner->at};
}

static bool at_end(const struct template_scanner *scanner) {
    return scanner->at >= scanner->source.len;
}

/* Returns a byte ahead of the current position, or NUL. */
static char ahead(const struct template_scanner *scanner, size_t by) {
    const struct fx_text text = rest(scanner);
    if (by >= text.len) {
        return '\0';
    }
    return text.data[by];
}

static bool stands(const struct template_scanner *scanner, size_t by, const char *word) {
    const struct fx_text text = rest(scanner);
    return by <= text.len &&
           fx_text_starts((struct fx_text){text.data + by, text.len - by},
                          fx_text_of(word));
}

static struct template_token token_from(const struct template_scanner *scanner,
                                        size_t start, enum template_token_type type) {
    return (struct template_token){
        .type = type,
        .text = {scanner->source.data + start, scanner->at - start},
        .off = (uint32_t)start,
    };
}

/* Fails with the span from `start` to the current position. */
#define FAIL(scanner, start, err, ...)                                                  \
    fx_fail_at(err, FX_ESYNTAX, (uint32_t)(start), (uint32_t)((scanner)->at - (start)), \
               __VA_ARGS__)

/* ---- between actions ------------------------------------------------------------- */

/* True for `{{- `, which removes the white space before it. */
static bool opens_trimming(const struct template_scanner *scanner, size_t by) {
    return ahead(scanner, by + 2) == '-' && is_space(ahead(scanner, by + 3));
}

/* True for ` -}}` at the current position. */
static bool shuts_trimming(const struct template_scanner *scanner) {
    return is_space(ahead(scanner, 0)) && stands(scanner, 1, "-}}");
}

/* Skips `}}` or ` -}}` at the current position. */
static bool skip_shut(struct template_scanner *scanner) {
    scanner->trims = shuts_trimming(scanner);
    if (!scanner->trims && !stands(scanner, 0, "}}")) {
        return false;
    }
    scanner->at += scanner->trims ? strlen(" -}}") : strlen("}}");
    return true;
}

/* Returns the number of bytes up to the next action or the end. */
static size_t text_length(const struct template_scanner *scanner) {
    const struct fx_text text = rest(scanner);
    size_t len = 0;
    while (len < text.len && !stands(scanner, len, "{{")) {
        const char *next = memchr(text.data + len + 1, '{', text.len - len - 1);
        len = next == NULL ? text.len : (size_t)(next - text.data);
    }
    return len;
}

static struct template_token scan_text(struct template_scanner *scanner) {
    while (scanner->trims && is_space(ahead(scanner, 0))) {
        scanner->at++;
    }
    scanner->trims = false;
    const size_t start = scanner->at;
    const size_t len = text_length(scanner);
    const bool trims = opens_trimming(scanner, len);
    scanner->at += len;
    struct template_token token = token_from(scanner, start, TOKEN_TEXT);
    while (trims && token.text.len > 0 && is_space(token.text.data[token.text.len - 1])) {
        token.text.len--;
    }
    return token;
}

/* comment := '/' '*' any* '*' '/', with nothing between it and the delimiters */
static bool skip_comment(struct template_scanner *scanner, size_t start,
                         struct fx_err *err) {
    const struct fx_text text = rest(scanner);
    size_t len = strlen("/*");
    while (len < text.len && !stands(scanner, len, "*/")) {
        len++;
    }
    scanner->at += len;
    if (at_end(scanner)) {
        return FAIL(scanner, start, err, "unclosed comment: write `*/}}` at its end");
    }
    scanner->at += strlen("*/");
    return skip_shut(scanner) || FAIL(scanner, start, err,
                                      "comment ends before closing delimiter: nothing is "
                                      "allowed between `*/` and `}}`");
}

/* Enters the action at the current position, unless it is a comment. */
static bool scan_open(struct template_scanner *scanner, struct template_token *ret_token,
                      struct fx_err *err) {
    const size_t start = scanner->at;
    scanner->at += opens_trimming(scanner, 0) ? strlen("{{- ") : strlen("{{");
    if (stands(scanner, 0, "/*")) {
        return skip_comment(scanner, start, err);
    }
    scanner->in_action = true;
    scanner->action = start;
    scanner->parentheses = 0;
    *ret_token = token_from(scanner, start, TOKEN_OPEN);
    return true;
}

/* Scans a text, the start of an action, or the end. A comment gives TEXT without
 * bytes. */
static bool scan_outside(struct template_scanner *scanner,
                         struct template_token *ret_token, struct fx_err *err) {
    do {
        *ret_token = scan_text(scanner);
        if (ret_token->text.len > 0) {
            return true;
        }
        if (at_end(scanner)) {
            *ret_token = token_from(scanner, scanner->at, TOKEN_END);
            return true;
        }
        if (!scan_open(scanner, ret_token, err)) {
            return false;
        }
    } while (!scanner->in_action);
    return true;
}

/* ---- in actions ------------------------------------------------------------------ */

/* Returns the length of a letter, digit or underscore at the current position, or 0. */
static size_t word_rune(const struct template_scanner *scanner) {
    if (at_end(scanner)) {
        return 0;
    }
    uint32_t rune = 0;
    const size_t len = fx_text_rune(rest(scanner), &rune);
    return rune == '_' || fx_rune_is_letter(rune) || fx_rune_is_digit(rune) ? len : 0;
}

static void skip_word(struct template_scanner *scanner) {
    for (size_t len = word_rune(scanner); len > 0; len = word_rune(scanner)) {
        scanner->at += len;
    }
}

/* Checks the character after a name. */
static bool check_name_end(struct template_scanner *scanner, size_t start,
                           struct fx_err *err) {
    const char c = ahead(scanner, 0);
    if (at_end(scanner) || is_space(c) || strchr(".,|:)(}", c) != NULL) {
        return true;
    }
    uint32_t rune = 0;
    scanner->at += fx_text_rune(rest(scanner), &rune);
    const struct template_token name = token_from(scanner, start, TOKEN_OTHER);
    if (c == '-') {
        return FAIL(scanner, start, err,
                    "bad character U+002D '-' in a name: for a key with a dash write "
                    "`index .x \"a-b\"`");
    }
    return FAIL(scanner, start, err, "bad character U+%04X after a name: `%.*s`", rune,
                FX_TEXT_ARG(name.text));
}

static enum template_token_type word_type(struct fx_text word) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (fx_text_is(word, keywords[i].word)) {
            return keywords[i].type;
        }
    }
    return TOKEN_IDENTIFIER;
}

static bool scan_word(struct template_scanner *scanner, struct template_token *ret_token,
                      struct fx_err *err) {
    const size_t start = scanner->at;
    skip_word(scanner);
    *ret_token = token_from(scanner, start, TOKEN_IDENTIFIER);
    ret_token->type = word_type(ret_token->text);
    return check_name_end(scanner, start, err);
}

/* variable := '$' word?        field := '.' word? */
static bool scan_name(struct template_scanner *scanner, enum template_token_type type,
                      struct template_token *ret_token, struct fx_err *err) {
    const size_t start = scanner->at;
    scanner->at++;
    skip_word(scanner);
    *ret_token = token_from(scanner, start, type);
    if (type == TOKEN_FIELD && ret_token->text.len == 1) {
        ret_token->type = TOKEN_DOT;
    } else if (type == TOKEN_FIELD) {
        ret_token->text.data++;
        ret_token->text.len--;
    }
    return check_name_end(scanner, start, err);
}

/* Scans a quoted text up to the same quote; a backslash escapes the next rune. */
static bool scan_quoted(struct template_scanner *scanner, enum template_token_type type,
                        struct template_token *ret_token, struct fx_err *err) {
    const size_t start = scanner->at;
    const char quote = ahead(scanner, 0);
    scanner->at++;
    while (ahead(scanner, 0) != quote || at_end(scanner)) {
        if (ahead(scanner, 0) == '\\') {
            scanner->at++;
        }
        if (at_end(scanner) || ahead(scanner, 0) == '\n') {
            return FAIL(scanner, start, err, "unterminated %s: its closing %c is missing",
                        type == TOKEN_RUNE ? "character constant" : "quoted string",
                        quote);
        }
        scanner->at++;
    }
    scanner->at++;
    *ret_token = token_from(scanner, start, type);
    return true;
}

/* Scans a text between back quotes, without escapes; it may contain line ends. */
static bool scan_raw(struct template_scanner *scanner, struct template_token *ret_token,
                     struct fx_err *err) {
    const size_t start = scanner->at;
    const struct fx_text text = rest(scanner);
    const char *end = memchr(text.data + 1, '`', text.len - 1);
    if (end == NULL) {
        scanner->at = scanner->source.len;
        return FAIL(scanner, start, err,
                    "unterminated raw quoted string: its closing back quote is missing");
    }
    scanner->at += (size_t)(end - text.data) + 1;
    *ret_token = token_from(scanner, start, TOKEN_RAW_STRING);
    return true;
}

static bool accept(struct template_scanner *scanner, const char *any) {
    const char c = ahead(scanner, 0);
    const bool fits = fx_is_one_of(c, any);
    scanner->at += fits ? 1 : 0;
    return fits;
}

static void skip_any(struct template_scanner *scanner, const char *any) {
    while (accept(scanner, any)) {
    }
}

#define DECIMAL "0123456789_"
#define HEX     "0123456789abcdefABCDEF_"

/* number := [+-]? ( decimal | 0x hex | 0o octal | 0b binary ) fraction? exponent? The
 * value is checked by literal_read_number(). */
static bool scan_number(struct template_scanner *scanner,
                        struct template_token *ret_token, struct fx_err *err) {
    const size_t start = scanner->at;
    (void)accept(scanner, "+-");
    const char *digits = DECIMAL;
    const char *exponent = "eE";
    if (accept(scanner, "0")) {
        if (accept(scanner, "xX")) {
            digits = HEX;
            exponent = "pP";
        } else if (accept(scanner, "oO")) {
            digits = "01234567_";
            exponent = "";
        } else if (accept(scanner, "bB")) {
            digits = "01_";
            exponent = "";
        }
    }
    skip_any(scanner, digits);
    if (accept(scanner, ".")) {
        skip_any(scanner, digits);
    }
    if (accept(scanner, exponent)) {
        (void)accept(scanner, "+-");
        skip_any(scanner, DECIMAL);
    }
    *ret_token = token_from(scanner, start, TOKEN_NUMBER);
    const char next = ahead(scanner, 0);
    if (next == 'i') {
        scanner->at++;
        return FAIL(scanner, start, err, "imaginary numbers are not supported");
    }
    const size_t more = next == '+' || next == '-' ? 1 : word_rune(scanner);
    scanner->at += more;
    const struct template_token bad = token_from(scanner, start, TOKEN_OTHER);
    return more == 0 ||
           FAIL(scanner, start, err, "bad number syntax: `%.*s`", FX_TEXT_ARG(bad.text));
}

/* Returns the type of a token of one character. */
static enum template_token_type sign_type(char c) {
    switch (c) {
    case '(': return TOKEN_LEFT;
    case ')': return TOKEN_RIGHT;
    case '|': return TOKEN_PIPE;
    case ',': return TOKEN_COMMA;
    case '=': return TOKEN_ASSIGN;
    default: return TOKEN_OTHER;
    }
}

static bool scan_sign(struct template_scanner *scanner, struct template_token *ret_token,
                      struct fx_err *err) {
    const size_t start = scanner->at;
    uint32_t rune = 0;
    scanner->at += fx_text_rune(rest(scanner), &rune);
    if (rune < ' ' || rune > '~') {
        return FAIL(scanner, start, err, "unrecognized character in action: U+%04X",
                    rune);
    }
    *ret_token = token_from(scanner, start, sign_type((char)rune));
    if (rune == '(') {
        scanner->parentheses++;
    }
    if (rune == ')' && scanner->parentheses-- == 0) {
        return FAIL(scanner, start, err, "unexpected right paren: none is open");
    }
    return true;
}

static bool scan_declare(struct template_scanner *scanner,
                         struct template_token *ret_token, struct fx_err *err) {
    const size_t start = scanner->at;
    scanner->at++;
    if (!accept(scanner, "=")) {
        return FAIL(scanner, start, err, "expected :=");
    }
    *ret_token = token_from(scanner, start, TOKEN_DECLARE);
    return true;
}

static bool scan_shut(struct template_scanner *scanner, size_t start,
                      struct template_token *ret_token, struct fx_err *err) {
    scanner->in_action = false;
    *ret_token = token_from(scanner, start, TOKEN_SHUT);
    return scanner->parentheses == 0 ||
           FAIL(scanner, start, err, "unclosed left paren: a `)` is missing");
}

static bool is_number_start(const struct template_scanner *scanner) {
    const char c = ahead(scanner, 0);
    return fx_is_digit(c) || c == '+' || c == '-' ||
           (c == '.' && fx_is_digit(ahead(scanner, 1)));
}

/* Scans a token in an action. Its first character decides its type. */
static bool scan_inside(struct template_scanner *scanner,
                        struct template_token *ret_token, struct fx_err *err) {
    if (is_number_start(scanner)) {
        return scan_number(scanner, ret_token, err);
    }
    switch (ahead(scanner, 0)) {
    case '.': return scan_name(scanner, TOKEN_FIELD, ret_token, err);
    case '$': return scan_name(scanner, TOKEN_VARIABLE, ret_token, err);
    case '"': return scan_quoted(scanner, TOKEN_STRING, ret_token, err);
    case '\'': return scan_quoted(scanner, TOKEN_RUNE, ret_token, err);
    case '`': return scan_raw(scanner, ret_token, err);
    case ':': return scan_declare(scanner, ret_token, err);
    default:
        return word_rune(scanner) > 0 ? scan_word(scanner, ret_token, err)
                                      : scan_sign(scanner, ret_token, err);
    }
}

bool template_scan(struct template_scanner *scanner, struct template_token *ret_token,
                   struct fx_err *err) {
    if (!scanner->in_action) {
        return scan_outside(scanner, ret_token, err);
    }
    const size_t start = scanner->at;
    while (is_space(ahead(scanner, 0)) && !shuts_trimming(scanner)) {
        scanner->at++;
    }
    const size_t at = scanner->at;
    if (skip_shut(scanner)) {
        return scan_shut(scanner, at, ret_token, err);
    }
    if (at_end(scanner)) {
        return fx_fail_at(err, FX_ESYNTAX, (uint32_t)scanner->action, 2,
                          "unclosed action: write `}}` at its end");
    }
    if (!scan_inside(scanner, ret_token, err)) {
        return false;
    }
    ret_token->spaced = at > start;
    return true;
}

/* ---- literals (The Go Programming Language Specification, "Lexical elements") -------
 */

static bool fail_literal(const struct template_token *token, struct fx_err *err,
                         const char *what) {
    return fx_fail_at(err, FX_ESYNTAX, token->off, (uint32_t)token->text.len,
                      "%s: `%.*s`", what, FX_TEXT_ARG(token->text));
}

/* Reads an integer. Integers up to 2^64 - 1 that do not fit an int can only be floats. */
static bool read_integer(struct fx_text number, struct literal *literal) {
    const bool has_sign = number.data[0] == '+' || number.data[0] == '-';
    const bool negative = number.data[0] == '-';
    const struct fx_text digits = {number.data + has_sign, number.len - has_sign};
    uint64_t magnitude = 0;
    if (fx_go_parse_uint(digits, 0, &magnitude) != FX_GO_NUMBER) {
        return false;
    }
    const uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (magnitude > most && has_sign) {
        return false;
    }
    literal->is_float = true;
    literal->is_int = magnitude <= most;
    literal->integer = (int64_t)(negative ? 0 - magnitude : magnitude);
    literal->number = literal->is_int ? (double)literal->integer : (double)magnitude;
    return true;
}

static bool holds_any(struct fx_text text, const char *characters) {
    for (size_t i = 0; i < text.len; i++) {
        if (fx_is_one_of(text.data[i], characters)) {
            return true;
        }
    }
    return false;
}

static bool read_float(struct fx_text number, struct literal *literal) {
    if (fx_go_parse_float(number, &literal->number) != FX_GO_NUMBER) {
        return false;
    }
    literal->is_float = true;
    if (fabs(literal->number) < 0x1p63) {
        literal->integer = (int64_t)literal->number;
        literal->is_int = (double)literal->integer == literal->number;
    }
    return true;
}

/* True for a number that is a float64 if no type is required: it has a fraction or an
 * exponent. `-0xE` is one, too, because text/template only searches for the letters. */
static bool is_ideal_float(struct fx_text number) {
    const bool is_hex = number.len > 2 && number.data[0] == '0' &&
                        (number.data[1] | 0x20) == 'x' && !holds_any(number, "pP");
    return !is_hex && holds_any(number, ".eEpP");
}

static struct fx_text between_quotes(const struct template_token *token) {
    return (struct fx_text){token->text.data + 1, token->text.len - 2};
}

static bool read_rune(const struct template_token *token, struct literal *literal,
                      struct fx_err *err) {
    struct fx_text text = between_quotes(token);
    uint32_t rune = 0;
    bool is_byte = false;
    if (text.len == 0 || !fx_go_unquote_rune(&text, '\'', &rune, &is_byte) ||
        text.len > 0) {
        return fail_literal(token, err, "malformed character constant");
    }
    literal->is_int = true;
    literal->is_float = true;
    literal->integer = rune;
    literal->number = rune;
    literal->ideal = value_int(rune);
    return true;
}

bool literal_read_number(const struct template_token *token, struct literal *ret_literal,
                         struct fx_err *err) {
    *ret_literal = (struct literal){.is_int = false};
    if (token->type == TOKEN_RUNE) {
        return read_rune(token, ret_literal, err);
    }
    const struct fx_text number = token->text;
    if (!read_integer(number, ret_literal)) {
        const bool is_integer =
            holds_any(number, "0123456789") && !holds_any(number, "_.eEpP");
        if (is_integer) {
            return fail_literal(token, err, "integer overflow, or no digit of its base");
        }
        if (!holds_any(number, ".eEpP") || !read_float(number, ret_literal)) {
            return fail_literal(token, err, "illegal number syntax");
        }
    }
    if (is_ideal_float(number)) {
        ret_literal->ideal = value_float64(ret_literal->number);
    } else if (ret_literal->is_int) {
        ret_literal->ideal = value_int(ret_literal->integer);
    }
    return true;
}

bool literal_read_string(struct fx_arena *arena, const struct template_token *token,
                         struct fx_text *ret_string, struct fx_err *err) {
    const bool is_raw = token->type == TOKEN_RAW_STRING;
    const struct fx_text text = between_quotes(token);
    if (memchr(text.data, is_raw ? '\r' : '\\', text.len) == NULL) {
        *ret_string = text;
        return true;
    }
    char *copy = fx_arena_alloc(arena, text.len + 1);
    if (copy == NULL) {
        return fx_fail_nomem(err);
    }
    size_t len = 0;
    if (!fx_go_unquote(text, token->text.data[0], copy, &len)) {
        return fail_literal(token, err, "invalid escape in a string");
    }
    *ret_string = (struct fx_text){copy, len};
    return true;
}
