/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule.h - private: a rule as the loop runs it, and what the
 * files of its functions share.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_RULE_H
#define FX_MUTATORS_ADMISSION_POLICY_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/input.h"
#include "engine/mutator.h"
#include "location/cel/ast.h"
#include "mutators/admission_policy/policy.h"

/* The names of match conditions among the criteria: "matchConditions[12]". */
#define MAP_CRITERION_BYTES 40u

/* A rule, with what it owns. */
struct map_owning_rule {
    struct map_rule rule; /* the first member: its head is the mutator */
    json_t *params;       /* counted: the object that `params` is; NULL for null */
    char *texts;          /* the memory of the texts of the rule */
    struct fx_text *but_namespaces;
    struct fx_binding *bindings;
    struct fx_text namespaces[1];
    struct fx_input inputs[3];
    struct fx_unit **exceptions;             /* counted */
    char (*conditions)[MAP_CRITERION_BYTES]; /* a criterion for each match condition */
    unsigned slots; /* a set of 1u << enum map_slot: what its expressions read */
};

/* The criteria of a rule beside match conditions, in the order of reports: the last one
 * that is checked comes first. */
#define MAP_RULE_CRITERIA(X)                                           \
    X(MUTATIONS, "mutations")                                          \
    X(CONDITIONS, "matchConditions")                                   \
    X(PARAMS, "binding.paramRef")                                      \
    X(OTHER_PARAMS, "binding.paramRef of another rule")                \
    X(BINDING_OBJECT, "binding.matchResources.objectSelector")         \
    X(BINDING_NAMESPACE, "binding.matchResources.namespaceSelector")   \
    X(BINDING_RULES, "binding.matchResources.resourceRules")           \
    X(BINDING_EXCLUDES, "binding.matchResources.excludeResourceRules") \
    X(POLICY_OBJECT, "matchConstraints.objectSelector")                \
    X(POLICY_NAMESPACE, "matchConstraints.namespaceSelector")          \
    X(POLICY_RULES, "matchConstraints.resourceRules")                  \
    X(POLICY_EXCLUDES, "matchConstraints.excludeResourceRules")        \
    X(EXCEPTION, "PolicyException")                                    \
    X(NAMESPACE, "metadata.namespace")                                 \
    X(RESOURCE, "resource")

enum map_rule_criterion {
#define X(name, text) MAP_RULE_##name,
    MAP_RULE_CRITERIA(X)
#undef X
        MAP_RULE_CRITERIA_END,
};

const char *fx_map_rule_criterion_name(enum map_rule_criterion criterion);

static inline const struct map_owning_rule *
fx_map_rule_of(const struct fx_mutator *mutator) {
    return (const struct map_owning_rule *)mutator; /* its first member */
}

/* The functions of a rule (rule.c). */
const struct fx_mutator_ops *fx_map_rule_ops(const struct map_rule *rule);

/* For `match` of a mutator (rule_match.c). */
bool fx_map_rule_match(const struct fx_mutator *self, const struct fx_request *request,
                       const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                       struct fx_err *err) FX_MUST_USE;
bool fx_map_rule_may_match_namespace(const struct fx_mutator *self,
                                     struct fx_text object_namespace);

/* The functions of the same name of struct fx_mutator_ops (explain.c). */
void fx_map_rule_explain(const struct fx_mutator *self, const char *criterion,
                         struct fx_criterion *ret_criterion);
void fx_map_rule_found(const struct fx_mutator *self, const struct fx_request *request,
                       const struct fx_subject *subject, const char *criterion,
                       struct fx_buf *found);

#endif
