/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_schema.h - private: the type that expressions see of
 * objects with a schema.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_TYPE_SCHEMA_H
#define FX_MUTATORS_ADMISSION_POLICY_TYPE_SCHEMA_H

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/cel/type.h"
#include "merge/schema.h"

/* Makes the type of the objects of a schema in the arena. Objects are maps with these
 * fields, by the names that they have in JSON: expressions of policies see no other
 * (spec/mutating-admission-policy.md section 12). Times, quantities and bytes are
 * strings, as in JSON. What has no certain type is dyn: an int-or-string, a fraction
 * (which is an int if it is whole), and what preserves unknown fields. The type refers to
 * the texts of the schema's set. Spends from the thread's budget. Errors: FX_ENOMEM,
 * FX_EDEADLINE. */
bool fx_map_type_of_schema(struct fx_arena *arena, struct fx_schema schema,
                           const struct fx_cel_type **ret_type,
                           struct fx_err *err) FX_MUST_USE;

#endif
