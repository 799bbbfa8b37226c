/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/schema_store.c - an array of documents, in no order.
 */
#include "cluster/references/schema_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "value/tree.h"

#define NS_IN_S   UINT64_C(1000000000)
#define LIST_NS   (30 * NS_IN_S)
#define FAILED_NS (5 * NS_IN_S)
#define NONE_NS   (5 * NS_IN_S)

/* The hash of a document: the URL in the list, which contains it. Empty: the list does
 * not have the document. */
static struct fx_text find_hash(const struct fx_schema_store *store, const char *name) {
    const json_t *paths = fx_tree_view_key(store->list, "paths");
    return fx_tree_view_string(fx_tree_view_key(paths, name), "serverRelativeURL");
}

static struct fx_kept_schemas *find_kept(struct fx_schema_store *store,
                                         const char *name) {
    for (size_t i = 0; i < store->n_items; i++) {
        if (strcmp(store->items[i].name, name) == 0) {
            return &store->items[i];
        }
    }
    return NULL;
}

static void drop(struct fx_kept_schemas *kept) {
    free(kept->name);
    free(kept->hash);
    fx_schema_catalog_unref(kept->catalog);
}

static void drop_least_used(struct fx_schema_store *store) {
    size_t oldest = 0;
    for (size_t i = 1; i < store->n_items; i++) {
        if (store->items[i].used_ns < store->items[oldest].used_ns) {
            oldest = i;
        }
    }
    drop(&store->items[oldest]);
    store->items[oldest] = store->items[--store->n_items];
}

/* NULL without memory. */
static struct fx_kept_schemas *add_kept(struct fx_schema_store *store, const char *name) {
    if (store->n_items == FX_LIMIT_SCHEMA_DOCUMENTS) {
        drop_least_used(store);
    }
    char *copy = strdup(name);
    if (copy == NULL || !FX_VEC_GROW(store->items, store->n_items, store->cap_items)) {
        free(copy);
        return NULL;
    }
    struct fx_kept_schemas *kept = &store->items[store->n_items++];
    *kept = (struct fx_kept_schemas){.name = copy};
    return kept;
}

bool fx_schema_store_keep(struct fx_schema_store *store, const char *name,
                          struct fx_schema_catalog *catalog_take, uint64_t now_ns) {
    struct fx_kept_schemas *kept = find_kept(store, name);
    char *hash = fx_text_dup(find_hash(store, name));
    if (kept == NULL && hash != NULL) {
        kept = add_kept(store, name);
    }
    if (kept == NULL || hash == NULL) {
        free(hash);
        fx_schema_catalog_unref(catalog_take);
        return false;
    }
    free(kept->hash);
    kept->hash = hash;
    kept->fetch_again = catalog_take == NULL;
    kept->used_ns = now_ns;
    if (catalog_take != NULL) {
        fx_schema_catalog_unref(kept->catalog);
        kept->catalog = catalog_take;
    }
    return true;
}

void fx_schema_store_keep_list(struct fx_schema_store *store, json_t *list,
                               uint64_t now_ns) {
    store->list_until_ns = now_ns + (list == NULL ? FAILED_NS : LIST_NS);
    store->none_until_ns = now_ns + NONE_NS;
    if (list == NULL) {
        return;
    }
    json_decref(store->list);
    store->list = json_incref(list);
    for (size_t i = 0; i < store->n_items; i++) {
        if (store->items[i].fetch_again) {
            store->items[i].hash[0] = '\0';
        }
    }
}

bool fx_schema_store_needs_list(const struct fx_schema_store *store, const char *name,
                                uint64_t now_ns) {
    return now_ns >= store->list_until_ns ||
           (now_ns >= store->none_until_ns && find_hash(store, name).len == 0);
}

enum fx_lookup fx_schema_store_find(struct fx_schema_store *store, const char *name,
                                    uint64_t now_ns,
                                    struct fx_schema_catalog **ret_catalog,
                                    struct fx_err *err) {
    struct fx_kept_schemas *kept = find_kept(store, name);
    const struct fx_text hash = find_hash(store, name);
    if (fx_schema_store_needs_list(store, name, now_ns)) {
        return FX_LOOKUP_WAIT;
    }
    if (hash.len > 0 && (kept == NULL || !fx_text_is(hash, kept->hash))) {
        return FX_LOOKUP_WAIT;
    }
    if (kept == NULL || kept->catalog == NULL || hash.len == 0) {
        (void)fx_fail(err, FX_EMUTATE, "the API server has no schemas of %s", name);
        return FX_LOOKUP_FAILED;
    }
    kept->used_ns = now_ns;
    *ret_catalog = fx_schema_catalog_ref(kept->catalog);
    return FX_LOOKUP_FOUND;
}

void fx_schema_store_finish(struct fx_schema_store *store) {
    while (store->n_items > 0) {
        drop(&store->items[--store->n_items]);
    }
    free(store->items);
    json_decref(store->list);
    *store = (struct fx_schema_store){.list = NULL};
}
