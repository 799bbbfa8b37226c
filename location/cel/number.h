/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/number.h - private to the room: the three kinds of numbers, compared and
 * converted as cel-go does it.
 */
#ifndef FX_LOCATION_CEL_NUMBER_H
#define FX_LOCATION_CEL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "location/cel/value.h"

static inline bool fx_cel_is_number(struct fx_cel_value value) {
    return value.kind >= FX_CEL_INT && value.kind <= FX_CEL_DOUBLE;
}

/* The integer with exactly the value of this number. False if there is none, or if the
 * value is no number. */
bool fx_cel_number_to_int(struct fx_cel_value number, int64_t *ret_integer);
bool fx_cel_number_to_uint(struct fx_cel_value number, uint64_t *ret_uinteger);

/* Orders two numbers. An integer is compared with a double as the double nearest to it
 * (measured), so 9223372036854775807 equals 9223372036854775808.0. False for NaN. */
bool fx_cel_number_compare(struct fx_cel_value a, struct fx_cel_value b, int *ret_order);

#endif
