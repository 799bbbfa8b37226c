/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep.h - the status entries of replicas that are gone. Done by the
 * holder of the Lease alone. Loop thread only.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_H
#define FX_CLUSTER_STATUS_SWEEP_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/identity.h"
#include "cluster/status/status.h"
#include "kube/client.h"

struct fx_cluster_sweep; /* opaque */

/* Nothing happens until it is told to. Errors: FX_ENOMEM. */
struct fx_cluster_sweep *
fx_cluster_sweep_create(uv_loop_t *loop, struct fx_kube_client *client,
                        const struct fx_cluster_identity *identity,
                        const struct fx_cluster_policies *policies,
                        struct fx_err *err) FX_MUST_USE;

/* From now on (or no more): looks every minute which of the Pods that wrote entries are
 * gone, and removes their entries. Ours are those that a field manager `fixpoint-<id>`
 * wrote or, in an atomic list, whose id is of our own Deployment (our Pod's name without
 * its last two parts): they go when the id is no Pod of our namespace, and is none a few
 * seconds later. Entries of others go after ten minutes; where they come back five times,
 * they are left alone for a day. */
void fx_cluster_sweep_set_leader(struct fx_cluster_sweep *sweep, bool on);

void fx_cluster_sweep_close(struct fx_cluster_sweep *sweep); /* NULL is fine */

#endif
