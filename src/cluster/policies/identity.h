/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/identity.h - who we are in the cluster.
 */
#ifndef FX_CLUSTER_POLICIES_IDENTITY_H
#define FX_CLUSTER_POLICIES_IDENTITY_H

#include <stddef.h>

/* Borrowed; outlives everything that is given it. */
struct fx_cluster_identity {
    const char *pod;        /* the replica's name: POD_NAME, else the host's name */
    const char *namespace_; /* of the Pod, its Secret, Lease and Config */
    const char *lease;      /* name of the Lease */
    const char *const *operations; /* as status.byPod tells them: "mutation-webhook" */
    size_t n_operations;
};

#endif
