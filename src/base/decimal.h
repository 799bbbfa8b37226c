/* SPDX-License-Identifier: Apache-2.0
 *
 * base/decimal.h - exact decimal numbers of any size: an integer of limbs of nine digits
 * each, and a power of ten. For amounts beyond 64 bits.
 *
 * A number is immutable; its limbs live in an arena or with the caller. Functions that
 * make one fail with FX_ENOMEM, or with FX_ELIMIT if it has more than
 * FX_LIMIT_DECIMAL_DIGITS digits. Their time is linear in the digits, except for
 * products.
 */
#ifndef FX_BASE_DECIMAL_H
#define FX_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The integer × 10^-scale. */
struct fx_decimal {
    bool is_negative; /* of 0: any */
    size_t n;
    const uint32_t *limbs; /* the lowest first, each below 1e9; the last is not 0 */
    int64_t scale;         /* at most INT32_MAX in size */
};

#define FX_DECIMAL_INTEGER_LIMBS 3 /* of any int64_t */

/* Zero is a number without limbs. */
static inline bool fx_decimal_is_zero(const struct fx_decimal *number) {
    return number->n == 0;
}

/* The number value × 10^-scale, whose limbs are in `room`. */
struct fx_decimal fx_decimal_of_integer(int64_t value, int64_t scale,
                                        uint32_t room[FX_DECIMAL_INTEGER_LIMBS]);

/* The number of the digits of `whole` and then of `fraction`, decimal digits alone, whose
 * scale is the length of `fraction` less `exponent`. */
bool fx_decimal_parse(struct fx_arena *arena, struct fx_text whole,
                      struct fx_text fraction, int64_t exponent,
                      struct fx_decimal *ret_number, struct fx_err *err) FX_MUST_USE;

/* a + b, with the larger scale of both. */
bool fx_decimal_add(struct fx_arena *arena, const struct fx_decimal *a,
                    const struct fx_decimal *b, struct fx_decimal *ret_sum,
                    struct fx_err *err) FX_MUST_USE;

/* a × b, with the sum of both scales. The time is that of the digits of `a` times those
 * of `b`. */
bool fx_decimal_multiply(struct fx_arena *arena, const struct fx_decimal *a,
                         const struct fx_decimal *b, struct fx_decimal *ret_product,
                         struct fx_err *err) FX_MUST_USE;

#define FX_DECIMAL_DIVISOR_DIGITS 18 /* without the zeros at the end */

/* a / b with this scale; digits behind it are cut off. `b` is not 0. FX_ELIMIT also if
 * `b` has too many digits. */
bool fx_decimal_divide(struct fx_arena *arena, const struct fx_decimal *a,
                       const struct fx_decimal *b, int64_t scale,
                       struct fx_decimal *ret_quotient, struct fx_err *err) FX_MUST_USE;

/* number × 2^bits, with the same scale; at most 60 bits. */
bool fx_decimal_shift(struct fx_arena *arena, const struct fx_decimal *number,
                      unsigned bits, struct fx_decimal *ret_product,
                      struct fx_err *err) FX_MUST_USE;

/* The number with this scale; digits that are lost round away from zero. */
bool fx_decimal_rescale(struct fx_arena *arena, const struct fx_decimal *number,
                        int64_t scale, struct fx_decimal *ret_number,
                        struct fx_err *err) FX_MUST_USE;

/* Compares by value: negative, 0 or positive. */
int fx_decimal_compare(const struct fx_decimal *a, const struct fx_decimal *b);

/* Appends the digits of the integer, without sign and scale; "0" for zero. */
void fx_decimal_print_digits(struct fx_buf *buf, const struct fx_decimal *number);

/* The zeros at the end of the integer, which is not 0. */
size_t fx_decimal_count_zeros(const struct fx_decimal *number);

/* Divides the integer, whose scale is 0, by 1024. False if there is a remainder:
 * *ret_quotient does not change. Errors set err->code. */
bool fx_decimal_divide_by_1024(struct fx_arena *arena, const struct fx_decimal *number,
                               struct fx_decimal *ret_quotient,
                               struct fx_err *err) FX_MUST_USE;

#endif
