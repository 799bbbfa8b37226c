/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/operand.h - private to the room: the operands of Kyverno's
 * arithmetic: scalars (numbers), quantities such as "12Ki" and durations such as "1h30m"
 * (strings).
 */
#ifndef FX_LOCATION_JMESPATH_OPERAND_H
#define FX_LOCATION_JMESPATH_OPERAND_H

#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/quantity.h"

enum jmespath_operand_type {
    JMESPATH_SCALAR,
    JMESPATH_QUANTITY,
    JMESPATH_DURATION,
};

struct jmespath_operand {
    enum jmespath_operand_type type;
    const json_t *scalar; /* borrowed */
    struct fx_quantity quantity;
    int64_t duration; /* in nanoseconds */
};

/* Reads a value. A string that can be both, such as "0", is a quantity. Spends for what
 * it reads. Errors: FX_EINVALID for any other value; FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM.
 */
bool jmespath_operand_read(struct fx_arena *arena, const json_t *value,
                           struct jmespath_operand *ret_operand,
                           struct fx_err *err) FX_MUST_USE;

/* Spends for one operation on two quantities, and for printing the result. `is_product`:
 * the digits of one are multiplied with those of the other. */
bool jmespath_operand_spend(const struct fx_quantity *a, const struct fx_quantity *b,
                            bool is_product, struct fx_err *err) FX_MUST_USE;

/* Reads a double as a quantity of the digits that Go prints it with. Errors: FX_EINVALID,
 * FX_ENOMEM. */
bool jmespath_operand_of_double(struct fx_arena *arena, double number,
                                struct fx_quantity *ret_quantity,
                                struct fx_err *err) FX_MUST_USE;

/* Returns the duration in seconds, as Go's Duration.Seconds(). */
double jmespath_operand_seconds(int64_t nanoseconds);

/* Each gives a new reference to a string. */
bool jmespath_operand_give_quantity(const struct fx_quantity *quantity,
                                    json_t **ret_value, struct fx_err *err) FX_MUST_USE;
bool jmespath_operand_give_duration(int64_t nanoseconds, json_t **ret_value,
                                    struct fx_err *err) FX_MUST_USE;

/* The duration of so many seconds, cut to nanoseconds. FX_EINVALID if it is too long. */
bool jmespath_operand_give_seconds(double seconds, json_t **ret_value,
                                   struct fx_err *err) FX_MUST_USE;

#endif
