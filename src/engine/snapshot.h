/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot.h - all policies at one instant, immutable and counted. A change of a
 * policy makes another snapshot, which shares the mutators that did not change. A review
 * keeps the snapshot that it started with.
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
    uint64_t generation;          /* given by the builder, for logs and metrics */
    struct fx_mutator **mutators; /* in the order of a pass */
    size_t n_mutators;
    size_t n_acting;        /* this many mutate; the others, after them, are validators */
    bool validates_deletes; /* some mutator may check a DELETE */
    bool mutates_connects;  /* some mutator may match CONNECT */
    bool is_simple;  /* no mutator runs once, matches first, ignores its failure or has a
                      * view */
    bool runs_again; /* some mutator has the option `again` */
    bool may_conflict;      /* some mutator may write anywhere */
    bool has_inputs_before; /* the key of an input follows from the incoming object */
    bool asks_for_inputs;   /* a mutator asks for inputs while it is evaluated */
    bool has_inputs_after;  /* a mutator has an input after convergence */
    bool reads_user;    /* a mutator has an access review as an input, so it reads more of
                         * fx_request.user_info than the name */
    bool reads_request; /* a mutator reads fx_request.admission */
    bool reads_old_object;          /* a mutator reads fx_request.old_object */
    struct fx_resource **resources; /* ordered by type, then name */
    size_t n_resources;
    struct fx_conflicts conflicts;             /* by index in `mutators` */
    struct fx_quarantine *quarantine;          /* counted; NULL if there is none */
    const struct fx_quarantined **quarantined; /* by index; NULL without a quarantine */
    struct fx_snapshot_index *index;
    bool *alone; /* by index: true for an enabled mutator that declares where it writes,
                  * if no other such mutator writes there and could undo its changes */
    struct fx_json_part reads; /* what the mutators and every review read in an object;
                                * the rest is not decoded. Borrows texts of mutators */
    /* Objects of these kinds are decoded whole, because mutators that declare no access
     * may match them; `reads` is that of the other mutators. The texts are theirs. */
    struct fx_binding *whole;
    size_t n_whole;
};

/* The parts of a snapshot; borrowed. */
struct fx_snapshot_parts {
    struct fx_mutator *const *mutators;
    size_t n_mutators;
    struct fx_resource *const *resources;
    size_t n_resources;
    struct fx_quarantine *quarantine; /* its members whose policies have not changed are
                                       * disabled; NULL for none */
};

/* Makes a snapshot with one reference. Of several mutators or resources with one id the
 * last one counts. Takes its own references. Errors: FX_ENOMEM. */
bool fx_snapshot_build(const struct fx_snapshot_parts *parts, uint64_t generation,
                       struct fx_snapshot **ret_snapshot, struct fx_err *err) FX_MUST_USE;

/* Is the mutator skipped in every review, because of a conflict or a quarantine? */
bool fx_snapshot_is_disabled(const struct fx_snapshot *snapshot, size_t index);

/* Returns the part of an object of this kind that is decoded; NULL if all of it is. An
 * empty kind is not known. */
const struct fx_json_part *fx_snapshot_part(const struct fx_snapshot *snapshot,
                                            struct fx_text group, struct fx_text version,
                                            struct fx_text kind);

/* Returns the reason why the mutator is in quarantine; NULL if it is not. Borrowed. */
const struct fx_quarantined *fx_snapshot_quarantined(const struct fx_snapshot *snapshot,
                                                     size_t index);

/* Returns the resource of that type and name; NULL if there is none. Borrowed. */
const struct fx_resource *fx_snapshot_find(const struct fx_snapshot *snapshot,
                                           enum fx_resource_type type,
                                           struct fx_text name);

/* Returns all resources of that type: *ret_count elements, borrowed. */
struct fx_resource *const *fx_snapshot_resources(const struct fx_snapshot *snapshot,
                                                 enum fx_resource_type type,
                                                 size_t *ret_count);

/* Any thread may drop the last reference. fx_snapshot_unref() accepts NULL. */
struct fx_snapshot *fx_snapshot_ref(struct fx_snapshot *snapshot);
void fx_snapshot_unref(struct fx_snapshot *snapshot);

/* The enabled mutators that may match an object of this group, version, kind and
 * namespace under this operation, as ascending indices into `mutators`. It is a superset:
 * `match` of each mutator decides. An empty namespace (cluster-scoped) counts as every
 * namespace. */
struct fx_candidates {
    uint32_t *indices;
    size_t n_indices, cap_indices;
};

/* Fills `ret_candidates`, which is zeroed before the first call; its memory is reused.
 * The caller finishes it. Errors: FX_ENOMEM. */
bool fx_snapshot_candidates(const struct fx_snapshot *snapshot,
                            const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct fx_candidates *ret_candidates,
                            struct fx_err *err) FX_MUST_USE;

/* The same with all enabled mutators. */
bool fx_snapshot_all(const struct fx_snapshot *snapshot,
                     struct fx_candidates *ret_candidates,
                     struct fx_err *err) FX_MUST_USE;

void fx_candidates_finish(struct fx_candidates *candidates); /* NULL, zeroed are fine */

#endif
