/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/object_cache.c - a sorted array of objects.
 */
#include "cluster/references/object_cache.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "kube/object.h"
#include "value/json.h"
#include "value/tree.h"

static struct fx_text name_of(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
}

static int compare_name(const void *key, const void *item) {
    const struct fx_text *name = key;
    return fx_text_compare(*name,
                           name_of(((const struct fx_cached_object *)item)->object));
}

static size_t find_index(const struct fx_object_cache *cache, struct fx_text name,
                         bool *ret_found) {
    return fx_sorted_find(cache->items, cache->n_items, sizeof *cache->items, &name,
                          compare_name, ret_found);
}

static void remove_at(struct fx_object_cache *cache, size_t at) {
    cache->bytes -= cache->items[at].bytes;
    json_decref(cache->items[at].object);
    FX_SORTED_REMOVE(cache->items, cache->n_items, at);
}

void fx_object_cache_remove(struct fx_object_cache *cache, struct fx_text name) {
    bool found = false;
    const size_t at = find_index(cache, name, &found);
    if (found) {
        remove_at(cache, at);
    }
}

void fx_object_cache_note_version(struct fx_object_cache *cache, struct fx_text name,
                                  struct fx_text version) {
    bool found = false;
    const size_t at = find_index(cache, name, &found);
    if (found &&
        !fx_text_equal(fx_kube_object_version(cache->items[at].object), version)) {
        remove_at(cache, at);
    }
}

json_t *fx_object_cache_find(const struct fx_object_cache *cache, struct fx_text name) {
    bool found = false;
    const size_t at = find_index(cache, name, &found);
    return found ? cache->items[at].object : NULL;
}

/* The length of the object as JSON; 0 without memory, or if it is over the limit. */
static size_t measure(const json_t *object) {
    struct fx_buf text;
    fx_buf_init(&text, FX_LIMIT_CACHED_OBJECT_BYTES);
    fx_json_write(&text, object, FX_JSON_COMPACT);
    const size_t bytes = text.failed ? 0 : text.len;
    fx_buf_finish(&text);
    return bytes;
}

static void remove_oldest(struct fx_object_cache *cache) {
    size_t oldest = 0;
    for (size_t i = 1; i < cache->n_items; i++) {
        if (cache->items[i].sequence < cache->items[oldest].sequence) {
            oldest = i;
        }
    }
    remove_at(cache, oldest);
}

void fx_object_cache_put(struct fx_object_cache *cache, json_t *object) {
    const struct fx_text name = name_of(object);
    const size_t bytes = measure(object);
    bool found = false;
    fx_object_cache_remove(cache, name);
    if (bytes == 0) {
        return;
    }
    while (cache->n_items == FX_LIMIT_CACHED_OBJECTS ||
           cache->bytes + bytes > FX_LIMIT_OBJECT_CACHE_BYTES) {
        remove_oldest(cache);
    }
    if (!FX_VEC_GROW(cache->items, cache->n_items, cache->cap_items)) {
        return;
    }
    const size_t at = find_index(cache, name, &found);
    FX_SORTED_INSERT(cache->items, cache->n_items, at);
    cache->items[at] =
        (struct fx_cached_object){json_incref(object), bytes, cache->next_sequence++};
    cache->bytes += bytes;
}

void fx_object_cache_finish(struct fx_object_cache *cache) {
    for (size_t i = 0; i < cache->n_items; i++) {
        json_decref(cache->items[i].object);
    }
    free(cache->items);
    *cache = (struct fx_object_cache){0};
}
