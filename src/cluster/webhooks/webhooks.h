/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/webhooks.h - the webhook configurations of Fixpoint: watches them by
 * name, maintains their caBundle with server-side apply, and ends a `fixpoint disable` at
 * its end time. Loop thread only.
 *
 * A configuration that does not exist is never created: the user who deleted it wants no
 * mutation. Every apply has the uid and resourceVersion of the object that was seen, so
 * that a configuration that is deleted meanwhile stays deleted.
 */
#ifndef FX_CLUSTER_WEBHOOKS_WEBHOOKS_H
#define FX_CLUSTER_WEBHOOKS_WEBHOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"
#include "kube/reflector.h"

struct fx_cluster_webhooks; /* opaque */

/* The names of the configurations. Borrowed; empty names are ignored. If the first
 * mutating name is empty, on_disabled and on_present are not called. */
struct fx_cluster_webhooks_options {
    const char *const *mutating;
    size_t n_mutating;
    const char *const *validating;
    size_t n_validating;
    bool writes_ca; /* false: Fixpoint does not maintain their caBundle */
};

/* Callbacks, on the loop. */
struct fx_cluster_webhooks_events {
    /* Reports a change of the time (base/clock.h) since when every existing configuration
     * holds the bundle; 0: one does not hold it. */
    void (*on_published)(uint64_t since_ns, void *user);
    /* The first mutating configuration was disabled or enabled, created or deleted. */
    void (*on_disabled)(bool disabled, void *user);
    void (*on_present)(bool present, void *user);
    void (*on_state)(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user);
};

/* Starts watching. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_cluster_webhooks *
fx_cluster_webhooks_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_webhooks_options *options,
                           const struct fx_cluster_webhooks_events *events, void *user,
                           struct fx_err *err) FX_MUST_USE;

/* Sets the bundle to publish (PEM, copied) in all webhooks of the configurations. False
 * without memory: then the previous bundle stays. */
bool fx_cluster_webhooks_publish(struct fx_cluster_webhooks *webhooks,
                                 struct fx_text ca_bundle) FX_MUST_USE;

/* The time since when every configuration holds the bundle, as in `on_published`. */
uint64_t fx_cluster_webhooks_published_since(const struct fx_cluster_webhooks *webhooks);

/* Reports whether this replica holds the Lease: only the leader ends a disable. */
void fx_cluster_webhooks_set_leader(struct fx_cluster_webhooks *webhooks, bool leader);

/* The status of the watches of one kind of configuration: the worst one, with the number
 * of objects of all. False: none of that kind is watched. */
bool fx_cluster_webhooks_get_status(const struct fx_cluster_webhooks *webhooks,
                                    const struct fx_kube_resource *resource,
                                    struct fx_kube_reflector_status *ret_status);

extern const struct fx_kube_resource fx_cluster_mutating, fx_cluster_validating;

/* ---- the caBundle of a configuration; pure ---- */

#define FX_CA_BUNDLE_MANAGER "fixpoint"

/* Does every webhook of the configuration have this bundle (base64)? */
bool fx_ca_bundle_is_in(const json_t *configuration, const char *bundle);

/* The apply configuration that sets the bundle of every webhook, for exactly this object
 * (by uid and resourceVersion), so that a deleted configuration is not created again. A
 * new tree; NULL without memory. */
json_t *fx_ca_bundle_apply(const json_t *configuration, const char *bundle) FX_MUST_USE;

/* Stops. The memory is freed when the loop has closed its handles. NULL is allowed. */
void fx_cluster_webhooks_close(struct fx_cluster_webhooks *webhooks);

#endif
