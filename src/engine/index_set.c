/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/index_set.c - bits in words.
 */
#include "engine/index_set.h"

#include <string.h>

bool fx_index_set_has(const struct fx_index_set *set, uint32_t index) {
    return (set->words[index / 64] >> (index % 64) & 1u) != 0;
}

void fx_index_set_add(struct fx_index_set *set, uint32_t index) {
    set->words[index / 64] |= UINT64_C(1) << (index % 64);
}

void fx_index_set_clear(struct fx_index_set *set) {
    memset(set->words, 0, set->n_words * sizeof *set->words);
}

void fx_index_set_unite(struct fx_index_set *set, const struct fx_index_set *more) {
    for (size_t i = 0; i < set->n_words; i++) {
        set->words[i] |= more->words[i];
    }
}

/* Writes the members to `to`, unless it is NULL; returns how many there are. Costs what
 * is in the set: most words are 0. */
static size_t list(const struct fx_index_set *set, uint32_t *to) {
    size_t n = 0;
    for (size_t i = 0; i < set->n_words; i++) {
        uint32_t index = (uint32_t)(i * 64);
        for (uint64_t word = set->words[i]; word != 0; word >>= 1, index++) {
            if ((word & 1u) == 0) {
                continue;
            }
            if (to != NULL) {
                to[n] = index;
            }
            n++;
        }
    }
    return n;
}

bool fx_index_set_list(const struct fx_index_set *set, struct fx_arena *arena,
                       uint32_t **ret_items, size_t *ret_n_items) {
    const size_t n = list(set, NULL);
    *ret_items = fx_arena_alloc(arena, n * sizeof **ret_items);
    *ret_n_items = *ret_items == NULL ? 0 : list(set, *ret_items);
    return *ret_items != NULL;
}
