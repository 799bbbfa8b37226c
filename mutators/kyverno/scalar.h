/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/scalar.h - single values as patterns and conditions compare them: as durations,
 * as quantities, as texts.
 */
#ifndef FX_KYVERNO_SCALAR_H
#define FX_KYVERNO_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"
#include "value/number.h"

/* The text of a scalar: of a string itself, of a number as JSON has it, "true", "false",
 * "null". data NULL for a map or a list. A number is written into `space`. */
struct fx_text fx_kyverno_scalar_text(const json_t *scalar, char space[FX_NUMBER_SIZE]);

/* Reads a duration of Go ("1h30m"; "0"). */
bool fx_kyverno_duration(struct fx_text text, int64_t *ret_nanoseconds);

/* Compares two texts as quantities: *ret_order is -1, 0 or 1. False if one of them is no
 * quantity. */
bool fx_kyverno_compare_quantities(struct fx_arena *arena, struct fx_text a,
                                   struct fx_text b, int *ret_order);

/* Is the text a quantity? */
bool fx_kyverno_is_quantity(struct fx_arena *arena, struct fx_text text);

/* Splits a range, "1-5", "128Mi!-512Mi" (*ret_is_not): two amounts, each with an optional
 * sign, digits, a fraction and a unit of letters. False if the text is none. */
bool fx_kyverno_split_range(struct fx_text text, struct fx_text *ret_low,
                            struct fx_text *ret_high, bool *ret_is_not);

#endif
