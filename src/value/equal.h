/* SPDX-License-Identifier: Apache-2.0
 *
 * value/equal.h - equality of values.
 */
#ifndef FX_VALUE_EQUAL_H
#define FX_VALUE_EQUAL_H

#include <stdbool.h>

#include <jansson.h>

/* Compares deeply. Numbers compare by value (5 equals 5.0; an integer beyond 2^53 equals
 * only a double with exactly this value). The order of keys does not matter. Shared
 * subtrees are equal without a comparison. NULL equals only NULL. Spends from the
 * thread's budget (base/budget.h), and returns false if it is exceeded. Recursion is as
 * deep as the shallower value, whose depth the readers limit (FX_LIMIT_JSON_DEPTH). */
bool fx_equal(const json_t *a, const json_t *b);

#endif
