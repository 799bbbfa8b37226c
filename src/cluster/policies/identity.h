/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/identity.h - the identity of this replica in the cluster.
 */
#ifndef FX_CLUSTER_POLICIES_IDENTITY_H
#define FX_CLUSTER_POLICIES_IDENTITY_H

#include <stddef.h>

/* Borrowed; outlives everything that receives it. */
struct fx_cluster_identity {
    const char *pod;        /* the name of the replica: POD_NAME, else the host name */
    const char *namespace_; /* of the Pod, its Secret, Lease and Config */
    const char *lease;      /* the name of the Lease */
    const char *const *operations; /* of status.byPod: "mutation-webhook" */
    size_t n_operations;
};

#endif
