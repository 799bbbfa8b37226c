/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator_stats.c - a short list that each pass walks once, and one read of the
 * clock for each step.
 */
#include "engine/converge_run.h"

#include <string.h>

#include "base/clock.h"

void fx_stats_begin_pass(struct fx_stats *stats) {
    stats->at = 0;
    stats->mark_ns = 0;
}

void fx_stats_skip(struct fx_stats *stats) {
    stats->mark_ns = 0;
}

/* Inserts an entry for the mutator at the position of the pass. */
static bool insert_entry(struct fx_stats *stats, uint32_t mutator) {
    if (!FX_ARENA_GROW(stats->arena, stats->items, stats->n_items, stats->cap_items)) {
        return false;
    }
    struct fx_mutator_stats *entry = stats->items + stats->at;
    memmove(entry + 1, entry, (stats->n_items - stats->at) * sizeof *entry);
    *entry = (struct fx_mutator_stats){.mutator = mutator};
    stats->n_items++;
    return true;
}

struct fx_mutator_stats *fx_stats_begin_step(struct fx_stats *stats, uint32_t mutator) {
    while (stats->at < stats->n_items && stats->items[stats->at].mutator < mutator) {
        stats->at++;
    }
    const bool known =
        stats->at < stats->n_items && stats->items[stats->at].mutator == mutator;
    if (!known && !insert_entry(stats, mutator)) {
        return NULL;
    }
    if (stats->mark_ns == 0) {
        stats->mark_ns = fx_clock_ns();
    }
    return &stats->items[stats->at];
}

/* The next step begins where this one ends. */
void fx_stats_end_step(struct fx_stats *stats, struct fx_mutator_stats *entry) {
    const uint64_t now = fx_clock_ns();
    entry->ns += now - stats->mark_ns;
    stats->mark_ns = now;
}
