/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutator_metrics.h - the metrics of each mutator, by its id: fixpoint_mutator_*.
 * Each serving thread counts for itself, without a lock, and the main thread collects the
 * counts. A limited number of mutators have series of their own; the others are counted
 * together.
 */
#ifndef FX_SERVER_MUTATOR_METRICS_H
#define FX_SERVER_MUTATOR_METRICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "engine/converge.h"
#include "engine/snapshot.h"
#include "metrics/registry.h"

/* ---- the counts of one thread for one snapshot ----------------------------------- */

enum fx_mutator_count {
    FX_MUTATOR_MATCHED,
    FX_MUTATOR_APPLIED,
    FX_MUTATOR_CHANGED,
    FX_MUTATOR_DENIED,
    FX_MUTATOR_WARNED,
    FX_MUTATOR_AUDITED,
    FX_MUTATOR_ERRORS,
    FX_MUTATOR_SKIPPED,
    FX_MUTATOR_NS,
    FX_MUTATOR_SHARE_NS, /* of all mutators of its namespace (fx_outcome.share_ns) */
    FX_N_MUTATOR_COUNTS
};

struct fx_mutator_counts_row {
    atomic_uint_least64_t total[FX_N_MUTATOR_COUNTS]; /* written by the serving thread */
    /* The part that the main thread has collected. */
    uint64_t collected[FX_N_MUTATOR_COUNTS];
};

struct fx_mutator_counts {
    struct fx_snapshot *snapshot;        /* counted; NULL: no mutators */
    struct fx_mutator_counts *next;      /* in the main thread's list */
    atomic_bool is_unused;               /* its thread uses other counts now */
    struct fx_mutator_counts_row rows[]; /* by index; the last row is for mutators that
                                          * the snapshot does not have */
};

/* NULL if out of memory. Without a snapshot there is only the last row. */
struct fx_mutator_counts *
fx_mutator_counts_create(struct fx_snapshot *snapshot) FX_MUST_USE;
void fx_mutator_counts_destroy(struct fx_mutator_counts *counts); /* NULL is fine */

/* Counts the mutators of a review. Called by the thread that owns the counts. The review
 * may have used another snapshot: then mutators are found by their ids. */
void fx_mutator_counts_record(struct fx_mutator_counts *counts,
                              const struct fx_snapshot *snapshot,
                              const struct fx_outcome *outcome);

/* ---- the metrics; main thread only ----------------------------------------------- */

struct fx_mutator_metrics; /* opaque */

/* Adds the families to the registry, which must outlive the result. NULL if out of
 * memory.
 */
struct fx_mutator_metrics *fx_mutator_metrics_create(struct fx_registry *registry,
                                                     size_t max_mutators) FX_MUST_USE;
void fx_mutator_metrics_destroy(struct fx_mutator_metrics *metrics); /* NULL is fine */

/* Declares that reviews use this snapshot from now on. The series of mutators that it
 * does not have are removed. */
void fx_mutator_metrics_set_snapshot(struct fx_mutator_metrics *metrics,
                                     struct fx_snapshot *snapshot);

/* Adds the counts since the last call. Counts for an earlier snapshot are added by name
 * to the mutators that still exist. */
void fx_mutator_metrics_collect(struct fx_mutator_metrics *metrics,
                                struct fx_mutator_counts *counts);

#endif
