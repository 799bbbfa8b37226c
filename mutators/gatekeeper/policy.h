/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/policy.h - private: a policy that is being compiled, and the list
 * of kinds. Two groups have mutators: Gatekeeper's, exactly as in Gatekeeper, and
 * Fixpoint's own, whose kinds have additional fields.
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
#define CONFIG_NAME      "config" /* the name of the only Config that is read */
#define GATEKEEPER_RANK  1u       /* position in a pass */

/* A policy whose types have been checked. Everything is borrowed; missing fields are
 * NULL. */
struct policy {
    json_t *source;
    const char *group, *kind;
    struct fx_text name, namespace_; /* in a cluster a mutator has none */
    json_t *spec, *parameters;
    enum fx_location_syntax syntax; /* the syntax of its locations */
    bool extended;                  /* the policy is in Fixpoint's own group */
};

/* Returns object[key], a field of Fixpoint's own group. Returns NULL in other groups, and
 * if the field is missing. */
json_t *fx_policy_view_further(const struct policy *policy, const json_t *object,
                               const char *key);

/* Returns the node that an error points at: `node`, or the policy if `node` has no
 * position. */
const json_t *fx_policy_node(const struct policy *policy, const json_t *node);

/* Validates a policy in the order and with the messages of the spec (section 3.2 for
 * mutators), and adds its mutator or resource to the compilation. */
typedef bool compile_policy(const struct policy *policy,
                            struct fx_compilation *ret_compilation, struct fx_err *err);

/* The kinds: group, resource, kind, prefix of its shape and compile function, the list of
 * its versions in dialect.c, scope, role. A new kind is one file and one row. Fixpoint's
 * own resources have other names, so that `kubectl get assign` means Gatekeeper's. */
#define MUTATOR(X, group, resource, kind, prefix, versions) \
    X(group, resource, kind, prefix, versions, FX_SCOPE_NAMED, FX_ROLE_POLICY)
#define RESOURCE(X, group, resource, kind, prefix, versions, scope) \
    X(group, resource, kind, prefix, versions, scope, FX_ROLE_RESOURCE)
#define KINDS(X)                                                                         \
    MUTATOR(X, GATEKEEPER_GROUP, "assign", "Assign", fx_assign, all_versions)            \
    MUTATOR(X, GATEKEEPER_GROUP, "assignimage", "AssignImage", fx_assign_image,          \
            only_v1alpha1)                                                               \
    MUTATOR(X, GATEKEEPER_GROUP, "assignmetadata", "AssignMetadata", fx_assign_metadata, \
            all_versions)                                                                \
    MUTATOR(X, GATEKEEPER_GROUP, "modifyset", "ModifySet", fx_modify_set, all_versions)  \
    MUTATOR(X, FIXPOINT_GROUP, "fixpointassigns", "Assign", fx_assign, only_v1alpha1)    \
    MUTATOR(X, FIXPOINT_GROUP, "fixpointassignimages", "AssignImage", fx_assign_image,   \
            only_v1alpha1)                                                               \
    MUTATOR(X, FIXPOINT_GROUP, "fixpointassignmetadata", "AssignMetadata",               \
            fx_assign_metadata, only_v1alpha1)                                           \
    MUTATOR(X, FIXPOINT_GROUP, "fixpointmodifysets", "ModifySet", fx_modify_set,         \
            only_v1alpha1)                                                               \
    MUTATOR(X, FIXPOINT_GROUP, "fixpointremoves", "Remove", fx_remove, only_v1alpha1)    \
    RESOURCE(X, EXTERNAL_GROUP, "providers", "Provider", fx_provider, beta_versions,     \
             FX_SCOPE_CLUSTER)                                                           \
    RESOURCE(X, CONFIG_GROUP, "configs", "Config", fx_config, only_v1alpha1,             \
             FX_SCOPE_OWN)                                                               \
    RESOURCE(X, EXPANSION_GROUP, NULL, "ExpansionTemplate", fx_expansion_template,       \
             beta_versions, FX_SCOPE_CLUSTER)

/* Gatekeeper's protocol of providers: ProviderRequest and ProviderResponse. */
extern const struct fx_provider_protocol fx_external_data_protocol;

#define X(group, resource, kind, prefix, versions, scope, role) \
    extern const struct shape prefix##_shape;                   \
    compile_policy prefix##_compile;
KINDS(X)
#undef X

#endif
