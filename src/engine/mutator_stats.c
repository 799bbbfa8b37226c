/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator_stats.c - a short list, walked once a pass, and one look at the clock a
 * turn.
 */
#include "engine/mutator_stats.h"

#include <string.h>

#include "base/clock.h"

#define ROOM_AT_FIRST 8u

void fx_stats_begin_pass(struct fx_stats *stats) {
    stats->at = 0;
    stats->mark_ns = 0;
}

void fx_stats_skip(struct fx_stats *stats) {
    stats->mark_ns = 0;
}

static bool grow(struct fx_stats *stats) {
    const size_t bigger = stats->cap_items == 0 ? ROOM_AT_FIRST : stats->cap_items * 2;
    struct fx_mutator_stats *moved = fx_arena_alloc(stats->arena, bigger * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    if (stats->n_items > 0) {
        memcpy(moved, stats->items, stats->n_items * sizeof *moved);
    }
    stats->items = moved;
    stats->cap_items = bigger;
    return true;
}

/* Makes a place for the mutator where the pass is. */
static bool insert(struct fx_stats *stats, uint32_t mutator) {
    if (stats->n_items == stats->cap_items && !grow(stats)) {
        return false;
    }
    struct fx_mutator_stats *place = stats->items + stats->at;
    memmove(place + 1, place, (stats->n_items - stats->at) * sizeof *place);
    *place = (struct fx_mutator_stats){.mutator = mutator};
    stats->n_items++;
    return true;
}

struct fx_mutator_stats *fx_stats_begin_step(struct fx_stats *stats, uint32_t mutator) {
    while (stats->at < stats->n_items && stats->items[stats->at].mutator < mutator) {
        stats->at++;
    }
    const bool known =
        stats->at < stats->n_items && stats->items[stats->at].mutator == mutator;
    if (!known && !insert(stats, mutator)) {
        return NULL;
    }
    if (stats->mark_ns == 0) {
        stats->mark_ns = fx_clock_ns();
    }
    return &stats->items[stats->at];
}

/* One turn's end is the next one's beginning. */
void fx_stats_end_step(struct fx_stats *stats, struct fx_mutator_stats *entry) {
    const uint64_t now = fx_clock_ns();
    entry->ns += now - stats->mark_ns;
    stats->mark_ns = now;
}
