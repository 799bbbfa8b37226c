/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_internal.h - for the tests of this room: a Lease in a hurry.
 */
#ifndef FX_CLUSTER_LEADER_LEASE_INTERNAL_H
#define FX_CLUSTER_LEADER_LEASE_INTERNAL_H

#include "cluster/leader/lease.h"
#include "cluster/leader/lease_state.h"

/* Right after fx_cluster_lease_create(). */
void fx_cluster_lease_set_times(struct fx_cluster_lease *lease,
                                const struct fx_lease_times *times);

#endif
