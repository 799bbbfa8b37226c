/* SPDX-License-Identifier: Apache-2.0
 *
 * value/measure.h - how large a tree is: a tree that shares nodes may be far larger than
 * its memory.
 */
#ifndef FX_VALUE_MEASURE_H
#define FX_VALUE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"

/* Is the value at most `levels` deep? Also subtracts the number of its nodes from
 * *budget. False if it is deeper, if it has more nodes (then *budget is 0), or if the
 * thread's budget is exceeded. */
bool fx_tree_measure(const json_t *value, unsigned levels, size_t *budget) FX_MUST_USE;

#endif
