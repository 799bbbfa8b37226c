/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/rule.h - a rule of a policy as the loop runs it (spec/kyverno.md section 2).
 */
#ifndef FX_KYVERNO_RULE_H
#define FX_KYVERNO_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/input.h"
#include "engine/mutator.h"
#include "engine/unit.h"
#include "policy.h"

/* A rule of one policy. Its head is counted; it counts the units that it refers to. */
struct kyverno_rule {
    struct fx_mutator head; /* first */
    struct fx_unit *policy_unit;
    const struct kyverno_policy *policy;
    const struct kyverno_rule_body *body;
    struct fx_unit **exception_units; /* those that name the rule; or NULL */
    size_t n_exceptions;
    struct fx_text namespaces[1]; /* of a Policy */
    struct fx_input inputs[1];
};

/* Makes a rule. `position` is its place in the policy. The exceptions (may be none) are
 * units of PolicyExceptions, which are counted. NULL without memory. */
struct fx_mutator *fx_kyverno_rule_create(struct fx_unit *policy_unit,
                                          const struct kyverno_rule_body *body,
                                          uint32_t position,
                                          struct fx_unit *const *exceptions,
                                          size_t n_exceptions) FX_MUST_USE;

#endif
