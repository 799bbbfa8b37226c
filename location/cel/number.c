/* SPDX-License-Identifier: Apache-2.0
 *
 * number.c - the three kinds of numbers, compared and converted.
 */
#include "location/cel/number.h"

#include <math.h>

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_64 18446744073709551616.0

bool fx_cel_number_to_int(struct fx_cel_value number, int64_t *ret_integer) {
    if (number.kind == FX_CEL_INT) {
        *ret_integer = number.integer;
        return true;
    }
    if (number.kind == FX_CEL_UINT) {
        *ret_integer = (int64_t)(number.uinteger & INT64_MAX);
        return number.uinteger <= INT64_MAX;
    }
    if (number.kind != FX_CEL_DOUBLE ||
        !(number.real > -TWO_TO_63 && number.real < TWO_TO_63)) {
        return false;
    }
    *ret_integer = (int64_t)number.real;
    return (double)*ret_integer == number.real;
}

bool fx_cel_number_to_uint(struct fx_cel_value number, uint64_t *ret_uinteger) {
    if (number.kind == FX_CEL_UINT) {
        *ret_uinteger = number.uinteger;
        return true;
    }
    if (number.kind == FX_CEL_INT) {
        *ret_uinteger = (uint64_t)number.integer;
        return number.integer >= 0;
    }
    if (number.kind != FX_CEL_DOUBLE || !(number.real >= 0 && number.real < TWO_TO_64)) {
        return false;
    }
    *ret_uinteger = (uint64_t)number.real;
    return (double)*ret_uinteger == number.real;
}

static double as_double(struct fx_cel_value number) {
    return number.kind == FX_CEL_INT    ? (double)number.integer
           : number.kind == FX_CEL_UINT ? (double)number.uinteger
                                        : number.real;
}

/* An int with a uint. */
static int order_integers(int64_t a, uint64_t b) {
    return a < 0 ? -1 : ((uint64_t)a > b) - ((uint64_t)a < b);
}

bool fx_cel_number_compare(struct fx_cel_value a, struct fx_cel_value b, int *ret_order) {
    if (a.kind == FX_CEL_DOUBLE || b.kind == FX_CEL_DOUBLE) {
        const double left = as_double(a);
        const double right = as_double(b);
        *ret_order = (left > right) - (left < right);
        return !isnan(left) && !isnan(right);
    }
    if (a.kind == FX_CEL_INT) {
        *ret_order = b.kind == FX_CEL_INT
                         ? (a.integer > b.integer) - (a.integer < b.integer)
                         : order_integers(a.integer, b.uinteger);
    } else {
        *ret_order = b.kind == FX_CEL_INT
                         ? -order_integers(b.integer, a.uinteger)
                         : (a.uinteger > b.uinteger) - (a.uinteger < b.uinteger);
    }
    return true;
}
