/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/configuration.h - what an ApplyConfiguration does to an
 * object (spec/mutating-admission-policy.md sections 8 and 18).
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_CONFIGURATION_H
#define FX_MUTATORS_ADMISSION_POLICY_CONFIGURATION_H

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/cel/value.h"
#include "mutators/admission_policy/target.h"

/* Merges an Object{…} value into *root by the kind's schema; *root becomes the result,
 * which shares what did not change; *root stays the same node if the result is equal.
 * Nodes that others share are not written. The arena has memory for the work. On failure
 * *root is unchanged. */
bool fx_map_configure(struct fx_cel_value configuration,
                      const struct fx_map_target *target, json_t **root,
                      struct fx_arena *arena, struct fx_map_refusal *refusal,
                      struct fx_err *err) FX_MUST_USE;

#endif
