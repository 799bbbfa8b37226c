/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/param_ref.h - private: which parameter a binding looks for,
 * in words.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_PARAM_REF_H
#define FX_MUTATORS_ADMISSION_POLICY_PARAM_REF_H

#include "base/buf.h"
#include "base/text.h"
#include "mutators/admission_policy/policy.h"

/* Appends "ConfigMap settings in namespace ops", or "ConfigMap with labels {…} in
 * namespace shop". `namespace_` is that of the request, which counts if the binding has
 * none. The rule has a binding with a paramRef. */
void fx_map_print_param_ref(struct fx_buf *buf, const struct map_rule *rule,
                            struct fx_text namespace_);

/* Appends the part of the policy or the binding in which a rule of type MAP_RULE_FAIL
 * fails: "binding.paramRef: no ConfigMap settings in namespace ops". */
void fx_map_print_failing_part(struct fx_buf *buf, const struct map_rule *rule,
                               struct fx_text namespace_);

#endif
