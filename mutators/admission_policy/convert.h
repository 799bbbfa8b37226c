/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/convert.h - values of expressions become trees of JSON
 * (spec/mutating-admission-policy.md sections 8.1, 9 and 18).
 *
 * Parts of the object are shared with its tree, not copied.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_CONVERT_H
#define FX_MUTATORS_ADMISSION_POLICY_CONVERT_H

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "location/cel/value.h"
#include "mutators/admission_policy/target.h"

/* Checks the names of the types in an Object{…} value: each is that of the object around
 * it, a dot and the field. Refused with a line for each other name. */
bool fx_map_check_type_names(struct fx_cel_value object, struct fx_map_refusal *refusal,
                             struct fx_err *err) FX_MUST_USE;

/* The tree of an Object{…} value: a new reference; NULL if it fails. Values that JSON
 * does not have, and lists and maps within lists and maps, are foreign nodes
 * (merge/typed.h). */
json_t *fx_map_convert_object(struct fx_cel_value object, struct fx_map_refusal *refusal,
                              struct fx_err *err) FX_MUST_USE;

/* The tree of the value of a JSON Patch operation: a new reference; NULL if it fails. */
json_t *fx_map_convert_value(struct fx_cel_value value, struct fx_map_refusal *refusal,
                             struct fx_err *err) FX_MUST_USE;

#endif
