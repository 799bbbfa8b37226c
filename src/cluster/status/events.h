/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events.h - Events (v1) about invalid, conflicting and quarantined
 * mutators, in their namespace, as API servers want it; those of the cluster's scope in
 * `default`. Told by the holder of the Lease alone, once for each mutator, generation and
 * reason; repeated ones count up. At a bounded rate; what is too much is dropped and
 * counted. Loop thread only.
 */
#ifndef FX_CLUSTER_STATUS_EVENTS_H
#define FX_CLUSTER_STATUS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/identity.h"
#include "cluster/policies/policies.h"
#include "kube/client.h"

struct fx_cluster_events; /* opaque */

struct fx_cluster_event_counts {
    uint64_t written, failed, dropped;
};

struct fx_cluster_events *
fx_cluster_events_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_identity *identity,
                         const struct fx_cluster_policies *policies,
                         struct fx_err *err) FX_MUST_USE;

/* From now on (or no more) they are written. Turned on, it begins with what is wrong now.
 */
void fx_cluster_events_set_leader(struct fx_cluster_events *events, bool on);

/* There is a new build. */
void fx_cluster_events_compare_all(struct fx_cluster_events *events,
                                   struct fx_policies *built);

void fx_cluster_events_get_counts(const struct fx_cluster_events *events,
                                  struct fx_cluster_event_counts *ret_counts);

void fx_cluster_events_close(struct fx_cluster_events *events); /* NULL is fine */

#endif
