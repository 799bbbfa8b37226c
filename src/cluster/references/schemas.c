/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/schemas.c - requests for the list and for documents. A review that
 * waits is looked up again after each answer.
 */
#include "cluster/references/schemas.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "cluster/references/fetches.h"
#include "kube/backoff.h"
#include "kube/resource.h"
#include "merge/schema.h"

#define ROOT "/openapi/v3"

/* A review waits for the list and the document: each twice, if they change meanwhile. */
#define MOST_STEPS 4u

/* For messages and metrics: all documents count as one resource. */
static const struct fx_kube_resource resource = {"", "openapi/v3", "", ""};

/* The document of a group and version. */
struct schema_document_id {
    char *name; /* in the list: "apis/apps/v1" */
    char *path; /* escaped: "/openapi/v3/apis/apps/v1" */
};

static void id_finish(struct schema_document_id *id) {
    free(id->name);
    free(id->path);
}

static char *steal_text(struct fx_buf *buf) {
    char *text = buf->failed ? NULL : fx_buf_steal(buf);
    fx_buf_finish(buf);
    return text;
}

static char *make_name(struct fx_text group, struct fx_text version) {
    struct fx_buf name;
    fx_buf_init(&name, 0);
    fx_buf_printf(&name, group.len == 0 ? "api%.*s/" : "apis/%.*s/", FX_TEXT_ARG(group));
    fx_buf_text(&name, version);
    return steal_text(&name);
}

/* False without memory. */
static bool make_id(struct fx_text group, struct fx_text version,
                    struct schema_document_id *ret_id) {
    char *group_text = fx_text_dup(group);
    char *version_text = fx_text_dup(version);
    ret_id->name = make_name(group, version);
    ret_id->path = NULL;
    if (group_text != NULL && version_text != NULL) {
        const struct fx_kube_resource of = {group_text, version_text, "", ""};
        const struct fx_kube_name none = {.name = FX_TEXT("")};
        struct fx_buf path;
        fx_buf_init(&path, 0);
        fx_buf_str(&path, ROOT);
        fx_kube_write_path(&of, &none, &path);
        ret_id->path = steal_text(&path);
    }
    free(group_text);
    free(version_text);
    return ret_id->name != NULL && ret_id->path != NULL;
}

static enum fx_lookup lock_and_find(struct fx_cluster_schemas *schemas, const char *name,
                                    struct fx_schema_catalog **ret_catalog,
                                    struct fx_err *err) {
    uv_mutex_lock(&schemas->lock);
    const enum fx_lookup result =
        fx_schema_store_find(&schemas->store, name, fx_clock_ns(), ret_catalog, err);
    uv_mutex_unlock(&schemas->lock);
    return result;
}

enum fx_lookup fx_cluster_schemas_find(struct fx_cluster_schemas *schemas,
                                       struct fx_text group, struct fx_text version,
                                       struct fx_schema_catalog **ret_catalog,
                                       struct fx_err *err) {
    char *name = make_name(group, version);
    if (name == NULL) {
        (void)fx_fail_nomem(err);
        return FX_LOOKUP_FAILED;
    }
    const enum fx_lookup result = lock_and_find(schemas, name, ret_catalog, err);
    free(name);
    return result;
}

/* ---- requests -------------------------------------------------------------------- */

/* A review that waits. */
struct schema_waiter {
    struct fx_list_link link; /* of `schemas->waiting` */
    struct schema_document_id id;
    uint64_t deadline_ns;
    unsigned n_steps; /* how often it began to wait */
    fx_cluster_on_schemas *on_done;
    void *user;
};

/* A document that is being fetched. */
struct schema_document {
    struct fx_list_link link; /* of `schemas->documents` */
    struct fx_cluster_schemas *schemas;
    struct schema_document_id id;
    struct fx_kube_call *call;
};

static void waiter_destroy(struct schema_waiter *waiter) {
    id_finish(&waiter->id);
    free(waiter);
}

static void document_destroy(struct schema_document *document) {
    id_finish(&document->id);
    free(document);
}

static void go_on(struct fx_cluster_schemas *schemas);

static struct fx_kube_call *start_get(struct fx_cluster_schemas *schemas,
                                      const char *path, uint64_t deadline_ns,
                                      fx_kube_on_answer *on_done, void *user) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &resource,
        .path = path,
        .timeout_ms =
            deadline_ns == 0 ? FX_LIMIT_REVIEW_MS : fx_timeout_until(deadline_ns),
    };
    return fx_kube_call_start(schemas->client, &request, on_done, user);
}

static void log_failure(const char *path, const char *message) {
    fx_log(WARN, "schemas of the API server could not be read", fx_log_str("path", path),
           fx_log_str("error", message));
}

static void on_list(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_schemas *schemas = user;
    schemas->list_call = NULL;
    if (answer->failure != NULL) {
        log_failure(ROOT, answer->failure->message);
    }
    uv_mutex_lock(&schemas->lock);
    fx_schema_store_keep_list(
        &schemas->store, answer->failure == NULL ? answer->object : NULL, fx_clock_ns());
    uv_mutex_unlock(&schemas->lock);
    go_on(schemas);
}

/* NULL and an error on failure. */
static struct fx_schema_catalog *read_document(const struct fx_kube_answer *answer,
                                               struct fx_err *err) {
    if (answer->failure != NULL) {
        fx_cluster_fetch_error(answer->failure, err);
        return NULL;
    }
    struct fx_schema_builder *builder = fx_schema_builder_create();
    if (builder == NULL || !fx_schema_add_openapi(builder, answer->object, err)) {
        if (builder == NULL) {
            (void)fx_fail_nomem(err);
        }
        fx_schema_builder_destroy(builder);
        return NULL;
    }
    struct fx_schema_catalog *catalog = fx_schema_catalog_create(builder);
    if (catalog == NULL) {
        (void)fx_fail_nomem(err);
    }
    return catalog;
}

static void on_document(const struct fx_kube_answer *answer, void *user) {
    struct schema_document *document = user;
    struct fx_cluster_schemas *schemas = document->schemas;
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_catalog *catalog = read_document(answer, &err);
    if (catalog == NULL) {
        log_failure(document->id.path, err.msg);
    }
    uv_mutex_lock(&schemas->lock);
    const bool kept =
        fx_schema_store_keep(&schemas->store, document->id.name, catalog, fx_clock_ns());
    uv_mutex_unlock(&schemas->lock);
    if (!kept) {
        log_failure(document->id.path, "out of memory");
    }
    fx_list_remove(&schemas->documents, &document->link);
    document_destroy(document);
    go_on(schemas);
}

static bool is_being_fetched(const struct fx_cluster_schemas *schemas, const char *name) {
    for (struct fx_list_link *link = schemas->documents; link != NULL;
         link = link->next) {
        if (strcmp(((struct schema_document *)link)->id.name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* False without memory. */
static bool start_document(struct fx_cluster_schemas *schemas,
                           const struct schema_waiter *waiter) {
    struct schema_document *document = calloc(1, sizeof *document);
    if (document == NULL) {
        return false;
    }
    document->schemas = schemas;
    document->id.name = strdup(waiter->id.name);
    document->id.path = strdup(waiter->id.path);
    if (document->id.name != NULL && document->id.path != NULL) {
        document->call = start_get(schemas, document->id.path, waiter->deadline_ns,
                                   on_document, document);
    }
    if (document->call == NULL) {
        document_destroy(document);
        return false;
    }
    fx_list_add(&schemas->documents, &document->link);
    return true;
}

/* Starts what the waiter needs next, unless it is on its way. False without memory. */
static bool start_request(struct fx_cluster_schemas *schemas,
                          const struct schema_waiter *waiter) {
    if (schemas->list_call != NULL || is_being_fetched(schemas, waiter->id.name)) {
        return true;
    }
    /* Only the loop writes the store, so it may read without the lock. */
    if (!fx_schema_store_needs_list(&schemas->store, waiter->id.name, fx_clock_ns())) {
        return start_document(schemas, waiter);
    }
    schemas->list_call = start_get(schemas, ROOT, waiter->deadline_ns, on_list, schemas);
    return schemas->list_call != NULL;
}

/* Reports the result to the waiter, or lets it wait for the next answer. It is in no
 * list. */
static void step(struct fx_cluster_schemas *schemas, struct schema_waiter *waiter) {
    struct fx_schema_catalog *catalog = NULL;
    struct fx_err err = FX_ERR_INIT;
    enum fx_lookup result = lock_and_find(schemas, waiter->id.name, &catalog, &err);
    if (result == FX_LOOKUP_WAIT && waiter->n_steps++ == MOST_STEPS) {
        (void)fx_fail(&err, FX_EIO, "%s: the schemas could not be read", waiter->id.path);
        result = FX_LOOKUP_FAILED;
    }
    if (result == FX_LOOKUP_WAIT && !start_request(schemas, waiter)) {
        (void)fx_fail_nomem(&err);
        result = FX_LOOKUP_FAILED;
    }
    if (result == FX_LOOKUP_WAIT) {
        fx_list_add(&schemas->waiting, &waiter->link);
        schemas->n_waiting++;
        return;
    }
    waiter->on_done(catalog, result == FX_LOOKUP_FAILED ? &err : NULL, waiter->user);
    waiter_destroy(waiter);
}

/* Looks at all waiters again, after an answer. */
static void go_on(struct fx_cluster_schemas *schemas) {
    struct fx_list_link *waiting = schemas->waiting;
    schemas->waiting = NULL;
    schemas->n_waiting = 0;
    for (struct fx_list_link *link = fx_list_pop(&waiting); link != NULL;
         link = fx_list_pop(&waiting)) {
        step(schemas, (struct schema_waiter *)link);
    }
}

bool fx_cluster_schemas_fetch(struct fx_cluster_schemas *schemas, struct fx_text group,
                              struct fx_text version, uint64_t deadline_ns,
                              fx_cluster_on_schemas *on_done, void *user) {
    struct schema_waiter *waiter =
        schemas->n_waiting < FX_LIMIT_OBJECT_FETCHES ? calloc(1, sizeof *waiter) : NULL;
    if (waiter == NULL) {
        return false;
    }
    waiter->deadline_ns = deadline_ns;
    waiter->on_done = on_done;
    waiter->user = user;
    if (!make_id(group, version, &waiter->id)) {
        waiter_destroy(waiter);
        return false;
    }
    step(schemas, waiter);
    return true;
}

/* ---- life ------------------------------------------------------------------------ */

bool fx_cluster_schemas_init(struct fx_cluster_schemas *schemas,
                             struct fx_kube_client *client) {
    *schemas = (struct fx_cluster_schemas){.client = client};
    return uv_mutex_init(&schemas->lock) == 0;
}

void fx_cluster_schemas_finish(struct fx_cluster_schemas *schemas) {
    fx_kube_call_cancel(schemas->list_call);
    for (struct fx_list_link *link = fx_list_pop(&schemas->documents); link != NULL;
         link = fx_list_pop(&schemas->documents)) {
        struct schema_document *document = (struct schema_document *)link;
        fx_kube_call_cancel(document->call);
        document_destroy(document);
    }
    for (struct fx_list_link *link = fx_list_pop(&schemas->waiting); link != NULL;
         link = fx_list_pop(&schemas->waiting)) {
        waiter_destroy((struct schema_waiter *)link);
    }
    fx_schema_store_finish(&schemas->store);
    uv_mutex_destroy(&schemas->lock);
    *schemas = (struct fx_cluster_schemas){.client = NULL};
}
