/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/fares.h - private: how each mutator of a review fares, noted at little cost.
 * Only those that match cost anything: a place in a short list, and a look at the clock.
 */
#ifndef FX_ENGINE_FARES_H
#define FX_ENGINE_FARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "engine/converge.h"

struct fx_fares {
    struct fx_arena *arena;
    struct fx_fare *items; /* the arena's; ascending */
    size_t n_items, cap_items;
    size_t at;        /* in a pass: those before it had their turn */
    uint64_t mark_ns; /* when the last one's turn ended; 0: its time was nobody's */
};

/* A pass begins: the first mutator comes again. */
void fx_fares_begin(struct fx_fares *fares);

/* A mutator's turn that came to nothing: it did not match. */
void fx_fares_pass_over(struct fx_fares *fares);

/* A mutator matched, or its match failed: its fare, to be filled in by the caller, valid
 * until the next turn. Mutators come in ascending order. NULL without memory. */
struct fx_fare *fx_fares_begin_turn(struct fx_fares *fares, uint32_t mutator) FX_MUST_USE;

/* And its turn ends. */
void fx_fares_end_turn(struct fx_fares *fares, struct fx_fare *fare);

#endif
