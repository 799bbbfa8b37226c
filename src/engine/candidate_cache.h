/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/candidate_cache.h - private to the index: the candidates of an entry for objects
 * of one namespace, after each mutator was asked about that namespace
 * (fx_mutator_ops.may_match_namespace). So a mutator is asked once for each name.
 *
 * Any number of threads read and add. Nothing is removed. A list that finds no room is
 * not kept, and its mutators are asked each time.
 */
#ifndef FX_ENGINE_CANDIDATE_CACHE_H
#define FX_ENGINE_CANDIDATE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

struct fx_candidate_cache; /* opaque */

struct fx_candidate_cache *
fx_candidate_cache_create(void) FX_MUST_USE; /* NULL without memory */
void fx_candidate_cache_destroy(struct fx_candidate_cache *cache); /* NULL is fine */

/* An entry of the index, and of the object: the namespace under which it is looked up,
 * and the namespace that it is in. */
struct fx_candidate_key {
    uint32_t entry;
    struct fx_text namespace_, object_namespace;
};

struct fx_candidate_list {
    const uint32_t *mutators; /* ascending */
    size_t n;
};

/* The list of the key; NULL if there is none. */
const struct fx_candidate_list *
fx_candidate_cache_find(const struct fx_candidate_cache *cache,
                        const struct fx_candidate_key *key);

/* Keeps a copy of the list, if there is room for it. False without memory. */
bool fx_candidate_cache_add(struct fx_candidate_cache *cache,
                            const struct fx_candidate_key *key, const uint32_t *mutators,
                            size_t n) FX_MUST_USE;

#endif
