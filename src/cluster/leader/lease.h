/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease.h - leader election: the replica that holds a Lease
 * (coordination.k8s.io/v1) does the work that only one replica should do (sweep, Events,
 * ending a disable). The rules are those of client-go's leader election. Serving and
 * certificates never depend on it. Loop thread only.
 *
 * The holder renews the Lease every third of its duration, and stops acting as the holder
 * if it could not renew it for two thirds. Another replica takes over if the record has
 * not changed for the whole duration by that replica's own clock (clocks of nodes are
 * never compared).
 */
#ifndef FX_CLUSTER_LEADER_LEASE_H
#define FX_CLUSTER_LEADER_LEASE_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/leader/lease_state.h"
#include "kube/client.h"

struct fx_cluster_lease; /* opaque */

/* The Lease and the candidate. Borrowed until the lease is closed. */
struct fx_cluster_lease_options {
    const char *pod; /* the candidate; a UUID is added to its name */
    const char *namespace_, *name;
};

/* Starts to compete for the Lease. `on_change` is called on the loop each time the Lease
 * is won or lost. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_cluster_lease *
fx_cluster_lease_create(uv_loop_t *loop, struct fx_kube_client *client,
                        const struct fx_cluster_lease_options *options,
                        void (*on_change)(bool held, void *user), void *user,
                        struct fx_err *err) FX_MUST_USE;

/* Does this replica hold the Lease? */
bool fx_cluster_lease_held(const struct fx_cluster_lease *lease);

/* Releases the Lease if it is held (removes holderIdentity), so that the next holder need
 * not wait, and stops competing. Does not call `on_change`. */
void fx_cluster_lease_release(struct fx_cluster_lease *lease);

/* Stops at once, without releasing. NULL is allowed. */
void fx_cluster_lease_close(struct fx_cluster_lease *lease);

/* For tests. Call it right after fx_cluster_lease_create(). */
void fx_cluster_lease_set_times(struct fx_cluster_lease *lease,
                                const struct fx_lease_times *times);

#endif
