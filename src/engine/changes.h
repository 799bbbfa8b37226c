/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/changes.h - private: which paths of an object a review has changed, and when, so
 * that a mutator's step can be skipped if nothing that it reads has changed.
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
#include "engine/access.h"

/* When a path was last changed: the type of its node, and anything in it. */
struct fx_change {
    uint32_t path; /* its hash; 0: none */
    uint32_t itself, within;
};

struct fx_changes {
    uint32_t now;
    uint32_t anywhere;       /* the last change that may concern every mutator */
    struct fx_change *slots; /* the arena's; a hash table */
    size_t n_slots, n_used;
};

/* Makes an empty table with room for the changes of so many mutators. A change that finds
 * no room counts as a change of everything. False without memory. */
bool fx_changes_init(struct fx_changes *changes, struct fx_arena *arena,
                     size_t n_mutators) FX_MUST_USE;

/* Notes a change at the end of the first `n_steps` steps of the written path. 0 steps, or
 * `hashes` NULL: a change anywhere. */
void fx_changes_add(struct fx_changes *changes, const struct fx_access_hashes *hashes,
                    size_t n_steps);

/* Has anything changed since then that a mutator with these hashes reads? */
bool fx_changes_concern(const struct fx_changes *changes,
                        const struct fx_access_hashes *hashes, uint32_t since);

#endif
