/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep.h - removes the status entries of replicas that no longer exist.
 * Only the holder of the Lease does this. Loop thread only.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_H
#define FX_CLUSTER_STATUS_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/policies.h"
#include "kube/client.h"

struct fx_cluster_sweep; /* opaque */

/* Creates the sweep, which does nothing until fx_cluster_sweep_set_leader(). Returns NULL
 * on failure; errors: FX_ENOMEM. */
struct fx_cluster_sweep *
fx_cluster_sweep_create(uv_loop_t *loop, struct fx_kube_client *client,
                        const struct fx_cluster_identity *identity,
                        const struct fx_cluster_policies *policies,
                        struct fx_err *err) FX_MUST_USE;

/* Reports whether this replica holds the Lease. The leader checks every minute which of
 * the Pods that wrote entries are gone, and removes their entries. An entry belongs to
 * Fixpoint if a field manager `fixpoint-<id>` wrote it or, in an atomic list, if its id
 * is a Pod of our Deployment (our Pod's name without its last two parts): it is removed
 * if its id is not a Pod of our namespace, now and a few seconds later. Entries of other
 * programs are removed after ten minutes; if they come back five times, they are left
 * alone for a day. */
void fx_cluster_sweep_set_leader(struct fx_cluster_sweep *sweep, bool leads);

/* Stops, and cancels requests in progress. NULL is allowed. */
void fx_cluster_sweep_close(struct fx_cluster_sweep *sweep);

/* ---- for tests ------------------------------------------------------------------- */

struct fx_sweep_times {
    uint64_t round_ms;   /* between two rounds */
    uint64_t again_ms;   /* between two rounds, if there are new suspects */
    uint64_t wait_ms;    /* while not all policies have been read yet */
    uint64_t write_ms;   /* between two writes */
    uint64_t foreign_ms; /* until entries of other programs are removed */
    uint64_t rest_ms;    /* until they are removed again after they came back */
};

/* Call it right after fx_cluster_sweep_create(). */
void fx_cluster_sweep_set_times(struct fx_cluster_sweep *sweep,
                                const struct fx_sweep_times *times);

/* The number of ids of other programs that are waited for. */
size_t fx_cluster_sweep_count_foreign(const struct fx_cluster_sweep *sweep);

#endif
