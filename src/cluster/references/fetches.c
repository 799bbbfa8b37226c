/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches.c - a list of requests in progress.
 */
#include "cluster/references/fetches.h"

#include <stdlib.h>

#include "base/limits.h"
#include "kube/backoff.h"
#include "value/tree.h"

struct fx_cluster_fetch {
    struct fx_list_link link; /* of `fetches->first` */
    struct fx_cluster_fetches *fetches;
    char *name;
    bool is_outdated;
    struct fx_cluster_fetch_request wanted; /* without its name, which is borrowed */
    struct fx_kube_call *call;
};

static void destroy(struct fx_cluster_fetch *fetch) {
    free(fetch->name);
    free(fetch);
}

/* An answer of the server is passed on (spec section 8); a failed
 * request is our own failure, and not a verdict. */
static void set_error(const struct fx_kube_failure *failure, struct fx_err *err) {
    switch (failure->reason) {
    case FX_KUBE_REASON_MEMORY: (void)fx_fail_nomem(err); return;
    case FX_KUBE_REASON_NOT_FOUND:
    case FX_KUBE_REASON_INVALID:
        (void)fx_fail(err, FX_EMUTATE, "%s", failure->message);
        return;
    case FX_KUBE_REASON_NONE:
    case FX_KUBE_REASON_NETWORK:
    case FX_KUBE_REASON_UNAUTHORIZED:
    case FX_KUBE_REASON_FORBIDDEN:
    case FX_KUBE_REASON_UNKNOWN:
    case FX_KUBE_REASON_EXISTS:
    case FX_KUBE_REASON_CONFLICT:
    case FX_KUBE_REASON_EXPIRED:
    case FX_KUBE_REASON_BUSY:
    case FX_KUBE_REASON_SERVER: break;
    }
    (void)fx_fail(err, FX_EIO, "%s", failure->message);
}

static json_t *convert_object(const struct fx_cluster_fetch *fetch, json_t *object) {
    const struct fx_cluster_fetch_request *wanted = &fetch->wanted;
    if (!fx_kube_object_strip(object, &fetch->fetches->type, wanted->metadata_only)) {
        return NULL;
    }
    return wanted->convert == NULL
               ? json_incref(object)
               : wanted->convert(object, !fetch->is_outdated, wanted->converter);
}

/* The object that was requested, or NULL with the reason. A different object, as from a
 * proxy in front of the API server, must not count as a namespace without labels. */
static json_t *read_answer(const struct fx_cluster_fetch *fetch,
                           const struct fx_kube_answer *answer, struct fx_err *err) {
    if (answer->failure != NULL) {
        set_error(answer->failure, err);
        return NULL;
    }
    const json_t *metadata = fx_tree_view_key(answer->object, "metadata");
    if (!fx_text_is(fx_tree_view_string(metadata, "name"), fetch->name)) {
        (void)fx_fail(err, FX_EIO, "get %s `%s`: the answer is not the %s of that name",
                      fetch->fetches->resource->plural, fetch->name,
                      fetch->fetches->resource->kind);
        return NULL;
    }
    json_t *object = convert_object(fetch, answer->object);
    if (object == NULL) {
        (void)fx_fail_nomem(err);
    }
    return object;
}

static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_fetch *fetch = user;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = read_answer(fetch, answer, &err);
    fx_list_remove(&fetch->fetches->first, &fetch->link);
    fetch->fetches->n_items--;
    fetch->wanted.on_done(object, object == NULL ? &err : NULL, fetch->wanted.user);
    destroy(fetch);
}

bool fx_cluster_fetches_start(struct fx_cluster_fetches *fetches,
                              const struct fx_cluster_fetch_request *wanted) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = fetches->resource,
        .name = {.name = wanted->name},
        .metadata_only = wanted->metadata_only,
        .timeout_ms = wanted->deadline_ns == 0 ? FX_LIMIT_REVIEW_MS
                                               : fx_timeout_until(wanted->deadline_ns),
    };
    struct fx_cluster_fetch *fetch =
        fetches->n_items < FX_LIMIT_OBJECT_FETCHES ? calloc(1, sizeof *fetch) : NULL;
    if (fetch == NULL) {
        return false;
    }
    fetch->fetches = fetches;
    fetch->wanted = *wanted;
    fetch->wanted.name = (struct fx_text){0};
    fetch->name = fx_text_dup(wanted->name);
    if (fetch->name != NULL) {
        fetch->call = fx_kube_call_start(fetches->client, &request, on_answer, fetch);
    }
    if (fetch->call == NULL) {
        destroy(fetch);
        return false;
    }
    fx_list_add(&fetches->first, &fetch->link);
    fetches->n_items++;
    return true;
}

void fx_cluster_fetches_object_changed(struct fx_cluster_fetches *fetches,
                                       struct fx_text name) {
    for (struct fx_list_link *link = fetches->first; link != NULL; link = link->next) {
        struct fx_cluster_fetch *fetch = (struct fx_cluster_fetch *)link;
        fetch->is_outdated = fetch->is_outdated || fx_text_is(name, fetch->name);
    }
}

bool fx_cluster_fetches_init(struct fx_cluster_fetches *fetches,
                             struct fx_kube_client *client,
                             const struct fx_kube_resource *resource) {
    *fetches = (struct fx_cluster_fetches){.client = client, .resource = resource};
    return fx_kube_type_meta_init(&fetches->type, resource);
}

void fx_cluster_fetches_finish(struct fx_cluster_fetches *fetches) {
    for (struct fx_list_link *link = fx_list_pop(&fetches->first); link != NULL;
         link = fx_list_pop(&fetches->first)) {
        struct fx_cluster_fetch *fetch = (struct fx_cluster_fetch *)link;
        fx_kube_call_cancel(fetch->call);
        destroy(fetch);
    }
    fx_kube_type_meta_finish(&fetches->type);
    *fetches = (struct fx_cluster_fetches){0};
}
