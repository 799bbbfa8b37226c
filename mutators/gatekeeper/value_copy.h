/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_copy.h - private: copies of values of a policy that a mutator
 * keeps, with other numbers. (fx_tree_deep_copy() makes those with the same ones. Without
 * copies, thousands of policies would keep many pages of freed policies resident.)
 */
#ifndef FX_MUTATORS_GATEKEEPER_VALUE_COPY_H
#define FX_MUTATORS_GATEKEEPER_VALUE_COPY_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"

/* Makes a deep copy with doubles instead of integers, as Go reads the numbers of
 * `assign.value`, so that messages about the object print them as Gatekeeper does. An
 * integer stays an integer if a double would round it, and if it may be the key of a list
 * element, because the type of a key matters. Such keys are members of an object in a
 * list, and members of the value itself if it `is_element`. */
json_t *fx_value_copy_doubles(json_t *value, bool is_element) FX_MUST_USE;

#endif
