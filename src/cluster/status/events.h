/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events.h - writes Events (v1) about invalid, conflicting and quarantined
 * mutators, and about native policies that Fixpoint leaves to the API server: in the
 * namespace of the object, as API servers require, and for cluster-scoped objects in
 * `default`. Only the holder of the Lease writes them, once for each object, generation
 * and reason; repeated Events are counted up. Events about rules that failed while they
 * ran come from the replica that ran them. The rate is limited; Events over the limit
 * are dropped and counted. Loop thread only.
 */
#ifndef FX_CLUSTER_STATUS_EVENTS_H
#define FX_CLUSTER_STATUS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/policies.h"
#include "kube/client.h"

struct fx_cluster_events; /* opaque */

struct fx_cluster_event_counts {
    uint64_t written, failed, dropped;
};

/* Creates the writer of Events for the objects of `policies`, which must outlive it.
 * Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_cluster_events *
fx_cluster_events_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_identity *identity,
                         const struct fx_cluster_policies *policies,
                         struct fx_err *err) FX_MUST_USE;

/* Reports whether this replica holds the Lease. A new leader starts with the present
 * errors. */
void fx_cluster_events_set_leader(struct fx_cluster_events *events, bool leads);

/* Reports the active policies: writes Events for new errors. Takes a new reference. */
void fx_cluster_events_compare_all(struct fx_cluster_events *events,
                                   struct fx_policies *built);

/* Writes an Event about a policy object (borrowed): what went wrong when one of its rules
 * ran. Any replica may do this; an Event that exists is counted up. `reason` is a
 * constant. */
void fx_cluster_events_send(struct fx_cluster_events *events,
                            const struct fx_cluster_object *object, const char *reason,
                            struct fx_text message);

void fx_cluster_events_get_counts(const struct fx_cluster_events *events,
                                  struct fx_cluster_event_counts *ret_counts);

/* Stops, and cancels writes in progress. NULL is allowed. */
void fx_cluster_events_close(struct fx_cluster_events *events);

/* For tests: sets the first pause after a failed write. Call it right after
 * fx_cluster_events_create(). */
void fx_cluster_events_set_delay(struct fx_cluster_events *events, uint64_t delay_ms);

#endif
