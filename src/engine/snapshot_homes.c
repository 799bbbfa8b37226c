/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_homes.c - a hash table of pointers that are set once.
 */
#include "engine/snapshot_homes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "engine/access.h"

#define SLOTS      4096u
#define MOST_TRIED 8u /* slots, before a key counts as one without a place */

/* One key and its list; all in one piece of memory, texts behind the list. */
struct known {
    struct fx_home_key key;
    struct fx_home_list list;
    uint32_t mutators[];
};

struct fx_homes {
    atomic_size_t bytes;
    _Atomic(struct known *) slots[SLOTS];
};

struct fx_homes *fx_homes_create(void) {
    struct fx_homes *homes = calloc(1, sizeof *homes);
    if (homes != NULL) {
        atomic_init(&homes->bytes, 0);
        for (size_t i = 0; i < SLOTS; i++) {
            atomic_init(&homes->slots[i], NULL);
        }
    }
    return homes;
}

void fx_homes_destroy(struct fx_homes *homes) {
    for (size_t i = 0; homes != NULL && i < SLOTS; i++) {
        free(atomic_load_explicit(&homes->slots[i], memory_order_relaxed));
    }
    free(homes);
}

static size_t hash(const struct fx_home_key *key) {
    const uint32_t spot = fx_path_hash(key->entry + FX_PATH_HASH_ROOT, key->namespace_);
    return spot + (key->home.len == 0 ? 1 : 0);
}

static bool is_of(const struct known *known, const struct fx_home_key *key) {
    return known->key.entry == key->entry &&
           fx_text_equal(known->key.namespace_, key->namespace_) &&
           fx_text_equal(known->key.home, key->home);
}

const struct fx_home_list *fx_homes_find(const struct fx_homes *homes,
                                         const struct fx_home_key *key) {
    const size_t first = hash(key);
    for (size_t i = 0; i < MOST_TRIED; i++) {
        const struct known *known = atomic_load_explicit(
            &homes->slots[(first + i) % SLOTS], memory_order_acquire);
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

static struct known *make(const struct fx_home_key *key, const uint32_t *mutators,
                          size_t n, size_t bytes) {
    struct known *known = malloc(bytes);
    if (known == NULL) {
        return NULL;
    }
    char *texts = (char *)(known->mutators + n);
    known->key.entry = key->entry;
    known->key.namespace_ = put(texts, key->namespace_);
    known->key.home = put(texts + key->namespace_.len, key->home);
    known->list = (struct fx_home_list){known->mutators, n};
    if (n > 0) {
        memcpy(known->mutators, mutators, n * sizeof *mutators);
    }
    return known;
}

/* Who comes second with the same key leaves it to the first. */
static bool place(struct fx_homes *homes, struct known *known) {
    const size_t first = hash(&known->key);
    for (size_t i = 0; i < MOST_TRIED; i++) {
        struct known *other = NULL;
        if (atomic_compare_exchange_strong_explicit(&homes->slots[(first + i) % SLOTS],
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

bool fx_homes_add(struct fx_homes *homes, const struct fx_home_key *key,
                  const uint32_t *mutators, size_t n) {
    const size_t bytes =
        sizeof(struct known) + n * sizeof *mutators + key->namespace_.len + key->home.len;
    const bool has_room =
        atomic_fetch_add(&homes->bytes, bytes) + bytes <= FX_LIMIT_HOMES_BYTES;
    struct known *known = has_room ? make(key, mutators, n, bytes) : NULL;
    const bool ok = !has_room || known != NULL;
    if (known == NULL || !place(homes, known)) {
        free(known);
        (void)atomic_fetch_sub(&homes->bytes, bytes);
    }
    return ok;
}
