/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/json_patch.h - what a list of JSONPatch{…} values does to an
 * object (spec/mutating-admission-policy.md sections 9 and 18).
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_JSON_PATCH_H
#define FX_MUTATORS_ADMISSION_POLICY_JSON_PATCH_H

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/cel/value.h"
#include "mutators/admission_policy/target.h"

/* Applies the operations to *root, which becomes the result: it shares what did not
 * change, and *root stays the same node if the result is equal or a `test` failed. Nodes
 * that others share are not written. The arena has memory for the work. On failure *root
 * is unchanged. */
bool fx_map_patch(struct fx_cel_value patch, const struct fx_map_target *target,
                  json_t **root, struct fx_arena *arena, struct fx_map_refusal *refusal,
                  struct fx_map_change *ret_change, struct fx_err *err) FX_MUST_USE;

#endif
