/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/policies.h - the policies of the cluster: watches policy objects,
 * compiles them in batches on a worker thread, and reports each build. Loop thread only.
 *
 * Only the fields of a policy are kept of an object, as text. Changes of status, managed
 * fields and annotations cause no build. A burst of changes is one build: the first
 * change waits a moment for others, and changes during a build wait for the next one.
 */
#ifndef FX_CLUSTER_POLICIES_POLICIES_H
#define FX_CLUSTER_POLICIES_POLICIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/policies/kinds.h"
#include "kube/client.h"
#include "kube/reflector.h"
#include "policy/policies.h"

/* The condition `Ready` that an object shows. Zeroed: none. */
struct fx_seen_ready {
    uint64_t digest; /* fx_ready_digest(); 0: there is no complete condition */
    int64_t since;   /* its lastTransitionTime, in seconds since 1970 */
    enum { FX_READY_UNKNOWN, FX_READY_TRUE, FX_READY_FALSE } status;
};

/* Reads the condition `Ready` of the object. If there is none, or if its
 * lastTransitionTime is not a date, `*ret_seen` is zeroed, so that the condition is
 * written again. */
void fx_ready_read(const json_t *object, struct fx_seen_ready *ret_seen);

/* A digest of a condition without its lastTransitionTime. Never 0. */
uint64_t fx_ready_digest(const json_t *condition);

/* A digest of an entry of `status.byPod`; the order of its fields does not matter. Never
 * 0. */
uint64_t fx_status_digest(const json_t *entry);

/* The digest of the entry of `status.byPod` whose id is `pod`; 0 if there is none. */
uint64_t fx_status_digest_of_pod(const json_t *object, const char *pod);

/* A digest of `status.typeChecking` with `status.observedGeneration`; 0: the object has
 * not both. */
uint64_t fx_types_digest(const json_t *status);

/* The identity of this replica. Borrowed: it must outlive everything that receives it. */
struct fx_cluster_identity {
    const char *pod;        /* the name of the replica: POD_NAME, else the host name */
    const char *namespace_; /* the namespace of the Pod, its Secret, Lease and Config */
    const char *lease;      /* the name of the Lease */
    const char *const *operations; /* those of status.byPod, such as "mutation-webhook" */
    size_t n_operations;
};

struct fx_cluster_policies; /* opaque */

/* A policy object of the cluster. */
struct fx_cluster_object {
    const struct fx_cluster_kind *kind;
    const struct fx_kube_resource *resource; /* the version in which it was read */
    /* Unique: "assign.mutations.gatekeeper.sh/always-pull"; for namespaced kinds
     * "…/NAMESPACE/NAME". The `file` of its findings. */
    const char *key;
    struct fx_text namespace_; /* empty for kinds that are not namespaced */
    struct fx_text name, uid;
    int64_t generation;
    struct fx_policy_text *object; /* the fields that are kept; borrowed */
    uint64_t own_status; /* fx_status_digest() of this replica's entry of status.byPod, as
                          * last seen in the cluster; 0: none */
    struct fx_seen_ready ready; /* the condition Ready, for kinds that have one */
    uint64_t types; /* fx_types_digest(), for kinds that have `typeChecking` */
};

/* Callbacks, on the loop. */
struct fx_cluster_policies_events {
    /* A build is current from now on. Both are borrowed. */
    void (*on_built)(struct fx_policies *built, struct fx_policies *before,
                     double seconds, void *user);
    /* Only Fixpoint's own part of a mutator's status changed in the cluster. */
    void (*on_status)(const struct fx_cluster_object *object, void *user);
    /* The state of a resource changed (kube/reflector.h). */
    void (*on_state)(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user);
};

/* Borrowed until the policies are closed. */
struct fx_cluster_policies_options {
    struct fx_cluster_identity identity;
    unsigned apis; /* FX_CLUSTER_API_BIT: kinds of other APIs are not watched */
    enum fx_native_mode native; /* for the native kinds among them */
    struct fx_dialect_settings settings;
};

/* Starts watching. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_cluster_policies *
fx_cluster_policies_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_policies_options *options,
                           const struct fx_cluster_policies_events *events, void *user,
                           struct fx_err *err) FX_MUST_USE;

/* Is the object of a native kind, and is it not known that Fixpoint runs its policies?
 * Then it is in no build. Sets who runs them, and the reason ("its feature gate X is
 * on"), valid until the loop continues. */
bool fx_cluster_policies_leaves(const struct fx_cluster_policies *policies,
                                const struct fx_cluster_object *object,
                                enum fx_native_state *ret_state, const char **ret_reason);

/* Who runs the policies of the native kinds that are watched. False if none are. */
bool fx_cluster_policies_get_native(const struct fx_cluster_policies *policies,
                                    enum fx_native_state *ret_state);

/* Has every resource been listed once (or is absent), and have these objects been built?
 * Once true, it stays true. If false, `*ret_waits_for` says what is missing; it is valid
 * as long as the policies. */
bool fx_cluster_policies_ready(const struct fx_cluster_policies *policies,
                               const char **ret_waits_for);

/* Builds again although no object changed. */
void fx_cluster_policies_rebuild(struct fx_cluster_policies *policies);

/* All objects, sorted by key; valid until the loop continues. */
size_t fx_cluster_policies_count(const struct fx_cluster_policies *policies);
const struct fx_cluster_object *
fx_cluster_policies_at(const struct fx_cluster_policies *policies, size_t index);

/* The object with that key, or NULL; valid until the loop continues. */
const struct fx_cluster_object *
fx_cluster_policies_find(const struct fx_cluster_policies *policies, const char *key);

/* The status of the resource fx_cluster_kinds[kind]; false if it is not watched. */
bool fx_cluster_policies_get_status(const struct fx_cluster_policies *policies,
                                    size_t kind,
                                    struct fx_kube_reflector_status *ret_status);

/* The kinds of objects that policies name; see fx_parameters_get_status(). */
size_t fx_cluster_policies_count_named(const struct fx_cluster_policies *policies);
bool fx_cluster_policies_get_named(const struct fx_cluster_policies *policies,
                                   size_t index,
                                   const struct fx_kube_resource **ret_resource,
                                   struct fx_kube_reflector_status *ret_status);

/* Stops. The memory is freed when no worker uses it any more. NULL is allowed. */
void fx_cluster_policies_close(struct fx_cluster_policies *policies);

#endif
