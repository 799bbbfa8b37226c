/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events_plan.h - which Events there are to be, how often, and their
 * bodies. Private to this room. Pure: the time is told.
 */
#ifndef FX_CLUSTER_STATUS_EVENTS_PLAN_H
#define FX_CLUSTER_STATUS_EVENTS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "cluster/policies/identity.h"
#include "cluster/policies/policies.h"

#define FX_EVENTS_NAMESPACE     "default" /* of what is in no namespace itself */
#define FX_EVENTS_MESSAGE_BYTES 1024
#define FX_EVENTS_REPEAT_S      600 /* the same one is not counted up more often */

/* What one error of a status entry (cluster/status/status.h) makes known. */
struct fx_event {
    const char *reason; /* Invalid, Conflicting, Quarantined */
    char message[FX_EVENTS_MESSAGE_BYTES + 1];
    uint64_t digest; /* of object, generation, reason and message */
};

void fx_event_read(const struct fx_cluster_object *object, const json_t *error,
                   struct fx_event *ret_event);

/* The Event (v1) as it is created. Its name is the object's and the digest, so that
 * whoever tells the same meets the same. NULL without memory. */
json_t *fx_event_new(const struct fx_cluster_identity *identity,
                     const struct fx_cluster_object *object, const struct fx_event *event,
                     int64_t now) FX_MUST_USE;

/* Is it time to count up the one that is there? */
bool fx_event_is_due(const json_t *there, int64_t now);

/* What is applied to the one that is there, so that it counts one more. NULL without
 * memory. */
json_t *fx_event_count_up(const json_t *there, int64_t now) FX_MUST_USE;

/* ---- what is known ---- */

/* Which were told and still hold; a walk over all objects finds those that do. Zeroed
 * is none. */
struct fx_events_known {
    struct fx_event_known {
        uint64_t digest;
        uint64_t walk; /* that found it last */
    } *items;          /* by digest */
    size_t n_items, cap_items;
    uint64_t walk;
};

void fx_events_known_finish(struct fx_events_known *known);

void fx_events_known_begin(struct fx_events_known *known);

/* It holds. `*ret_new`: it is not known yet. False without memory. */
bool fx_events_known_add(struct fx_events_known *known, uint64_t digest,
                         bool *ret_new) FX_MUST_USE;

/* It could not be told: it is new again after this walk. */
void fx_events_known_forget(struct fx_events_known *known, uint64_t digest);

/* The walk is over: what it did not find holds no more. */
void fx_events_known_end(struct fx_events_known *known);

/* ---- the rate ---- */

/* 25 at once, and then one in five seconds; zeroed is none yet. */
struct fx_events_rate {
    uint64_t paid_until_ns;
};

/* May there be one now? */
bool fx_events_rate_take(struct fx_events_rate *rate, uint64_t now_ns) FX_MUST_USE;

#endif
