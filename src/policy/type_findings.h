/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/type_findings.h - what the types of expressions in policies say about them, with
 * positions in the sources, for `check`.
 */
#ifndef FX_POLICY_TYPE_FINDINGS_H
#define FX_POLICY_TYPE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/schemas.h"
#include "policy/findings.h"
#include "policy/policies.h"

/* The parts of a finding. */
struct fx_type_finding {
    const char *field;   /* "spec.mutations[0].applyConfiguration.expression" */
    const char *message; /* "undefined field 'replicsa'" */
    const char *nearest; /* NULL: no name is near */
    const char *kinds;   /* "apps/v1, Kind=Deployment", joined by "; " */
};

struct fx_type_findings {
    struct fx_arena arena;         /* of the texts below */
    struct fx_findings findings;   /* warnings, in the order of their places */
    struct fx_type_finding *items; /* of each finding */
    size_t n_items, cap_items;
};

void fx_type_findings_finish(struct fx_type_findings *findings); /* zeroed is fine */

/* Checks the types of all policies of a build, which was made of these sources. A mistake
 * that several kinds share is one finding. The first FX_LIMIT_FINDINGS are reported.
 * Errors: FX_ENOMEM. */
bool fx_policies_check_types(const struct fx_policy_sources *sources,
                             const struct fx_policies *built,
                             const struct fx_schemas *schemas,
                             struct fx_type_findings *ret_findings,
                             struct fx_err *err) FX_MUST_USE;

#endif
