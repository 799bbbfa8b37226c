/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/decimal.h - private: decimal numbers, which 0.1 + 0.2 is exact in.
 */
#ifndef FX_LOCATION_SPRIG_DECIMAL_H
#define FX_LOCATION_SPRIG_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "location/gotemplate/run.h"

/* digits * 10^exponent; no digits: 0. The digits are those of an arena. */
struct decimal {
    bool negative;
    long exponent;
    size_t n;
    unsigned char *digits; /* 0 to 9, the highest first */
};

/* The number by its shortest digits. NaN and infinities: FX_EMUTATE in the words of the
 * library behind Sprig. All that follows fails with FX_ELIMIT where a number would have
 * more than FX_LIMIT_TEMPLATE_DIGITS digits. */
bool decimal_of_double(struct run *run, double number,
                       struct decimal *ret_decimal) FX_MUST_USE;

/* The nearest double; infinite where there is none. */
bool decimal_to_double(struct run *run, const struct decimal *decimal,
                       double *ret_number) FX_MUST_USE;

/* a + b, a - b, a * b; of a product and a quotient `b` has 17 digits at most, as
 * decimal_of_double() makes them. */
bool decimal_add(struct run *run, const struct decimal *a, const struct decimal *b,
                 struct decimal *ret_sum) FX_MUST_USE;
bool decimal_subtract(struct run *run, const struct decimal *a, const struct decimal *b,
                      struct decimal *ret_difference) FX_MUST_USE;
bool decimal_multiply(struct run *run, const struct decimal *a, const struct decimal *b,
                      struct decimal *ret_product) FX_MUST_USE;

/* a / b with 16 digits behind the point, the last one rounded half away from 0. By 0:
 * FX_EMUTATE. */
bool decimal_divide(struct run *run, const struct decimal *a, const struct decimal *b,
                    struct decimal *ret_quotient) FX_MUST_USE;

#endif
