/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/literal.c - strconv's ParseFloat and Unquote. The value of a checked
 * number is strtod()'s, which is exact, hexadecimal or not; the program never leaves the
 * C locale.
 */
#include "location/jsonpath/literal.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER 1000

static char lower(char c) {
    if (c >= 'A' && c <= 'Z') {
        return (char)(c - 'A' + 'a');
    }
    return c;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

/* ---- numbers ----------------------------------------------------------------------- */

static bool is_word(struct fx_text text, const char *word) {
    if (text.len != strlen(word)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (lower(text.data[i]) != word[i]) {
            return false;
        }
    }
    return true;
}

/* `inf`, `infinity`, which may have a sign, or `nan`, which may not. */
static bool parse_special(struct fx_text text, double *ret_value) {
    struct fx_text rest = text;
    if (text.data[0] == '+' || text.data[0] == '-') {
        rest = (struct fx_text){text.data + 1, text.len - 1};
    }
    if (is_word(rest, "inf") || is_word(rest, "infinity")) {
        *ret_value = text.data[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    if (is_word(text, "nan")) {
        *ret_value = (double)NAN;
        return true;
    }
    return false;
}

/* Digits and the underscores between them, without these, to *out. */
static const char *copy_digits(const char *at, const char *end, bool hex, char **out) {
    while (at < end && (*at == '_' || (hex ? is_hex(*at) : is_digit(*at)))) {
        if (*at != '_') {
            *(*out)++ = *at;
        }
        at++;
    }
    return at;
}

/* Every underscore stands between two digits, or behind the 0x. */
static bool underscores_are_fine(struct fx_text text, bool hex) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '_') {
            continue;
        }
        if (i == 0 || i + 1 == text.len) {
            return false;
        }
        const char before = lower(text.data[i - 1]);
        const char after = text.data[i + 1];
        const bool led = is_digit(before) || (hex && (is_hex(before) || before == 'x'));
        const bool followed = is_digit(after) || (hex && is_hex(after));
        if (!led || !followed) {
            return false;
        }
    }
    return true;
}

/* exponent := ( 'e' | 'p' ) [+-]? digit ( digit | '_' )* */
static const char *copy_exponent(const char *at, const char *end, char mark, char **out) {
    if (at == end || lower(*at) != mark) {
        return at;
    }
    *(*out)++ = *at++;
    if (at < end && (*at == '+' || *at == '-')) {
        *(*out)++ = *at++;
    }
    return at < end && is_digit(*at) ? copy_digits(at, end, false, out) : NULL;
}

/* number := [+-]? ( '0x' hex )? digits? ( '.' digits? )? exponent?
 *
 * with a digit before or behind the point; what is hex has an exponent. Copies the number
 * without underscores; false where it is none. */
static bool copy_number(struct fx_text text, char *out) {
    const char *at = text.data;
    const char *const end = text.data + text.len;
    if (at < end && (*at == '+' || *at == '-')) {
        *out++ = *at++;
    }
    const bool hex = end - at > 2 && at[0] == '0' && lower(at[1]) == 'x';
    if (hex) {
        *out++ = *at++;
        *out++ = *at++;
    }
    const char *const digits = out;
    at = copy_digits(at, end, hex, &out);
    ptrdiff_t n_digits = out - digits;
    if (at < end && *at == '.') {
        *out++ = *at++;
        at = copy_digits(at, end, hex, &out);
        n_digits = out - digits - 1;
    }
    const char *const mantissa_end = at;
    at = n_digits > 0 ? copy_exponent(at, end, hex ? 'p' : 'e', &out) : NULL;
    *out = '\0';
    return at == end && (!hex || at > mantissa_end) && underscores_are_fine(text, hex);
}

bool fx_jsonpath_parse_float(struct fx_text text, double *ret_value) {
    char copy[LONGEST_NUMBER + 1];
    if (text.len == 0 || text.len > LONGEST_NUMBER) {
        return false;
    }
    const char first = lower(text.data[0]);
    if (!is_digit(first) && strchr("+-.in", first) == NULL) {
        return false; /* most texts, at once */
    }
    if (parse_special(text, ret_value)) {
        return true;
    }
    if (!copy_number(text, copy)) {
        return false;
    }
    *ret_value = strtod(copy, NULL);
    return isinf(*ret_value) == 0;
}

/* ---- texts ------------------------------------------------------------------------- */

/* So many digits of the base at `at`; -1 where they are not there. */
static int64_t read_digits(const char *at, const char *end, unsigned count,
                           unsigned base) {
    int64_t value = 0;
    if ((size_t)(end - at) < count) {
        return -1;
    }
    for (unsigned i = 0; i < count; i++) {
        const char c = lower(at[i]);
        const unsigned digit = is_digit(c) ? (unsigned)(c - '0')
                               : is_hex(c) ? (unsigned)(c - 'a') + 10
                                           : base;
        if (digit >= base) {
            return -1;
        }
        value = value * base + digit;
    }
    return value;
}

static bool is_rune(int64_t value) {
    return value >= 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

/* What a numeric escape stands for: one byte, or a rune. `at` is behind its letter, which
 * was looked at; returns the end, NULL where it is none. */
static const char *put_numeric(char letter, const char *at, const char *end, char **out) {
    if (letter == 'x' || is_digit(letter)) {
        const bool hex = letter == 'x';
        at -= hex ? 0 : 1;
        const unsigned count = hex ? 2 : 3;
        const int64_t byte = read_digits(at, end, count, hex ? 16 : 8);
        if (byte < 0 || byte > 255) {
            return NULL;
        }
        *(*out)++ = (char)(unsigned char)byte;
        return at + count;
    }
    const unsigned count = letter == 'u' ? 4 : 8;
    const int64_t rune = read_digits(at, end, count, 16);
    if (!is_rune(rune)) {
        return NULL;
    }
    *out += fx_text_encode_rune((uint32_t)rune, *out);
    return at + count;
}

/* An escape, from its backslash; returns its end, NULL where it is none. */
static const char *put_escape(const char *at, const char *end, char quote, char **out) {
    static const char letters[] = "abfnrtv\\";
    static const char meanings[] = "\a\b\f\n\r\t\v\\";
    if (end - at < 2) {
        return NULL;
    }
    const char letter = at[1];
    const char *known = letter != '\0' ? strchr(letters, letter) : NULL;
    if (known != NULL) {
        *(*out)++ = meanings[known - letters];
        return at + 2;
    }
    if (letter == quote) {
        *(*out)++ = quote;
        return at + 2;
    }
    if (letter == 'x' || letter == 'u' || letter == 'U' ||
        (letter >= '0' && letter <= '7')) {
        return put_numeric(letter, at + 2, end, out);
    }
    return NULL;
}

static enum quote_fault unquote_raw(struct fx_text body, char *out,
                                    struct fx_text *ret_text) {
    size_t len = 0;
    for (size_t i = 0; i < body.len; i++) {
        if (body.data[i] != '\r') {
            out[len++] = body.data[i];
        }
    }
    *ret_text = (struct fx_text){out, len};
    return QUOTE_OK;
}

static bool is_one_rune(struct fx_text text) {
    uint32_t rune = 0;
    return text.len > 0 && fx_text_rune(text, &rune) == text.len;
}

enum quote_fault fx_jsonpath_unquote(struct fx_text quoted, char *out,
                                     struct fx_text *ret_text, size_t *ret_off,
                                     size_t *ret_len) {
    assert(quoted.len > 0);
    const char quote = quoted.data[0];
    if (quoted.len < 2 || quoted.data[quoted.len - 1] != quote) {
        return QUOTE_OPEN;
    }
    const struct fx_text body = {quoted.data + 1, quoted.len - 2};
    if (quote == '`') {
        return unquote_raw(body, out, ret_text);
    }
    const char *const end = body.data + body.len;
    char *to = out;
    for (const char *at = body.data; at < end;) {
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        const char *const next = put_escape(at, end, quote, &to);
        if (next == NULL) {
            *ret_off = (size_t)(at - quoted.data);
            *ret_len = end - at > 1 ? 2 : 1;
            return end - at > 1 ? QUOTE_ESCAPE : QUOTE_OPEN;
        }
        at = next;
    }
    *ret_text = (struct fx_text){out, (size_t)(to - out)};
    if (!fx_text_is_utf8(*ret_text)) {
        return QUOTE_BYTES;
    }
    return quote == '\'' && !is_one_rune(*ret_text) ? QUOTE_LONG : QUOTE_OK;
}
