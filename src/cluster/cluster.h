/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/cluster.h - Fixpoint in a cluster: connects the parts that read (policies,
 * namespaces) and the parts that write (statuses, Events, the certificate, the caBundle
 * of the webhook configurations), and reports their state. Loop thread only.
 *
 * The API server may be down at any time and for any duration: the last objects stay in
 * use, and requests are retried.
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
#include "cluster/existing/existing.h"
#include "cluster/policies/policies.h"
#include "cluster/references/access_reviews.h"
#include "cluster/references/bindings.h"
#include "cluster/references/fetches.h"
#include "cluster/references/namespaces.h"
#include "cluster/references/schemas.h"
#include "cluster/status/events.h"
#include "cluster/status/status.h"
#include "cluster/webhooks/webhooks.h"
#include "engine/input.h"
#include "kube/config.h"

struct fx_cluster; /* opaque */

/* Everything is borrowed until the cluster is closed. */
struct fx_cluster_options {
    const struct fx_kube_config *config;
    struct fx_cluster_identity identity;
    unsigned apis; /* the APIs whose policies are read (cluster/policies/kinds.h) */
    enum fx_native_mode native;
    struct fx_dialect_settings settings;
    struct fx_cluster_webhooks_options webhooks;
    /* NULL: Fixpoint does not maintain the certificate. */
    const struct fx_cluster_secret_options *secret;
    bool writes_status, writes_events;
    struct fx_cluster_existing_options existing; /* rules that mutate existing objects */
};

/* Callbacks, on the loop. */
struct fx_cluster_callbacks {
    /* There is a new build of the policies. Both are borrowed. */
    void (*on_policies)(struct fx_policies *built, struct fx_policies *before,
                        double seconds, void *user);
    /* A new certificate chain and key to serve with (PEM, borrowed). Only with `secret`.
     */
    void (*on_pair)(struct fx_text cert_pem, struct fx_text key_pem, void *user);
    fx_kube_on_request *on_request;
    void *user;
};

/* Starts. Returns NULL on failure; errors: FX_EINVALID (the configuration), FX_ENOMEM. An
 * API server that does not answer is not an error. */
struct fx_cluster *fx_cluster_create(uv_loop_t *loop,
                                     const struct fx_cluster_options *options,
                                     const struct fx_cluster_callbacks *callbacks,
                                     struct fx_err *err) FX_MUST_USE;

/* Reports the active policies, which statuses and Events describe: the last build,
 * perhaps without mutators in quarantine. Takes a new reference. */
void fx_cluster_report(struct fx_cluster *cluster, struct fx_policies *active);

/* The jobs of rules that mutate existing objects. NULL: such rules do nothing. */
struct fx_cluster_existing *fx_cluster_get_existing(struct fx_cluster *cluster);

/* The namespaces, for reviews. */
struct fx_cluster_namespaces *fx_cluster_get_namespaces(struct fx_cluster *cluster);

/* The schemas of the API server's kinds, for reviews. */
struct fx_cluster_schemas *fx_cluster_get_schemas(struct fx_cluster *cluster);

/* Looks an input (not a call, not a schema) up in the caches: a new reference. NULL
 * without an error: it must be fetched. Only Namespaces are cached, as Nodes change every
 * few seconds. Any thread. Errors: FX_ENOMEM. */
json_t *fx_cluster_find_input(struct fx_cluster *cluster, const struct fx_input_key *key,
                              struct fx_err *err);

/* Fetches an input of a review (not a call, not a schema) that is not in a cache. The
 * result is reported as in cluster/references/fetches.h, perhaps at once, but never after
 * fx_cluster_close(). `deadline_ns` 0: the default timeout. False without memory, or if
 * too many requests are in progress. */
bool fx_cluster_fetch_input(struct fx_cluster *cluster, const struct fx_input_key *key,
                            uint64_t deadline_ns, fx_cluster_on_fetched *on_done,
                            void *user) FX_MUST_USE;

/* The bindings of Pods. NULL: Pods are not annotated, since no dialect that is read uses
 * Nodes. Any thread. */
struct fx_cluster_bindings *fx_cluster_get_bindings(struct fx_cluster *cluster);

/* Has everything that a review needs been read once? Once true, it stays true. If false,
 * `*ret_waits_for` says what is missing, borrowed. */
bool fx_cluster_ready(const struct fx_cluster *cluster, const char **ret_waits_for);

/* Publishes the CA bundle of a certificate that Fixpoint does not maintain (`secret` is
 * NULL) in the webhook configurations. */
void fx_cluster_publish(struct fx_cluster *cluster, struct fx_text ca_bundle);

/* Builds the policies again now, and checks the Secret. */
void fx_cluster_reload(struct fx_cluster *cluster);

/* Statistics for metrics. */
struct fx_cluster_stats {
    bool lease_held;
    bool has_native; /* native kinds are watched */
    enum fx_native_state native;
    bool names_mutating;       /* the options name a mutating webhook configuration */
    bool disabled, configured; /* that configuration is disabled; exists */
    bool publishes;            /* Fixpoint maintains the caBundle */
    bool published;            /* every configuration holds the caBundle */
    int64_t ca_not_after;      /* seconds since 1970; 0: not known */
    struct fx_cluster_status_counts status;
    struct fx_cluster_event_counts events;
    struct fx_cluster_existing_counts existing; /* zeroed if such rules do nothing */
};
void fx_cluster_get_stats(const struct fx_cluster *cluster,
                          struct fx_cluster_stats *ret_stats);

/* The status of each watched resource: the first fx_cluster_kinds_count() are policies,
 * followed by namespaces, the two kinds of webhook configurations, and Secrets: these are
 * FX_CLUSTER_RESOURCES. The kinds of objects that policies name follow; their resources
 * are valid until the loop continues. False: not watched. */
#define FX_CLUSTER_RESOURCES (fx_cluster_kinds_count() + 4)
size_t fx_cluster_resources_count(const struct fx_cluster *cluster);
bool fx_cluster_get_resource_status(const struct fx_cluster *cluster, size_t index,
                                    const struct fx_kube_resource **ret_resource,
                                    struct fx_kube_reflector_status *ret_status);

/* Releases the Lease, so that another replica takes over. Call it at the shutdown, while
 * reviews are still served. */
void fx_cluster_release_lease(struct fx_cluster *cluster);

/* Stops everything. The memory is freed when the loop has closed its handles. NULL is
 * allowed. */
void fx_cluster_close(struct fx_cluster *cluster);

#endif
