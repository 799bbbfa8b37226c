/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/policies.h - the policies of a cluster: watched, compiled in batches
 * on a worker thread, swapped at once. Loop thread only.
 *
 * What is kept of an object is what policies are made of, as a text: no status, no
 * managed fields, no annotations. So a change of nothing else is no change here. A burst
 * of changes is one build: the first waits a moment for the others, and while a build is
 * under way all that comes waits for the next.
 */
#ifndef FX_CLUSTER_POLICIES_POLICIES_H
#define FX_CLUSTER_POLICIES_POLICIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/identity.h"
#include "cluster/policies/kinds.h"
#include "cluster/policies/seen_status.h"
#include "kube/client.h"
#include "kube/reflector.h"
#include "policy/policies.h"

struct fx_cluster_policies; /* opaque */

/* One object as it stands in the cluster. */
struct fx_cluster_object {
    const struct fx_cluster_kind *kind;
    const struct fx_kube_resource *resource; /* the version it was read in */
    const char *key; /* "assign.mutations.gatekeeper.sh/always-pull", and where objects of
                      * its kind live in namespaces "…/NAMESPACE/NAME": the `file` of its
                      * findings, unique */
    struct fx_text namespace_; /* empty where objects of its kind live in none */
    struct fx_text name, uid;
    int64_t generation;
    struct fx_policy_text *object; /* what is kept of it; borrowed */
    /* fx_status_digest() of the entry of status.byPod with our id, as last seen
     * in the cluster; 0: there is none. */
    uint64_t own_status;
    struct fx_seen_ready ready; /* likewise of its condition Ready, where its kind has
                                 * one */
};

struct fx_cluster_policies_events {
    /* A build is in force: sampled from now on, instead of the one before. Borrowed. */
    void (*on_built)(struct fx_policies *built, struct fx_policies *before,
                     double seconds, void *user);
    /* What we say in a mutator's status is something else than before, though nothing
     * else is. */
    void (*on_status)(const struct fx_cluster_object *object, void *user);
    /* A resource's state is another (kube/reflector.h). */
    void (*on_state)(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user);
};

/* What is read, and how it is meant. Borrowed until the policies are closed. */
struct fx_cluster_policies_options {
    struct fx_cluster_identity identity;
    unsigned
        apis; /* FX_CLUSTER_API_BIT: kinds of others are neither read nor waited for */
    struct fx_dialect_settings settings;
};

/* Begins to watch. Until the first build fx_cluster_policies_get_current() gives none at
 * all. Errors: FX_ENOMEM. */
struct fx_cluster_policies *
fx_cluster_policies_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_policies_options *options,
                           const struct fx_cluster_policies_events *events, void *user,
                           struct fx_err *err) FX_MUST_USE;

/* The policies in force, as a new reference; an empty set before the first build. */
struct fx_policies *
fx_cluster_policies_get_current(const struct fx_cluster_policies *policies);

/* Has every resource been listed once (or was found absent), and is that built? Once
 * true it stays true. If not, `ret_waits_for` says for what it waits, text that lives as
 * long as the policies. */
bool fx_cluster_policies_ready(const struct fx_cluster_policies *policies,
                               const char **ret_waits_for);

/* Builds again now, though nothing changed: something else that a build depends on did.
 */
void fx_cluster_policies_rebuild(struct fx_cluster_policies *policies);

/* All objects, in the order of their keys; valid until the loop goes on. */
size_t fx_cluster_policies_count(const struct fx_cluster_policies *policies);
const struct fx_cluster_object *
fx_cluster_policies_at(const struct fx_cluster_policies *policies, size_t index);

/* The object of that key, or NULL; as above. */
const struct fx_cluster_object *
fx_cluster_policies_find(const struct fx_cluster_policies *policies, const char *key);

/* How the resource fx_cluster_kinds[kind] stands; false where it is not read. */
bool fx_cluster_policies_get_status(const struct fx_cluster_policies *policies,
                                    size_t kind,
                                    struct fx_kube_reflector_status *ret_status);

/* Ends it; the memory goes when no worker uses it any more. NULL is fine. */
void fx_cluster_policies_close(struct fx_cluster_policies *policies);

#endif
