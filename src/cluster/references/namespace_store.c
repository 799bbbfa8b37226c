/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespace_store.c - two arrays sorted by name. Labels in the table
 * are kept as JSON: a tree takes six times the memory, and most labels are never used.
 */
#include "cluster/references/namespace_store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "kube/body.h"
#include "kube/object.h"
#include "value/json.h"
#include "value/tree.h"

struct fx_namespace_entry {
    uint32_t name_len, labels_len; /* 0: no labels */
    char text[];                   /* the name, then the labels as JSON */
};

static struct fx_text name_of(const struct fx_namespace_entry *entry) {
    return (struct fx_text){entry->text, entry->name_len};
}

static int compare_name(const void *key, const void *item) {
    const struct fx_text *name = key;
    struct fx_namespace_entry *const *entry = item;
    return fx_text_compare(*name, name_of(*entry));
}

static size_t find_index(const struct fx_namespace_table *table, struct fx_text name,
                         bool *ret_found) {
    return fx_sorted_find(table->items, table->n_items,
                          sizeof(struct fx_namespace_entry *), &name, compare_name,
                          ret_found);
}

/* ---- one namespace --------------------------------------------------------------- */

static json_t *view_labels(const json_t *object) {
    json_t *labels = fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels");
    return json_is_object(labels) && json_object_size(labels) > 0 ? labels : NULL;
}

static struct fx_text view_name(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
}

/* NULL without memory. */
static struct fx_namespace_entry *make_entry(const json_t *object) {
    const struct fx_text name = view_name(object);
    const json_t *labels = view_labels(object);
    struct fx_buf json;
    fx_buf_init(&json, 0);
    if (labels != NULL) {
        fx_json_write(&json, labels, FX_JSON_COMPACT);
    }
    const size_t size = sizeof(struct fx_namespace_entry) + name.len + json.len;
    struct fx_namespace_entry *entry = json.failed ? NULL : malloc(size);
    if (entry != NULL) {
        entry->name_len = (uint32_t)name.len;
        entry->labels_len = (uint32_t)json.len;
        memcpy(entry->text, name.data, name.len);
        if (json.len > 0) {
            memcpy(entry->text + name.len, json.data, json.len);
        }
    }
    fx_buf_finish(&json);
    return entry;
}

/* Makes a Namespace with this name and these labels, which it takes (NULL: none). It does
 * not use json_pack(), which takes twice as long, as reviews wait for it. */
static json_t *make_namespace(struct fx_text name, json_t *labels_take) {
    json_t *object = json_object();
    json_t *metadata = json_object();
    bool ok = object != NULL && metadata != NULL &&
              fx_kube_body_set_text(object, "apiVersion", FX_TEXT("v1")) &&
              fx_kube_body_set_text(object, "kind", FX_TEXT("Namespace")) &&
              fx_kube_body_set_text(metadata, "name", name);
    ok = ok && (labels_take == NULL ||
                fx_tree_set_take(metadata, FX_TEXT("labels"), json_incref(labels_take)));
    ok = ok && fx_tree_set_take(object, FX_TEXT("metadata"), json_incref(metadata));
    json_decref(labels_take);
    json_decref(metadata);
    if (!ok) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *fx_namespace_reduce(const json_t *object) {
    return make_namespace(view_name(object), json_incref(view_labels(object)));
}

json_t *fx_namespace_entry_object(const struct fx_namespace_entry *entry) {
    const struct fx_text text = {entry->text + entry->name_len, entry->labels_len};
    struct fx_err ignored =
        FX_ERR_INIT; /* the text is valid: only FX_ENOMEM is possible */
    json_t *labels = text.len == 0 ? NULL : fx_json_read(text, NULL, &ignored);
    return text.len > 0 && labels == NULL ? NULL : make_namespace(name_of(entry), labels);
}

/* ---- the table ------------------------------------------------------------------- */

bool fx_namespace_table_put(struct fx_namespace_table *table, const json_t *object) {
    struct fx_namespace_entry *entry = make_entry(object);
    bool found = false;
    if (entry == NULL) {
        return false;
    }
    const size_t at = find_index(table, name_of(entry), &found);
    if (found) {
        free(table->items[at]);
    } else if (FX_VEC_GROW(table->items, table->n_items, table->cap_items)) {
        FX_SORTED_INSERT(table->items, table->n_items, at);
    } else {
        free(entry);
        return false;
    }
    table->items[at] = entry;
    return true;
}

void fx_namespace_table_remove(struct fx_namespace_table *table, struct fx_text name) {
    bool found = false;
    const size_t at = find_index(table, name, &found);
    if (found) {
        free(table->items[at]);
        FX_SORTED_REMOVE(table->items, table->n_items, at);
    }
}

bool fx_namespace_table_copy(const struct fx_namespace_table *table, struct fx_text name,
                             struct fx_namespace_entry **ret_entry, bool *ret_nomem) {
    bool found = false;
    const size_t at = find_index(table, name, &found);
    *ret_nomem = false;
    if (!found) {
        return false;
    }
    const struct fx_namespace_entry *entry = table->items[at];
    const size_t size = sizeof *entry + entry->name_len + entry->labels_len;
    struct fx_namespace_entry *copy = malloc(size);
    *ret_nomem = copy == NULL;
    if (copy != NULL) {
        memcpy(copy, entry, size);
        *ret_entry = copy;
    }
    return copy != NULL;
}

void fx_namespace_table_finish(struct fx_namespace_table *table) {
    for (size_t i = 0; i < table->n_items; i++) {
        free(table->items[i]);
    }
    free(table->items);
    *table = (struct fx_namespace_table){0};
}

/* ---- whole objects --------------------------------------------------------------- */

static struct fx_text name_of_object(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
}

static int compare_cached(const void *key, const void *item) {
    const struct fx_text *name = key;
    return fx_text_compare(
        *name, name_of_object(((const struct fx_cached_object *)item)->object));
}

static size_t find_cached(const struct fx_object_cache *cache, struct fx_text name,
                          bool *ret_found) {
    return fx_sorted_find(cache->items, cache->n_items, sizeof *cache->items, &name,
                          compare_cached, ret_found);
}

static void remove_cached(struct fx_object_cache *cache, size_t at) {
    cache->bytes -= cache->items[at].bytes;
    json_decref(cache->items[at].object);
    FX_SORTED_REMOVE(cache->items, cache->n_items, at);
}

void fx_object_cache_remove(struct fx_object_cache *cache, struct fx_text name) {
    bool found = false;
    const size_t at = find_cached(cache, name, &found);
    if (found) {
        remove_cached(cache, at);
    }
}

void fx_object_cache_note_version(struct fx_object_cache *cache, struct fx_text name,
                                  struct fx_text version) {
    bool found = false;
    const size_t at = find_cached(cache, name, &found);
    if (found &&
        !fx_text_equal(fx_kube_object_version(cache->items[at].object), version)) {
        remove_cached(cache, at);
    }
}

json_t *fx_object_cache_find(const struct fx_object_cache *cache, struct fx_text name) {
    bool found = false;
    const size_t at = find_cached(cache, name, &found);
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
    remove_cached(cache, oldest);
}

void fx_object_cache_put(struct fx_object_cache *cache, json_t *object) {
    const struct fx_text name = name_of_object(object);
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
    const size_t at = find_cached(cache, name, &found);
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
