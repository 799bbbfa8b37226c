/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator_stats.h - private: collects the struct fx_mutator_stats of a review.
 * Only mutators that match cost anything: an entry of a short list, and a read of the
 * clock.
 */
#ifndef FX_ENGINE_MUTATOR_STATS_H
#define FX_ENGINE_MUTATOR_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "engine/converge.h"

struct fx_stats {
    struct fx_arena *arena;
    struct fx_mutator_stats *items; /* the arena's; ascending */
    size_t n_items, cap_items;
    size_t at;        /* in a pass: the mutators of the entries before had their step */
    uint64_t mark_ns; /* when the last step ended, if it was timed; else 0 */
};

/* A pass begins. */
void fx_stats_begin_pass(struct fx_stats *stats);

/* The next mutator did not match: its step is not timed. */
void fx_stats_skip(struct fx_stats *stats);

/* A mutator matched, or its match failed. Returns its entry for the caller to fill in,
 * valid until the next step. Mutators come in ascending order. NULL without memory. */
struct fx_mutator_stats *fx_stats_begin_step(struct fx_stats *stats,
                                             uint32_t mutator) FX_MUST_USE;

/* The step of that entry ends: adds its time. */
void fx_stats_end_step(struct fx_stats *stats, struct fx_mutator_stats *entry);

#endif
