/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespaces.c - connects a reflector, a table of names and labels, a
 * cache of whole objects, and fetches.
 */
#include "cluster/references/namespaces.h"

#include <assert.h>
#include <stdlib.h>

#include "cluster/references/namespace_store.h"
#include "kube/object.h"
#include "value/tree.h"

#define NAMESPACES_MAGIC 0x66786e73u /* "fxns" */

static const struct fx_kube_resource resource = {"", "v1", "namespaces", "Namespace"};

struct fx_cluster_namespaces {
    uint32_t magic;
    struct fx_kube_reflector *reflector;
    fx_cluster_on_state *on_state;
    void *user;
    uv_rwlock_t lock; /* for the next two members: the loop writes, all threads read */
    struct fx_namespace_table table;
    struct fx_object_cache cache;
    struct fx_cluster_fetches fetches;
    bool ready;
};

/* ---- callbacks of the reflector -------------------------------------------------- */

static bool on_object(json_t *object, void *user) {
    struct fx_cluster_namespaces *namespaces = user;
    const struct fx_text name =
        fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
    fx_cluster_fetches_object_changed(&namespaces->fetches, name);
    uv_rwlock_wrlock(&namespaces->lock);
    fx_object_cache_note_version(&namespaces->cache, name,
                                 fx_kube_object_version(object));
    const bool ok = fx_namespace_table_put(&namespaces->table, object);
    uv_rwlock_wrunlock(&namespaces->lock);
    return ok;
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    (void)namespace_; /* namespaces are cluster-scoped */
    struct fx_cluster_namespaces *namespaces = user;
    fx_cluster_fetches_object_changed(&namespaces->fetches, name);
    uv_rwlock_wrlock(&namespaces->lock);
    fx_object_cache_remove(&namespaces->cache, name);
    fx_namespace_table_remove(&namespaces->table, name);
    uv_rwlock_wrunlock(&namespaces->lock);
}

static void on_synced(void *user) {
    struct fx_cluster_namespaces *namespaces = user;
    namespaces->ready = true;
}

static void on_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user) {
    const struct fx_cluster_namespaces *namespaces = user;
    namespaces->on_state(&resource, state, failure, namespaces->user);
}

/* ---- fetching a namespace -------------------------------------------------------- */

static json_t *reduce_to_labels(json_t *object, bool is_current, void *converter) {
    (void)is_current;
    (void)converter;
    return fx_namespace_reduce(object);
}

/* Keeps the object for later reviews, unless the watch has reported a change meanwhile.
 */
static json_t *keep_whole(json_t *object, bool is_current, void *converter) {
    struct fx_cluster_namespaces *namespaces = converter;
    if (is_current) {
        uv_rwlock_wrlock(&namespaces->lock);
        fx_object_cache_put(&namespaces->cache, object);
        uv_rwlock_wrunlock(&namespaces->lock);
    }
    return json_incref(object);
}

bool fx_cluster_namespaces_fetch(struct fx_cluster_namespaces *namespaces,
                                 const struct fx_cluster_namespace_request *wanted,
                                 fx_cluster_on_fetched *on_done, void *user) {
    assert(namespaces->magic == NAMESPACES_MAGIC);
    struct fx_input_key key = fx_input_core_key("Namespace", wanted->name);
    key.labels_only = !wanted->whole;
    const struct fx_cluster_fetch_request request = {
        .key = &key,
        .deadline_ns = wanted->deadline_ns,
        .convert = wanted->whole ? keep_whole : reduce_to_labels,
        .converter = namespaces,
        .on_done = on_done,
        .user = user,
    };
    return fx_cluster_fetches_start(&namespaces->fetches, &request);
}

/* ---- life ------------------------------------------------------------------------ */

struct fx_cluster_namespaces *fx_cluster_namespaces_create(uv_loop_t *loop,
                                                           struct fx_kube_client *client,
                                                           fx_cluster_on_state *on_change,
                                                           void *user,
                                                           struct fx_err *err) {
    static const struct fx_kube_reflector_events events = {
        .on_object = on_object,
        .on_gone = on_gone,
        .on_synced = on_synced,
        .on_state = on_state,
    };
    static const struct fx_kube_reflector_options options = {
        .versions = &resource,
        .n_versions = 1,
        .metadata_only = true,
        .confirm_absence = true,
    };
    struct fx_cluster_namespaces *namespaces = calloc(1, sizeof *namespaces);
    if (namespaces == NULL || uv_rwlock_init(&namespaces->lock) != 0) {
        free(namespaces);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    namespaces->magic = NAMESPACES_MAGIC;
    namespaces->on_state = on_change;
    namespaces->user = user;
    fx_cluster_fetches_init(&namespaces->fetches, client);
    namespaces->reflector =
        fx_kube_reflector_create(loop, client, &options, &events, namespaces, err);
    if (namespaces->reflector == NULL) {
        fx_cluster_namespaces_close(namespaces);
        return NULL;
    }
    return namespaces;
}

json_t *fx_cluster_namespaces_find(struct fx_cluster_namespaces *namespaces,
                                   struct fx_text name, bool *ret_nomem) {
    struct fx_namespace_entry *entry = NULL;
    uv_rwlock_rdlock(&namespaces->lock);
    const bool found =
        fx_namespace_table_copy(&namespaces->table, name, &entry, ret_nomem);
    uv_rwlock_rdunlock(&namespaces->lock);
    if (!found) {
        return NULL;
    }
    json_t *object = fx_namespace_entry_object(entry);
    free(entry);
    *ret_nomem = object == NULL;
    return object;
}

json_t *fx_cluster_namespaces_find_whole(struct fx_cluster_namespaces *namespaces,
                                         struct fx_text name) {
    uv_rwlock_rdlock(&namespaces->lock);
    json_t *object = json_incref(fx_object_cache_find(&namespaces->cache, name));
    uv_rwlock_rdunlock(&namespaces->lock);
    return object;
}

bool fx_cluster_namespaces_ready(const struct fx_cluster_namespaces *namespaces) {
    return namespaces->ready;
}

void fx_cluster_namespaces_get_status(const struct fx_cluster_namespaces *namespaces,
                                      struct fx_kube_reflector_status *ret_status) {
    fx_kube_reflector_get_status(namespaces->reflector, ret_status);
}

void fx_cluster_namespaces_close(struct fx_cluster_namespaces *namespaces) {
    if (namespaces == NULL) {
        return;
    }
    fx_cluster_fetches_finish(&namespaces->fetches);
    fx_kube_reflector_close(namespaces->reflector);
    fx_object_cache_finish(&namespaces->cache);
    fx_namespace_table_finish(&namespaces->table);
    uv_rwlock_destroy(&namespaces->lock);
    namespaces->magic = 0;
    free(namespaces);
}
