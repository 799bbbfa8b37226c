/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/object_cache.h - a cache of whole objects of one resource that were
 * fetched, each valid until a watch reports a change of it. Bounded in number and bytes;
 * the oldest entry is removed first. The caller locks. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_REFERENCES_OBJECT_CACHE_H
#define FX_CLUSTER_REFERENCES_OBJECT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/text.h"

/* Zeroed is empty. */
struct fx_object_cache {
    struct fx_cached_object {
        json_t *object;    /* counted */
        size_t bytes;      /* of its text */
        uint64_t sequence; /* the order of insertion */
    } *items;              /* sorted by name */
    size_t n_items, cap_items, bytes;
    uint64_t next_sequence;
};

void fx_object_cache_finish(struct fx_object_cache *cache);

/* Keeps the object, which has a name, instead of the object of that name; takes a
 * reference. An object that is too large, or for which there is no memory, is not kept.
 */
void fx_object_cache_put(struct fx_object_cache *cache, json_t *object);

/* The object of that name, borrowed; NULL if it is not in the cache. */
json_t *fx_object_cache_find(const struct fx_object_cache *cache, struct fx_text name);

/* Reports the current metadata.resourceVersion of the object of that name; removes it
 * from the cache if its version differs. */
void fx_object_cache_note_version(struct fx_object_cache *cache, struct fx_text name,
                                  struct fx_text version);

void fx_object_cache_remove(struct fx_object_cache *cache, struct fx_text name);

#endif
