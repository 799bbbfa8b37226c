/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutator_counts.c - a row of counters for each mutator.
 */
#include "server/mutator_counts.h"

#include <stdlib.h>

struct fx_mutator_counts *fx_mutator_counts_create(struct fx_snapshot *snapshot) {
    const size_t n_rows = (snapshot == NULL ? 0 : snapshot->n_mutators) + 1;
    struct fx_mutator_counts *counts =
        calloc(1, sizeof *counts + n_rows * sizeof counts->rows[0]);
    if (counts != NULL && snapshot != NULL) {
        counts->snapshot = fx_snapshot_ref(snapshot);
    }
    return counts;
}

void fx_mutator_counts_destroy(struct fx_mutator_counts *counts) {
    if (counts != NULL) {
        fx_snapshot_unref(counts->snapshot);
        free(counts);
    }
}

size_t fx_mutator_counts_size(const struct fx_mutator_counts *counts) {
    return counts->snapshot == NULL ? 0 : counts->snapshot->n_mutators;
}

/* They are in the order of a pass. */
static struct fx_mutator_counts_row *find(struct fx_mutator_counts *counts,
                                          const struct fx_mutator *mutator) {
    const size_t n_mutators = fx_mutator_counts_size(counts);
    size_t from = 0;
    size_t to = n_mutators;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = fx_mutator_compare(counts->snapshot->mutators[middle], mutator);
        if (order == 0) {
            return &counts->rows[middle];
        }
        if (order < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return &counts->rows[n_mutators];
}

/* Nobody else writes it. */
static void add(struct fx_mutator_counts_row *row, enum fx_mutator_count fact,
                uint64_t amount) {
    const uint64_t so_far =
        atomic_load_explicit(&row->so_far[fact], memory_order_relaxed);
    atomic_store_explicit(&row->so_far[fact], so_far + amount, memory_order_relaxed);
}

/* The row of a mutator of the review's snapshot. */
static struct fx_mutator_counts_row *row_of(struct fx_mutator_counts *counts,
                                            const struct fx_snapshot *snapshot,
                                            uint32_t mutator) {
    return snapshot == counts->snapshot ? &counts->rows[mutator]
                                        : find(counts, snapshot->mutators[mutator]);
}

void fx_mutator_counts_record(struct fx_mutator_counts *counts,
                              const struct fx_snapshot *snapshot,
                              const struct fx_outcome *outcome) {
    if (outcome->share_ns > 0) {
        add(row_of(counts, snapshot, outcome->share_mutator), FX_MUTATOR_SHARE_NS,
            outcome->share_ns);
    }
    for (size_t i = 0; i < outcome->n_fares; i++) {
        const struct fx_fare *fare = &outcome->fares[i];
        struct fx_mutator_counts_row *row = row_of(counts, snapshot, fare->mutator);
        add(row, FX_MUTATOR_MATCHED, fare->matched);
        add(row, FX_MUTATOR_APPLIED, fare->applied);
        add(row, FX_MUTATOR_CHANGED, fare->changed);
        add(row, FX_MUTATOR_DENIED, fare->denied);
        add(row, FX_MUTATOR_ERRORS, fare->failed && !fare->left_out);
        add(row, FX_MUTATOR_SKIPPED, fare->left_out);
        add(row, FX_MUTATOR_NS, fare->ns);
    }
}

uint64_t fx_mutator_counts_collect(struct fx_mutator_counts_row *row,
                                   enum fx_mutator_count fact) {
    const uint64_t so_far =
        atomic_load_explicit(&row->so_far[fact], memory_order_relaxed);
    const uint64_t news = so_far - row->taken[fact];
    if (news > 0) { /* most rows stay the zeroes they were made of, and take no memory */
        row->taken[fact] = so_far;
    }
    return news;
}
