/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/index_set.h - private: a set of mutators by their index in the snapshot, with a
 * bit for each. Of ten thousand mutators few are members: clearing, joining and listing
 * cost as much as there are members.
 */
#ifndef FX_ENGINE_INDEX_SET_H
#define FX_ENGINE_INDEX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"

struct fx_index_set {
    uint64_t *words; /* the arena's */
    uint64_t *heads; /* a bit for each word that is not 0 */
    size_t n_heads;
};

/* Makes an empty set for indices below `n`. False without memory. */
bool fx_index_set_init(struct fx_index_set *set, struct fx_arena *arena,
                       size_t n) FX_MUST_USE;

bool fx_index_set_has(const struct fx_index_set *set, uint32_t index);
void fx_index_set_add(struct fx_index_set *set, uint32_t index);
void fx_index_set_clear(struct fx_index_set *set);

/* Adds all members of `more`, which is of the same size. */
void fx_index_set_unite(struct fx_index_set *set, const struct fx_index_set *more);

/* Lists the members, ascending, in the arena. False without memory. */
bool fx_index_set_list(const struct fx_index_set *set, struct fx_arena *arena,
                       uint32_t **ret_items, size_t *ret_n_items) FX_MUST_USE;

#endif
