/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/quarantine.h - the mutators that are disabled because they failed repeatedly.
 * Immutable and counted. A snapshot is built with a quarantine, and disables its members,
 * as it disables mutators in conflict (engine/snapshot.h). They still count as policies:
 * which mutators are in conflict does not depend on the quarantine.
 *
 * A mutator stays in quarantine until its policy has another `spec` or `metadata.uid`.
 * All other metadata, and the status, may change.
 */
#ifndef FX_ENGINE_QUARANTINE_H
#define FX_ENGINE_QUARANTINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "engine/mutator.h"

/* The reasons for which a mutator counts as failed. */
#define FX_FAILURE_REASONS(X)                                              \
    X(FAILED, "its match or mutation failed")                              \
    X(CYCLE, "it was part of a cycle that kept an object from converging") \
    X(BUDGET, "it took more time than its budget")

enum fx_failure_reason {
#define X(name, text) FX_FAILURE_##name,
    FX_FAILURE_REASONS(X)
#undef X
};

struct fx_quarantined {
    struct fx_mutator *mutator;    /* the version that failed, counted */
    enum fx_failure_reason reason; /* of the last failure */
    uint32_t times;                /* number of failed reviews in a row */
};

struct fx_quarantine {
    atomic_uint refs;
    size_t n_members;
    struct fx_quarantined members[];
};

/* Makes an empty quarantine with room for this many members, for the caller to fill.
 * NULL without memory. */
struct fx_quarantine *fx_quarantine_create(size_t room) FX_MUST_USE;

/* Adds a member, for which there must be room. Takes a reference on its mutator. */
void fx_quarantine_add(struct fx_quarantine *quarantine,
                       const struct fx_quarantined *member);

/* Is there a member with the id of this mutator? */
bool fx_quarantine_has(const struct fx_quarantine *quarantine,
                       const struct fx_mutator *mutator);

/* Finds the member in a list of mutators in the order of a pass. False if it is not in
 * the list, or its policy has changed. */
bool fx_quarantine_find(const struct fx_quarantined *member,
                        struct fx_mutator *const *mutators, size_t n_mutators,
                        size_t *ret_index);

/* NULL is fine for both functions. */
struct fx_quarantine *fx_quarantine_ref(struct fx_quarantine *quarantine);
void fx_quarantine_unref(struct fx_quarantine *quarantine);

/* Do both belong to the same policy: id, uid and spec? False without memory. */
bool fx_quarantine_is_same(const struct fx_mutator *a, const struct fx_mutator *b);

/* Appends the reason: "quarantined after 3 failures in a row, the last one because …". A
 * failure is kept in `buf`. */
void fx_quarantined_print(struct fx_buf *buf, const struct fx_quarantined *member);

#endif
