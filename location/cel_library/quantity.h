/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/quantity.h - amounts of resources, as Kubernetes reads, computes
 * and writes them (spec/cel.md section 10): "1.5Gi", "100m", "1e3".
 */
#ifndef FX_LOCATION_CEL_LIBRARY_QUANTITY_H
#define FX_LOCATION_CEL_LIBRARY_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/decimal.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* How the amount is written. */
enum fx_cel_quantity_format {
    FX_CEL_QUANTITY_EXPONENT, /* 1e3 */
    FX_CEL_QUANTITY_DECIMAL,  /* n u m k M G T P E */
    FX_CEL_QUANTITY_BINARY,   /* Ki Mi Gi Ti Pi Ei */
};

/* Immutable. */
struct fx_cel_quantity {
    enum fx_cel_quantity_format format;
    /* Like Kubernetes, a small amount is `value` × 10^scale, and others are `decimal`: an
     * amount that is stored so is no integer to isInteger() and asInteger(). */
    bool is_decimal;
    int64_t value;
    int32_t scale;
    struct fx_decimal decimal; /* its limbs are in an arena */
};

/* Reads a quantity. Errors: FX_EMUTATE with the message of Kubernetes, or for a number of
 * too many digits; FX_ENOMEM. */
bool fx_cel_quantity_parse(struct fx_arena *arena, struct fx_text text,
                           struct fx_cel_quantity *ret_quantity,
                           struct fx_err *err) FX_MUST_USE;

/* The quantity of an integer. */
struct fx_cel_quantity fx_cel_quantity_of(int64_t integer);

/* a + b and a - b; the format is that of `a` if it is not 0. Errors: as above. */
bool fx_cel_quantity_add(struct fx_arena *arena, const struct fx_cel_quantity *a,
                         const struct fx_cel_quantity *b, struct fx_cel_quantity *ret_sum,
                         struct fx_err *err) FX_MUST_USE;
bool fx_cel_quantity_subtract(struct fx_arena *arena, const struct fx_cel_quantity *a,
                              const struct fx_cel_quantity *b,
                              struct fx_cel_quantity *ret_difference,
                              struct fx_err *err) FX_MUST_USE;

/* Compares by value: -1, 0 or 1. */
int fx_cel_quantity_compare(const struct fx_cel_quantity *a,
                            const struct fx_cel_quantity *b);

/* -1, 0 or 1 */
int fx_cel_quantity_sign(const struct fx_cel_quantity *quantity);

/* asInteger(); false if Kubernetes does not see an integer. */
bool fx_cel_quantity_integer(const struct fx_cel_quantity *quantity,
                             int64_t *ret_integer) FX_MUST_USE;

/* asApproximateFloat(). False without memory. */
bool fx_cel_quantity_double(const struct fx_cel_quantity *quantity,
                            double *ret_double) FX_MUST_USE;

/* Appends the canonical text: of the texts with the unit that the format has, the one
 * with the smallest integer. */
void fx_cel_quantity_print(struct fx_buf *buf, const struct fx_cel_quantity *quantity);

/* The digits of the quantity, for the price of a comparison or sum. */
size_t fx_cel_quantity_length(const struct fx_cel_quantity *quantity);

#endif
