/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot.h - all policies at one instant, immutable and counted. A change of
 * policy makes another one that shares the mutators which did not change; a review
 * samples one at its start and keeps it to its end.
 */
#ifndef FX_ENGINE_SNAPSHOT_H
#define FX_ENGINE_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/conflicts.h"
#include "engine/mutator.h"
#include "engine/quarantine.h"
#include "engine/request.h"
#include "engine/resource.h"
#include "value/json_part.h"

struct fx_snapshot_index; /* opaque */

struct fx_snapshot {
    atomic_uint refs;
    uint64_t generation;          /* as given by the builder; for logs and metrics */
    struct fx_mutator **mutators; /* in the order of a pass */
    size_t n_mutators;
    size_t n_acting;        /* the first so many of them; the others are validators */
    bool validates_deletes; /* some validator may be asked about DELETE */
    bool is_simple;         /* no mutator is asked together with others or once,
                             * may be left out, or is shown a view */
    bool may_conflict;      /* some mutator may write anywhere */
    bool has_inputs_before; /* some mutator has an input whose key follows from the */
                            /* incoming object (engine/input.h) */
    bool asks_for_inputs;   /* some mutator asks for inputs while it is evaluated */
    bool has_inputs_after;  /* some mutator has an input after convergence */
    struct fx_resource **resources; /* ordered by type, then name */
    size_t n_resources;
    struct fx_conflicts conflicts;             /* by index in `mutators` */
    struct fx_quarantine *quarantine;          /* counted; NULL: nobody is in one */
    const struct fx_quarantined **quarantined; /* by index; NULL: nobody is */
    struct fx_snapshot_index *index;
    bool *alone; /* by index: nobody else who is enabled, and says where, writes where the
                  * mutator does, so that nobody of these undoes what it changes; false
                  * where that is not known */
    struct fx_json_part reads; /* what its mutators and every review read in an object:
                                * the rest of it is not decoded. Borrows their texts */
};

/* What a snapshot is made of; borrowed. */
struct fx_snapshot_parts {
    struct fx_mutator *const *mutators;
    size_t n_mutators;
    struct fx_resource *const *resources;
    size_t n_resources;
    struct fx_quarantine *quarantine; /* those of it that are still the same are disabled;
                                       * NULL: nobody is */
};

/* Drops all but the last of several with one id (as an upsert would), sorts, finds
 * conflicts and makes the index. Takes references of its own. Errors: FX_ENOMEM. */
bool fx_snapshot_build(const struct fx_snapshot_parts *parts, uint64_t generation,
                       struct fx_snapshot **ret_snapshot, struct fx_err *err) FX_MUST_USE;

/* Is the mutator left out of every review: in conflict, or in quarantine? */
bool fx_snapshot_is_disabled(const struct fx_snapshot *snapshot, size_t index);

/* Why the mutator is in quarantine; NULL where it is not. Borrowed. */
const struct fx_quarantined *fx_snapshot_quarantined(const struct fx_snapshot *snapshot,
                                                     size_t index);

/* The resource of that type and name; NULL where there is none. Borrowed. */
const struct fx_resource *fx_snapshot_find(const struct fx_snapshot *snapshot,
                                           enum fx_resource_type type,
                                           struct fx_text name);

/* All resources of that type: the first of *ret_count elements, borrowed. */
struct fx_resource *const *fx_snapshot_resources(const struct fx_snapshot *snapshot,
                                                 enum fx_resource_type type,
                                                 size_t *ret_count);

/* Counting; any thread may drop the last one. NULL is fine for unref. */
struct fx_snapshot *fx_snapshot_ref(struct fx_snapshot *snapshot);
void fx_snapshot_unref(struct fx_snapshot *snapshot);

/* The enabled mutators that may want an object of this group, version, kind and namespace
 * under this operation, as ascending indices into `mutators`: mutators for other objects
 * or namespaces are not even looked at. A superset: each one's own match decides. An
 * empty namespace (cluster-scoped) counts as every namespace. */
struct fx_candidates {
    uint32_t *indices;
    size_t n_indices, cap_indices;
};

/* Fills `ret_candidates` (zeroed at first; its memory is reused; the caller frees it with
 * _finish).
 * Errors: FX_ENOMEM. */
bool fx_snapshot_candidates(const struct fx_snapshot *snapshot,
                            const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct fx_candidates *ret_candidates,
                            struct fx_err *err) FX_MUST_USE;

/* All enabled mutators, likewise: what fx_snapshot_candidates() may leave something of.
 */
bool fx_snapshot_all(const struct fx_snapshot *snapshot,
                     struct fx_candidates *ret_candidates,
                     struct fx_err *err) FX_MUST_USE;

void fx_candidates_finish(struct fx_candidates *candidates); /* NULL, zeroed are fine */

#endif
