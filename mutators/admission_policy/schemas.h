/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/schemas.h - private: the schemas of custom resources, for the
 * link step.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_SCHEMAS_H
#define FX_MUTATORS_ADMISSION_POLICY_SCHEMAS_H

#include "base/macros.h"
#include "mutators/admission_policy/policy.h"

/* Looks the definitions up of the custom resources that the policy matches, if it has an
 * ApplyConfiguration. Returns a new reference; NULL if it needs none, or if the link step
 * has failed. A definition that cannot be read is reported. */
struct map_schemas *fx_map_schemas_find(const struct map_policy *policy,
                                        struct fx_link *link) FX_MUST_USE;

#endif
