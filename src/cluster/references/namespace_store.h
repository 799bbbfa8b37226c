/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespace_store.h - stores namespaces: the names and labels of all,
 * and some whole objects. The caller locks. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_REFERENCES_NAMESPACE_STORE_H
#define FX_CLUSTER_REFERENCES_NAMESPACE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

struct fx_namespace_entry; /* opaque */

/* Names and labels as short texts, sorted by name. Zeroed is empty. */
struct fx_namespace_table {
    struct fx_namespace_entry **items;
    size_t n_items, cap_items;
};

void fx_namespace_table_finish(struct fx_namespace_table *table);

/* Adds or replaces the name and labels of the object (a Namespace, or only its metadata).
 * False without memory. */
bool fx_namespace_table_put(struct fx_namespace_table *table,
                            const json_t *object) FX_MUST_USE;

void fx_namespace_table_remove(struct fx_namespace_table *table, struct fx_text name);

/* Copies the entry with that name to `*ret_entry`, which the caller frees with free().
 * False if there is none, or without memory (sets `*ret_nomem`). */
bool fx_namespace_table_copy(const struct fx_namespace_table *table, struct fx_text name,
                             struct fx_namespace_entry **ret_entry,
                             bool *ret_nomem) FX_MUST_USE;

/* A new Namespace object with the name and labels of the entry; NULL without memory. */
json_t *fx_namespace_entry_object(const struct fx_namespace_entry *entry) FX_MUST_USE;

/* A new Namespace object with the name and labels of `object`; NULL without memory. */
json_t *fx_namespace_reduce(const json_t *object) FX_MUST_USE;

/* ---- whole objects --------------------------------------------------------------- */

/* Fetched whole objects of one resource, each valid until a watch reports that it
 * changed. Limited in number and bytes; the oldest entry is removed first. Zeroed is
 * empty. */
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

/* Stores the object, which must have a name, with a new reference. Replaces an object
 * with the same name. If the object is too large, or without memory, it is not stored. */
void fx_object_cache_put(struct fx_object_cache *cache, json_t *object);

/* The object with that name, borrowed; NULL if it is not in the cache. */
json_t *fx_object_cache_find(const struct fx_object_cache *cache, struct fx_text name);

/* Reports the current metadata.resourceVersion of the object with that name. Removes the
 * object from the cache if its version differs. */
void fx_object_cache_note_version(struct fx_object_cache *cache, struct fx_text name,
                                  struct fx_text version);

void fx_object_cache_remove(struct fx_object_cache *cache, struct fx_text name);

#endif
