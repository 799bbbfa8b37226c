/* SPDX-License-Identifier: Apache-2.0
 *
 * value/number.c - number text in and out. strtod() and printf() are exact in glibc; the
 * program never leaves the C locale, so their decimal point is a point.
 */
#include "value/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 17 /* enough to tell any two doubles apart */

/* 2^53: below it, the digits of a whole number are the shortest that read back as it. */
#define EXACT_MAX 9007199254740992.0

/* 0.d1d2d3… × 10^point */
struct decimal {
    char digits[MOST_DIGITS + 1];
    int n_digits, point;
};

static double decimal_value(const struct decimal *decimal) {
    char text[MOST_DIGITS + 16];
    (void)snprintf(text, sizeof text, "0.%se%d", decimal->digits, decimal->point);
    return strtod(text, NULL);
}

/* The decimal of n digits nearest to a positive value. */
static struct decimal nearest_decimal(double value, int n) {
    struct decimal decimal = {.n_digits = n};
    char text[MOST_DIGITS + 16]; /* d.ddde-308 */
    (void)snprintf(text, sizeof text, "%.*e", n - 1, value);
    decimal.digits[0] = text[0];
    if (n > 1) {
        memcpy(decimal.digits + 1, text + 2, (size_t)n - 1);
    }
    decimal.point = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
    return decimal;
}

/* The next decimal of as many digits. */
static void step_up(struct decimal *decimal) {
    int at = decimal->n_digits - 1;
    while (at > 0 && decimal->digits[at] == '9') {
        decimal->digits[at--] = '0';
    }
    if (decimal->digits[at] == '9') { /* 99 -> 10, one place up */
        decimal->digits[at] = '1';
        decimal->point++;
    } else {
        decimal->digits[at]++;
    }
}

/* Is there a decimal of n digits that reads back as the value? Below a power of two the
 * doubles lie closer than above it, so there the nearest decimal may be too far below
 * while the next one up is near enough. */
static bool try_digits(double value, int n, struct decimal *ret_decimal) {
    struct decimal decimal = nearest_decimal(value, n);
    bool found = decimal_value(&decimal) == value;
    int exponent = 0;
    if (!found && frexp(value, &exponent) == 0.5) {
        step_up(&decimal);
        found = decimal_value(&decimal) == value;
    }
    *ret_decimal = decimal;
    return found;
}

/* The shortest decimal that reads back as the value. Any decimal of DBL_DIG digits
 * survives the way through a normal double, so a shorter one shows as zeros at the end
 * of that many; subnormal numbers have fewer digits and are tried from one. */
static struct decimal shortest_decimal(double value) {
    struct decimal decimal = {0};
    int n = value < DBL_MIN ? 1 : DBL_DIG;
    while (n < MOST_DIGITS && !try_digits(value, n, &decimal)) {
        n++;
    }
    if (n == MOST_DIGITS) {
        decimal = nearest_decimal(value, n);
    }
    while (decimal.n_digits > 1 && decimal.digits[decimal.n_digits - 1] == '0') {
        decimal.digits[--decimal.n_digits] = '\0';
    }
    return decimal;
}

/* d.ddde+21 */
static size_t print_exponent(const struct decimal *decimal, char *out, size_t size) {
    const char *fraction = decimal->digits + 1;
    const int length =
        snprintf(out, size, "%c%s%se%+d", decimal->digits[0],
                 decimal->n_digits > 1 ? "." : "", fraction, decimal->point - 1);
    return (size_t)length;
}

/* 0.000ddd, dd.ddd or ddd000 */
static size_t print_fixed(const struct decimal *decimal, char *out, size_t size) {
    const int n = decimal->n_digits;
    const int point = decimal->point;
    int length = 0;
    if (point <= 0) {
        length = snprintf(out, size, "0.%.*s%s", -point, "0000000", decimal->digits);
    } else if (point >= n) {
        length = snprintf(out, size, "%s%.*s", decimal->digits, point - n,
                          "000000000000000000000");
    } else {
        length = snprintf(out, size, "%.*s.%s", point, decimal->digits,
                          decimal->digits + point);
    }
    return (size_t)length;
}

static size_t print_integer(json_int_t value, char out[FX_NUMBER_SIZE]) {
    char digits[FX_NUMBER_SIZE];
    size_t at = sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    memcpy(out, digits + at, sizeof digits - at);
    return sizeof digits - at - 1;
}

size_t fx_number_print_double(double value, char out[FX_NUMBER_SIZE]) {
    assert(isfinite(value));
    size_t sign = 0;
    if (signbit(value)) {
        out[sign++] = '-';
        value = -value;
    }
    if (value == 0) {
        memcpy(out + sign, "0", 2);
        return sign + 1;
    }
    if (value < EXACT_MAX && value == floor(value)) {
        return sign + print_integer((json_int_t)value, out + sign);
    }
    const struct decimal decimal = shortest_decimal(value);
    if (value < 1e-6 || value >= 1e21) {
        return sign + print_exponent(&decimal, out + sign, FX_NUMBER_SIZE - sign);
    }
    return sign + print_fixed(&decimal, out + sign, FX_NUMBER_SIZE - sign);
}

size_t fx_number_print(const json_t *number, char out[FX_NUMBER_SIZE]) {
    assert(json_is_number(number));
    return json_is_integer(number) ? print_integer(json_integer_value(number), out)
                                   : fx_number_print_double(json_real_value(number), out);
}

/* False for anything but an integer of 64 bits. */
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

/* strtod() wants a NUL behind the number: short ones, nearly all, are copied here. */
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

/* A double that is one. */
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
