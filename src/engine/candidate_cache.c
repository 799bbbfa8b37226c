/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/candidate_cache.c - a hash table of pointers. Each is set once.
 */
#include "engine/candidate_cache.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "engine/access.h"

#define SLOTS      4096u
#define MOST_TRIED 8u /* slots, before a key counts as one that has no room */

/* One key and its list; all in one piece of memory, texts behind the list. */
struct known {
    struct fx_candidate_key key;
    struct fx_candidate_list list;
    uint32_t mutators[];
};

struct fx_candidate_cache {
    atomic_size_t bytes;
    _Atomic(struct known *) slots[SLOTS];
};

struct fx_candidate_cache *fx_candidate_cache_create(void) {
    struct fx_candidate_cache *cache = calloc(1, sizeof *cache);
    if (cache != NULL) {
        atomic_init(&cache->bytes, 0);
        for (size_t i = 0; i < SLOTS; i++) {
            atomic_init(&cache->slots[i], NULL);
        }
    }
    return cache;
}

void fx_candidate_cache_destroy(struct fx_candidate_cache *cache) {
    for (size_t i = 0; cache != NULL && i < SLOTS; i++) {
        free(atomic_load_explicit(&cache->slots[i], memory_order_relaxed));
    }
    free(cache);
}

static size_t hash(const struct fx_candidate_key *key) {
    const uint32_t namespace_ =
        fx_path_hash(key->entry + FX_PATH_HASH_ROOT, key->namespace_);
    return namespace_ + (key->object_namespace.len == 0 ? 1 : 0);
}

static bool is_of(const struct known *known, const struct fx_candidate_key *key) {
    return known->key.entry == key->entry &&
           fx_text_equal(known->key.namespace_, key->namespace_) &&
           fx_text_equal(known->key.object_namespace, key->object_namespace);
}

const struct fx_candidate_list *
fx_candidate_cache_find(const struct fx_candidate_cache *cache,
                        const struct fx_candidate_key *key) {
    const size_t first = hash(key);
    for (size_t i = 0; i < MOST_TRIED; i++) {
        const struct known *known = atomic_load_explicit(
            &cache->slots[(first + i) % SLOTS], memory_order_acquire);
        if (known == NULL) {
            return NULL;
        }
        if (is_of(known, key)) {
            return &known->list;
        }
    }
    return NULL;
}

static struct fx_text put(char *to, struct fx_text text) {
    if (text.len > 0) {
        memcpy(to, text.data, text.len);
    }
    return (struct fx_text){to, text.len};
}

static struct known *make(const struct fx_candidate_key *key, const uint32_t *mutators,
                          size_t n, size_t bytes) {
    struct known *known = malloc(bytes);
    if (known == NULL) {
        return NULL;
    }
    char *texts = (char *)(known->mutators + n);
    known->key.entry = key->entry;
    known->key.namespace_ = put(texts, key->namespace_);
    known->key.object_namespace = put(texts + key->namespace_.len, key->object_namespace);
    known->list = (struct fx_candidate_list){known->mutators, n};
    if (n > 0) {
        memcpy(known->mutators, mutators, n * sizeof *mutators);
    }
    return known;
}

/* Puts the list into the table. False if there is no free slot, or if another thread was
 * first with the same key. */
static bool publish(struct fx_candidate_cache *cache, struct known *known) {
    const size_t first = hash(&known->key);
    for (size_t i = 0; i < MOST_TRIED; i++) {
        struct known *other = NULL;
        if (atomic_compare_exchange_strong_explicit(&cache->slots[(first + i) % SLOTS],
                                                    &other, known, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            return true;
        }
        if (is_of(other, &known->key)) {
            return false;
        }
    }
    return false;
}

bool fx_candidate_cache_add(struct fx_candidate_cache *cache,
                            const struct fx_candidate_key *key, const uint32_t *mutators,
                            size_t n) {
    const size_t bytes = sizeof(struct known) + n * sizeof *mutators +
                         key->namespace_.len + key->object_namespace.len;
    const bool has_room =
        atomic_fetch_add(&cache->bytes, bytes) + bytes <= FX_LIMIT_CANDIDATE_CACHE_BYTES;
    struct known *known = has_room ? make(key, mutators, n, bytes) : NULL;
    const bool ok = !has_room || known != NULL;
    if (known == NULL || !publish(cache, known)) {
        free(known);
        (void)atomic_fetch_sub(&cache->bytes, bytes);
    }
    return ok;
}
