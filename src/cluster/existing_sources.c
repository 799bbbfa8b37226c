/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing_sources.c - inputs from caches or the API server, and Events.
 */
#include "cluster/existing_sources.h"

#include <string.h>

json_t *fx_cluster_find_input(struct fx_cluster *cluster, const struct fx_input_key *key,
                              struct fx_err *err) {
    struct fx_cluster_namespaces *spaces = fx_cluster_get_namespaces(cluster);
    bool nomem = false;
    if (!fx_input_key_is(key, "Namespace")) {
        return NULL;
    }
    if (!key->labels_only) {
        return fx_cluster_namespaces_find_whole(spaces, key->name);
    }
    json_t *object = fx_cluster_namespaces_find(spaces, key->name, &nomem);
    if (nomem) {
        (void)fx_fail_nomem(err);
    }
    return object;
}

/* ---- inputs ------------------------------------------------------------------------ */

static enum fx_lookup find(void *user, const struct fx_input_key *key, json_t **ret_value,
                           struct fx_err *err) {
    const struct fx_existing_sources *sources = user;
    *ret_value = fx_cluster_find_input(sources->cluster, key, err);
    return *ret_value != NULL   ? FX_LOOKUP_FOUND
           : err->code != FX_OK ? FX_LOOKUP_FAILED
                                : FX_LOOKUP_WAIT;
}

static bool fetch(const struct fx_input_key *key, uint64_t deadline_ns,
                  fx_existing_on_input *on_done, void *entry, void *user) {
    const struct fx_existing_sources *sources = user;
    return fx_cluster_fetch_input(sources->cluster, key, deadline_ns, on_done, entry);
}

static bool fetch_schemas(const struct fx_input_key *key, uint64_t deadline_ns,
                          fx_existing_on_schemas *on_done, void *entry, void *user) {
    const struct fx_existing_sources *sources = user;
    return fx_cluster_schemas_fetch(fx_cluster_get_schemas(sources->cluster), key->group,
                                    key->version, deadline_ns, on_done, entry);
}

static enum fx_lookup find_schemas(void *user, struct fx_text group,
                                   struct fx_text version,
                                   struct fx_schema_catalog **ret_catalog,
                                   struct fx_err *err) {
    const struct fx_existing_sources *sources = user;
    return fx_cluster_schemas_find(fx_cluster_get_schemas(sources->cluster), group,
                                   version, ret_catalog, err);
}

/* ---- Events ------------------------------------------------------------------------ */

static bool is_policy_of(const struct fx_cluster_object *object,
                         const struct fx_mutator *rule) {
    return strcmp(object->resource->group, rule->group) == 0 &&
           strcmp(object->resource->kind, rule->kind) == 0 &&
           fx_text_is(object->name, rule->name) &&
           fx_text_equal(object->namespace_, fx_text_of(rule->namespace_));
}

/* Causes are rare, so a linear search is good enough. */
static void on_cause(const struct fx_mutator *rule, const char *reason,
                     const char *message, void *user) {
    const struct fx_existing_sources *sources = user;
    const size_t n = fx_cluster_policies_count(sources->policies);
    for (size_t i = 0; sources->events != NULL && i < n; i++) {
        const struct fx_cluster_object *object =
            fx_cluster_policies_at(sources->policies, i);
        if (is_policy_of(object, rule)) {
            fx_cluster_events_send(sources->events, object, reason, fx_text_of(message));
            return;
        }
    }
}

void fx_existing_sources_connect(struct fx_existing_sources *sources,
                                 struct fx_cluster_existing_callbacks *ret_callbacks) {
    sources->schemas = (struct fx_schemas){.look_up = find_schemas, .user = sources};
    *ret_callbacks = (struct fx_cluster_existing_callbacks){
        .find = find,
        .fetch = fetch,
        .fetch_schemas = fetch_schemas,
        .schemas = &sources->schemas,
        .on_cause = on_cause,
        .user = sources,
    };
}
