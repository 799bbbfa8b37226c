/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/objects.c - a sorted array; objects of the API reduced to policies,
 * which are kept as text: most of them are never looked at again.
 */
#include "cluster/policies/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cluster/policies/seen_status.h"
#include "engine/policy_text.h"
#include "kube/body.h"
#include "value/tree.h"

#define KEY_BYTES 512

/* ---- one object ------------------------------------------------------------------ */

/* Its texts are those of the key, and of the uid that it owns. */
struct item {
    struct fx_cluster_object object; /* first: what the others see */
    char *uid;
    char key[];
};

static struct item *item_of(struct fx_cluster_object *object) {
    return (struct item *)object; /* its first member */
}

static void destroy(struct fx_cluster_object *object) {
    fx_policy_text_unref(object->object);
    free(item_of(object)->uid);
    free(object); /* struct item begins with it */
}

/* What there is one of in each object. */
static bool keep_metadata(json_t *kept, const json_t *from) {
    static const char *const keys[] = {"name", "namespace", "uid", "generation"};
    json_t *metadata = json_object();
    if (!fx_tree_set_take(kept, FX_TEXT("metadata"), metadata)) {
        return false;
    }
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        if (!fx_kube_body_share(metadata, from, keys[i])) {
            return false;
        }
    }
    return true;
}

/* What policies are made of, and no more; NULL without memory. */
static struct fx_policy_text *reduce(const json_t *object) {
    json_t *kept = json_object();
    const bool ok = kept != NULL && fx_kube_body_share(kept, object, "apiVersion") &&
                    fx_kube_body_share(kept, object, "kind") &&
                    keep_metadata(kept, fx_tree_view_key(object, "metadata")) &&
                    fx_kube_body_share(kept, object, "spec");
    struct fx_policy_text *text = ok ? fx_policy_text_create(kept) : NULL;
    json_decref(kept);
    return text;
}

/* False for names that no API server lets pass (RFC 1123, 253 characters). */
static bool print_key(char key[KEY_BYTES], const struct fx_cluster_kind *kind,
                      struct fx_text namespace_, struct fx_text name) {
    const struct fx_kube_resource *resource = &kind->versions[0];
    const struct fx_text space = kind->is_namespaced ? namespace_ : (struct fx_text){0};
    const int len =
        snprintf(key, KEY_BYTES, "%s.%s/%.*s%s%.*s", resource->plural, resource->group,
                 FX_TEXT_ARG(space), kind->is_namespaced ? "/" : "", FX_TEXT_ARG(name));
    return len > 0 && len < KEY_BYTES;
}

/* The names within a key. */
static void read_key(const char *key, const struct fx_cluster_kind *kind,
                     struct fx_cluster_object *object) {
    const char *name = strchr(key, '/') + 1;
    if (kind->is_namespaced) {
        object->namespace_ = (struct fx_text){name, strcspn(name, "/")};
        name += object->namespace_.len + 1;
    }
    object->name = fx_text_of(name);
}

/* ---- all of them ----------------------------------------------------------------- */

static size_t lower_bound(const struct fx_cluster_objects *objects, const char *key) {
    size_t from = 0;
    size_t to = objects->n_items;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (strcmp(objects->items[middle]->key, key) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static bool stands_at(const struct fx_cluster_objects *objects, size_t at,
                      const char *key) {
    return at < objects->n_items && strcmp(objects->items[at]->key, key) == 0;
}

/* A new item at its place; NULL without memory. */
static struct fx_cluster_object *insert(struct fx_cluster_objects *objects, size_t at,
                                        const char *key,
                                        const struct fx_cluster_kind *kind) {
    const size_t size = strlen(key) + 1;
    struct item *item = calloc(1, sizeof *item + size);
    if (item == NULL ||
        !FX_VEC_GROW(objects->items, objects->n_items, objects->cap_items)) {
        free(item);
        return NULL;
    }
    memcpy(item->key, key, size);
    item->object.key = item->key;
    item->object.kind = kind;
    read_key(item->key, kind, &item->object);
    struct fx_cluster_object **slot = objects->items + at;
    memmove(slot + 1, slot, (objects->n_items - at) * sizeof(*slot));
    *slot = &item->object;
    objects->n_items++;
    return &item->object;
}

/* Takes over the policy, whose metadata these are, and the uid. */
static void keep(struct fx_cluster_object *object, const json_t *metadata,
                 struct fx_policy_text *policy, char *uid) {
    fx_policy_text_unref(object->object);
    free(item_of(object)->uid);
    object->object = policy;
    object->uid = fx_text_of(uid);
    object->generation = json_integer_value(fx_tree_view_key(metadata, "generation"));
    item_of(object)->uid = uid;
}

/* Makes of the object what is kept of it. */
static bool put(struct fx_cluster_objects *objects, const char *key,
                const struct fx_cluster_kind *kind, const json_t *object,
                struct fx_cluster_object **ret_item, enum fx_object_change *ret_change) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    struct fx_policy_text *kept = reduce(object);
    struct fx_cluster_object *item = fx_cluster_objects_find(objects, key);
    *ret_change = FX_OBJECT_SAME;
    *ret_item = item;
    if (kept == NULL) {
        return false;
    }
    if (item != NULL && fx_policy_text_equal(item->object, kept)) {
        fx_policy_text_unref(kept);
        return true;
    }
    char *uid = fx_text_dup(fx_tree_view_string(metadata, "uid"));
    if (uid != NULL && item == NULL) {
        item = insert(objects, lower_bound(objects, key), key, kind);
    }
    if (uid == NULL || item == NULL) {
        free(uid);
        fx_policy_text_unref(kept);
        return false;
    }
    keep(item, metadata, kept, uid);
    *ret_change = FX_OBJECT_POLICY;
    *ret_item = item;
    return true;
}

/* Notes what its status says of us; true where that is something else than before. */
static bool see_status(struct fx_cluster_object *item, const json_t *object,
                       const char *pod) {
    const uint64_t status_before = item->own_status;
    const uint64_t ready_before = item->ready.digest;
    item->own_status = fx_status_digest_of_pod(object, pod);
    if (item->kind->has_ready) {
        fx_ready_read(object, &item->ready);
    }
    return item->own_status != status_before || item->ready.digest != ready_before;
}

bool fx_cluster_objects_put(struct fx_cluster_objects *objects,
                            const struct fx_object_source *source, json_t *object,
                            struct fx_cluster_object **ret_item,
                            enum fx_object_change *ret_change) {
    char key[KEY_BYTES];
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    if (!print_key(key, source->kind, fx_tree_view_string(metadata, "namespace"),
                   fx_tree_view_string(metadata, "name")) ||
        !put(objects, key, source->kind, object, ret_item, ret_change)) {
        return false;
    }
    struct fx_cluster_object *item = *ret_item;
    const bool is_news = see_status(item, object, source->pod);
    item->resource = source->resource;
    if (*ret_change == FX_OBJECT_SAME && is_news) {
        *ret_change = FX_OBJECT_STATUS;
    }
    return true;
}

bool fx_cluster_objects_remove(struct fx_cluster_objects *objects,
                               const struct fx_cluster_kind *kind,
                               struct fx_text namespace_, struct fx_text name) {
    char key[KEY_BYTES];
    if (!print_key(key, kind, namespace_, name)) {
        return false;
    }
    const size_t at = lower_bound(objects, key);
    if (!stands_at(objects, at, key)) {
        return false;
    }
    struct fx_cluster_object **slot = objects->items + at;
    destroy(*slot);
    memmove(slot, slot + 1, (objects->n_items - at - 1) * sizeof(*slot));
    objects->n_items--;
    return true;
}

struct fx_cluster_object *
fx_cluster_objects_find(const struct fx_cluster_objects *objects, const char *key) {
    const size_t at = lower_bound(objects, key);
    return stands_at(objects, at, key) ? objects->items[at] : NULL;
}

void fx_cluster_objects_finish(struct fx_cluster_objects *objects) {
    for (size_t i = 0; i < objects->n_items; i++) {
        destroy(objects->items[i]);
    }
    free(objects->items);
    *objects = (struct fx_cluster_objects){0};
}
