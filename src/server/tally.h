/* SPDX-License-Identifier: Apache-2.0
 *
 * server/tally.h - what one thread counts of the mutators of one snapshot. The thread
 * writes it, without a lock; the main thread reads it whenever it likes, and frees it
 * once the thread counts into another one.
 */
#ifndef FX_SERVER_TALLY_H
#define FX_SERVER_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "engine/converge.h"
#include "engine/snapshot.h"

enum fx_tally_fact {
    FX_TALLY_MATCHED,
    FX_TALLY_APPLIED,
    FX_TALLY_CHANGED,
    FX_TALLY_DENIED,
    FX_TALLY_ERRORS,
    FX_TALLY_LEFT_OUT,
    FX_TALLY_NS,
    FX_TALLY_SHARE_NS, /* of all mutators of its namespace (fx_outcome.share_ns) */
    FX_TALLY_FACTS
};

/* Of one mutator: so far, and what of it the main thread has taken. */
struct fx_tally_row {
    atomic_uint_least64_t so_far[FX_TALLY_FACTS];
    uint64_t taken[FX_TALLY_FACTS];
};

struct fx_tally {
    struct fx_snapshot *snapshot; /* counted; NULL: of no mutator */
    struct fx_tally *next;        /* of the main thread's */
    atomic_bool left;             /* its thread does not use it any more */
    struct fx_tally_row rows[];   /* by index; the last one of mutators it has not */
};

/* Without a snapshot it has the last row alone. NULL without memory. */
struct fx_tally *fx_tally_create(struct fx_snapshot *snapshot) FX_MUST_USE;
void fx_tally_destroy(struct fx_tally *tally); /* NULL is fine */

/* The mutators it tells apart; then comes the last row. */
size_t fx_tally_mutators(const struct fx_tally *tally);

/* Counts how the mutators of a review fared, which may have been one under another
 * snapshot: then it counts for the mutators of the same ids. */
void fx_tally_note(struct fx_tally *tally, const struct fx_snapshot *snapshot,
                   const struct fx_outcome *outcome);

/* What came to that fact since the last time. On the main thread. */
uint64_t fx_tally_take(struct fx_tally_row *row, enum fx_tally_fact fact);

#endif
