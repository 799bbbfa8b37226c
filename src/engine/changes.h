/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/changes.h - private: where an object was changed in a review, and when, so that
 * a mutator's turn can be left out if nothing has happened to what it looks at.
 *
 * Time is the number of changes so far.
 */
#ifndef FX_ENGINE_CHANGES_H
#define FX_ENGINE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "engine/footprint.h"

/* A spot, and when it was last changed. */
struct fx_change {
    uint32_t spot; /* 0: none */
    uint32_t itself, within;
};

struct fx_changes {
    uint32_t now;
    uint32_t anywhere;       /* the last change that may concern everybody */
    struct fx_change *slots; /* the arena's; a hash table */
    size_t n_slots, n_used;
};

/* An empty one, with room for what so many mutators will change. More than it has room
 * for is a change of everything. False without memory. */
bool fx_changes_init(struct fx_changes *changes, struct fx_arena *arena,
                     size_t n_mutators) FX_MUST_USE;

/* A change that lies in what the first `n_steps` steps of the footprint lead to; of 0, or
 * without a footprint: anywhere. */
void fx_changes_add(struct fx_changes *changes, const struct fx_footprint *footprint,
                    size_t n_steps);

/* Has anything changed since then that one of this footprint looks at? */
bool fx_changes_concern(const struct fx_changes *changes,
                        const struct fx_footprint *footprint, uint32_t since);

#endif
