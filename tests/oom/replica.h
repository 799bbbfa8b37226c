/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/replica.h - one replica (cluster/cluster.h) in an almost empty cluster, for
 * plays.
 */
#ifndef FX_TESTS_OOM_REPLICA_H
#define FX_TESTS_OOM_REPLICA_H

#include "play.h"

#include "cluster/cluster.h"
#include "cluster/policies/policies_fixture.h"

#define SPACES     "/api/v1/namespaces"
#define SECRETS    "/api/v1/namespaces/ns/secrets"
#define WEBHOOKS   "/apis/admissionregistration.k8s.io/v1/"
#define MUTATING   WEBHOOKS "mutatingwebhookconfigurations"
#define VALIDATING WEBHOOKS "validatingwebhookconfigurations"

struct replica {
    struct fx_kube_config config;
    struct fx_cluster_options options;
    struct fx_cluster *cluster;
    struct fx_policies *built; /* the last ones; counted */
    struct fx_buf cert;        /* the last certificate that was received */
};
extern struct replica replica;

/* Makes the collections, two namespaces and the replica's own Pod. */
void replica_prepare(struct stage *stage);

/* Makes a namespace with the label `a`. */
void replica_put_space(struct stage *stage, const char *name, const char *label);

/* Starts the replica with these options, except for its identity and configuration.
 * Errors: FX_ENOMEM. */
bool replica_begin(struct stage *stage, const struct fx_cluster_options *options,
                   struct fx_err *err);
void replica_end(struct stage *stage);

struct fx_cluster_stats replica_look(void);

/* True if the replica reports that it holds the lease, and the Lease names it. */
bool replica_holds_lease(const struct stage *stage);

#endif
