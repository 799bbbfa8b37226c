/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutator_counts.h - what one thread counts of the mutators of one snapshot. The
 * thread writes it, without a lock; the main thread reads it whenever it likes, and frees
 * it once the thread counts into another one.
 */
#ifndef FX_SERVER_MUTATOR_COUNTS_H
#define FX_SERVER_MUTATOR_COUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "engine/converge.h"
#include "engine/snapshot.h"

enum fx_mutator_count {
    FX_MUTATOR_MATCHED,
    FX_MUTATOR_APPLIED,
    FX_MUTATOR_CHANGED,
    FX_MUTATOR_DENIED,
    FX_MUTATOR_ERRORS,
    FX_MUTATOR_SKIPPED,
    FX_MUTATOR_NS,
    FX_MUTATOR_SHARE_NS, /* of all mutators of its namespace (fx_outcome.share_ns) */
    FX_N_MUTATOR_COUNTS
};

/* Of one mutator: so far, and what of it the main thread has taken. */
struct fx_mutator_counts_row {
    atomic_uint_least64_t so_far[FX_N_MUTATOR_COUNTS];
    uint64_t taken[FX_N_MUTATOR_COUNTS];
};

struct fx_mutator_counts {
    struct fx_snapshot *snapshot;   /* counted; NULL: of no mutator */
    struct fx_mutator_counts *next; /* of the main thread's */
    atomic_bool left;               /* its thread does not use it any more */
    struct fx_mutator_counts_row
        rows[]; /* by index; the last one of mutators it has not */
};

/* Without a snapshot it has the last row alone. NULL without memory. */
struct fx_mutator_counts *
fx_mutator_counts_create(struct fx_snapshot *snapshot) FX_MUST_USE;
void fx_mutator_counts_destroy(struct fx_mutator_counts *counts); /* NULL is fine */

/* The mutators it tells apart; then comes the last row. */
size_t fx_mutator_counts_size(const struct fx_mutator_counts *counts);

/* Counts how the mutators of a review fared, which may have been one under another
 * snapshot: then it counts for the mutators of the same ids. */
void fx_mutator_counts_record(struct fx_mutator_counts *counts,
                              const struct fx_snapshot *snapshot,
                              const struct fx_outcome *outcome);

/* What came to that fact since the last time. On the main thread. */
uint64_t fx_mutator_counts_collect(struct fx_mutator_counts_row *row,
                                   enum fx_mutator_count fact);

#endif
