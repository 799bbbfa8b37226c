/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/once.h - when rules that promise no idempotence are asked. Alone, a dialect of
 * such rules has one pass, as its original has; its rules are asked again, those that
 * have not been applied, where others have changed what they left.
 */
#ifndef FX_ENGINE_ONCE_H
#define FX_ENGINE_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/mutator.h"

/* How often mutators of a rank changed something in a pass, and of these, how often those
 * that are no once-rules. */
struct fx_rank_changes {
    uint32_t all, by_others;
};

/* Zeroed at first. */
struct fx_once {
    uint32_t pass;
    /* In the pass before this one, and in this one so far. */
    struct fx_rank_changes last[FX_RANKS], now[FX_RANKS];
};

/* A pass begins. */
void fx_once_begin_pass(struct fx_once *once);

/* The mutator has changed something. */
static inline void fx_once_note_change(struct fx_once *once,
                                       const struct fx_mutator *mutator) {
    once->now[mutator->rank].all++;
    once->now[mutator->rank].by_others += mutator->run.once ? 0 : 1;
}

/* May the once-rule have a turn in this pass? */
bool fx_once_is_asked(const struct fx_once *once, const struct fx_mutator *mutator);

#endif
