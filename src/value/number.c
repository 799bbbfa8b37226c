/* SPDX-License-Identifier: Apache-2.0
 *
 * value/number.c - reads and writes numbers. strtod() is exact in glibc; the program
 * never leaves the C locale, so its decimal point is a point.
 */
#include "value/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MOST_EXACT 0x1p53 /* integers up to here are their own shortest decimals */

static char *add_zeros(char *out, int n) {
    memset(out, '0', (size_t)n);
    return out + n;
}

static char *add_digits(char *out, const char *digits, int n) {
    memcpy(out, digits, (size_t)n);
    return out + n;
}

/* Writes the digits of the number before `end`; returns where they begin. */
static char *put_before(char *end, uint64_t number) {
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

/* Writes d.ddde+21, with at least `least` digits in the exponent; returns the end. */
static char *print_exponent(const struct fx_double_digits *digits, int least, char *out) {
    const int exponent = digits->point - 1;
    char number[8];
    char *const end = number + sizeof number;
    char *from = put_before(end, (uint64_t)(exponent < 0 ? -exponent : exponent));
    while (end - from < least) {
        *--from = '0';
    }
    *out++ = digits->text[0];
    if (digits->n > 1) {
        *out++ = '.';
        out = add_digits(out, digits->text + 1, digits->n - 1);
    }
    *out++ = 'e';
    *out++ = (char)(exponent < 0 ? '-' : '+');
    return add_digits(out, from, (int)(end - from));
}

/* Writes 0.000ddd, dd.ddd or ddd000; returns the end. */
static char *print_fixed(const struct fx_double_digits *digits, char *out) {
    const int n = digits->n;
    const int point = digits->point;
    if (point <= 0) {
        *out++ = '0';
        *out++ = '.';
        out = add_zeros(out, -point);
        return add_digits(out, digits->text, n);
    }
    if (point >= n) {
        out = add_digits(out, digits->text, n);
        return add_zeros(out, point - n);
    }
    out = add_digits(out, digits->text, point);
    *out++ = '.';
    return add_digits(out, digits->text + point, n - point);
}

/* Writes a finite value that is not negative; returns the end. */
static char *print_magnitude(double value, char *out) {
    if (value < MOST_EXACT && value == (double)(uint64_t)value) {
        char number[FX_NUMBER_SIZE];
        const char *from = put_before(number + sizeof number, (uint64_t)value);
        return add_digits(out, from, (int)(number + sizeof number - from));
    }
    struct fx_double_digits digits;
    fx_double_digits_find(value, false, &digits);
    return value < 1e-6 || value >= 1e21 ? print_exponent(&digits, 1, out)
                                         : print_fixed(&digits, out);
}

size_t fx_number_print_double(double value, char out[FX_NUMBER_SIZE]) {
    assert(isfinite(value));
    char *at = out;
    if (signbit(value)) {
        *at++ = '-';
    }
    at = print_magnitude(fabs(value), at);
    *at = '\0';
    return (size_t)(at - out);
}

size_t fx_number_print_go(double value, bool is_single, char out[FX_NUMBER_SIZE]) {
    struct fx_double_digits digits;
    char *at = out;
    if (signbit(value) || isinf(value)) {
        *at++ = signbit(value) ? '-' : '+';
    }
    if (!isfinite(value)) {
        at = add_digits(isnan(value) ? out : at, isnan(value) ? "NaN" : "Inf", 3);
    } else {
        fx_double_digits_find(fabs(value), is_single, &digits);
        at = digits.point < -3 || digits.point > 6 ? print_exponent(&digits, 2, at)
                                                   : print_fixed(&digits, at);
    }
    *at = '\0';
    return (size_t)(at - out);
}

size_t fx_number_print_integer(int64_t value, char out[FX_NUMBER_SIZE]) {
    char digits[FX_NUMBER_SIZE];
    char *end = digits + sizeof digits;
    char *from = put_before(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value < 0) {
        *--from = '-';
    }
    char *to = add_digits(out, from, (int)(end - from));
    *to = '\0';
    return (size_t)(to - out);
}

size_t fx_number_print(const json_t *number, char out[FX_NUMBER_SIZE]) {
    assert(json_is_number(number));
    return json_is_integer(number)
               ? fx_number_print_integer(json_integer_value(number), out)
               : fx_number_print_double(json_real_value(number), out);
}

void fx_number_add(struct fx_buf *buf, const json_t *number) {
    char text[FX_NUMBER_SIZE];
    fx_buf_add(buf, text, fx_number_print(number, text));
}

/* Reads an integer of 64 bits. False for any other text. */
static bool parse_integer(struct fx_text text, int64_t *ret_value) {
    const bool negative = text.data[0] == '-';
    const uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t value = 0;
    if (text.len > sizeof "-9223372036854775808" - 1) {
        return false;
    }
    for (size_t i = negative ? 1 : 0; i < text.len; i++) {
        const unsigned digit = (unsigned)(text.data[i] - '0');
        if (digit > 9 || value > (most - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *ret_value = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

/* strtod() needs a NUL after the number, so short numbers are copied to the stack. */
static bool parse_double(struct fx_text text, double *ret_value) {
    char local[64];
    char *copy = text.len < sizeof local ? local : malloc(text.len + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    *ret_value = strtod(copy, NULL);
    if (copy != local) {
        free(copy);
    }
    return true;
}

/* Reads a finite double. */
static bool parse_finite(struct fx_text text, double *ret_value, bool *ret_overflow) {
    *ret_overflow = false;
    if (!parse_double(text, ret_value)) {
        return false;
    }
    *ret_overflow = isinf(*ret_value);
    return !*ret_overflow;
}

bool fx_number_check(struct fx_text text, bool *ret_overflow) {
    int64_t integer = 0;
    double real = 0;
    assert(text.len > 0);
    *ret_overflow = false;
    return parse_integer(text, &integer) || parse_finite(text, &real, ret_overflow);
}

json_t *fx_number_parse(struct fx_text text, bool *ret_overflow) {
    int64_t integer = 0;
    double real = 0;
    assert(text.len > 0);
    *ret_overflow = false;
    if (parse_integer(text, &integer)) {
        return json_integer(integer);
    }
    return parse_finite(text, &real, ret_overflow) ? json_real(real) : NULL;
}
