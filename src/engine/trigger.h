/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/trigger.h - a request that rules for existing objects matched, kept after its
 * review until the jobs of these rules have run. Kept as text, which takes little memory
 * and may be passed to another thread. The text of a Secret is overwritten when it is
 * freed.
 */
#ifndef FX_ENGINE_TRIGGER_H
#define FX_ENGINE_TRIGGER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"
#include "engine/snapshot.h"

/* Immutable and counted. */
struct fx_trigger {
    atomic_uint refs;
    struct fx_snapshot *snapshot; /* counted */
    uint32_t *rules;              /* indices in the snapshot */
    size_t n_rules;
    enum fx_operation operation;
    struct fx_buf parts; /* JSON: an array of the parts of struct fx_trigger_view */
    char *namespace_;    /* of the request; empty if cluster-scoped */
    char *username;      /* of the user who made the request; may be empty */
    char *identity;      /* "group/kind/namespace/name" of the object */
};

/* Makes a trigger with one reference. `request` and `object` are those of the review;
 * `object` is the final one. Takes its own reference to the snapshot. Any thread. NULL
 * without memory, or if the object is beyond the limits of JSON texts. */
struct fx_trigger *fx_trigger_create(struct fx_snapshot *snapshot, const uint32_t *rules,
                                     size_t n_rules, const struct fx_request *request,
                                     const json_t *object) FX_MUST_USE;

struct fx_trigger *fx_trigger_ref(struct fx_trigger *trigger);
void fx_trigger_unref(struct fx_trigger *trigger); /* any thread; NULL is fine */

/* A trigger as rules see it. The caller finishes it. */
struct fx_trigger_view {
    json_t *parts; /* counted: owns all nodes below */
    json_t *object;
    struct fx_request request; /* without inputs; it borrows from the trigger, too */
};

/* Reads the trigger. Errors: FX_ENOMEM. */
bool fx_trigger_view(const struct fx_trigger *trigger, struct fx_trigger_view *ret_view,
                     struct fx_err *err) FX_MUST_USE;

/* Drops the nodes, and overwrites those of a Secret. Zeroed is fine. */
void fx_trigger_view_finish(struct fx_trigger_view *view);

#endif
