/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_copy.h - private: what a mutator keeps of its policy, apart
 * from it: of thousands of policies each would else hold on to pages of dropped ones.
 */
#ifndef FX_MUTATORS_GATEKEEPER_VALUE_COPY_H
#define FX_MUTATORS_GATEKEEPER_VALUE_COPY_H

#include <jansson.h>

#include "base/macros.h"

/* A value of nodes of its own, equal in type, too. NULL of NULL, and without memory. As
 * deep as the value (FX_LIMIT_JSON_DEPTH). */
json_t *fx_value_copy(json_t *value) FX_MUST_USE;

#endif
