/* SPDX-License-Identifier: Apache-2.0
 *
 * server/state.h - a running server, as its parts see it. Loop thread only.
 */
#ifndef FX_SERVER_STATE_H
#define FX_SERVER_STATE_H

#include <stdbool.h>

#include <uv.h>

#include "net/http_server.h"
#include "server/certificates.h"
#include "server/cluster_metrics.h"
#include "server/external_calls.h"
#include "server/in_force.h"
#include "server/metrics.h"
#include "server/policies_watch.h"
#include "server/self_probe.h"
#include "server/server.h"

struct fx_server {
    const struct fx_server_options *options;
    uv_loop_t loop;
    struct fx_metrics metrics;
    struct fx_certificates *certificates;
    struct fx_policies_watch *policies;         /* NULL: of the cluster */
    struct fx_cluster *cluster;                 /* NULL: policies are files */
    struct fx_cluster_metrics *cluster_metrics; /* with `cluster` */
    struct fx_in_force *in_force; /* what either of them gave, and reviews see */
    struct fx_policies *nothing;  /* what is in force while everything passes */
    struct fx_external_client *external;
    struct fx_http_server *webhook, *health;
    struct fx_self_probe *probe;
    bool draining; /* asked to end */
    bool passes;   /* everything is let pass unchanged */
};

#endif
