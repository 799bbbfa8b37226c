/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/cost.h - what the costs of functions share (spec/cel.md section 11), in
 * the arithmetic of the original: products of doubles, rounded up.
 */
#ifndef FX_LOCATION_CEL_COST_H
#define FX_LOCATION_CEL_COST_H

#include <stdint.h>

#include "location/cel/value.h"

/* len(): the code points of a string, bytes, entries of a list or map; 1 for any other
 * value, errors too. */
uint64_t fx_cel_cost_length(struct fx_cel_value value);

/* ceil(n * factor): c(n) of the spec has the factor 0.1. */
uint64_t fx_cel_cost_scale(uint64_t n, double factor);

/* ceil(len(value) * 0.1): the cost of one traversal of a text. */
uint64_t fx_cel_cost_traverse(struct fx_cel_value value);

#endif
