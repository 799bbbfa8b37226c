/* SPDX-License-Identifier: Apache-2.0
 *
 * server/cluster_metrics.h - metrics of the connection to the API server
 * (fixpoint_kube_*) and of writes to it. Main thread only.
 */
#ifndef FX_SERVER_CLUSTER_METRICS_H
#define FX_SERVER_CLUSTER_METRICS_H

#include "base/macros.h"
#include "kube/client.h"
#include "metrics/registry.h"

struct fx_server;
struct fx_cluster_metrics; /* opaque */

/* Adds the families to the registry, which must outlive the result. Gauges are read from
 * the server's cluster at each scrape. NULL if out of memory. */
struct fx_cluster_metrics *
fx_cluster_metrics_create(struct fx_registry *registry,
                          struct fx_server *server) FX_MUST_USE;
void fx_cluster_metrics_destroy(struct fx_cluster_metrics *metrics); /* NULL is fine */

/* Counts a request to the API server that has ended. */
void fx_cluster_metrics_count(struct fx_cluster_metrics *metrics, enum fx_kube_verb verb,
                              const struct fx_kube_resource *resource,
                              enum fx_kube_reason reason, double seconds);

#endif
