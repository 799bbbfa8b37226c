/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/floats.c - Sprig's floats. Sums, products and quotients are computed as
 * decimal numbers, digit by digit: the sum of 0.1 and 0.2 is 0.3.
 */
#include "location/sprig/functions.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "value/number.h"

/* digits * 10^exponent; 0 has no digits. The digits are in the arena. */
struct decimal_number {
    bool negative;
    long exponent;
    size_t n;
    unsigned char *digits; /* 0 to 9, the highest first */
};

/* ---- decimal numbers --------------------------------------------------------------- */

#define QUOTIENT_PLACES 16

/* Makes a number of n digits, all zero, with that exponent. Each digit costs a unit. */
static bool make_decimal(struct template_run *run, long exponent, size_t n,
                         struct decimal_number *ret_decimal) {
    if (n > FX_LIMIT_TEMPLATE_DIGITS) {
        return fx_fail(run->err, FX_ELIMIT, "decimal number has more than %u digits",
                       FX_LIMIT_TEMPLATE_DIGITS);
    }
    if (!run_spend(run, n)) {
        return false;
    }
    unsigned char *digits = run_alloc(run, n);
    if (digits == NULL) {
        return false;
    }
    *ret_decimal =
        (struct decimal_number){.exponent = exponent, .n = n, .digits = digits};
    return true;
}

/* Removes the zeros at both ends. */
static void trim_decimal(struct decimal_number *decimal) {
    while (decimal->n > 0 && decimal->digits[0] == 0) {
        decimal->digits++;
        decimal->n--;
    }
    while (decimal->n > 0 && decimal->digits[decimal->n - 1] == 0) {
        decimal->n--;
        decimal->exponent++;
    }
    if (decimal->n == 0) {
        decimal->exponent = 0;
        decimal->negative = false;
    }
}

static bool decimal_of_double(struct template_run *run, double number,
                              struct decimal_number *ret_decimal) {
    if (!isfinite(number)) {
        return fx_fail(run->err, FX_EMUTATE, "Cannot create a Decimal from %s",
                       isnan(number) ? "NaN" : (number < 0 ? "-Inf" : "+Inf"));
    }
    char text[FX_NUMBER_SIZE];
    (void)fx_number_print_double(number, text);
    const char *mark = strchr(text, 'e');
    const long exponent = mark == NULL ? 0 : strtol(mark + 1, NULL, 10);
    const size_t len = mark == NULL ? strlen(text) : (size_t)(mark - text);
    if (!make_decimal(run, exponent, len, ret_decimal)) {
        return false;
    }
    assert(ret_decimal->digits != NULL);
    size_t n = 0;
    bool is_fraction = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            ret_decimal->digits[n++] = (unsigned char)(text[i] - '0');
            ret_decimal->exponent -= is_fraction ? 1 : 0;
        }
        is_fraction = is_fraction || text[i] == '.';
    }
    ret_decimal->n = n;
    ret_decimal->negative = text[0] == '-';
    trim_decimal(ret_decimal);
    return true;
}

static bool decimal_to_double(struct template_run *run,
                              const struct decimal_number *decimal, double *ret_number) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_char(&text, decimal->negative ? '-' : '+');
    fx_buf_char(&text, '0');
    for (size_t i = 0; i < decimal->n; i++) {
        fx_buf_char(&text, (char)('0' + decimal->digits[i]));
    }
    fx_buf_printf(&text, "e%ld", decimal->exponent);
    const bool failed = text.failed;
    if (!failed) {
        *ret_number = strtod(text.data, NULL);
    }
    fx_buf_finish(&text);
    return !failed || fx_fail_nomem(run->err);
}

/* Returns the digit of 10^position. */
static int digit_at(const struct decimal_number *decimal, long position) {
    const long from_end = position - decimal->exponent;
    if (from_end < 0 || from_end >= (long)decimal->n) {
        return 0;
    }
    return decimal->digits[decimal->n - 1 - (size_t)from_end];
}

/* Returns the exponent of the digit that would come before the first one. */
static long top_of(const struct decimal_number *decimal) {
    return decimal->exponent + (long)decimal->n;
}

/* Compares the magnitudes. Returns a negative number, 0 or a positive one. */
static int compare_decimals(const struct decimal_number *a,
                            const struct decimal_number *b) {
    const long top = top_of(a) > top_of(b) ? top_of(a) : top_of(b);
    const long low = a->exponent < b->exponent ? a->exponent : b->exponent;
    for (long position = top; position >= low; position--) {
        const int difference = digit_at(a, position) - digit_at(b, position);
        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

/* Computes |a| + sign * |b|, which must not be below 0; `sign` is 1 or -1. */
static bool combine(struct template_run *run, const struct decimal_number *a,
                    const struct decimal_number *b, int sign,
                    struct decimal_number *ret_result) {
    const long top = top_of(a) > top_of(b) ? top_of(a) : top_of(b);
    const long low = a->exponent < b->exponent ? a->exponent : b->exponent;
    if (!make_decimal(run, low, (size_t)(top - low) + 1, ret_result)) {
        return false;
    }
    int carry = 0;
    for (size_t i = 0; i < ret_result->n; i++) {
        const long position = low + (long)i;
        int digit = digit_at(a, position) + sign * digit_at(b, position) + carry;
        carry = digit >= 10 ? 1 : (digit < 0 ? -1 : 0);
        digit -= 10 * carry;
        ret_result->digits[ret_result->n - 1 - i] = (unsigned char)digit;
    }
    return true;
}

static bool decimal_add(struct template_run *run, const struct decimal_number *a,
                        const struct decimal_number *b, struct decimal_number *ret_sum) {
    const bool is_swapped = a->negative != b->negative && compare_decimals(a, b) < 0;
    const struct decimal_number *larger = is_swapped ? b : a;
    struct decimal_number sum = {0};
    if (!combine(run, larger, is_swapped ? a : b, a->negative == b->negative ? 1 : -1,
                 &sum)) {
        return false;
    }
    sum.negative = larger->negative;
    trim_decimal(&sum);
    *ret_sum = sum;
    return true;
}

static bool decimal_subtract(struct template_run *run, const struct decimal_number *a,
                             const struct decimal_number *b,
                             struct decimal_number *ret_difference) {
    struct decimal_number opposite = *b;
    opposite.negative = b->n > 0 && !b->negative;
    return decimal_add(run, a, &opposite, ret_difference);
}

/* Returns the digits as an integer. There are at most 17. */
static uint64_t coefficient(const struct decimal_number *decimal) {
    uint64_t number = 0;
    for (size_t i = 0; i < decimal->n; i++) {
        number = 10 * number + decimal->digits[i];
    }
    return number;
}

static bool decimal_multiply(struct template_run *run, const struct decimal_number *a,
                             const struct decimal_number *b,
                             struct decimal_number *ret_product) {
    const uint64_t factor = coefficient(b);
    struct decimal_number product = {0};
    if (!make_decimal(run, a->exponent + b->exponent, a->n + b->n, &product)) {
        return false;
    }
    uint64_t carry = 0;
    for (size_t i = 0; i < product.n; i++) {
        carry += factor * (uint64_t)digit_at(a, a->exponent + (long)i);
        product.digits[product.n - 1 - i] = (unsigned char)(carry % 10);
        carry /= 10;
    }
    product.negative = a->negative != b->negative;
    trim_decimal(&product);
    *ret_product = product;
    return true;
}

/* Adds 1 to the last digit. The number must have room for the carry. */
static void increment(struct decimal_number *decimal) {
    size_t i = decimal->n;
    while (i > 0 && decimal->digits[i - 1] == 9) {
        decimal->digits[--i] = 0;
    }
    if (i > 0) {
        decimal->digits[i - 1]++;
    }
}

/* Returns the number of digits of the quotient, with QUOTIENT_PLACES fractional digits
 * and one for a carry. */
static long quotient_length(const struct decimal_number *a,
                            const struct decimal_number *b) {
    const long length = top_of(a) - b->exponent + QUOTIENT_PLACES + 1;
    return length < 1 ? 1 : length;
}

static bool decimal_divide(struct template_run *run, const struct decimal_number *a,
                           const struct decimal_number *b,
                           struct decimal_number *ret_quotient) {
    if (b->n == 0) {
        return fx_fail(run->err, FX_EMUTATE, "decimal division by 0");
    }
    const uint64_t divisor = coefficient(b);
    struct decimal_number quotient = {0};
    if (!make_decimal(run, -QUOTIENT_PLACES, (size_t)quotient_length(a, b), &quotient)) {
        return false;
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < quotient.n; i++) {
        /* the position in `a` of the digit to bring down */
        const long position = b->exponent - QUOTIENT_PLACES + (long)(quotient.n - 1 - i);
        rest = 10 * rest + (uint64_t)digit_at(a, position);
        quotient.digits[i] = (unsigned char)(rest / divisor);
        rest %= divisor;
    }
    /* Rounds half up. The digits of `a` after the next one make no difference. */
    const int next = digit_at(a, b->exponent - QUOTIENT_PLACES - 1);
    if (2 * rest >= divisor || (2 * rest + 1 == divisor && next >= 5)) {
        increment(&quotient);
    }
    quotient.negative = a->negative != b->negative;
    trim_decimal(&quotient);
    *ret_quotient = quotient;
    return true;
}

/* ---- the functions ----------------------------------------------------------------- */

static bool argument(struct template_call *call, size_t i, double *ret_number) {
    return value_to_float64(call->run, &call->arguments[i], ret_number);
}

static bool return_float64(struct template_call *call, double number) {
    *call->ret = value_float64(number);
    return true;
}

static bool call_float64(struct template_call *call) {
    double number = 0;
    return argument(call, 0, &number) && return_float64(call, number);
}

typedef bool operation(struct template_run *run, const struct decimal_number *a,
                       const struct decimal_number *b, struct decimal_number *ret_result);

/* Computes total = total `operate` number. */
static bool operate_on(struct template_call *call, operation *operate, double number,
                       struct decimal_number *total) {
    struct decimal_number operand = {0};
    struct decimal_number result = {0};
    if (!decimal_of_double(call->run, number, &operand) ||
        !operate(call->run, total, &operand, &result)) {
        return false;
    }
    *total = result;
    return true;
}

static bool return_decimal(struct template_call *call,
                           const struct decimal_number *decimal) {
    double number = 0;
    return decimal_to_double(call->run, decimal, &number) && return_float64(call, number);
}

/* Combines `total` with the arguments from index `from` on. */
static bool fold(struct template_call *call, operation *operate,
                 struct decimal_number total, size_t from) {
    for (size_t i = from; i < call->n_arguments; i++) {
        double number = 0;
        if (!argument(call, i, &number) || !operate_on(call, operate, number, &total)) {
            return false;
        }
    }
    return return_decimal(call, &total);
}

enum { SUBTRACT, MULTIPLY, DIVIDE };

static bool call_fold(struct template_call *call) {
    static operation *const operations[] = {[SUBTRACT] = decimal_subtract,
                                            [MULTIPLY] = decimal_multiply,
                                            [DIVIDE] = decimal_divide};
    double first = 0;
    struct decimal_number total = {0};
    return argument(call, 0, &first) && decimal_of_double(call->run, first, &total) &&
           fold(call, operations[call->function->variant], total, 1);
}

static bool call_addf(struct template_call *call) {
    return fold(call, decimal_add, (struct decimal_number){0}, 0);
}

static bool call_add1f(struct template_call *call) {
    double first = 0;
    struct decimal_number total = {0};
    return argument(call, 0, &first) && decimal_of_double(call->run, first, &total) &&
           operate_on(call, decimal_add, 1, &total) && return_decimal(call, &total);
}

/* Computes math.Max: NaN is larger than any number but positive infinity; 0 is larger
 * than -0. */
static double larger(double a, double b) {
    if (isinf(a) && a > 0) {
        return a;
    }
    if (isinf(b) && b > 0) {
        return b;
    }
    if (isnan(a) || isnan(b)) {
        return (double)NAN;
    }
    if (a == 0 && b == 0) {
        return signbit(a) ? b : a;
    }
    return a > b ? a : b;
}

enum { MOST, LEAST };

static bool call_extreme(struct template_call *call) {
    const double sign = call->function->variant == MOST ? 1 : -1;
    double extreme = 0;
    if (!argument(call, 0, &extreme)) {
        return false;
    }
    for (size_t i = 1; i < call->n_arguments; i++) {
        double number = 0;
        if (!argument(call, i, &number)) {
            return false;
        }
        extreme = sign * larger(sign * extreme, sign * number);
    }
    return return_float64(call, extreme);
}

enum { DOWN, UP };

static bool call_to_whole(struct template_call *call) {
    double number = 0;
    return argument(call, 0, &number) &&
           return_float64(call,
                          call->function->variant == UP ? ceil(number) : floor(number));
}

/* Rounds to a number of places: up if the fraction reaches the threshold (default .5).
 * The fraction of a negative number is negative, so it is rounded down, as in Sprig. */
static bool call_round(struct template_call *call) {
    double number = 0;
    if (!argument(call, 0, &number)) {
        return false;
    }
    const double threshold = call->n_arguments > 2 ? call->arguments[2].number : .5;
    const double power = pow(10, (double)call->arguments[1].integer);
    double whole = 0;
    const double moved = power * number;
    const double fraction = modf(moved, &whole);
    return return_float64(call,
                          (fraction >= threshold ? ceil(moved) : floor(moved)) / power);
}

const struct function functions_floats[] = {
    FUNCTION("float64", call_float64, 1, ANY),
    VARIADIC("addf", call_addf, 1, ANY),
    FUNCTION("add1f", call_add1f, 1, ANY),
    VARIADIC_VARIANT("subf", call_fold, SUBTRACT, 1, ANY, ANY),
    VARIADIC_VARIANT("mulf", call_fold, MULTIPLY, 1, ANY, ANY),
    VARIADIC_VARIANT("divf", call_fold, DIVIDE, 1, ANY, ANY),
    VARIADIC_VARIANT("maxf", call_extreme, MOST, 1, ANY, ANY),
    VARIADIC_VARIANT("minf", call_extreme, LEAST, 1, ANY, ANY),
    VARIANT("floor", call_to_whole, DOWN, 1, ANY),
    VARIANT("ceil", call_to_whole, UP, 1, ANY),
    VARIADIC("round", call_round, 1, ANY, INT, FLOAT64),
    {.name = NULL},
};
