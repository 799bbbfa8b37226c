/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/object_cache.h - whole objects of one resource, of those that were
 * asked for of late, each until a watch tells that it has changed. So many of so many
 * bytes; whoever came first has to go. Private to this room. Pure; whose lock it needs is
 * the caller's business.
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
        json_t *object; /* counted */
        size_t bytes;   /* of its text */
        uint64_t turn;  /* in which it came */
    } *items;           /* sorted by name */
    size_t n_items, cap_items, bytes;
    uint64_t turn;
};

void fx_object_cache_finish(struct fx_object_cache *manifests);

/* Keeps the object, which has a name, in place of what is kept of that name; a reference
 * is taken. One that is too large, or for which there is no memory, is not kept. */
void fx_object_cache_put(struct fx_object_cache *manifests, json_t *object);

/* The object of that name, borrowed; NULL where none is kept. */
json_t *fx_object_cache_find(const struct fx_object_cache *manifests,
                             struct fx_text name);

/* The object of that name has this metadata.resourceVersion now: unless it is the one
 * that is kept, that is not kept any longer. */
void fx_object_cache_note_version(struct fx_object_cache *manifests, struct fx_text name,
                                  struct fx_text version);

void fx_object_cache_remove(struct fx_object_cache *manifests, struct fx_text name);

#endif
