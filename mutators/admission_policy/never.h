/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/never.h - private: warnings about policies and bindings that
 * can never match.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_NEVER_H
#define FX_MUTATORS_ADMISSION_POLICY_NEVER_H

#include "engine/link.h"
#include "mutators/admission_policy/policy.h"

/* Report each of them as a warning about the policy that is being linked. */
void fx_map_report_policy(const struct map_policy *policy, struct fx_link *link);
void fx_map_report_binding(const struct map_policy *policy,
                           const struct map_binding *binding, const char *name,
                           struct fx_link *link);

#endif
