/* SPDX-License-Identifier: Apache-2.0
 *
 * server/cluster_metrics.h - how we stand with the API server: fixpoint_kube_* and what
 * is written there. Loop thread only.
 */
#ifndef FX_SERVER_CLUSTER_METRICS_H
#define FX_SERVER_CLUSTER_METRICS_H

#include "base/macros.h"
#include "kube/client.h"
#include "metrics/registry.h"

struct fx_server;
struct fx_cluster_metrics; /* opaque */

/* Adds the families to the registry, which outlives it; what is looked at is read from
 * the server's cluster at each scrape. NULL without memory. */
struct fx_cluster_metrics *
fx_cluster_metrics_create(struct fx_registry *registry,
                          struct fx_server *server) FX_MUST_USE;
void fx_cluster_metrics_destroy(struct fx_cluster_metrics *metrics); /* NULL is fine */

/* A request to the API server has ended. */
void fx_cluster_metrics_count(struct fx_cluster_metrics *metrics, enum fx_kube_verb verb,
                              const struct fx_kube_resource *resource,
                              enum fx_kube_reason reason, double seconds);

#endif
