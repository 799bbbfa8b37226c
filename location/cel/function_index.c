/* SPDX-License-Identifier: Apache-2.0
 *
 * function_index.c - a hash table of functions. It is made for each compilation: in some
 * microseconds, since an environment has a few hundred overloads.
 */
#include "location/cel/function_index.h"

#include <string.h>

#include "base/budget.h"

/* FNV-1a */
static uint32_t hash(struct fx_text name) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * 16777619u;
    }
    return hash;
}

/* The slot of this function, or the empty one where it belongs. Invariant: at least half
 * of the slots are empty. */
static uint32_t *find_slot(const struct fx_cel_function_index *index,
                           struct fx_text name) {
    size_t at = hash(name) & (index->n_slots - 1);
    while (index->slots[at] != FX_CEL_NO_OVERLOAD &&
           !fx_text_is(name, index->items[index->slots[at]].overload->function)) {
        at = (at + 1) & (index->n_slots - 1);
    }
    return &index->slots[at];
}

static size_t count_overloads(const struct fx_cel_env *env) {
    size_t n = 0;
    for (const struct fx_cel_overload *const *library = env->libraries; *library != NULL;
         library++) {
        for (const struct fx_cel_overload *overload = *library;
             overload->function != NULL; overload++) {
            n++;
        }
    }
    return n;
}

/* Adds the overload at this position. `first` is that of the function of the previous
 * overload, which in most cases is the same. Returns that of this one. */
static uint32_t add(struct fx_cel_function_index *index, uint32_t at, uint32_t first,
                    const struct fx_cel_overload *overload) {
    index->items[at] = (struct fx_cel_indexed_overload){overload, FX_CEL_NO_OVERLOAD, at};
    if (first == FX_CEL_NO_OVERLOAD ||
        strcmp(index->items[first].overload->function, overload->function) != 0) {
        uint32_t *slot = find_slot(index, fx_text_of(overload->function));
        if (*slot == FX_CEL_NO_OVERLOAD) {
            *slot = at;
            return at;
        }
        first = *slot;
    }
    index->items[index->items[first].last].next = at;
    index->items[first].last = at;
    return first;
}

bool fx_cel_function_index_init(struct fx_cel_function_index *index,
                                const struct fx_cel_env *env, struct fx_arena *arena) {
    const size_t n = count_overloads(env);
    *index = (struct fx_cel_function_index){.n_slots = 2};
    while (index->n_slots < 2 * n) {
        index->n_slots *= 2;
    }
    index->items = fx_arena_alloc(arena, n * sizeof *index->items);
    index->slots = fx_arena_alloc(arena, index->n_slots * sizeof *index->slots);
    if (index->items == NULL || index->slots == NULL) {
        return false;
    }
    fx_spend(n + index->n_slots / FX_BUDGET_BYTES);
    memset(index->slots, 0xff, index->n_slots * sizeof *index->slots);
    uint32_t at = 0;
    uint32_t first = FX_CEL_NO_OVERLOAD;
    for (const struct fx_cel_overload *const *library = env->libraries; *library != NULL;
         library++) {
        for (const struct fx_cel_overload *overload = *library;
             overload->function != NULL; overload++) {
            first = add(index, at++, first, overload);
        }
    }
    return true;
}

uint32_t fx_cel_function_index_find(const struct fx_cel_function_index *index,
                                    struct fx_text name) {
    fx_spend_text(name.len);
    return *find_slot(index, name);
}
