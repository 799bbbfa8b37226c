/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_schemas.c - reads one CRD after the other.
 */
#include "cluster/status/status_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/tree.h"

#define ROUND_MS UINT64_C(600000) /* CRDs seldom change */
#define RETRY_MS UINT64_C(5000)

#define SCHEMAS_MAGIC 0x6678736cu /* "fxsl" */

static const struct fx_kube_resource crds = {"apiextensions.k8s.io", "v1",
                                             "customresourcedefinitions",
                                             "CustomResourceDefinition"};

struct fx_status_schemas {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_kube_call *call;
    uv_timer_t timer;
    void (*on_known)(void *user);
    void *user;
    unsigned apis;
    size_t at; /* the kind whose CRD is being read */
    struct {
        struct fx_status_schema versions[FX_CLUSTER_KIND_VERSIONS];
        bool missing; /* its CRD did not exist */
        /* The CRD was read again in this round because the kind has objects. */
        bool requested;
    } kinds[FX_CLUSTER_KINDS_MAX];
    bool known;
    bool changed; /* a schema changed in this round */
};

static struct fx_status_schemas *schemas_of(void *data) {
    struct fx_status_schemas *schemas = data;
    assert(schemas != NULL && schemas->magic == SCHEMAS_MAGIC);
    return schemas;
}

/* ---- one CRD --------------------------------------------------------------------- */

/* Is the list keyed only by that field? */
static bool is_keyed_by(const json_t *list, const char *key) {
    const json_t *keys = fx_tree_view_key(list, "x-kubernetes-list-map-keys");
    return fx_text_is(fx_tree_view_string(list, "x-kubernetes-list-type"), "map") &&
           json_array_size(keys) == 1 &&
           fx_text_is(fx_tree_text(json_array_get(keys, 0)), key);
}

static const json_t *find_version(const json_t *crd, const char *name) {
    const json_t *versions = fx_tree_view_key(fx_tree_view_key(crd, "spec"), "versions");
    for (size_t i = 0; i < json_array_size(versions); i++) {
        const json_t *version = json_array_get(versions, i);
        if (fx_text_is(fx_tree_view_string(version, "name"), name)) {
            return version;
        }
    }
    return NULL;
}

static bool is_true(const json_t *object, const char *key) {
    return json_is_true(fx_tree_view_key(object, key));
}

/* A property of a schema; sets `*keeps` if undeclared properties are preserved. */
static const json_t *view_property(const json_t *schema, const char *name, bool *keeps) {
    *keeps = *keeps || is_true(schema, "x-kubernetes-preserve-unknown-fields");
    return fx_tree_view_key(fx_tree_view_key(schema, "properties"), name);
}

struct fx_status_schema fx_status_schema_read(const json_t *crd, const char *version) {
    const json_t *found = find_version(crd, version);
    bool keeps = is_true(fx_tree_view_key(crd, "spec"), "preserveUnknownFields");
    const json_t *schema =
        fx_tree_view_key(fx_tree_view_key(found, "schema"), "openAPIV3Schema");
    const json_t *status = view_property(schema, "status", &keeps);
    const json_t *by_pod = view_property(status, "byPod", &keeps);
    const json_t *conditions = view_property(status, "conditions", &keeps);
    const json_t *types = view_property(status, "typeChecking", &keeps);
    if (found == NULL) {
        return (struct fx_status_schema){.by_pod = FX_STATUS_ATOMIC};
    }
    if (fx_tree_view_key(fx_tree_view_key(found, "subresources"), "status") == NULL) {
        return (struct fx_status_schema){.by_pod = FX_STATUS_NONE};
    }
    return (struct fx_status_schema){
        .by_pod = is_keyed_by(by_pod, "id") ? FX_STATUS_KEYED
                  : by_pod != NULL || keeps ? FX_STATUS_ATOMIC
                                            : FX_STATUS_NONE,
        .conditions = is_keyed_by(conditions, "type"),
        .types = types != NULL,
    };
}

/* ---- all CRDs -------------------------------------------------------------------- */

static void read_next(struct fx_status_schemas *schemas);

static void on_timer(uv_timer_t *timer) {
    struct fx_status_schemas *schemas = schemas_of(timer->data);
    for (size_t i = 0; schemas->at == 0 && i < fx_cluster_kinds_count(); i++) {
        schemas->kinds[i].requested = false;
    }
    read_next(schemas);
}

static void read_in(struct fx_status_schemas *schemas, uint64_t ms) {
    (void)uv_timer_start(&schemas->timer, on_timer, ms, 0);
}

static void end_round(struct fx_status_schemas *schemas) {
    const bool report = !schemas->known || schemas->changed;
    schemas->at = 0;
    schemas->known = true;
    schemas->changed = false;
    read_in(schemas, ROUND_MS);
    if (report) {
        schemas->on_known(schemas->user);
    }
}

static void handle_crd(struct fx_status_schemas *schemas, const json_t *crd) {
    const struct fx_cluster_kind *kind = fx_cluster_kind_at(schemas->at);
    for (size_t i = 0; i < kind->n_versions; i++) {
        struct fx_status_schema *schema = &schemas->kinds[schemas->at].versions[i];
        const struct fx_status_schema now =
            fx_status_schema_read(crd, kind->versions[i].version);
        schemas->changed = schemas->changed || now.by_pod != schema->by_pod ||
                           now.conditions != schema->conditions ||
                           now.types != schema->types;
        *schema = now;
    }
}

/* Handles the answer. If a CRD cannot be read, its last schema stays: atomic at first. */
static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct fx_status_schemas *schemas = schemas_of(user);
    schemas->call = NULL;
    if (answer->failure == NULL) {
        handle_crd(schemas, answer->object);
    } else if (fx_kube_failure_is_temporary(answer->failure)) {
        read_in(schemas, RETRY_MS);
        return;
    }
    schemas->kinds[schemas->at].missing =
        answer->failure != NULL && answer->failure->reason == FX_KUBE_REASON_NOT_FOUND;
    schemas->at++;
    read_next(schemas);
}

static bool is_read(const struct fx_status_schemas *schemas,
                    const struct fx_cluster_kind *kind) {
    return fx_cluster_kind_has(kind, FX_KIND_STATUS_BY_POD) &&
           (schemas->apis & kind->api) != 0;
}

static void read_next(struct fx_status_schemas *schemas) {
    while (schemas->at < fx_cluster_kinds_count() &&
           !is_read(schemas, fx_cluster_kind_at(schemas->at))) {
        schemas->at++;
    }
    if (schemas->at == fx_cluster_kinds_count()) {
        end_round(schemas);
        return;
    }
    char name[128];
    const struct fx_kube_resource *resource =
        &fx_cluster_kind_at(schemas->at)->versions[0];
    (void)snprintf(name, sizeof name, "%s.%s", resource->plural, resource->group);
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &crds,
        .name = {.name = fx_text_of(name)},
    };
    schemas->call = fx_kube_call_start(schemas->client, &request, on_answer, schemas);
    if (schemas->call == NULL) {
        read_in(schemas, RETRY_MS);
    }
}

struct fx_status_schemas *
fx_status_schemas_create(uv_loop_t *loop, struct fx_kube_client *client, unsigned apis,
                         void (*on_known)(void *user), void *user, struct fx_err *err) {
    struct fx_status_schemas *schemas = calloc(1, sizeof *schemas);
    if (schemas == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    schemas->magic = SCHEMAS_MAGIC;
    schemas->client = client;
    schemas->apis = apis;
    schemas->on_known = on_known;
    schemas->user = user;
    (void)uv_timer_init(loop, &schemas->timer); /* cannot fail */
    schemas->timer.data = schemas;
    read_next(schemas);
    return schemas;
}

bool fx_status_schemas_known(const struct fx_status_schemas *schemas) {
    return schemas->known;
}

void fx_status_schemas_request(struct fx_status_schemas *schemas,
                               const struct fx_cluster_kind *kind) {
    const size_t at = fx_cluster_kind_index(kind);
    assert(at < fx_cluster_kinds_count());
    if (!schemas->kinds[at].missing || schemas->kinds[at].requested) {
        return;
    }
    schemas->kinds[at].requested = true;
    schemas->known = false;
    schemas->at = 0;
    fx_kube_call_cancel(schemas->call);
    schemas->call = NULL;
    (void)uv_timer_stop(&schemas->timer);
    read_next(schemas);
}

struct fx_status_schema fx_status_schemas_get(const struct fx_status_schemas *schemas,
                                              const struct fx_kube_resource *resource) {
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        const struct fx_cluster_kind *kind = fx_cluster_kind_at(i);
        for (size_t j = 0; j < kind->n_versions; j++) {
            if (&kind->versions[j] == resource) {
                return schemas->kinds[i].versions[j];
            }
        }
    }
    return (struct fx_status_schema){.by_pod = FX_STATUS_ATOMIC};
}

static void on_closed(uv_handle_t *timer) {
    struct fx_status_schemas *schemas = schemas_of(timer->data);
    schemas->magic = 0;
    free(schemas);
}

void fx_status_schemas_close(struct fx_status_schemas *schemas) {
    if (schemas == NULL) {
        return;
    }
    fx_kube_call_cancel(schemas->call);
    uv_close((uv_handle_t *)&schemas->timer, on_closed);
}
