/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/same.h - private: compares two results. Lists with the same elements in
 * another order are the same: two mutators that each add a container do not depend on
 * each other.
 */
#ifndef FX_ANALYSIS_SAME_H
#define FX_ANALYSIS_SAME_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"

/* Are both the same? Parts beyond the limits of the comparison count as the same. */
bool fx_same(const json_t *a, const json_t *b);

/* The first place where the two, which are not the same, differ: appends its JSON Pointer
 * (its failure sticks) and gives the values there, borrowed, NULL where there is none. */
void fx_same_find(json_t *a, json_t *b, struct fx_buf *pointer, json_t **ret_a,
                  json_t **ret_b);

#endif
