/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_index.c - mutators by (group, version, kind, operation), and among
 * these by namespace. Sorted arrays: a lookup costs a few binary searches, however many
 * mutators there are for other objects or namespaces.
 */
#include "engine/snapshot_index.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "engine/access.h"

/* ---- the cache of candidates ------------------------------------------------------- */

/* The cache has the candidates of an entry for objects of one namespace, after each
 * mutator was asked about that namespace (fx_mutator_ops.may_match_namespace). So a
 * mutator is asked once for each name. Any number of threads may read and add lists.
 * Nothing is removed. A list for which there is no room is not kept, and its mutators are
 * asked each time. */

#define SLOTS      4096u
#define MOST_TRIED 8u /* slots that are tried before a key has no room */

/* An entry of the index, the namespace that is looked up in it, and the namespace of the
 * object. */
struct candidate_key {
    uint32_t entry;
    struct fx_text namespace_, object_namespace;
};

struct candidate_list {
    const uint32_t *mutators; /* ascending */
    size_t n;
};

/* One key and its list, in one block of memory. The texts are after the list. */
struct cached_list {
    struct candidate_key key;
    struct candidate_list list;
    uint32_t mutators[];
};

struct candidate_cache {
    atomic_size_t bytes;
    _Atomic(struct cached_list *) slots[SLOTS];
};

/* Creates an empty cache. NULL without memory. */
static struct candidate_cache *create_cache(void) {
    struct candidate_cache *cache = calloc(1, sizeof *cache);
    if (cache != NULL) {
        atomic_init(&cache->bytes, 0);
        for (size_t i = 0; i < SLOTS; i++) {
            atomic_init(&cache->slots[i], NULL);
        }
    }
    return cache;
}

static void destroy_cache(struct candidate_cache *cache) {
    for (size_t i = 0; cache != NULL && i < SLOTS; i++) {
        free(atomic_load_explicit(&cache->slots[i], memory_order_relaxed));
    }
    free(cache);
}

static size_t hash_key(const struct candidate_key *key) {
    const uint32_t namespace_ =
        fx_path_hash(key->entry + FX_PATH_HASH_ROOT, key->namespace_);
    return namespace_ + (key->object_namespace.len == 0 ? 1 : 0);
}

static bool is_list_of(const struct cached_list *cached,
                       const struct candidate_key *key) {
    return cached->key.entry == key->entry &&
           fx_text_equal(cached->key.namespace_, key->namespace_) &&
           fx_text_equal(cached->key.object_namespace, key->object_namespace);
}

/* Returns the list of the key; NULL if there is none. */
static const struct candidate_list *find_in_cache(const struct candidate_cache *cache,
                                                  const struct candidate_key *key) {
    const size_t first = hash_key(key);
    for (size_t i = 0; i < MOST_TRIED; i++) {
        const struct cached_list *cached = atomic_load_explicit(
            &cache->slots[(first + i) % SLOTS], memory_order_acquire);
        if (cached == NULL) {
            return NULL;
        }
        if (is_list_of(cached, key)) {
            return &cached->list;
        }
    }
    return NULL;
}

static struct fx_text put_text(char *to, struct fx_text text) {
    if (text.len > 0) {
        memcpy(to, text.data, text.len);
    }
    return (struct fx_text){to, text.len};
}

static struct cached_list *make_cached_list(const struct candidate_key *key,
                                            const uint32_t *mutators, size_t n,
                                            size_t bytes) {
    struct cached_list *cached = malloc(bytes);
    if (cached == NULL) {
        return NULL;
    }
    char *texts = (char *)(cached->mutators + n);
    cached->key.entry = key->entry;
    cached->key.namespace_ = put_text(texts, key->namespace_);
    cached->key.object_namespace =
        put_text(texts + key->namespace_.len, key->object_namespace);
    cached->list = (struct candidate_list){cached->mutators, n};
    if (n > 0) {
        memcpy(cached->mutators, mutators, n * sizeof *mutators);
    }
    return cached;
}

/* Puts the list into the table. False if there is no free slot, or if another thread has
 * already added the same key. */
static bool publish(struct candidate_cache *cache, struct cached_list *cached) {
    const size_t first = hash_key(&cached->key);
    for (size_t i = 0; i < MOST_TRIED; i++) {
        struct cached_list *other = NULL;
        if (atomic_compare_exchange_strong_explicit(&cache->slots[(first + i) % SLOTS],
                                                    &other, cached, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            return true;
        }
        if (is_list_of(other, &cached->key)) {
            return false;
        }
    }
    return false;
}

/* Keeps a copy of the list, if there is room for it. False without memory. */
static bool add_to_cache(struct candidate_cache *cache, const struct candidate_key *key,
                         const uint32_t *mutators, size_t n) {
    const size_t bytes = sizeof(struct cached_list) + n * sizeof *mutators +
                         key->namespace_.len + key->object_namespace.len;
    const bool has_room =
        atomic_fetch_add(&cache->bytes, bytes) + bytes <= FX_LIMIT_CANDIDATE_CACHE_BYTES;
    struct cached_list *cached =
        has_room ? make_cached_list(key, mutators, n, bytes) : NULL;
    const bool ok = !has_room || cached != NULL;
    if (cached == NULL || !publish(cache, cached)) {
        free(cached);
        (void)atomic_fetch_sub(&cache->bytes, bytes);
    }
    return ok;
}

/* ---- the index --------------------------------------------------------------------- */

/* Limits that keep the index small. A mutator with more bindings is a candidate for every
 * object, and one with more pairs of binding and namespace is a candidate for every
 * namespace. */
#define BINDINGS_INDEXED 512u
#define PAIRS_INDEXED    4096u

#define OPERATIONS (FX_OPERATION_CONNECT + 1) /* includes NONE */

/* Objects under one operation. The fields in the mask may have any value, and are empty
 * here. */
enum { ANY_GROUP = 1, ANY_VERSION = 2, ANY_KIND = 4, MASKS = 8 };
struct index_key {
    unsigned mask;
    enum fx_operation operation;
    struct fx_text group, version, kind;
};

/* One mutator under one key, in one namespace or, if data is NULL, in any. */
struct posting {
    struct index_key key;
    struct fx_text namespace_;
    uint32_t mutator;
};

/* The mutators under one key in one namespace or in any: a range of `mutators`. */
struct posting_list {
    struct fx_text namespace_;
    uint32_t first, n;
};

/* The lists under one key, by namespace; the one for any namespace comes first. */
struct index_entry {
    struct index_key key;
    uint32_t first, n;
    bool asks_namespace; /* one of its mutators has may_match_namespace */
};

struct fx_snapshot_index {
    struct fx_mutator *const *all; /* of the snapshot */
    struct candidate_cache *cache; /* NULL if no entry has asks_namespace */
    struct index_entry *entries;   /* sorted */
    struct posting_list *lists;
    uint32_t *mutators;
    size_t n_entries, cap_entries, n_lists, cap_lists, n_mutators, cap_mutators;
    unsigned masks; /* bit n: there is an entry of mask n */
};

struct postings {
    struct posting *items;
    size_t n_items, cap_items;
};

void fx_snapshot_index_destroy(struct fx_snapshot_index *index) {
    if (index == NULL) {
        return;
    }
    free(index->entries);
    free(index->lists);
    free(index->mutators);
    destroy_cache(index->cache);
    free(index);
}

static int compare_keys(const struct index_key *a, const struct index_key *b) {
    if (a->mask != b->mask) {
        return a->mask < b->mask ? -1 : 1;
    }
    if (a->operation != b->operation) {
        return a->operation < b->operation ? -1 : 1;
    }
    int order = fx_text_compare(a->kind, b->kind);
    if (order == 0) {
        order = fx_text_compare(a->group, b->group);
    }
    return order != 0 ? order : fx_text_compare(a->version, b->version);
}

/* Any namespace comes before the empty name. */
static int compare_namespaces(struct fx_text a, struct fx_text b) {
    if ((a.data == NULL) != (b.data == NULL)) {
        return a.data == NULL ? -1 : 1;
    }
    return fx_text_compare(a, b);
}

static int compare_postings(const void *left, const void *right) {
    const struct posting *a = left;
    const struct posting *b = right;
    int order = compare_keys(&a->key, &b->key);
    if (order == 0) {
        order = compare_namespaces(a->namespace_, b->namespace_);
    }
    return order != 0 ? order : (a->mutator > b->mutator) - (a->mutator < b->mutator);
}

static bool post(struct postings *postings, const struct posting *posting) {
    if (!FX_VEC_GROW(postings->items, postings->n_items, postings->cap_items)) {
        return false;
    }
    postings->items[postings->n_items++] = *posting;
    return true;
}

/* An empty name is a name, so its data must not be NULL. */
static struct fx_text named(struct fx_text text) {
    return text.data == NULL ? FX_TEXT("") : text;
}

static bool post_namespaces(struct postings *postings, const struct fx_mutator *mutator,
                            struct posting *posting, bool anywhere) {
    posting->namespace_ = (struct fx_text){NULL, 0};
    if (anywhere) {
        return post(postings, posting);
    }
    for (size_t i = 0; i < mutator->n_namespaces; i++) {
        posting->namespace_ = named(mutator->namespaces[i]);
        if (!post(postings, posting)) {
            return false;
        }
    }
    return true;
}

static bool wants(const struct fx_binding *binding, enum fx_operation operation) {
    return operation == FX_OPERATION_NONE
               ? binding->no_operation
               : (binding->operations & FX_OPERATION_BIT(operation)) != 0;
}

static struct index_key key_of(const struct fx_binding *binding,
                               enum fx_operation operation) {
    const struct fx_text any = {NULL, 0};
    return (struct index_key){
        .mask = (binding->any_group ? ANY_GROUP : 0u) |
                (binding->any_version ? ANY_VERSION : 0u) |
                (binding->any_kind ? ANY_KIND : 0u),
        .operation = operation,
        .group = binding->any_group ? any : binding->group,
        .version = binding->any_version ? any : binding->version,
        .kind = binding->any_kind ? any : binding->kind,
    };
}

static bool post_mutator(struct postings *postings, const struct fx_mutator *mutator,
                         uint32_t index) {
    static const struct fx_binding everything = {
        .any_group = true,
        .any_version = true,
        .any_kind = true,
        .operations = ~0u,
        .no_operation = true,
    };
    const struct fx_binding *bindings = mutator->bindings;
    size_t n = mutator->n_bindings;
    if (n == 0 || n > BINDINGS_INDEXED) {
        bindings = &everything;
        n = 1;
    }
    const bool anywhere =
        mutator->n_namespaces == 0 || mutator->n_namespaces > PAIRS_INDEXED / n;
    for (size_t i = 0; i < n; i++) {
        for (unsigned operation = 0; operation < OPERATIONS; operation++) {
            if (!wants(&bindings[i], (enum fx_operation)operation)) {
                continue;
            }
            struct posting posting = {
                .key = key_of(&bindings[i], (enum fx_operation)operation),
                .mutator = index,
            };
            if (!post_namespaces(postings, mutator, &posting, anywhere)) {
                return false;
            }
        }
    }
    return true;
}

static bool collect_postings(const struct fx_snapshot *snapshot,
                             struct postings *postings) {
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (!fx_snapshot_is_disabled(snapshot, i) &&
            !post_mutator(postings, snapshot->mutators[i], (uint32_t)i)) {
            return false;
        }
    }
    if (postings->n_items > 0) {
        qsort(postings->items, postings->n_items, sizeof *postings->items,
              compare_postings);
    }
    return true;
}

static struct index_entry *entry_for(struct fx_snapshot_index *index,
                                     const struct index_key *key) {
    if (index->n_entries > 0) {
        struct index_entry *last = &index->entries[index->n_entries - 1];
        if (compare_keys(&last->key, key) == 0) {
            return last;
        }
    }
    if (!FX_VEC_GROW(index->entries, index->n_entries, index->cap_entries)) {
        return NULL;
    }
    index->masks |= 1u << key->mask;
    struct index_entry *entry = &index->entries[index->n_entries++];
    *entry = (struct index_entry){.key = *key, .first = (uint32_t)index->n_lists};
    return entry;
}

static struct posting_list *list_for(struct fx_snapshot_index *index,
                                     struct index_entry *entry,
                                     struct fx_text namespace_) {
    if (entry->n > 0) {
        struct posting_list *last = &index->lists[index->n_lists - 1];
        if (compare_namespaces(last->namespace_, namespace_) == 0) {
            return last;
        }
    }
    if (!FX_VEC_GROW(index->lists, index->n_lists, index->cap_lists)) {
        return NULL;
    }
    entry->n++;
    struct posting_list *list = &index->lists[index->n_lists++];
    *list = (struct posting_list){.namespace_ = namespace_,
                                  .first = (uint32_t)index->n_mutators};
    return list;
}

/* Adds a posting. They are sorted, so each belongs to the last entry and list, or begins
 * one. */
static bool add_posting(struct fx_snapshot_index *index, const struct posting *posting) {
    struct index_entry *entry = entry_for(index, &posting->key);
    struct posting_list *list =
        entry == NULL ? NULL : list_for(index, entry, posting->namespace_);
    if (list == NULL) {
        return false;
    }
    if (list->n > 0 && index->mutators[index->n_mutators - 1] == posting->mutator) {
        return true; /* two of its bindings are equal */
    }
    if (!FX_VEC_GROW(index->mutators, index->n_mutators, index->cap_mutators)) {
        return false;
    }
    index->mutators[index->n_mutators++] = posting->mutator;
    list->n++;
    entry->asks_namespace =
        entry->asks_namespace ||
        index->all[posting->mutator]->ops->may_match_namespace != NULL;
    return true;
}

/* Makes the cache if any entry needs it. */
static bool make_cache(struct fx_snapshot_index *index) {
    bool asks = false;
    for (size_t i = 0; i < index->n_entries; i++) {
        asks = asks || index->entries[i].asks_namespace;
    }
    index->cache = asks ? create_cache() : NULL;
    return !asks || index->cache != NULL;
}

struct fx_snapshot_index *fx_snapshot_index_create(const struct fx_snapshot *snapshot) {
    struct fx_snapshot_index *index = calloc(1, sizeof *index);
    struct postings postings = {0};
    bool ok = index != NULL && collect_postings(snapshot, &postings);
    if (ok) {
        index->all = snapshot->mutators;
    }
    for (size_t i = 0; ok && i < postings.n_items; i++) {
        ok = add_posting(index, &postings.items[i]);
    }
    free(postings.items);
    if (!ok || !make_cache(index)) {
        fx_snapshot_index_destroy(index);
        return NULL;
    }
    return index;
}

static bool reserve(struct fx_candidates *candidates, size_t more) {
    while (candidates->cap_indices - candidates->n_indices < more) {
        const size_t bigger =
            candidates->cap_indices == 0 ? 64 : candidates->cap_indices * 2;
        uint32_t *moved = realloc(candidates->indices, bigger * sizeof *moved);
        if (moved == NULL) {
            return false;
        }
        candidates->indices = moved;
        candidates->cap_indices = bigger;
    }
    return true;
}

/* Merges a sorted run into the sorted candidates, from the end, because there the room
 * is. */
static void merge_run(struct fx_candidates *candidates, const uint32_t *run, size_t n) {
    uint32_t *all = candidates->indices;
    size_t left = candidates->n_indices;
    size_t to = left + n;
    candidates->n_indices = to;
    while (n > 0) {
        all[--to] = left > 0 && all[left - 1] > run[n - 1] ? all[--left] : run[--n];
    }
}

static void drop_repeats(struct fx_candidates *candidates) {
    size_t kept = 0;
    for (size_t i = 0; i < candidates->n_indices; i++) {
        if (kept == 0 || candidates->indices[kept - 1] != candidates->indices[i]) {
            candidates->indices[kept++] = candidates->indices[i];
        }
    }
    candidates->n_indices = kept;
}

static int compare_indices(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Takes the mutators of all namespaces. The lists of an entry are adjacent, and so are
 * their mutators. */
static bool take_all(const struct fx_snapshot_index *index,
                     const struct index_entry *entry, struct fx_candidates *candidates) {
    const struct posting_list *first = &index->lists[entry->first];
    const struct posting_list *last = first + entry->n - 1;
    const size_t n = last->first + last->n - first->first;
    assert(n > 0); /* each entry has a mutator */
    if (!reserve(candidates, n)) {
        return false;
    }
    memcpy(candidates->indices + candidates->n_indices, index->mutators + first->first,
           n * sizeof *candidates->indices);
    candidates->n_indices += n;
    qsort(candidates->indices, candidates->n_indices, sizeof *candidates->indices,
          compare_indices);
    return true;
}

static bool take_run(struct fx_candidates *candidates, const uint32_t *run, size_t n) {
    if (!reserve(candidates, n)) {
        return false;
    }
    merge_run(candidates, run, n);
    return true;
}

static bool take_list(const struct fx_snapshot_index *index,
                      const struct posting_list *list, struct fx_candidates *candidates) {
    if (list == NULL) {
        return true;
    }
    return take_run(candidates, index->mutators + list->first, list->n);
}

static int compare_list(const void *wanted, const void *element) {
    const struct posting_list *list = element;
    return compare_namespaces(*(const struct fx_text *)wanted, list->namespace_);
}

static bool take_entry(const struct fx_snapshot_index *index,
                       const struct index_entry *entry, struct fx_text namespace_,
                       struct fx_candidates *candidates) {
    if (namespace_.len == 0) {
        return take_all(index, entry, candidates);
    }
    const struct posting_list *lists = &index->lists[entry->first];
    const struct posting_list *anywhere = lists->namespace_.data == NULL ? lists : NULL;
    return take_list(index, anywhere, candidates) &&
           take_list(index,
                     bsearch(&namespace_, lists, entry->n, sizeof *lists, compare_list),
                     candidates);
}

/* Removes the mutators that cannot match objects of this namespace. */
static void filter_candidates(const struct fx_snapshot_index *index,
                              struct fx_text object_namespace,
                              struct fx_candidates *candidates) {
    size_t kept = 0;
    for (size_t i = 0; i < candidates->n_indices; i++) {
        const uint32_t at = candidates->indices[i];
        const struct fx_mutator *mutator = index->all[at];
        if (mutator->ops->may_match_namespace == NULL ||
            mutator->ops->may_match_namespace(mutator, object_namespace)) {
            candidates->indices[kept++] = at;
        }
    }
    candidates->n_indices = kept;
}

/* Takes the mutators of an entry in which mutators are asked about the object's
 * namespace. */
static bool take_filtered(const struct fx_snapshot_index *index,
                          const struct index_entry *entry,
                          const struct fx_snapshot_query *query,
                          struct fx_candidates *candidates) {
    const struct candidate_key key = {
        .entry = (uint32_t)(entry - index->entries),
        .namespace_ = query->namespace_,
        .object_namespace = query->object_namespace,
    };
    const struct candidate_list *cached = find_in_cache(index->cache, &key);
    if (cached != NULL) {
        return take_run(candidates, cached->mutators, cached->n);
    }
    struct fx_candidates found = {0};
    bool ok = take_entry(index, entry, query->namespace_, &found);
    if (ok) {
        filter_candidates(index, query->object_namespace, &found);
        ok = add_to_cache(index->cache, &key, found.indices, found.n_indices) &&
             take_run(candidates, found.indices, found.n_indices);
    }
    fx_candidates_finish(&found);
    return ok;
}

static int compare_entry(const void *wanted, const void *element) {
    const struct index_entry *entry = element;
    return compare_keys(wanted, &entry->key);
}

bool fx_snapshot_index_find(const struct fx_snapshot_index *index,
                            const struct fx_snapshot_query *query,
                            struct fx_candidates *candidates) {
    candidates->n_indices = 0;
    for (unsigned mask = 0; mask < MASKS; mask++) {
        if ((index->masks & (1u << mask)) == 0) {
            continue;
        }
        const struct fx_text any = {NULL, 0};
        const struct index_key key = {
            .mask = mask,
            .operation = query->operation,
            .group = (mask & ANY_GROUP) != 0 ? any : query->group,
            .version = (mask & ANY_VERSION) != 0 ? any : query->version,
            .kind = (mask & ANY_KIND) != 0 ? any : query->kind,
        };
        const struct index_entry *entry = bsearch(&key, index->entries, index->n_entries,
                                                  sizeof *index->entries, compare_entry);
        if (entry != NULL &&
            !(entry->asks_namespace
                  ? take_filtered(index, entry, query, candidates)
                  : take_entry(index, entry, query->namespace_, candidates))) {
            return false;
        }
    }
    drop_repeats(candidates);
    return true;
}
