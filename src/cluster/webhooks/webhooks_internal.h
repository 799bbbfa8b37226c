/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/webhooks_internal.h - what the files of the webhook configurations
 * share.
 *
 *   webhooks.c        what is watched, what is told of it
 *   webhooks_write.c  what is written: the bundle, the end of a disable
 */
#ifndef FX_CLUSTER_WEBHOOKS_WEBHOOKS_INTERNAL_H
#define FX_CLUSTER_WEBHOOKS_WEBHOOKS_INTERNAL_H

#include <uv.h>

#include "cluster/webhooks/webhooks.h"
#include "kube/backoff.h"

/* Somebody may undo what we write, and we what they do. */
extern const struct fx_kube_throttle fx_webhooks_throttle;

/* What is under way. */
enum fx_webhooks_write {
    FX_WEBHOOKS_BUNDLE,
    FX_WEBHOOKS_ENABLE,    /* the end of a disable: its selectors, */
    FX_WEBHOOKS_HAND_OVER, /* and whose they are */
};

/* One configuration. */
struct fx_webhooks_target {
    struct fx_cluster_webhooks *webhooks;
    const struct fx_kube_resource *resource;
    bool is_first; /* the one that people disable: the first mutating one */
    char *name;
    struct fx_kube_reflector *reflector;
    struct fx_kube_call *call; /* a write under way */
    uv_timer_t timer;          /* the next one */
    json_t *object;            /* as last seen; counted; NULL: there is none */
    bool synced;               /* so that NULL means that */
    uint64_t holds_since_ns;   /* the bundle; 0: it does not */
    struct fx_kube_throttle pace;
    unsigned n_written; /* bundles, since there was a calm */
    enum fx_webhooks_write write;
    bool end_failed;          /* the last time; so the bundle first, the next time */
    bool cannot_end;          /* this object's disable: its record is spoilt */
    enum fx_kube_reason logged; /* the last failure in the log */
};

struct fx_cluster_webhooks {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_cluster_webhooks_events events;
    void *user;
    bool writes_ca, leader;
    bool present, present_known, disabled;
    char *bundle; /* base64; NULL: none to be published */
    uint64_t since_ns;
    uv_timer_t timer; /* the end of a disable */
    unsigned handles; /* not yet closed */
    bool closing;
    size_t n_targets;
    struct fx_webhooks_target targets[];
};

/* ---- webhooks_write.c ---- */

/* Writes what is to be written, if anything is, but not before the pause after the last
 * write. */
void fx_webhooks_schedule_write(struct fx_webhooks_target *target);

#endif
