/* SPDX-License-Identifier: Apache-2.0
 *
 * base/quantity.h - amounts of resources, as Kubernetes reads, computes
 * and writes them (spec/cel.md section 10): "1.5Gi", "100m", "1e3". CEL and Kyverno's
 * JMESPath compute with them.
 */
#ifndef FX_BASE_QUANTITY_H
#define FX_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/decimal.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* How the amount is written. */
enum fx_quantity_format {
    FX_QUANTITY_EXPONENT, /* 1e3 */
    FX_QUANTITY_DECIMAL,  /* n u m k M G T P E */
    FX_QUANTITY_BINARY,   /* Ki Mi Gi Ti Pi Ei */
};

/* Immutable. */
struct fx_quantity {
    enum fx_quantity_format format;
    /* Like Kubernetes, a small amount is `value` × 10^scale, and others are `decimal`: an
     * amount that is stored so is no integer to isInteger() and asInteger(). */
    bool is_decimal;
    int64_t value;
    int32_t scale;
    struct fx_decimal decimal; /* its limbs are in an arena */
};

/* Reads a quantity. Errors: FX_EMUTATE with the message of Kubernetes, or for a number of
 * too many digits; FX_ENOMEM. */
bool fx_quantity_parse(struct fx_arena *arena, struct fx_text text,
                       struct fx_quantity *ret_quantity, struct fx_err *err) FX_MUST_USE;

/* The quantity of an integer. */
struct fx_quantity fx_quantity_of(int64_t integer);

/* a + b and a - b; the format is that of `a` if it is not 0. Errors: as above. */
bool fx_quantity_add(struct fx_arena *arena, const struct fx_quantity *a,
                     const struct fx_quantity *b, struct fx_quantity *ret_sum,
                     struct fx_err *err) FX_MUST_USE;
bool fx_quantity_subtract(struct fx_arena *arena, const struct fx_quantity *a,
                          const struct fx_quantity *b, struct fx_quantity *ret_difference,
                          struct fx_err *err) FX_MUST_USE;

/* a × b and a / b, in the format of `a`. A quotient is cut toward zero at the last
 * decimal place that `a` or `b` has, or at the last one before the point. In a quotient
 * `b` is not 0, and has at most FX_DECIMAL_DIVISOR_DIGITS digits without the zeros at its
 * end. Errors: as above. The time of a product is that of its digits times each other. */
bool fx_quantity_multiply(struct fx_arena *arena, const struct fx_quantity *a,
                          const struct fx_quantity *b, struct fx_quantity *ret_product,
                          struct fx_err *err) FX_MUST_USE;
bool fx_quantity_divide(struct fx_arena *arena, const struct fx_quantity *a,
                        const struct fx_quantity *b, struct fx_quantity *ret_quotient,
                        struct fx_err *err) FX_MUST_USE;

/* Compares by value: -1, 0 or 1. */
int fx_quantity_compare(const struct fx_quantity *a, const struct fx_quantity *b);

/* -1, 0 or 1 */
int fx_quantity_sign(const struct fx_quantity *quantity);

/* asInteger(); false if Kubernetes does not see an integer. */
bool fx_quantity_integer(const struct fx_quantity *quantity,
                         int64_t *ret_integer) FX_MUST_USE;

/* asApproximateFloat(). False without memory. */
bool fx_quantity_double(const struct fx_quantity *quantity,
                        double *ret_double) FX_MUST_USE;

/* Appends the canonical text: of the texts with the unit that the format has, the one
 * with the smallest integer. */
void fx_quantity_print(struct fx_buf *buf, const struct fx_quantity *quantity);

/* The digits of the quantity, for the price of a comparison or sum. */
size_t fx_quantity_length(const struct fx_quantity *quantity);

#endif
