/* SPDX-License-Identifier: Apache-2.0
 *
 * value/double_digits_testing.h - for tests: the shortest digits of a double, found by
 * trying one number of digits after the other with printf() and strtod(). Slow, and
 * independent of value/double_digits.cc.
 */
#ifndef FX_VALUE_DOUBLE_DIGITS_TESTING_H
#define FX_VALUE_DOUBLE_DIGITS_TESTING_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 17 /* enough to distinguish any two doubles */

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

#endif
