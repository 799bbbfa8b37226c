/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/floats.c - Sprig's floats. Sums, products and quotients
 * are those of decimal numbers (decimal.h): 0.1 and 0.2 are 0.3.
 */
#include <math.h>

#include "location/sprig/convert.h"
#include "location/sprig/decimal.h"
#include "location/sprig/numbers.h"

static bool argument(struct call *call, size_t i, double *ret_number) {
    return value_to_float64(call->run, &call->arguments[i], ret_number);
}

static bool return_float64(struct call *call, double number) {
    *call->ret = value_float64(number);
    return true;
}

bool call_float64(struct call *call) {
    double number = 0;
    return argument(call, 0, &number) && return_float64(call, number);
}

typedef bool operation(struct run *run, const struct decimal *a, const struct decimal *b,
                       struct decimal *ret_result);

/* total = total `operate` number */
static bool operate_on(struct call *call, operation *operate, double number,
                       struct decimal *total) {
    struct decimal operand = {0};
    struct decimal result = {0};
    if (!decimal_of_double(call->run, number, &operand) ||
        !operate(call->run, total, &operand, &result)) {
        return false;
    }
    *total = result;
    return true;
}

static bool return_decimal(struct call *call, const struct decimal *decimal) {
    double number = 0;
    return decimal_to_double(call->run, decimal, &number) && return_float64(call, number);
}

/* Begins with `total` and goes through the arguments from that one on. */
static bool fold(struct call *call, operation *operate, struct decimal total,
                 size_t from) {
    for (size_t i = from; i < call->n_arguments; i++) {
        double number = 0;
        if (!argument(call, i, &number) || !operate_on(call, operate, number, &total)) {
            return false;
        }
    }
    return return_decimal(call, &total);
}

static bool fold_all(struct call *call, operation *operate) {
    double first = 0;
    struct decimal total = {0};
    return argument(call, 0, &first) && decimal_of_double(call->run, first, &total) &&
           fold(call, operate, total, 1);
}

bool call_addf(struct call *call) {
    return fold(call, decimal_add, (struct decimal){0}, 0);
}

bool call_add1f(struct call *call) {
    double first = 0;
    struct decimal total = {0};
    return argument(call, 0, &first) && decimal_of_double(call->run, first, &total) &&
           operate_on(call, decimal_add, 1, &total) && return_decimal(call, &total);
}

bool call_subf(struct call *call) {
    return fold_all(call, decimal_subtract);
}

bool call_mulf(struct call *call) {
    return fold_all(call, decimal_multiply);
}

bool call_divf(struct call *call) {
    return fold_all(call, decimal_divide);
}

/* math.Max: NaN wins, unless there is an infinity of that sign; 0 is above -0. */
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

bool call_maxf(struct call *call) {
    double most = 0;
    if (!argument(call, 0, &most)) {
        return false;
    }
    for (size_t i = 1; i < call->n_arguments; i++) {
        double number = 0;
        if (!argument(call, i, &number)) {
            return false;
        }
        most = larger(most, number);
    }
    return return_float64(call, most);
}

bool call_minf(struct call *call) {
    double least = 0;
    if (!argument(call, 0, &least)) {
        return false;
    }
    for (size_t i = 1; i < call->n_arguments; i++) {
        double number = 0;
        if (!argument(call, i, &number)) {
            return false;
        }
        least = -larger(-least, -number);
    }
    return return_float64(call, least);
}

bool call_floor(struct call *call) {
    double number = 0;
    return argument(call, 0, &number) && return_float64(call, floor(number));
}

bool call_ceil(struct call *call) {
    double number = 0;
    return argument(call, 0, &number) && return_float64(call, ceil(number));
}

/* To so many places: up where the fraction reaches the threshold, which is .5 where none
 * is given. That of a negative number is negative, so those go down, as in Sprig. */
bool call_round(struct call *call) {
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
