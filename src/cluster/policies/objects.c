/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/objects.c - a sorted array of policies, kept as text, as most are
 * never read again.
 */
#include "cluster/policies/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/date.h"
#include "base/hash.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "cluster/policies/policies.h"
#include "engine/policy_text.h"
#include "kube/body.h"
#include "value/json.h"
#include "value/tree.h"

#define KEY_BYTES 512

/* ---- one object ------------------------------------------------------------------ */

/* A stored object. Owns its texts: the key and the uid. */
struct stored_object {
    struct fx_cluster_object object; /* first, so that item_of() can cast */
    char *uid;
    char key[];
};

static struct stored_object *item_of(struct fx_cluster_object *object) {
    return (struct stored_object *)object; /* its first member */
}

static void destroy(struct fx_cluster_object *object) {
    fx_policy_text_unref(object->object);
    free(item_of(object)->uid);
    free(object); /* struct stored_object begins with it */
}

/* Copies the metadata that are kept. */
static bool keep_metadata(json_t *kept, const json_t *from, const struct fx_kind *kind) {
    static const struct {
        const char *name;
        unsigned keep; /* 0: kept for every kind */
    } keys[] = {{"name", 0},
                {"namespace", 0},
                {"uid", 0},
                {"generation", 0},
                {"labels", FX_KIND_KEEP_LABELS},
                {"annotations", FX_KIND_KEEP_ANNOTATIONS}};
    json_t *metadata = json_object();
    if (!fx_tree_set_take(kept, FX_TEXT("metadata"), metadata)) {
        return false;
    }
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        if ((keys[i].keep == 0 || (kind->keeps & keys[i].keep) != 0) &&
            !fx_kube_body_share(metadata, from, keys[i].name)) {
            return false;
        }
    }
    return true;
}

/* The fields of a policy as text; NULL without memory. */
static struct fx_policy_text *reduce(const json_t *object, const struct fx_kind *kind) {
    json_t *kept = json_object();
    const bool ok = kept != NULL && fx_kube_body_share(kept, object, "apiVersion") &&
                    fx_kube_body_share(kept, object, "kind") &&
                    keep_metadata(kept, fx_tree_view_key(object, "metadata"), kind) &&
                    fx_kube_body_share(kept, object, "spec") &&
                    ((kind->keeps & FX_KIND_KEEP_DATA) == 0 ||
                     fx_kube_body_share(kept, object, "data"));
    struct fx_policy_text *text = ok ? fx_policy_text_create(kept) : NULL;
    json_decref(kept);
    return text;
}

/* Is the kind namespaced, so that objects with the same name in two namespaces are two
 * policies? */
static bool is_in_namespace(const struct fx_cluster_kind *kind) {
    return kind->kind->scope == FX_SCOPE_NAMESPACE;
}

/* Prints the key of an object. False for names that an API server does not allow (RFC
 * 1123, 253 characters). */
static bool print_key(char key[KEY_BYTES], const struct fx_cluster_kind *kind,
                      struct fx_text namespace_, struct fx_text name) {
    const struct fx_kube_resource *resource = &kind->versions[0];
    const bool in_namespace = is_in_namespace(kind);
    const struct fx_text scope = in_namespace ? namespace_ : (struct fx_text){0};
    const int len =
        snprintf(key, KEY_BYTES, "%s%s%s/%.*s%s%.*s", resource->plural,
                 resource->group[0] == '\0' ? "" : ".", resource->group,
                 FX_TEXT_ARG(scope), in_namespace ? "/" : "", FX_TEXT_ARG(name));
    return len > 0 && len < KEY_BYTES;
}

/* Sets the names from the key. */
static void read_key(const char *key, const struct fx_cluster_kind *kind,
                     struct fx_cluster_object *object) {
    const char *name = strchr(key, '/') + 1;
    if (is_in_namespace(kind)) {
        object->namespace_ = (struct fx_text){name, strcspn(name, "/")};
        name += object->namespace_.len + 1;
    }
    object->name = fx_text_of(name);
}

/* ---- all objects ----------------------------------------------------------------- */

static int compare_key(const void *key, const void *item) {
    struct fx_cluster_object *const *object = item;
    return strcmp(key, (*object)->key);
}

static size_t find_index(const struct fx_cluster_objects *objects, const char *key,
                         bool *ret_found) {
    return fx_sorted_find(objects->items, objects->n_items,
                          sizeof(struct fx_cluster_object *), key, compare_key,
                          ret_found);
}

/* Inserts a new item; NULL without memory. */
static struct fx_cluster_object *insert(struct fx_cluster_objects *objects, size_t at,
                                        const char *key,
                                        const struct fx_cluster_kind *kind) {
    const size_t size = strlen(key) + 1;
    struct stored_object *item = calloc(1, sizeof *item + size);
    if (item == NULL ||
        !FX_VEC_GROW(objects->items, objects->n_items, objects->cap_items)) {
        free(item);
        return NULL;
    }
    memcpy(item->key, key, size);
    item->object.key = item->key;
    item->object.kind = kind;
    read_key(item->key, kind, &item->object);
    FX_SORTED_INSERT(objects->items, objects->n_items, at);
    objects->items[at] = &item->object;
    return &item->object;
}

/* Replaces the content of the object. Takes the policy and the uid. */
static void set_content(struct fx_cluster_object *object, const json_t *metadata,
                        struct fx_policy_text *policy, char *uid) {
    fx_policy_text_unref(object->object);
    free(item_of(object)->uid);
    object->object = policy;
    object->uid = fx_text_of(uid);
    object->generation = json_integer_value(fx_tree_view_key(metadata, "generation"));
    item_of(object)->uid = uid;
}

/* Adds or updates an object, with the fields that are kept. */
static bool put_policy(struct fx_cluster_objects *objects, const char *key,
                       const struct fx_cluster_kind *kind, const json_t *object,
                       struct fx_cluster_object **ret_item,
                       enum fx_object_change *ret_change) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    struct fx_policy_text *kept = reduce(object, kind->kind);
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
        bool found = false;
        item = insert(objects, find_index(objects, key, &found), key, kind);
    }
    if (uid == NULL || item == NULL) {
        free(uid);
        fx_policy_text_unref(kept);
        return false;
    }
    set_content(item, metadata, kept, uid);
    *ret_change = FX_OBJECT_POLICY;
    *ret_item = item;
    return true;
}

/* Stores the digests of our parts of the object's status. True if they changed. */
static bool note_status(struct fx_cluster_object *item, const json_t *object,
                        const char *pod) {
    const uint64_t status_before = item->own_status;
    const uint64_t ready_before = item->ready.digest;
    const uint64_t types_before = item->types;
    item->own_status = fx_status_digest_of_pod(object, pod);
    if (fx_cluster_kind_has(item->kind, FX_KIND_STATUS_READY)) {
        fx_ready_read(object, &item->ready);
    }
    if (fx_cluster_kind_has(item->kind, FX_KIND_STATUS_TYPES)) {
        item->types = fx_types_digest(fx_tree_view_key(object, "status"));
    }
    return item->own_status != status_before || item->ready.digest != ready_before ||
           item->types != types_before;
}

bool fx_cluster_objects_put(struct fx_cluster_objects *objects,
                            const struct fx_object_source *source, json_t *object,
                            struct fx_cluster_object **ret_item,
                            enum fx_object_change *ret_change) {
    char key[KEY_BYTES];
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    if (!print_key(key, source->kind, fx_tree_view_string(metadata, "namespace"),
                   fx_tree_view_string(metadata, "name")) ||
        !put_policy(objects, key, source->kind, object, ret_item, ret_change)) {
        return false;
    }
    struct fx_cluster_object *item = *ret_item;
    const bool status_changed = note_status(item, object, source->pod);
    item->resource = source->resource;
    if (*ret_change == FX_OBJECT_SAME && status_changed) {
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
    bool found = false;
    const size_t at = find_index(objects, key, &found);
    if (found) {
        destroy(objects->items[at]);
        FX_SORTED_REMOVE(objects->items, objects->n_items, at);
    }
    return found;
}

struct fx_cluster_object *
fx_cluster_objects_find(const struct fx_cluster_objects *objects, const char *key) {
    bool found = false;
    const size_t at = find_index(objects, key, &found);
    return found ? objects->items[at] : NULL;
}

void fx_cluster_objects_finish(struct fx_cluster_objects *objects) {
    for (size_t i = 0; i < objects->n_items; i++) {
        destroy(objects->items[i]);
    }
    free(objects->items);
    *objects = (struct fx_cluster_objects){0};
}

/* ---- status ---------------------------------------------------------------------- */

static uint64_t not_zero(uint64_t digest) {
    return digest == 0 ? 1 : digest;
}

/* ---- status.byPod ---------------------------------------------------------------- */

uint64_t fx_status_digest(const json_t *entry) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, entry, FX_JSON_SORT_KEYS);
    const uint64_t digest = fx_hash_bytes(FX_HASH_START, text.data, text.len);
    fx_buf_finish(&text);
    return not_zero(digest);
}

uint64_t fx_status_digest_of_pod(const json_t *object, const char *pod) {
    const json_t *entries = fx_tree_view_key(fx_tree_view_key(object, "status"), "byPod");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (fx_text_is(fx_tree_view_string(entry, "id"), pod)) {
            return fx_status_digest(entry);
        }
    }
    return 0;
}

/* ---- status.typeChecking ---------------------------------------------------------- */

uint64_t fx_types_digest(const json_t *status) {
    const json_t *types = fx_tree_view_key(status, "typeChecking");
    const json_t *generation = fx_tree_view_key(status, "observedGeneration");
    if (types == NULL || !json_is_integer(generation)) {
        return 0;
    }
    const json_int_t number = json_integer_value(generation);
    const uint64_t digest = fx_status_digest(types);
    return not_zero(fx_hash_bytes(digest, &number, sizeof number));
}

/* ---- the condition Ready --------------------------------------------------------- */

static const json_t *find_ready(const json_t *object) {
    const json_t *conditions =
        fx_tree_view_key(fx_tree_view_key(object, "status"), "conditions");
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        const json_t *condition = json_array_get(conditions, i);
        if (fx_text_is(fx_tree_view_string(condition, "type"), "Ready")) {
            return condition;
        }
    }
    return NULL;
}

void fx_ready_read(const json_t *object, struct fx_seen_ready *ret_seen) {
    const json_t *condition = find_ready(object);
    const struct fx_text status = fx_tree_view_string(condition, "status");
    *ret_seen = (struct fx_seen_ready){0};
    if (condition == NULL ||
        !fx_date_parse(fx_tree_view_string(condition, "lastTransitionTime"),
                       &ret_seen->since)) {
        return;
    }
    ret_seen->digest = fx_ready_digest(condition);
    ret_seen->status = fx_text_is(status, "True")    ? FX_READY_TRUE
                       : fx_text_is(status, "False") ? FX_READY_FALSE
                                                     : FX_READY_UNKNOWN;
}

uint64_t fx_ready_digest(const json_t *condition) {
    static const char *const texts[] = {"status", "reason", "message"};
    const json_int_t generation =
        json_integer_value(fx_tree_view_key(condition, "observedGeneration"));
    uint64_t digest = fx_hash_bytes(FX_HASH_START, &generation, sizeof generation);
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        digest = fx_hash_text(digest, fx_tree_view_string(condition, texts[i]));
    }
    return not_zero(digest);
}
