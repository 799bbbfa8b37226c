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
    struct fx_unit *config;       /* Kyverno's ConfigMap; or NULL */
    struct fx_text namespaces[1]; /* of a Policy */
    struct fx_input inputs[1];
};

/* What a rule is made of besides its body: the unit of its policy, its place in the
 * policy, the units of the PolicyExceptions that name the rule, and of Kyverno's
 * ConfigMap (NULL: there is none). */
struct kyverno_rule_parts {
    struct fx_unit *policy;
    uint32_t position;
    struct fx_unit *const *exceptions;
    size_t n_exceptions;
    struct fx_unit *config;
};

/* Makes a rule, which counts these units. NULL without memory. */
struct fx_mutator *
fx_kyverno_rule_create(const struct kyverno_rule_parts *parts,
                       const struct kyverno_rule_body *body) FX_MUST_USE;

/* The criteria of a rule beside the attributes of `match`. */
#define KYVERNO_BY_POLICY_NAMESPACE "metadata.namespace"
#define KYVERNO_BY_PRECONDITIONS    "preconditions"
#define KYVERNO_BY_EXCEPTIONS       "PolicyException"
#define KYVERNO_BY_CONFIG           "ConfigMap kyverno"

/* ---- private: functions of struct fx_mutator_ops ------------------------------------
 */

/* rule.c */
bool fx_kyverno_rule_match(const struct fx_mutator *self,
                           const struct fx_request *request,
                           const struct fx_subject *subject,
                           struct fx_verdict *ret_verdict,
                           struct fx_err *err) FX_MUST_USE;
bool fx_kyverno_rule_apply(const struct fx_mutator *self,
                           const struct fx_request *request, json_t **root,
                           struct fx_effect *ret_effect, struct fx_err *err) FX_MUST_USE;

/* Of a rule that names DELETE, where there is no object to patch: fails with Kyverno's
 * words if the rule matches the deleted object. */
bool fx_kyverno_rule_check_delete(const struct fx_mutator *self,
                                  const struct fx_request *request, json_t *root,
                                  struct fx_buf *entry, struct fx_err *note,
                                  struct fx_err *err) FX_MUST_USE;

/* Finds the precondition that does not hold for the object; *ret_false is zeroed, and
 * stays so if there is none. The caller finishes it. Errors: those of
 * fx_kyverno_preconditions_eval(). */
bool fx_kyverno_rule_find_false(const struct fx_mutator *self,
                                const struct fx_request *request, json_t *root,
                                struct kyverno_false_condition *ret_false,
                                struct fx_err *err) FX_MUST_USE;

/* rule_explain.c */
void fx_kyverno_rule_explain(const struct fx_mutator *self, const char *criterion,
                             struct fx_criterion *ret_criterion);
void fx_kyverno_rule_found(const struct fx_mutator *self,
                           const struct fx_request *request,
                           const struct fx_subject *subject, const char *criterion,
                           struct fx_buf *found);

/* rule_example.c */
json_t *fx_kyverno_rule_example(const struct fx_mutator *self, struct fx_err *err);

#endif
