/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_copy.h - private: what a mutator keeps of its policy, apart
 * from it: of thousands of policies each would else hold on to pages of dropped ones.
 */
#ifndef FX_MUTATORS_GATEKEEPER_VALUE_COPY_H
#define FX_MUTATORS_GATEKEEPER_VALUE_COPY_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"

/* A value of nodes of its own, equal in type, too. NULL of NULL, and without memory. As
 * deep as the value (FX_LIMIT_JSON_DEPTH). */
json_t *fx_value_copy(json_t *value) FX_MUST_USE;

/* The same with doubles in place of integers, as Go has the numbers of `assign.value`, so
 * that messages about the object show them alike. Integers remain where a double would
 * round them, and where they may be the key of an element of a list, for the type of a
 * key counts: as members of an object in a list, and of the value, if it `is_element`. */
json_t *fx_value_copy_doubles(json_t *value, bool is_element) FX_MUST_USE;

#endif
