/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/object_cache.c - a sorted array of objects.
 */
#include "cluster/references/object_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"
#include "kube/object.h"
#include "value/json.h"
#include "value/tree.h"

static struct fx_text name_of(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
}

static size_t lower_bound(const struct fx_object_cache *manifests, struct fx_text name) {
    size_t from = 0;
    size_t to = manifests->n_items;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (fx_text_compare(name_of(manifests->items[middle].object), name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static bool stands_at(const struct fx_object_cache *manifests, size_t at,
                      struct fx_text name) {
    return at < manifests->n_items &&
           fx_text_equal(name_of(manifests->items[at].object), name);
}

static void remove_at(struct fx_object_cache *manifests, size_t at) {
    struct fx_cached_object *slot = manifests->items + at;
    manifests->bytes -= slot->bytes;
    json_decref(slot->object);
    memmove(slot, slot + 1, (manifests->n_items - at - 1) * sizeof(*slot));
    manifests->n_items--;
}

void fx_object_cache_remove(struct fx_object_cache *manifests, struct fx_text name) {
    const size_t at = lower_bound(manifests, name);
    if (stands_at(manifests, at, name)) {
        remove_at(manifests, at);
    }
}

void fx_object_cache_note_version(struct fx_object_cache *manifests, struct fx_text name,
                                  struct fx_text version) {
    const size_t at = lower_bound(manifests, name);
    if (stands_at(manifests, at, name) &&
        !fx_text_equal(fx_kube_object_version(manifests->items[at].object), version)) {
        remove_at(manifests, at);
    }
}

json_t *fx_object_cache_find(const struct fx_object_cache *manifests,
                             struct fx_text name) {
    const size_t at = lower_bound(manifests, name);
    return stands_at(manifests, at, name) ? manifests->items[at].object : NULL;
}

/* How long its text would be; 0 without memory, or where it is longer than any may be. */
static size_t measure(const json_t *object) {
    struct fx_buf text;
    fx_buf_init(&text, FX_LIMIT_CACHED_OBJECT_BYTES);
    fx_json_write(&text, object, FX_JSON_COMPACT);
    const size_t bytes = text.failed ? 0 : text.len;
    fx_buf_finish(&text);
    return bytes;
}

static void remove_oldest(struct fx_object_cache *manifests) {
    size_t oldest = 0;
    for (size_t i = 1; i < manifests->n_items; i++) {
        if (manifests->items[i].turn < manifests->items[oldest].turn) {
            oldest = i;
        }
    }
    remove_at(manifests, oldest);
}

void fx_object_cache_put(struct fx_object_cache *manifests, json_t *object) {
    const struct fx_text name = name_of(object);
    const size_t bytes = measure(object);
    fx_object_cache_remove(manifests, name);
    if (bytes == 0) {
        return;
    }
    while (manifests->n_items == FX_LIMIT_CACHED_OBJECTS ||
           manifests->bytes + bytes > FX_LIMIT_OBJECT_CACHE_BYTES) {
        remove_oldest(manifests);
    }
    if (!FX_VEC_GROW(manifests->items, manifests->n_items, manifests->cap_items)) {
        return;
    }
    const size_t at = lower_bound(manifests, name);
    struct fx_cached_object *slot = manifests->items + at;
    memmove(slot + 1, slot, (manifests->n_items - at) * sizeof(*slot));
    *slot = (struct fx_cached_object){json_incref(object), bytes, manifests->turn++};
    manifests->n_items++;
    manifests->bytes += bytes;
}

void fx_object_cache_finish(struct fx_object_cache *manifests) {
    for (size_t i = 0; i < manifests->n_items; i++) {
        json_decref(manifests->items[i].object);
    }
    free(manifests->items);
    *manifests = (struct fx_object_cache){0};
}
