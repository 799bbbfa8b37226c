/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/literal.c - Go's literals (The Go Programming Language
 * Specification, "Lexical elements"): numbers, runes, strings.
 */
#include "location/gotemplate/literal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 800 /* of a number that is written out */

static bool fail(const struct token *token, struct fx_err *err, const char *what) {
    return fx_fail_at(err, FX_ESYNTAX, token->off, (uint32_t)token->text.len,
                      "%s: `%.*s`", what, FX_TEXT_ARG(token->text));
}

/* ---- integers -------------------------------------------------------------------- */

static unsigned digit_of(char c) {
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    const char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'z' ? (unsigned)(low - 'a') + 10 : 99;
}

/* 0x, 0o, 0b, and a 0 alone, which is octal; takes the letter off, but not the 0. */
static unsigned take_base(struct fx_text *digits) {
    if (digits->len < 2 || digits->data[0] != '0') {
        return 10;
    }
    const char mark = (char)(digits->data[1] | 0x20);
    const unsigned base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    if (base != 0) {
        digits->data += 2;
        digits->len -= 2;
    }
    return base != 0 ? base : 8;
}

/* An underscore stands between two digits; the mark of a base counts as one. */
static bool underscores_fit(struct fx_text number) {
    for (size_t i = 0; i < number.len; i++) {
        if (number.data[i] == '_' &&
            (i == 0 || i + 1 == number.len || number.data[i - 1] == '_' ||
             digit_of(number.data[i - 1]) > 35 || digit_of(number.data[i + 1]) > 15)) {
            return false;
        }
    }
    return true;
}

enum integer { INTEGER, NO_INTEGER, TOO_LARGE };

static enum integer read_digits(struct fx_text digits, uint64_t *ret_value) {
    const unsigned base = take_base(&digits);
    bool any = false;
    uint64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] == '_') {
            continue;
        }
        const unsigned digit = digit_of(digits.data[i]);
        if (digit >= base) {
            return NO_INTEGER;
        }
        if (value > (UINT64_MAX - digit) / base) {
            return TOO_LARGE;
        }
        value = value * base + digit;
        any = true;
    }
    *ret_value = value;
    return any ? INTEGER : NO_INTEGER;
}

/* An int is `is_int`; up to 2^64 - 1 it only is a float, and too large for an int. */
static bool read_integer(struct fx_text number, struct literal *literal) {
    const bool has_sign = number.data[0] == '+' || number.data[0] == '-';
    const bool negative = number.data[0] == '-';
    const struct fx_text digits = {number.data + has_sign, number.len - has_sign};
    uint64_t magnitude = 0;
    if (read_digits(digits, &magnitude) != INTEGER) {
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

/* ---- floats ---------------------------------------------------------------------- */

static bool holds_any(struct fx_text text, const char *characters) {
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(characters, text.data[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* strtod() reads what Go does, and more: what the scanner lets through and has a fraction
 * or an exponent is the same. A hexadecimal one needs its exponent. */
static bool read_float(struct fx_text number, struct literal *literal) {
    char copy[MOST_DIGITS];
    size_t len = 0;
    for (size_t i = 0; i < number.len; i++) {
        if (number.data[i] != '_') {
            if (len + 1 == sizeof copy) {
                return false;
            }
            copy[len++] = number.data[i];
        }
    }
    copy[len] = '\0';
    const bool is_hex = holds_any(number, "xX");
    char *end = NULL;
    literal->number = strtod(copy, &end);
    if (*end != '\0' || end == copy || isinf(literal->number) ||
        (is_hex && !holds_any(number, "pP"))) {
        return false;
    }
    literal->is_float = true;
    if (fabs(literal->number) < 0x1p63) {
        literal->integer = (int64_t)literal->number;
        literal->is_int = (double)literal->integer == literal->number;
    }
    return true;
}

/* A number is a float64 by itself where it has a fraction or an exponent. `-0xE` has none
 * but is taken for one all the same: text/template only looks for the letters. */
static bool is_ideal_float(struct fx_text number) {
    const bool is_hex = number.len > 2 && number.data[0] == '0' &&
                        (number.data[1] | 0x20) == 'x' && !holds_any(number, "pP");
    return !is_hex && holds_any(number, ".eEpP");
}

/* ---- strings --------------------------------------------------------------------- */

struct unquoting {
    struct fx_text text; /* what is left of it, without the quotes */
    char quote;
};

static bool take_digits(struct unquoting *at, size_t n, unsigned base,
                        uint32_t *ret_value) {
    uint32_t value = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = i < at->text.len ? digit_of(at->text.data[i]) : 99;
        if (digit >= base) {
            return false;
        }
        value = value * base + digit;
    }
    at->text.data += n;
    at->text.len -= n;
    *ret_value = value;
    return true;
}

static bool take_rune_digits(struct unquoting *at, size_t n, uint32_t *ret_rune) {
    return take_digits(at, n, 16, ret_rune) && *ret_rune <= 0x10FFFF &&
           (*ret_rune < 0xD800 || *ret_rune > 0xDFFF);
}

/* Behind a backslash, with something left. *ret_byte: it is that byte rather than a
 * rune. */
static bool take_escape(struct unquoting *at, uint32_t *ret_rune, bool *ret_byte) {
    static const char letters[] = "abfnrtv\\";
    static const char means[] = "\a\b\f\n\r\t\v\\";
    const char c = at->text.data[0];
    if (c >= '0' && c <= '7') {
        *ret_byte = true;
        return take_digits(at, 3, 8, ret_rune) && *ret_rune <= 0xFF;
    }
    at->text.data++;
    at->text.len--;
    if (c == 'x') {
        *ret_byte = true;
        return take_digits(at, 2, 16, ret_rune);
    }
    if (c == 'u' || c == 'U') {
        return take_rune_digits(at, c == 'u' ? 4 : 8, ret_rune);
    }
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (letter != NULL) {
        *ret_rune = (unsigned char)means[letter - letters];
        return true;
    }
    *ret_rune = (unsigned char)c;
    return c == at->quote;
}

/* One rune or byte; the text is not empty. */
static bool take_rune(struct unquoting *at, uint32_t *ret_rune, bool *ret_byte) {
    *ret_byte = false;
    if (at->text.data[0] == '\\') {
        at->text.data++;
        at->text.len--;
        return at->text.len > 0 && take_escape(at, ret_rune, ret_byte);
    }
    const size_t len = fx_text_rune(at->text, ret_rune);
    at->text.data += len;
    at->text.len -= len;
    return true;
}

static struct unquoting unquote(const struct token *token) {
    return (struct unquoting){
        .text = {token->text.data + 1, token->text.len - 2},
        .quote = token->text.data[0],
    };
}

/* Go drops carriage returns from raw strings. */
static size_t copy_raw(struct fx_text from, char *to) {
    size_t len = 0;
    for (size_t i = 0; i < from.len; i++) {
        if (from.data[i] != '\r') {
            to[len++] = from.data[i];
        }
    }
    return len;
}

/* What is written is never shorter than what it means. */
static bool copy_quoted(struct unquoting at, char *to, size_t *ret_len) {
    size_t len = 0;
    while (at.text.len > 0) {
        uint32_t rune = 0;
        bool is_byte = false;
        if (!take_rune(&at, &rune, &is_byte)) {
            return false;
        }
        if (is_byte) {
            to[len++] = (char)rune;
        } else {
            len += fx_text_encode_rune(rune, to + len);
        }
    }
    *ret_len = len;
    return true;
}

bool literal_read_string(struct fx_arena *arena, const struct token *token,
                         struct fx_text *ret_string, struct fx_err *err) {
    const bool is_raw = token->type == TOKEN_RAW_STRING;
    const struct unquoting at = unquote(token);
    if (memchr(at.text.data, is_raw ? '\r' : '\\', at.text.len) == NULL) {
        *ret_string = at.text;
        return true;
    }
    char *copy = fx_arena_alloc(arena, at.text.len + 1);
    if (copy == NULL) {
        return fx_fail_nomem(err);
    }
    size_t len = 0;
    if (is_raw) {
        len = copy_raw(at.text, copy);
    } else if (!copy_quoted(at, copy, &len)) {
        return fail(token, err, "invalid escape in a string");
    }
    *ret_string = (struct fx_text){copy, len};
    return true;
}

/* ---- numbers --------------------------------------------------------------------- */

static bool read_rune(const struct token *token, struct literal *literal,
                      struct fx_err *err) {
    struct unquoting at = unquote(token);
    uint32_t rune = 0;
    bool is_byte = false;
    if (at.text.len == 0 || !take_rune(&at, &rune, &is_byte) || at.text.len > 0) {
        return fail(token, err, "malformed character constant");
    }
    literal->is_int = true;
    literal->is_float = true;
    literal->integer = rune;
    literal->number = rune;
    literal->ideal = value_int(rune);
    return true;
}

bool literal_read_number(const struct token *token, struct literal *ret_literal,
                         struct fx_err *err) {
    *ret_literal = (struct literal){.is_int = false};
    if (token->type == TOKEN_RUNE) {
        return read_rune(token, ret_literal, err);
    }
    const struct fx_text number = token->text;
    const bool fits = underscores_fit(number);
    if (!fits || !read_integer(number, ret_literal)) {
        if (fits && !holds_any(number, ".eEpP") && holds_any(number, "0123456789")) {
            return fail(token, err, "integer overflow, or no digit of its base");
        }
        if (!fits || !read_float(number, ret_literal)) {
            return fail(token, err, "illegal number syntax");
        }
    }
    if (is_ideal_float(number)) {
        ret_literal->ideal = value_float64(ret_literal->number);
    } else if (ret_literal->is_int) {
        ret_literal->ideal = value_int(ret_literal->integer);
    }
    return true;
}
