/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/fares.c - a short list, walked once a pass, and one look at the clock a turn.
 */
#include "engine/fares.h"

#include <string.h>

#include "base/clock.h"

#define ROOM_AT_FIRST 8u

void fx_fares_begin(struct fx_fares *fares) {
    fares->at = 0;
    fares->mark_ns = 0;
}

void fx_fares_pass_over(struct fx_fares *fares) {
    fares->mark_ns = 0;
}

static bool grow(struct fx_fares *fares) {
    const size_t bigger = fares->cap_items == 0 ? ROOM_AT_FIRST : fares->cap_items * 2;
    struct fx_fare *moved = fx_arena_alloc(fares->arena, bigger * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    if (fares->n_items > 0) {
        memcpy(moved, fares->items, fares->n_items * sizeof *moved);
    }
    fares->items = moved;
    fares->cap_items = bigger;
    return true;
}

/* Makes a place for the mutator where the pass is. */
static bool insert(struct fx_fares *fares, uint32_t mutator) {
    if (fares->n_items == fares->cap_items && !grow(fares)) {
        return false;
    }
    struct fx_fare *place = fares->items + fares->at;
    memmove(place + 1, place, (fares->n_items - fares->at) * sizeof *place);
    *place = (struct fx_fare){.mutator = mutator};
    fares->n_items++;
    return true;
}

struct fx_fare *fx_fares_begin_turn(struct fx_fares *fares, uint32_t mutator) {
    while (fares->at < fares->n_items && fares->items[fares->at].mutator < mutator) {
        fares->at++;
    }
    const bool known =
        fares->at < fares->n_items && fares->items[fares->at].mutator == mutator;
    if (!known && !insert(fares, mutator)) {
        return NULL;
    }
    if (fares->mark_ns == 0) {
        fares->mark_ns = fx_clock_ns();
    }
    return &fares->items[fares->at];
}

/* One turn's end is the next one's beginning. */
void fx_fares_end_turn(struct fx_fares *fares, struct fx_fare *fare) {
    const uint64_t now = fx_clock_ns();
    fare->ns += now - fares->mark_ns;
    fares->mark_ns = now;
}
