/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/cluster.h - Fixpoint in a cluster: what it reads there (policies, namespaces),
 * what it writes there (status, Events, its certificate, the caBundle of the webhook
 * configurations), and how that stands. Loop thread only.
 *
 * The API server may go away at any time and for as long as it likes: what was read last
 * is what counts, and everything is tried again.
 */
#ifndef FX_CLUSTER_CLUSTER_H
#define FX_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/certificates/secret.h"
#include "cluster/policies/identity.h"
#include "cluster/policies/policies.h"
#include "cluster/references/bindings.h"
#include "cluster/references/fetches.h"
#include "cluster/references/namespaces.h"
#include "cluster/status/events.h"
#include "cluster/status/status.h"
#include "cluster/webhooks/webhooks.h"
#include "kube/config.h"

struct fx_cluster; /* opaque */

/* Everything is borrowed until the cluster is closed. */
struct fx_cluster_options {
    const struct fx_kube_config *config;
    struct fx_cluster_identity identity;
    unsigned apis; /* whose policies are read (cluster/policies/kinds.h) */
    struct fx_dialect_settings settings; /* and how they are meant */
    struct fx_cluster_webhooks_options webhooks;
    const struct fx_cluster_secret_options
        *secret; /* NULL: the certificate is not ours */
    bool writes_status, writes_events;
};

/* What is told, on the loop. */
struct fx_cluster_callbacks {
    /* Policies were built, instead of those before; borrowed. */
    void (*on_policies)(struct fx_policies *built, struct fx_policies *before,
                        double seconds, void *user);
    /* A chain and key to serve with, PEM, borrowed. Only with `secret`. */
    void (*on_pair)(struct fx_text cert_pem, struct fx_text key_pem, void *user);
    fx_kube_on_request *on_request;
    void *user;
};

/* Begins. Errors: FX_EINVALID (the configuration), FX_ENOMEM; never that the API server
 * does not answer. */
struct fx_cluster *fx_cluster_create(uv_loop_t *loop,
                                     const struct fx_cluster_options *options,
                                     const struct fx_cluster_callbacks *events,
                                     struct fx_err *err) FX_MUST_USE;

/* These are in force now (those that were built, or without some of them that are in
 * quarantine): what is to be written into statuses and Events. Takes a reference. */
void fx_cluster_report(struct fx_cluster *cluster, struct fx_policies *in_force);

/* For reviews (cluster/references/namespaces.h). */
struct fx_cluster_namespaces *fx_cluster_get_namespaces(struct fx_cluster *cluster);

/* Asks the API server for a Node, by a name that can be one: none is watched, since each
 * changes every few seconds. How that ends: cluster/references/fetches.h. Cancelled, and
 * not told, when the cluster is closed. `deadline_ns` 0: none of its own. False without
 * memory, or where too many are asked for already. */
bool fx_cluster_fetch_node(struct fx_cluster *cluster, struct fx_text name,
                           uint64_t deadline_ns, fx_cluster_on_fetched *on_done,
                           void *user) FX_MUST_USE;

/* For Pods that are being bound (cluster/references/bindings.h); NULL: they are told
 * nothing, since no policies are read that look at Nodes. By any thread. */
struct fx_cluster_bindings *fx_cluster_get_bindings(struct fx_cluster *cluster);

/* Has all been read once that a review needs? Once true it stays true. If not,
 * `ret_waits_for` says for what it waits, borrowed. */
bool fx_cluster_ready(const struct fx_cluster *cluster, const char **ret_waits_for);

/* The bundle that vouches for our certificate, where `secret` is NULL: published in the
 * webhook configurations. */
void fx_cluster_publish(struct fx_cluster *cluster, struct fx_text ca_bundle);

/* Looks at everything again now that may have been waited for. */
void fx_cluster_reload(struct fx_cluster *cluster);

/* How it stands, for metrics. */
struct fx_cluster_stats {
    bool lease_held;
    bool names_mutating;       /* a mutating webhook configuration is named; if so, */
    bool disabled, configured; /* it is disabled; it is there */
    bool publishes;            /* the bundle is ours to publish; if so, */
    bool published;            /* every configuration holds it */
    int64_t ca_not_after;      /* seconds since 1970; 0: not ours */
    struct fx_cluster_status_counts status;
    struct fx_cluster_event_counts events;
};
void fx_cluster_get_stats(const struct fx_cluster *cluster,
                          struct fx_cluster_stats *ret_look);

/* How each watched resource stands: the first `FX_CLUSTER_KINDS` are policies, then come
 * namespaces, both kinds of webhook configurations and Secrets. False: it is not watched.
 */
#define FX_CLUSTER_RESOURCES (FX_CLUSTER_KINDS + 4)
bool fx_cluster_get_resource_status(const struct fx_cluster *cluster, size_t index,
                                    const struct fx_kube_resource **ret_resource,
                                    struct fx_kube_reflector_status *ret_status);

/* We are asked to end, and go on reading for the reviews that still come: gives the Lease
 * back, so that another does what only one should. */
void fx_cluster_release_lease(struct fx_cluster *cluster);

/* Ends all of it; the memory goes when the loop has closed its
 * handles. NULL is fine. */
void fx_cluster_close(struct fx_cluster *cluster);

#endif
