/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/read.h - looking at the places that a location names, without
 * writing. What is missing, or of another type than the location thinks, is no place.
 */
#ifndef FX_LOCATION_GATEKEEPER_READ_H
#define FX_LOCATION_GATEKEEPER_READ_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "location/gatekeeper/location.h"

/* How many of the first steps the two locations have in common: equal ones, whatever they
 * name (fx_location_step_equal). A glob equals only a glob with the same exclusions. */
size_t fx_location_common(const struct fx_location *a, const struct fx_location *b);

/* Calls `visit` for the value at every place that the steps from `from` on name below
 * `node` (from 0: below the root; from the end: `node` itself), in the order of the tree,
 * until it says false. A location that ends in a list names elements: all that have the
 * key. Gives false where `visit` did, or where the thread's budget is exceeded
 * (base/budget.h), so that the caller has to look at that. */
bool fx_location_each(const struct fx_location *location, size_t from, json_t *node,
                      bool (*visit)(void *user, json_t *value), void *user);

/* The value at the first place; NULL where there is none. Borrowed. */
json_t *fx_location_first(const struct fx_location *location, size_t from, json_t *node);

#endif
