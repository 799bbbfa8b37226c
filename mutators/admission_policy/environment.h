/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/environment.h - private: what the expressions of a policy may
 * use (spec/mutating-admission-policy.md section 12), and compiling them.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_ENVIRONMENT_H
#define FX_MUTATORS_ADMISSION_POLICY_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "location/cel/cel.h"
#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/reading.h"

/* Makes the three environments of a policy, whose `n_variables` and `has_params` are
 * known, in its arena. `variables` has no fields yet. False without memory. */
bool fx_map_env_init(struct map_policy *policy) FX_MUST_USE;

/* Declares the variable with this index: as the type that its program has, or, if it
 * failed to compile, as dyn. Later expressions may use it. False without memory. */
bool fx_map_env_declare(struct map_policy *policy, size_t index) FX_MUST_USE;

/* The type that later expressions see of a variable whose expression has this type
 * (section 6): scalars, lists and maps; anything else is dyn. NULL without memory. */
const struct fx_cel_type *
fx_map_env_seen_type(struct fx_arena *arena, const struct fx_cel_type *type) FX_MUST_USE;

/* Compiles the expression that is object[`expression`], a required field. `wanted` is the
 * type that its result must have; NULL for any type. What is wrong with it is a fault;
 * then ret_expression has no program. The caller checks the thread's budget at last. */
void fx_map_compile(struct map_reading *reading, const struct fx_cel_env *env,
                    const json_t *object, const struct fx_cel_type *wanted,
                    struct map_expression *ret_expression);

#endif
