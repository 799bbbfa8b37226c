/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/kinds.c - the list of what is read as policy.
 */
#include "cluster/kinds.h"

#define GATEKEEPER "mutations.gatekeeper.sh"
#define FIXPOINT   "mutations.fixpoint.dev"
#define PROVIDERS  "externaldata.gatekeeper.sh"
#define CONFIGS    "config.gatekeeper.sh"

#define WAITING(group, plural) "waiting for the list of " plural "." group

/* Gatekeeper serves these in three versions of one schema (spec section 3.1). */
#define THREE(plural, kind)                                                          \
    {                                                                                \
        .versions = {{GATEKEEPER, "v1", plural, kind},                               \
                     {GATEKEEPER, "v1beta1", plural, kind},                          \
                     {GATEKEEPER, "v1alpha1", plural, kind}},                        \
        .n_versions = 3, .waiting = WAITING(GATEKEEPER, plural), .is_mutator = true, \
    }
#define ALPHA(group, plural, kind)                                        \
    {                                                                     \
        .versions = {{group, "v1alpha1", plural, kind}}, .n_versions = 1, \
        .waiting = WAITING(group, plural), .is_mutator = true,            \
    }

const struct fx_cluster_kind fx_cluster_kinds[FX_CLUSTER_KINDS] = {
    THREE("assign", "Assign"),
    ALPHA(GATEKEEPER, "assignimage", "AssignImage"),
    THREE("assignmetadata", "AssignMetadata"),
    THREE("modifyset", "ModifySet"),
    /* Words of their own, so that `kubectl get assign` means Gatekeeper's. */
    ALPHA(FIXPOINT, "fixpointassigns", "Assign"),
    ALPHA(FIXPOINT, "fixpointassignimages", "AssignImage"),
    ALPHA(FIXPOINT, "fixpointassignmetadata", "AssignMetadata"),
    ALPHA(FIXPOINT, "fixpointmodifysets", "ModifySet"),
    ALPHA(FIXPOINT, "fixpointremoves", "Remove"),
    {.versions = {{PROVIDERS, "v1beta1", "providers", "Provider"},
                  {PROVIDERS, "v1alpha1", "providers", "Provider"}},
     .n_versions = 2,
     .waiting = WAITING(PROVIDERS, "providers")},
    {.versions = {{CONFIGS, "v1alpha1", "configs", "Config"}},
     .n_versions = 1,
     .waiting = WAITING(CONFIGS, "configs"),
     .is_config = true},
};
