/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_number.c - the numbers of YAML 1.1 as go-yaml v2 reads them, with Go's
 * strconv beneath: 0777 and 0o777 are octal, 0x and 0b work, underscores are dropped.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "value/yaml_resolve.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static unsigned digit_value(char c) {
    if (is_digit(c)) {
        return (unsigned)(c - '0');
    }
    const int lower = tolower((unsigned char)c);
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : 255;
}

/* Takes the prefix that names the base off `digits`: 0x 0o 0b 0. */
static unsigned take_base(struct fx_text *digits) {
    unsigned base = 10;
    size_t prefix = 0;
    if (digits->len > 0 && digits->data[0] == '0') {
        const int letter = digits->len >= 3 ? tolower((unsigned char)digits->data[1]) : 0;
        base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
        prefix = letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1;
    }
    digits->data += prefix;
    digits->len -= prefix;
    return base;
}

/* Reads digits into 64 bits. "0" has none left behind its prefix. */
static bool read_digits(struct fx_text digits, unsigned base, uint64_t *ret_value) {
    uint64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        const unsigned digit = digit_value(digits.data[i]);
        if (digit >= base || value > (UINT64_MAX - digit) / base) {
            return false;
        }
        value = value * base + digit;
    }
    *ret_value = value;
    return true;
}

/* integer := [-+]? ( 0x hex+ | 0b bit+ | 0o? octal* | digit+ ), within 64 bits. */
static bool read_integer(struct fx_text text, struct fx_yaml_scalar *ret_scalar) {
    const bool sign = text.data[0] == '-' || text.data[0] == '+';
    const bool negative = text.data[0] == '-';
    struct fx_text digits = {text.data + sign, text.len - sign};
    if (digits.len == 0) {
        return false;
    }
    const unsigned base = take_base(&digits);
    uint64_t value = 0;
    const uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (!read_digits(digits, base, &value) || (value > most && sign)) {
        return false;
    }
    if (value > most) {
        *ret_scalar = (struct fx_yaml_scalar){FX_YAML_UINT, {.natural = value}};
        return true;
    }
    /* Negating as unsigned: INT64_MIN has no positive counterpart. */
    const int64_t integer = negative ? (int64_t)(0 - value) : (int64_t)value;
    *ret_scalar = (struct fx_yaml_scalar){FX_YAML_INT, {.integer = integer}};
    return true;
}

static size_t skip_digits(const char *text, size_t at) {
    while (is_digit(text[at])) {
        at++;
    }
    return at;
}

/* float := [-+]? ( '.' digit+ | digit+ ( '.' digit* )? ) ( [eE] [-+]? digit+ )? */
static bool is_float(const char *text) {
    size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0;
    const size_t whole = at;
    at = skip_digits(text, at);
    size_t n_digits = at - whole;
    if (text[at] == '.') {
        const size_t fraction = at + 1;
        at = skip_digits(text, fraction);
        n_digits += at - fraction;
    }
    if (n_digits == 0) {
        return false;
    }
    if (text[at] == 'e' || text[at] == 'E') {
        at += text[at + 1] == '-' || text[at + 1] == '+' ? 2 : 1;
        const size_t exponent = at;
        at = skip_digits(text, at);
        if (at == exponent) {
            return false;
        }
    }
    return text[at] == '\0';
}

static bool read_float(const char *text, struct fx_yaml_scalar *ret_scalar) {
    if (!is_float(text)) {
        return false;
    }
    const double value = strtod(text, NULL);
    if (isinf(value)) {
        return false; /* beyond a double: stays text, as in go-yaml */
    }
    *ret_scalar = (struct fx_yaml_scalar){FX_YAML_FLOAT, {.real = value}};
    return true;
}

/* Only signs, digits, points, underscores and the letters of hexadecimals, bases and
 * exponents, beginning as a number does. */
static bool may_be_number(struct fx_text text) {
    if (text.len == 0 ||
        (!is_digit(text.data[0]) && strchr("+-.", text.data[0]) == NULL)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (c == '\0' || (digit_value(c) > 15 && strchr("+-._xXoO", c) == NULL)) {
            return false;
        }
    }
    return true;
}

/* Behind a leading point Go's own syntax of floats holds: an underscore stands between
 * two digits. Elsewhere go-yaml drops every underscore before it looks. */
static bool has_misplaced_underscore(struct fx_text text) {
    if (text.data[0] != '.') {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (text.data[i] == '_' && (!is_digit(text.data[i - 1]) || i + 1 == text.len ||
                                    !is_digit(text.data[i + 1]))) {
            return true;
        }
    }
    return false;
}

static void add_without_underscores(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '_') {
            fx_buf_char(buf, text.data[i]);
        }
    }
}

bool fx_yaml_number(struct fx_text text, struct fx_yaml_scalar *ret_scalar,
                    bool *ret_nomem) {
    *ret_nomem = false;
    if (!may_be_number(text) || has_misplaced_underscore(text)) {
        return false;
    }
    struct fx_buf plain;
    fx_buf_init(&plain, 0);
    add_without_underscores(&plain, text);
    bool found = false;
    if (plain.failed) {
        *ret_nomem = true;
    } else {
        const struct fx_text digits = {plain.data, plain.len};
        found = read_integer(digits, ret_scalar) || read_float(plain.data, ret_scalar);
    }
    fx_buf_finish(&plain);
    return found;
}
