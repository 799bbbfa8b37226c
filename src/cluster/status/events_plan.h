/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events_plan.h - which Events to write, how often, and their bodies.
 * Private to this room. Pure: the caller passes the time.
 */
#ifndef FX_CLUSTER_STATUS_EVENTS_PLAN_H
#define FX_CLUSTER_STATUS_EVENTS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "cluster/policies/policies.h"

#define FX_EVENTS_NAMESPACE     "default" /* of Events about cluster-scoped objects */
#define FX_EVENTS_MESSAGE_BYTES 1024
#define FX_EVENTS_REPEAT_S      600 /* an Event is counted up at most so often */

/* An Event about one error of a status entry (cluster/status/status.h). */
struct fx_event {
    const char *reason; /* Invalid, Conflicting, Quarantined */
    char message[FX_EVENTS_MESSAGE_BYTES + 1];
    uint64_t digest; /* of object, generation, reason and message */
};

void fx_event_read(const struct fx_cluster_object *object, const json_t *error,
                   struct fx_event *ret_event);

/* The body of a new Event (v1). Its name consists of the name of the object and the
 * digest, so that equal Events have equal names. A new tree; NULL without memory. */
json_t *fx_event_new(const struct fx_cluster_identity *identity,
                     const struct fx_cluster_object *object, const struct fx_event *event,
                     int64_t now) FX_MUST_USE;

/* Whether an existing Event may be counted up now. */
bool fx_event_is_due(const json_t *existing, int64_t now);

/* The apply configuration that counts up an existing Event. A new tree; NULL without
 * memory.
 */
json_t *fx_event_count_up(const json_t *existing, int64_t now) FX_MUST_USE;

/* ---- errors that were reported --------------------------------------------------- */

/* The digests of the errors that were reported and still exist; a pass over all objects
 * finds out which ones do. Zeroed is empty. */
struct fx_events_known {
    struct fx_event_known {
        uint64_t digest;
        uint64_t pass; /* the last one that found it */
    } *items;          /* sorted by digest */
    size_t n_items, cap_items;
    uint64_t pass;
};

void fx_events_known_finish(struct fx_events_known *known);

/* Starts a pass. */
void fx_events_known_begin(struct fx_events_known *known);

/* Reports that an error exists. `*ret_new`: it was not known. False without memory. */
bool fx_events_known_add(struct fx_events_known *known, uint64_t digest,
                         bool *ret_new) FX_MUST_USE;

/* Forgets a digest that could not be reported: it is new again in the next pass. */
void fx_events_known_forget(struct fx_events_known *known, uint64_t digest);

/* Ends a pass: forgets all digests that it did not find. */
void fx_events_known_end(struct fx_events_known *known);

/* ---- the rate -------------------------------------------------------------------- */

/* 25 at once, then one every five seconds. Zeroed: none yet. */
struct fx_events_rate {
    uint64_t paid_until_ns;
};

/* Whether one more Event may be written now; if so, counts it. */
bool fx_events_rate_take(struct fx_events_rate *rate, uint64_t now_ns) FX_MUST_USE;

#endif
