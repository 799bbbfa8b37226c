/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing_sources.h - connects the jobs of rules for existing objects
 * (cluster/existing) with the parts of the cluster that they need. Private to this room.
 */
#ifndef FX_CLUSTER_EXISTING_SOURCES_H
#define FX_CLUSTER_EXISTING_SOURCES_H

#include "cluster/cluster.h"

/* The parts, all borrowed. */
struct fx_existing_sources {
    struct fx_cluster *cluster;
    const struct fx_cluster_policies *policies;
    struct fx_cluster_events *events; /* NULL: no Events are written */
    struct fx_schemas schemas;        /* set by fx_existing_sources_connect() */
};

/* Fills the callbacks, which borrow `sources`. */
void fx_existing_sources_connect(struct fx_existing_sources *sources,
                                 struct fx_cluster_existing_callbacks *ret_callbacks);

#endif
