/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_check.h - private: checks the expressions of a policy
 * against the types of the kinds that it matches, as API servers do for
 * ValidatingAdmissionPolicies (status.typeChecking).
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_TYPE_CHECK_H
#define FX_MUTATORS_ADMISSION_POLICY_TYPE_CHECK_H

#include "base/err.h"
#include "base/macros.h"
#include "engine/schemas.h"
#include "engine/type_warnings.h"
#include "engine/unit.h"
#include "mutators/admission_policy/policy.h"

/* fx_dialect.check_types. In a policy for several kinds, a mistake that is none for some
 * of them is not reported where the expression may ask for the kind first, or where the
 * match conditions may (type_guards.h). */
bool fx_map_check_types(const struct fx_unit *unit, const struct fx_schemas *schemas,
                        struct fx_type_warnings *ret_warnings,
                        struct fx_err *err) FX_MUST_USE;

/* ---- type_kinds.c ----------------------------------------------------------------- */

#define MAP_MOST_TYPED_KINDS 10u /* as in API servers */

/* A kind with its schema. Its texts belong to the set of the schema, and to the policy.
 */
struct map_typed_kind {
    struct fx_text group, version, kind;
    struct fx_schema schema;
};

/* The kinds of a policy. */
struct map_typed_kinds {
    struct map_typed_kind items[MAP_MOST_TYPED_KINDS]; /* sorted */
    size_t n;
    struct map_typed_kind params;    /* its schema has no set if it is not known */
    bool is_complete;                /* the policy matches no other kinds than these */
    bool waits;                      /* a schema has to be fetched */
    struct fx_schema_catalog **held; /* counted: those that the schemas are from */
    size_t n_held, cap_held;
};

/* Finds the kinds of the resources that the rules of the policy name: not those of rules
 * with wildcards, nor of subresources with kinds of their own, nor kinds without a
 * schema; at most MAP_MOST_TYPED_KINDS; and the kind of its parameters. The result is
 * finished in any case. Errors: FX_ENOMEM, FX_EDEADLINE. */
bool fx_map_typed_kinds_find(const struct map_policy *policy,
                             const struct fx_schemas *schemas,
                             struct map_typed_kinds *ret_kinds,
                             struct fx_err *err) FX_MUST_USE;
void fx_map_typed_kinds_finish(struct map_typed_kinds *kinds); /* zeroed is fine */

#endif
