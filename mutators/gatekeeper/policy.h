/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/policy.h - private: one policy under compilation, and the list of
 * the kinds there are. Two groups have mutators: Gatekeeper's, to the letter, and our
 * own, where the same kinds have further fields.
 */
#ifndef FX_MUTATORS_GATEKEEPER_POLICY_H
#define FX_MUTATORS_GATEKEEPER_POLICY_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "location/gatekeeper/location.h"
#include "mutators/gatekeeper/shape.h"

#define GATEKEEPER_GROUP "mutations.gatekeeper.sh"
#define FIXPOINT_GROUP   "mutations.fixpoint.dev"
#define EXTERNAL_GROUP   "externaldata.gatekeeper.sh"
#define CONFIG_GROUP     "config.gatekeeper.sh"
#define EXPANSION_GROUP  "expansion.gatekeeper.sh"
#define CONFIG_NAME      "config" /* of the one Config that counts */
#define GATEKEEPER_RANK  1u       /* place in a pass */

/* A policy whose types are checked. Everything is borrowed; what is missing is NULL. */
struct policy {
    json_t *source;
    const char *group, *kind;
    struct fx_text name, namespace_; /* a mutator's namespace: empty in a cluster */
    json_t *spec, *parameters;
    enum fx_location_syntax syntax; /* of its locations */
    bool extended;                  /* of our own group */
};

/* object[key], a field that only our own group has: NULL in any other, or where it is
 * missing. */
json_t *fx_policy_view_further(const struct policy *policy, const json_t *object,
                               const char *key);

/* The node that an error points at: `node`, or where that has no place, its policy. */
const json_t *fx_policy_node(const struct policy *policy, const json_t *node);

/* Validates a policy in the order and with the words of the spec (section 3.2 for
 * mutators) and adds its mutator, or what else it gives. */
typedef bool compile_policy(const struct policy *policy,
                            struct fx_compilation *ret_compilation, struct fx_err *err);

/* group, kind, prefix of its shape and compile function, the list of its versions in
 * dialect.c, scope. A further kind is one file and one row. */
#define MUTATOR(X, group, kind, prefix, versions) \
    X(group, kind, prefix, versions, FX_SCOPE_NAMED)
#define RESOURCE(X, group, kind, prefix, versions) \
    X(group, kind, prefix, versions, FX_SCOPE_CLUSTER)
#define KINDS(X)                                                                     \
    MUTATOR(X, GATEKEEPER_GROUP, "Assign", fx_assign, all_versions)                  \
    MUTATOR(X, GATEKEEPER_GROUP, "AssignImage", fx_assign_image, only_v1alpha1)      \
    MUTATOR(X, GATEKEEPER_GROUP, "AssignMetadata", fx_assign_metadata, all_versions) \
    MUTATOR(X, GATEKEEPER_GROUP, "ModifySet", fx_modify_set, all_versions)           \
    MUTATOR(X, FIXPOINT_GROUP, "Assign", fx_assign, only_v1alpha1)                   \
    MUTATOR(X, FIXPOINT_GROUP, "AssignImage", fx_assign_image, only_v1alpha1)        \
    MUTATOR(X, FIXPOINT_GROUP, "AssignMetadata", fx_assign_metadata, only_v1alpha1)  \
    MUTATOR(X, FIXPOINT_GROUP, "ModifySet", fx_modify_set, only_v1alpha1)            \
    MUTATOR(X, FIXPOINT_GROUP, "Remove", fx_remove, only_v1alpha1)                   \
    RESOURCE(X, EXTERNAL_GROUP, "Provider", fx_provider, beta_versions)              \
    RESOURCE(X, CONFIG_GROUP, "Config", fx_config, only_v1alpha1)                    \
    RESOURCE(X, EXPANSION_GROUP, "ExpansionTemplate", fx_expansion_template,         \
             beta_versions)

#define X(group, kind, prefix, versions, scope) \
    extern const struct shape prefix##_shape;   \
    compile_policy prefix##_compile;
KINDS(X)
#undef X

#endif
