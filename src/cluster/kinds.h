/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/kinds.h - what of the API is read as policy: one list, with the versions that
 * are understood, the preferred one first.
 */
#ifndef FX_CLUSTER_KINDS_H
#define FX_CLUSTER_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "kube/resource.h"

#define FX_CLUSTER_KIND_VERSIONS 3

struct fx_cluster_kind {
    struct fx_kube_resource versions[FX_CLUSTER_KIND_VERSIONS];
    size_t n_versions;
    const char *waiting; /* words for as long as it was not listed */
    bool is_mutator;     /* it has a status.byPod of mutators */
    bool is_config;      /* namespaced: only that of our own namespace counts */
};

/* FX_CLUSTER_KINDS of them, in the order in which policies are built. */
#define FX_CLUSTER_KINDS 11
extern const struct fx_cluster_kind fx_cluster_kinds[FX_CLUSTER_KINDS];

#endif
