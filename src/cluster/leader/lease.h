/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease.h - which replica does what only one should do (sweep, events,
 * ending a disable): the holder of a Lease (coordination.k8s.io/v1), as client-go's
 * leader election keeps it. Serving and certificates never depend on it. Loop thread
 * only.
 *
 * The holder renews every third of the duration, and no longer counts itself as holder
 * when it could not for two thirds; another takes over when the record did not change for
 * the whole duration by its own clock (clocks of nodes are never compared).
 */
#ifndef FX_CLUSTER_LEADER_LEASE_H
#define FX_CLUSTER_LEADER_LEASE_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "kube/client.h"

struct fx_cluster_lease; /* opaque */

/* Which Lease, and who wants to hold it. Borrowed until the lease is closed. */
struct fx_cluster_lease_options {
    const char *pod; /* the candidate: a UUID is added to its name */
    const char *namespace_, *name;
};

/* Starts to compete for the Lease. `on_change` is called on the loop each time the Lease
 * is won or lost. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_cluster_lease *
fx_cluster_lease_create(uv_loop_t *loop, struct fx_kube_client *client,
                        const struct fx_cluster_lease_options *options,
                        void (*on_change)(bool held, void *user), void *user,
                        struct fx_err *err) FX_MUST_USE;

bool fx_cluster_lease_held(const struct fx_cluster_lease *lease);

/* Gives it back where it is held (no holderIdentity), so that the next one need not
 * wait, and does not try again. Nothing is told of it. */
void fx_cluster_lease_release(struct fx_cluster_lease *lease);

/* Ends it at once: who wants to give it back does so a moment before. NULL is fine. */
void fx_cluster_lease_close(struct fx_cluster_lease *lease);

#endif
