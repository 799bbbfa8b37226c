/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/webhooks_internal.h - what webhooks.c (watching, reporting) and
 * webhooks_write.c (writing the bundle and the end of a disable) share.
 */
#ifndef FX_CLUSTER_WEBHOOKS_WEBHOOKS_INTERNAL_H
#define FX_CLUSTER_WEBHOOKS_WEBHOOKS_INTERNAL_H

#include <uv.h>

#include "cluster/webhooks/webhooks.h"
#include "kube/backoff.h"

/* For writes that others may undo. */
extern const struct fx_kube_throttle fx_webhooks_throttle;

/* The write in progress. */
enum fx_webhooks_write {
    FX_WEBHOOKS_BUNDLE,
    FX_WEBHOOKS_ENABLE,    /* the end of a disable: the selectors, */
    FX_WEBHOOKS_HAND_OVER, /* and then their owners */
};

/* One configuration. */
struct fx_webhooks_target {
    struct fx_cluster_webhooks *webhooks;
    const struct fx_kube_resource *resource;
    bool is_first; /* the first mutating one, which `fixpoint disable` disables */
    char *name;
    struct fx_kube_reflector *reflector;
    struct fx_kube_call *call; /* a write in progress */
    uv_timer_t timer;          /* of the next write */
    json_t *object;            /* as last seen; counted; NULL: it does not exist, */
    bool synced;               /* or (false) that is not known yet */
    uint64_t holds_since_ns;   /* since when it holds the bundle; 0: it does not */
    struct fx_kube_throttle throttle;
    unsigned n_written; /* bundles, without a calm in between */
    enum fx_webhooks_write write;
    bool end_failed;            /* the last time: next time the bundle is written first */
    bool cannot_end;            /* the record of this disable is invalid */
    enum fx_kube_reason logged; /* the last failure in the log */
};

struct fx_cluster_webhooks {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_cluster_webhooks_events events;
    void *user;
    bool writes_ca, leader;
    bool present, present_known, disabled;
    char *bundle; /* base64; NULL: none */
    uint64_t since_ns;
    uv_timer_t timer; /* of the end of a disable */
    unsigned handles; /* not closed yet */
    bool closing;
    size_t n_targets;
    struct fx_webhooks_target targets[];
};

/* ---- webhooks_write.c ---- */

/* Sets the timer for the next write, if something differs from what it should be. */
void fx_webhooks_schedule_write(struct fx_webhooks_target *target);

#endif
