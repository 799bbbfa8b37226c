/* SPDX-License-Identifier: Apache-2.0
 *
 * server/tally.c - a row of counters for each mutator.
 */
#include "server/tally.h"

#include <stdlib.h>

struct fx_tally *fx_tally_create(struct fx_snapshot *snapshot) {
    const size_t n_rows = (snapshot == NULL ? 0 : snapshot->n_mutators) + 1;
    struct fx_tally *tally = calloc(1, sizeof *tally + n_rows * sizeof tally->rows[0]);
    if (tally != NULL && snapshot != NULL) {
        tally->snapshot = fx_snapshot_ref(snapshot);
    }
    return tally;
}

void fx_tally_destroy(struct fx_tally *tally) {
    if (tally != NULL) {
        fx_snapshot_unref(tally->snapshot);
        free(tally);
    }
}

size_t fx_tally_mutators(const struct fx_tally *tally) {
    return tally->snapshot == NULL ? 0 : tally->snapshot->n_mutators;
}

/* They are in the order of a pass. */
static struct fx_tally_row *find(struct fx_tally *tally,
                                 const struct fx_mutator *mutator) {
    const size_t n_mutators = fx_tally_mutators(tally);
    size_t from = 0;
    size_t to = n_mutators;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = fx_mutator_compare(tally->snapshot->mutators[middle], mutator);
        if (order == 0) {
            return &tally->rows[middle];
        }
        if (order < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return &tally->rows[n_mutators];
}

/* Nobody else writes it. */
static void add(struct fx_tally_row *row, enum fx_tally_fact fact, uint64_t amount) {
    const uint64_t so_far =
        atomic_load_explicit(&row->so_far[fact], memory_order_relaxed);
    atomic_store_explicit(&row->so_far[fact], so_far + amount, memory_order_relaxed);
}

/* The row of a mutator of the review's snapshot. */
static struct fx_tally_row *row_of(struct fx_tally *tally,
                                   const struct fx_snapshot *snapshot, uint32_t mutator) {
    return snapshot == tally->snapshot ? &tally->rows[mutator]
                                       : find(tally, snapshot->mutators[mutator]);
}

void fx_tally_note(struct fx_tally *tally, const struct fx_snapshot *snapshot,
                   const struct fx_outcome *outcome) {
    if (outcome->share_ns > 0) {
        add(row_of(tally, snapshot, outcome->share_mutator), FX_TALLY_SHARE_NS,
            outcome->share_ns);
    }
    for (size_t i = 0; i < outcome->n_fares; i++) {
        const struct fx_fare *fare = &outcome->fares[i];
        struct fx_tally_row *row = row_of(tally, snapshot, fare->mutator);
        add(row, FX_TALLY_MATCHED, fare->matched);
        add(row, FX_TALLY_APPLIED, fare->applied);
        add(row, FX_TALLY_CHANGED, fare->changed);
        add(row, FX_TALLY_DENIED, fare->denied);
        add(row, FX_TALLY_ERRORS, fare->failed && !fare->left_out);
        add(row, FX_TALLY_LEFT_OUT, fare->left_out);
        add(row, FX_TALLY_NS, fare->ns);
    }
}

uint64_t fx_tally_take(struct fx_tally_row *row, enum fx_tally_fact fact) {
    const uint64_t so_far =
        atomic_load_explicit(&row->so_far[fact], memory_order_relaxed);
    const uint64_t news = so_far - row->taken[fact];
    if (news > 0) { /* most rows stay the zeroes they were made of, and take no memory */
        row->taken[fact] = so_far;
    }
    return news;
}
