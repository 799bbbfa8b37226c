/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches.c - the steps of a fetch:
 *
 *   find the resource of the kind → get the object → report
 *
 * The first step is a request if the resource is not known.
 */
#include "cluster/references/fetches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/vec.h"
#include "kube/backoff.h"
#include "kube/discovery.h"
#include "kube/object.h"
#include "value/tree.h"

struct fx_cluster_fetch {
    struct fx_list_link link; /* of `fetches->first` */
    struct fx_cluster_fetches *fetches;
    char *group, *version, *kind, *namespace_, *name;
    bool is_outdated;
    struct fx_cluster_fetch_request wanted; /* without the key, which was only borrowed */
    bool labels_only;
    struct fx_kube_discovery *discovery; /* or */
    struct fx_kube_call *call;           /* in progress */
};

/* The kind of the fetch, as the resource that it looks for. */
static struct fx_kube_resource kind_of(const struct fx_cluster_fetch *fetch) {
    return (struct fx_kube_resource){fetch->group, fetch->version, "", fetch->kind};
}

/* ---- the end --------------------------------------------------------------------- */

static void destroy(struct fx_cluster_fetch *fetch) {
    free(fetch->group);
    free(fetch->version);
    free(fetch->kind);
    free(fetch->namespace_);
    free(fetch->name);
    free(fetch);
}

static void report_fetch(struct fx_cluster_fetch *fetch, json_t *object_take,
                         const struct fx_err *failure) {
    fx_list_remove(&fetch->fetches->first, &fetch->link);
    fetch->fetches->n_items--;
    fetch->wanted.on_done(object_take, failure, fetch->wanted.user);
    destroy(fetch);
}

/* An answer of the server is passed on (spec section 8). A failed request is our own
 * failure and says nothing about the object. */
void fx_cluster_fetch_error(const struct fx_kube_failure *failure, struct fx_err *err) {
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

static void report_no_memory(struct fx_cluster_fetch *fetch) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail_nomem(&err);
    report_fetch(fetch, NULL, &err);
}

/* ---- the object ------------------------------------------------------------------ */

static json_t *convert_object(const struct fx_cluster_fetch *fetch,
                              const struct fx_kube_resource *resource, json_t *object) {
    const struct fx_cluster_fetch_request *wanted = &fetch->wanted;
    struct fx_kube_type_meta type = {0};
    json_t *converted = NULL;
    if (fx_kube_type_meta_init(&type, resource) &&
        fx_kube_object_strip(object, &type, fetch->labels_only)) {
        converted = wanted->convert == NULL
                        ? json_incref(object)
                        : wanted->convert(object, !fetch->is_outdated, wanted->converter);
    }
    fx_kube_type_meta_finish(&type);
    return converted;
}

/* The object that was requested, or NULL with the reason. A different object, for example
 * from a proxy before the API server, must not count as a namespace without labels. */
static json_t *read_answer(const struct fx_cluster_fetch *fetch,
                           const struct fx_kube_answer *answer, struct fx_err *err) {
    if (answer->failure != NULL) {
        fx_cluster_fetch_error(answer->failure, err);
        return NULL;
    }
    const json_t *metadata = fx_tree_view_key(answer->object, "metadata");
    const struct fx_kube_resource wanted = kind_of(fetch);
    const struct fx_kube_kind *kind = fx_kube_kinds_find(&fetch->fetches->kinds, &wanted);
    if (!fx_text_is(fx_tree_view_string(metadata, "name"), fetch->name)) {
        (void)fx_fail(err, FX_EIO, "get %s `%s`: the answer is not the %s of that name",
                      kind == NULL ? fetch->kind : kind->resource.plural, fetch->name,
                      fetch->kind);
        return NULL;
    }
    json_t *object = convert_object(fetch, &wanted, answer->object);
    if (object == NULL) {
        (void)fx_fail_nomem(err);
    }
    return object;
}

/* If the resource is gone, forgets the kind, as its resource may have another name
 * now. */
static void note_failure(struct fx_cluster_fetch *fetch,
                         const struct fx_kube_failure *failure) {
    const struct fx_kube_resource wanted = kind_of(fetch);
    if (failure != NULL && failure->reason == FX_KUBE_REASON_UNKNOWN) {
        fx_kube_kinds_forget(&fetch->fetches->kinds, &wanted);
    }
}

static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_fetch *fetch = user;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = read_answer(fetch, answer, &err);
    note_failure(fetch, answer->failure);
    report_fetch(fetch, object, object == NULL ? &err : NULL);
}

static uint64_t timeout_of(const struct fx_cluster_fetch *fetch) {
    const uint64_t deadline_ns = fetch->wanted.deadline_ns;
    return deadline_ns == 0 ? FX_LIMIT_REVIEW_MS : fx_timeout_until(deadline_ns);
}

/* False without memory. */
static bool start_get(struct fx_cluster_fetch *fetch, const struct fx_kube_kind *kind) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &kind->resource,
        .name = {.namespace_ = kind->is_namespaced ? fx_text_of(fetch->namespace_)
                                                   : (struct fx_text){0},
                 .name = fx_text_of(fetch->name),
                 .everywhere = true},
        .metadata_only = fetch->labels_only,
        .timeout_ms = timeout_of(fetch),
    };
    fetch->call = fx_kube_call_start(fetch->fetches->client, &request, on_answer, fetch);
    return fetch->call != NULL;
}

/* ---- the resource ---------------------------------------------------------------- */

/* Reports that the server does not have the kind, so the object does not exist. */
static void report_unknown(struct fx_cluster_fetch *fetch,
                           const struct fx_kube_failure *failure) {
    struct fx_err err = FX_ERR_INIT;
    fx_cluster_fetch_error(failure, &err);
    if (failure->reason == FX_KUBE_REASON_UNKNOWN) {
        err.code = FX_EMUTATE;
    }
    report_fetch(fetch, NULL, &err);
}

static void on_discovered(const struct fx_kube_discovered *discovered, void *user) {
    struct fx_cluster_fetch *fetch = user;
    struct fx_err err = FX_ERR_INIT;
    fetch->discovery = NULL;
    if (discovered->failure != NULL) {
        report_unknown(fetch, discovered->failure);
        return;
    }
    if (discovered->is_namespaced && fetch->namespace_[0] == '\0') {
        (void)fx_fail(&err, FX_EINVALID, "get %s `%s`: the kind needs a namespace",
                      discovered->resource.plural, fetch->name);
        report_fetch(fetch, NULL, &err);
        return;
    }
    const struct fx_kube_kind *kind =
        fx_kube_kinds_keep(&fetch->fetches->kinds, discovered);
    if (kind == NULL || !start_get(fetch, kind)) {
        report_no_memory(fetch);
    }
}

static bool start_discovery(struct fx_cluster_fetch *fetch) {
    const struct fx_kube_resource wanted = kind_of(fetch);
    fetch->discovery = fx_kube_discovery_start(fetch->fetches->client, &wanted,
                                               timeout_of(fetch), on_discovered, fetch);
    return fetch->discovery != NULL;
}

/* ---- all fetches ----------------------------------------------------------------- */

static bool copy_key(struct fx_cluster_fetch *fetch, const struct fx_input_key *key) {
    fetch->group = fx_text_dup(key->group);
    fetch->version = fx_text_dup(key->version);
    fetch->kind = fx_text_dup(key->kind);
    fetch->namespace_ = fx_text_dup(key->namespace_);
    fetch->name = fx_text_dup(key->name);
    fetch->labels_only = key->labels_only;
    return fetch->group != NULL && fetch->version != NULL && fetch->kind != NULL &&
           fetch->namespace_ != NULL && fetch->name != NULL;
}

/* Starts the first step. If a namespaced kind is requested without a namespace, its
 * resource is read again before the fetch fails. */
static bool start_fetch(struct fx_cluster_fetch *fetch) {
    const struct fx_kube_resource wanted = kind_of(fetch);
    const struct fx_kube_kind *kind = fx_kube_kinds_find(&fetch->fetches->kinds, &wanted);
    const bool is_known =
        kind != NULL && (!kind->is_namespaced || fetch->namespace_[0] != '\0');
    return is_known ? start_get(fetch, kind) : start_discovery(fetch);
}

bool fx_cluster_fetches_start(struct fx_cluster_fetches *fetches,
                              const struct fx_cluster_fetch_request *wanted) {
    assert(wanted->key->type == FX_INPUT_OBJECT);
    struct fx_cluster_fetch *fetch =
        fetches->n_items < FX_LIMIT_OBJECT_FETCHES ? calloc(1, sizeof *fetch) : NULL;
    if (fetch == NULL) {
        return false;
    }
    fetch->fetches = fetches;
    fetch->wanted = *wanted;
    fetch->wanted.key = NULL;
    if (!copy_key(fetch, wanted->key) || !start_fetch(fetch)) {
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

void fx_cluster_fetches_init(struct fx_cluster_fetches *fetches,
                             struct fx_kube_client *client) {
    *fetches = (struct fx_cluster_fetches){.client = client};
}

void fx_cluster_fetches_finish(struct fx_cluster_fetches *fetches) {
    for (struct fx_list_link *link = fx_list_pop(&fetches->first); link != NULL;
         link = fx_list_pop(&fetches->first)) {
        struct fx_cluster_fetch *fetch = (struct fx_cluster_fetch *)link;
        fx_kube_discovery_cancel(fetch->discovery);
        fx_kube_call_cancel(fetch->call);
        destroy(fetch);
    }
    fx_kube_kinds_finish(&fetches->kinds);
    *fetches = (struct fx_cluster_fetches){.client = NULL};
}
