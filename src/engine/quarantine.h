/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/quarantine.h - mutators that are taken out for a while, because they failed
 * again and again: who, and why. Immutable and counted; a snapshot is built under one and
 * disables its members, as those in conflict are (engine/snapshot.h). They still count as
 * policies: who is in conflict does not depend on it.
 *
 * A member stays until its policy is another one: another `spec` or `metadata.uid`. All
 * other metadata, and the status that is written because of it, may change.
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

/* What it did the last time. */
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
    struct fx_mutator *mutator;    /* as it was then; counted */
    enum fx_failure_reason reason; /* the last one */
    uint32_t times;                /* reviews in a row */
};

struct fx_quarantine {
    atomic_uint refs;
    size_t n_members;
    struct fx_quarantined members[];
};

/* An empty one with room for so many, which its maker fills before anybody else sees it.
 * NULL without memory. */
struct fx_quarantine *fx_quarantine_create(size_t room) FX_MUST_USE;

/* Adds a member; takes a reference on its mutator. */
void fx_quarantine_add(struct fx_quarantine *quarantine,
                       const struct fx_quarantined *member);

/* Is there a member of this mutator's id? */
bool fx_quarantine_has(const struct fx_quarantine *quarantine,
                       const struct fx_mutator *mutator);

/* Finds the member in a list in the order of a pass: false where it is not there, or is
 * another policy now. */
bool fx_quarantine_find(const struct fx_quarantined *member,
                        struct fx_mutator *const *mutators, size_t n_mutators,
                        size_t *ret_index);

/* NULL is fine for both. */
struct fx_quarantine *fx_quarantine_ref(struct fx_quarantine *quarantine);
void fx_quarantine_unref(struct fx_quarantine *quarantine);

/* Is it the same policy still: id, uid and spec? */
bool fx_quarantine_is_same(const struct fx_mutator *a, const struct fx_mutator *b);

/* Appends why, for people: "quarantined after 3 failures in a row, the last one because
 * …". */
void fx_quarantined_print(struct fx_buf *buf, const struct fx_quarantined *member);

#endif
