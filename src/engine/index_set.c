/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/index_set.c - bits in words, and for each word a bit that says whether it is not
 * 0.
 */
#include "engine/converge_run.h"

#define BITS 64u

bool fx_index_set_init(struct fx_index_set *set, struct fx_arena *arena, size_t n) {
    const size_t n_words = n / BITS + 1;
    const size_t n_heads = n_words / BITS + 1;
    uint64_t *memory = fx_arena_alloc(arena, (n_words + n_heads) * sizeof *memory);
    if (memory == NULL) {
        return false;
    }
    *set = (struct fx_index_set){memory + n_heads, memory, n_heads};
    return true;
}

static bool has(const uint64_t *words, size_t index) {
    return (words[index / BITS] >> (index % BITS) & 1u) != 0;
}

static void set_bit(uint64_t *words, size_t index) {
    words[index / BITS] |= UINT64_C(1) << (index % BITS);
}

bool fx_index_set_has(const struct fx_index_set *set, uint32_t index) {
    return has(set->words, index);
}

void fx_index_set_add(struct fx_index_set *set, uint32_t index) {
    set_bit(set->words, index);
    set_bit(set->heads, index / BITS);
}

void fx_index_set_remove(struct fx_index_set *set, uint32_t index) {
    uint64_t *word = &set->words[index / BITS];
    *word &= ~(UINT64_C(1) << (index % BITS));
    if (*word == 0) {
        const size_t head = index / BITS;
        set->heads[head / BITS] &= ~(UINT64_C(1) << (head % BITS));
    }
}

/* Clears the lowest bit, and returns its number. */
static unsigned take_bit(uint64_t *bits) {
    const unsigned lowest = (unsigned)__builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return lowest;
}

void fx_index_set_clear(struct fx_index_set *set) {
    for (size_t i = 0; i < set->n_heads; i++) {
        while (set->heads[i] != 0) {
            set->words[i * BITS + take_bit(&set->heads[i])] = 0;
        }
    }
}

void fx_index_set_unite(struct fx_index_set *set, const struct fx_index_set *more) {
    for (size_t i = 0; i < set->n_heads; i++) {
        set->heads[i] |= more->heads[i];
        for (uint64_t head = more->heads[i]; head != 0;) {
            const size_t at = i * BITS + take_bit(&head);
            set->words[at] |= more->words[at];
        }
    }
}

/* Writes the members of one word to `to`, unless that is NULL. Returns their number. */
static size_t list_word(uint64_t word, size_t first, uint32_t *to) {
    size_t n = 0;
    while (word != 0) {
        const unsigned bit = take_bit(&word);
        if (to != NULL) {
            to[n] = (uint32_t)(first + bit);
        }
        n++;
    }
    return n;
}

/* Writes the members of all words to `to`, unless that is NULL. Returns their number. */
static size_t list_members(const struct fx_index_set *set, uint32_t *to) {
    size_t n = 0;
    for (size_t i = 0; i < set->n_heads; i++) {
        for (uint64_t head = set->heads[i]; head != 0;) {
            const size_t at = i * BITS + take_bit(&head);
            n += list_word(set->words[at], at * BITS, to == NULL ? NULL : to + n);
        }
    }
    return n;
}

bool fx_index_set_list(const struct fx_index_set *set, struct fx_arena *arena,
                       uint32_t **ret_items, size_t *ret_n_items) {
    const size_t n = list_members(set, NULL);
    *ret_items = fx_arena_alloc(arena, n * sizeof **ret_items);
    *ret_n_items = *ret_items == NULL ? 0 : list_members(set, *ret_items);
    return *ret_items != NULL;
}
