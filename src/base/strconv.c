/* SPDX-License-Identifier: Apache-2.0
 *
 * base/strconv.c - the syntax is checked here; the value of a valid float is
 * that of strtod(), which is exact, also for hexadecimal floats. The program never
 * leaves the C locale.
 */
#include "base/strconv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- integers -------------------------------------------------------------------- */

/* Removes the prefix `0x`, `0b`, `0o` or `0`, and returns its base; without a prefix
 * returns 10. */
static unsigned take_base(struct fx_text *text) {
    if (fx_text_first(*text) != '0') {
        return 10;
    }
    const char mark = (char)(text->len >= 3 ? text->data[1] | 0x20 : 0);
    *text = fx_text_rest(*text, mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
    return mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
}

enum fx_go_number fx_go_parse_uint(struct fx_text text, unsigned base,
                                   uint64_t *ret_number) {
    const size_t len = text.len;
    const bool is_parted = base == 0;
    base = is_parted ? take_base(&text) : base;
    bool follows = text.len < len; /* a digit or the prefix comes before the next byte */
    bool overflows = false;
    uint64_t number = 0;
    *ret_number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '_' && is_parted && follows) {
            follows = false;
            continue;
        }
        const unsigned digit = fx_digit_of(text.data[i]);
        if (digit >= base) {
            return FX_GO_SYNTAX;
        }
        follows = true;
        overflows = overflows || __builtin_mul_overflow(number, base, &number) ||
                    __builtin_add_overflow(number, digit, &number);
    }
    if (!follows) {
        return FX_GO_SYNTAX;
    }
    *ret_number = overflows ? UINT64_MAX : number;
    return overflows ? FX_GO_RANGE : FX_GO_NUMBER;
}

enum fx_go_number fx_go_parse_int(struct fx_text text, unsigned base,
                                  int64_t *ret_number) {
    const bool is_negative = fx_text_first(text) == '-';
    const bool has_sign = is_negative || fx_text_first(text) == '+';
    uint64_t magnitude = 0;
    enum fx_go_number result =
        fx_go_parse_uint(fx_text_rest(text, has_sign ? 1 : 0), base, &magnitude);
    const uint64_t most = (uint64_t)INT64_MAX + (is_negative ? 1 : 0);
    if (magnitude > most) {
        magnitude = most;
        result = FX_GO_RANGE;
    }
    *ret_number = (int64_t)(is_negative ? 0 - magnitude : magnitude);
    return result;
}

/* ---- floats ---------------------------------------------------------------------- */

static bool is_word(struct fx_text text, const char *word) {
    return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

/* Parses `inf` and `infinity`, which may have a sign, and `nan`, which may not. */
static bool parse_special(struct fx_text text, struct fx_text unsigned_text,
                          double *ret_number) {
    if (is_word(unsigned_text, "inf") || is_word(unsigned_text, "infinity")) {
        *ret_number = text.data[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    if (is_word(text, "nan")) {
        *ret_number = (double)NAN;
        return true;
    }
    return false;
}

/* Removes digits, and each `_` that separates two digits. With `follows`, a `_` may also
 * come before the first digit. False for any other `_`. */
static bool take_digits(struct fx_text *text, unsigned base, bool follows,
                        size_t *ret_n) {
    size_t at = 0;
    bool is_parted = false; /* the last character is `_` */
    *ret_n = 0;
    for (; at < text->len; at++) {
        if (text->data[at] == '_') {
            if (!follows || is_parted) {
                return false;
            }
            is_parted = true;
            continue;
        }
        if (fx_digit_of(text->data[at]) >= base) {
            break;
        }
        follows = true;
        is_parted = false;
        ++*ret_n;
    }
    *text = fx_text_rest(*text, at);
    return !is_parted;
}

static bool take_any(struct fx_text *text, const char *of) {
    const bool is_one = fx_is_one_of(fx_text_first(*text), of);
    *text = fx_text_rest(*text, is_one ? 1 : 0);
    return is_one;
}

/* float := digits? ( '.' digits? )? ( 'e' sign? digits )?
 *        | '0x' hex? ( '.' hex? )? 'p' sign? digits
 *
 * with a digit before or after the point. */
static bool is_float(struct fx_text text) {
    const bool is_hex =
        text.len > 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x';
    const unsigned base = is_hex ? 16 : 10;
    size_t whole = 0;
    size_t fraction = 0;
    size_t exponent = 0;
    text = fx_text_rest(text, is_hex ? 2 : 0);
    if (!take_digits(&text, base, is_hex, &whole) ||
        (take_any(&text, ".") && !take_digits(&text, base, false, &fraction)) ||
        whole + fraction == 0) {
        return false;
    }
    if (!take_any(&text, is_hex ? "pP" : "eE")) {
        return !is_hex && text.len == 0;
    }
    (void)take_any(&text, "+-");
    return take_digits(&text, 10, false, &exponent) && exponent > 0 && text.len == 0;
}

/* Returns the value of a text that has the syntax of a float. */
static double read_float(struct fx_text text, char *room) {
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '_') {
            room[len++] = text.data[i];
        }
    }
    room[len] = '\0';
    return strtod(room, NULL);
}

enum fx_go_number fx_go_parse_float(struct fx_text text, double *ret_number) {
    const char first = fx_text_first(text);
    if (!fx_is_digit(first) && (first == '\0' || strchr("+-.inIN", first) == NULL)) {
        return FX_GO_SYNTAX; /* most texts end here */
    }
    struct fx_text rest = text;
    (void)take_any(&rest, "+-");
    if (parse_special(text, rest, ret_number)) {
        return FX_GO_NUMBER;
    }
    if (!is_float(rest)) {
        return FX_GO_SYNTAX;
    }
    char small[FX_GO_SHORT_NUMBER + 1];
    char *room = text.len < sizeof small ? small : malloc(text.len + 1);
    if (room == NULL) {
        return FX_GO_NOMEM;
    }
    const double number = read_float(text, room);
    if (room != small) {
        free(room);
    }
    if (isinf(number)) {
        return FX_GO_RANGE;
    }
    *ret_number = number;
    return FX_GO_NUMBER;
}

/* ---- quoted texts ---------------------------------------------------------------- */

/* Removes `n` digits of the base. */
static bool take_number(struct fx_text *text, size_t n, unsigned base,
                        uint32_t *ret_value) {
    *ret_value = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = i < text->len ? fx_digit_of(text->data[i]) : FX_NO_DIGIT;
        if (digit >= base) {
            return false;
        }
        *ret_value = *ret_value * base + digit;
    }
    *text = fx_text_rest(*text, n);
    return true;
}

static bool is_rune(uint32_t rune) {
    return rune <= 0x10FFFF && (rune < 0xD800 || rune > 0xDFFF);
}

/* Removes the rest of an escape, after its backslash. */
static bool take_escape(struct fx_text *text, char quote, uint32_t *ret_rune,
                        bool *ret_is_byte) {
    static const char letters[] = "abfnrtv\\";
    static const char meanings[] = "\a\b\f\n\r\t\v\\";
    const char c = fx_text_first(*text);
    if (text->len == 0) {
        return false;
    }
    if (c >= '0' && c <= '7') {
        *ret_is_byte = true;
        return take_number(text, 3, 8, ret_rune) && *ret_rune <= 0xFF;
    }
    *text = fx_text_rest(*text, 1);
    if (c == 'x') {
        *ret_is_byte = true;
        return take_number(text, 2, 16, ret_rune);
    }
    if (c == 'u' || c == 'U') {
        return take_number(text, c == 'u' ? 4 : 8, 16, ret_rune) && is_rune(*ret_rune);
    }
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    *ret_rune = (unsigned char)(letter != NULL ? meanings[letter - letters] : c);
    return letter != NULL || c == quote;
}

bool fx_go_unquote_rune(struct fx_text *text, char quote, uint32_t *ret_rune,
                        bool *ret_is_byte) {
    *ret_is_byte = false;
    if (text->data[0] == '\\') {
        *text = fx_text_rest(*text, 1);
        return take_escape(text, quote, ret_rune, ret_is_byte);
    }
    *text = fx_text_rest(*text, fx_text_rune(*text, ret_rune));
    return true;
}

static bool unquote_raw(struct fx_text text, char *out, size_t *ret_len) {
    *ret_len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\r') {
            out[(*ret_len)++] = text.data[i];
        }
    }
    return true;
}

/* Needs no more room than the quoted form has, which is never shorter than the result. */
bool fx_go_unquote(struct fx_text text, char quote, char *out, size_t *ret_len) {
    struct fx_text rest = text;
    size_t len = 0;
    if (quote == '`') {
        return unquote_raw(text, out, ret_len);
    }
    while (rest.len > 0) {
        if (rest.data[0] != '\\') { /* also invalid UTF-8, unchanged */
            out[len++] = rest.data[0];
            rest = fx_text_rest(rest, 1);
            continue;
        }
        const size_t at = text.len - rest.len;
        uint32_t rune = 0;
        bool is_byte = false;
        if (!fx_go_unquote_rune(&rest, quote, &rune, &is_byte)) {
            *ret_len = at;
            return false;
        }
        if (is_byte) {
            out[len++] = (char)(unsigned char)rune;
        } else {
            len += fx_text_encode_rune(rune, out + len);
        }
    }
    *ret_len = len;
    return true;
}
