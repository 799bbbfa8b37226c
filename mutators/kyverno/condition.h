/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/condition.h - the operators of preconditions (spec/kyverno.md section 5).
 */
#ifndef FX_KYVERNO_CONDITION_H
#define FX_KYVERNO_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"

enum kyverno_operator {
    KYVERNO_EQUALS,
    KYVERNO_NOT_EQUALS,
    KYVERNO_IN, /* the old pair */
    KYVERNO_NOT_IN,
    KYVERNO_ANY_IN,
    KYVERNO_ALL_IN,
    KYVERNO_ANY_NOT_IN,
    KYVERNO_ALL_NOT_IN,
    KYVERNO_GREATER,
    KYVERNO_GREATER_OR_EQUAL,
    KYVERNO_LESS,
    KYVERNO_LESS_OR_EQUAL,
    KYVERNO_DURATION_GREATER, /* the old operators for durations */
    KYVERNO_DURATION_GREATER_OR_EQUAL,
    KYVERNO_DURATION_LESS,
    KYVERNO_DURATION_LESS_OR_EQUAL,
};

/* Finds the operator of a name, in upper or lower case. False if there is none. */
bool fx_kyverno_operator(struct fx_text name, enum kyverno_operator *ret_operator);

/* Does `key OPERATOR value` hold? Values that cannot be compared give false. Spends from
 * the thread's budget; false if that is exceeded. Memory of the work comes from
 * `arena`. */
bool fx_kyverno_condition(const json_t *key, enum kyverno_operator operator_,
                          const json_t *value, struct fx_arena *arena);

/* The parts of fx_kyverno_condition(): condition_in.c has the operators from KYVERNO_IN
 * to KYVERNO_ALL_NOT_IN, condition_order.c those after them. */
bool fx_kyverno_condition_in(const json_t *key, enum kyverno_operator operator_,
                             const json_t *value, struct fx_arena *arena);
bool fx_kyverno_condition_order(const json_t *key, enum kyverno_operator operator_,
                                const json_t *value, struct fx_arena *arena);

/* Reads a number of seconds, in nanoseconds; a fraction is cut off. False if the node is
 * no number, or too large. */
bool fx_kyverno_seconds(const json_t *node, int64_t *ret_nanoseconds);

/* Two values as durations, in nanoseconds: one of them is a text with a duration other
 * than "0", the other one a duration, too, or a number of seconds. False otherwise. */
bool fx_kyverno_durations(const json_t *key, const json_t *value, int64_t *ret_key,
                          int64_t *ret_value);

#endif
