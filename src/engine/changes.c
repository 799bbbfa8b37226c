/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/changes.c - a hash table of paths with open addressing. Nothing is removed, and
 * it never grows: a change that finds no room counts as a change of everything.
 */
#include "engine/converge_run.h"

#define SLOTS_MIN    64u
#define SLOTS_MAX    65536u
#define SLOTS_OF_ONE 4u /* slots for each mutator; most paths share their first names */

bool fx_changes_init(struct fx_changes *changes, struct fx_arena *arena,
                     size_t n_mutators) {
    size_t n_slots = SLOTS_MIN;
    while (n_slots < SLOTS_MAX && n_slots / SLOTS_OF_ONE < n_mutators) {
        n_slots *= 2;
    }
    *changes = (struct fx_changes){
        .slots = fx_arena_alloc(arena, n_slots * sizeof *changes->slots),
        .n_slots = n_slots,
    };
    return changes->slots != NULL;
}

/* Returns the slot of the path, or the empty slot where it would be. There always is
 * one. */
static struct fx_change *probe(const struct fx_changes *changes, uint32_t path) {
    size_t at = path & (changes->n_slots - 1);
    while (changes->slots[at].path != path && changes->slots[at].path != 0) {
        at = (at + 1) & (changes->n_slots - 1);
    }
    return &changes->slots[at];
}

/* Returns the slot for the path. NULL if there is no room. */
static struct fx_change *take_slot(struct fx_changes *changes, uint32_t path) {
    struct fx_change *change = probe(changes, path);
    if (change->path == 0) {
        if (changes->n_used == changes->n_slots / 2) {
            return NULL;
        }
        changes->n_used++;
        change->path = path;
    }
    return change;
}

void fx_changes_add(struct fx_changes *changes, const struct fx_access_hashes *hashes,
                    size_t n_steps) {
    changes->now += changes->now < UINT32_MAX ? 1 : 0;
    if (hashes == NULL || n_steps == 0 || n_steps > hashes->n_steps) {
        changes->anywhere = changes->now;
        return;
    }
    for (size_t i = 0; i < n_steps; i++) {
        struct fx_change *change =
            take_slot(changes, fx_access_written_hashes(hashes)[i]);
        if (change == NULL) {
            changes->anywhere = changes->now;
            return;
        }
        change->within = changes->now;
        change->itself = i + 1 == n_steps ? changes->now : change->itself;
    }
}

bool fx_changes_concern(const struct fx_changes *changes,
                        const struct fx_access_hashes *hashes, uint32_t since) {
    if (changes->anywhere > since || changes->now == UINT32_MAX) {
        return true;
    }
    if (changes->now == since) {
        return false;
    }
    const uint32_t *passed = hashes->items;
    const uint32_t *read = passed + hashes->n_passed;
    for (size_t i = 0; i < hashes->n_passed; i++) {
        if (probe(changes, passed[i])->itself > since) {
            return true;
        }
    }
    for (size_t i = 0; i < hashes->n_read; i++) {
        if (probe(changes, read[i])->within > since) {
            return true;
        }
    }
    return false;
}
