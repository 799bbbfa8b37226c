/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/webhooks.h - the webhook configurations by which the API server finds
 * us: watched by name, their caBundle kept true by server-side apply, and a `fixpoint
 * disable` ended when its time is over. Loop thread only.
 *
 * A configuration that is not there is never made: whoever deleted it wanted no mutation.
 * Every apply carries the uid and resourceVersion of the object that was seen, so that
 * one that goes away meanwhile stays away.
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

/* Which ones, by name; the mutating ones first. Borrowed, empty names are left out: where
 * the first mutating one is, there is none that is told of as present or disabled. */
struct fx_cluster_webhooks_options {
    const char *const *mutating;
    size_t n_mutating;
    const char *const *validating;
    size_t n_validating;
    bool writes_ca; /* false: their caBundle is somebody else's business */
};

struct fx_cluster_webhooks_events {
    /* Since when (base/clock.h) every configuration that there is holds the bundle; 0:
     * one does not yet. Also told when it stays so but a moment passed that was asked
     * for. */
    void (*on_published)(uint64_t since_ns, void *user);
    /* The first mutating one is disabled, or no more; or it is there, or not. */
    void (*on_disabled)(bool disabled, void *user);
    void (*on_present)(bool present, void *user);
    void (*on_state)(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user);
};

struct fx_cluster_webhooks *
fx_cluster_webhooks_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_webhooks_options *options,
                           const struct fx_cluster_webhooks_events *events, void *user,
                           struct fx_err *err) FX_MUST_USE;

/* The bundle to be published from now on (PEM, copied). Only webhooks whose clientConfig
 * names a service or a URL of ours are written: all of those in our configurations. False
 * without memory: then it is the one before. */
bool fx_cluster_webhooks_publish(struct fx_cluster_webhooks *webhooks,
                                 struct fx_text ca_bundle) FX_MUST_USE;

/* Since when, as in `on_published`. */
uint64_t fx_cluster_webhooks_published_since(const struct fx_cluster_webhooks *webhooks);

/* May this replica end a disable whose time is over (it holds the Lease)? */
void fx_cluster_webhooks_set_leader(struct fx_cluster_webhooks *webhooks, bool leader);

/* How the watches of a kind of configuration stand: as the one that stands worst, with
 * the objects of all. False: none of that kind is watched. */
bool fx_cluster_webhooks_get_status(const struct fx_cluster_webhooks *webhooks,
                                    const struct fx_kube_resource *resource,
                                    struct fx_kube_reflector_status *ret_status);

extern const struct fx_kube_resource fx_cluster_mutating, fx_cluster_validating;

void fx_cluster_webhooks_close(struct fx_cluster_webhooks *webhooks); /* NULL is fine */

#endif
