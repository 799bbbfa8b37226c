/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches.c - a list of requests under way.
 */
#include "cluster/references/fetches.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/limits.h"
#include "value/tree.h"

#define NS_IN_MS UINT64_C(1000000)

struct fx_cluster_fetch {
    struct fx_cluster_fetches *fetches;
    struct fx_cluster_fetch *next, *previous;
    char *name;
    bool is_outdated;
    bool metadata_only;
    struct fx_kube_call *call;
    json_t *(*read)(json_t *object, bool is_current, void *reader);
    void *reader;
    fx_cluster_on_fetched *on_done;
    void *user;
};

static void link_in(struct fx_cluster_fetch *fetch) {
    struct fx_cluster_fetches *fetches = fetch->fetches;
    fetch->next = fetches->first;
    if (fetch->next != NULL) {
        fetch->next->previous = fetch;
    }
    fetches->first = fetch;
    fetches->n_items++;
}

static void link_out(struct fx_cluster_fetch *fetch) {
    struct fx_cluster_fetches *fetches = fetch->fetches;
    if (fetch->previous != NULL) {
        fetch->previous->next = fetch->next;
    } else {
        fetches->first = fetch->next;
    }
    if (fetch->next != NULL) {
        fetch->next->previous = fetch->previous;
    }
    fetches->n_items--;
}

static void destroy(struct fx_cluster_fetch *fetch) {
    if (fetch != NULL) {
        free(fetch->name);
        free(fetch);
    }
}

/* What the server says is the answer (spec section 8); that it
 * could not be asked is our own failure, and no verdict. */
static void say_failure(const struct fx_kube_failure *failure, struct fx_err *err) {
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

static json_t *read_object(const struct fx_cluster_fetch *fetch, json_t *object) {
    if (!fx_kube_object_strip(object, &fetch->fetches->kind, fetch->metadata_only)) {
        return NULL;
    }
    return fetch->read == NULL ? json_incref(object)
                               : fetch->read(object, !fetch->is_outdated, fetch->reader);
}

/* The object that was asked for; NULL with the reason. What comes instead of it, from
 * whatever stands between us and the API server, is none without labels. */
static json_t *read_answer(const struct fx_cluster_fetch *fetch,
                           const struct fx_kube_answer *answer, struct fx_err *err) {
    if (answer->failure != NULL) {
        say_failure(answer->failure, err);
        return NULL;
    }
    const json_t *metadata = fx_tree_view_key(answer->object, "metadata");
    if (!fx_text_is(fx_tree_view_string(metadata, "name"), fetch->name)) {
        (void)fx_fail(err, FX_EIO, "get %s `%s`: the answer is not the %s of that name",
                      fetch->fetches->resource->plural, fetch->name,
                      fetch->fetches->resource->kind);
        return NULL;
    }
    json_t *object = read_object(fetch, answer->object);
    if (object == NULL) {
        (void)fx_fail_nomem(err);
    }
    return object;
}

static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_fetch *fetch = user;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = read_answer(fetch, answer, &err);
    link_out(fetch);
    fetch->on_done(object, object == NULL ? &err : NULL, fetch->user);
    destroy(fetch);
}

static uint64_t timeout_until(uint64_t deadline_ns) {
    const uint64_t now_ns = fx_clock_ns();
    if (deadline_ns == 0) {
        return FX_LIMIT_REVIEW_MS;
    }
    return deadline_ns > now_ns ? (deadline_ns - now_ns) / NS_IN_MS + 1 : 1;
}

static struct fx_cluster_fetch *make(struct fx_cluster_fetches *fetches,
                                     const struct fx_cluster_fetch_request *order) {
    struct fx_cluster_fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch == NULL) {
        return NULL;
    }
    fetch->fetches = fetches;
    fetch->metadata_only = order->metadata_only;
    fetch->read = order->read;
    fetch->reader = order->reader;
    fetch->on_done = order->on_done;
    fetch->user = order->user;
    fetch->name = fx_text_dup(order->name);
    if (fetch->name == NULL) {
        destroy(fetch);
        return NULL;
    }
    return fetch;
}

bool fx_cluster_fetches_start(struct fx_cluster_fetches *fetches,
                              const struct fx_cluster_fetch_request *order) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = fetches->resource,
        .name = {.name = order->name},
        .metadata_only = order->metadata_only,
        .timeout_ms = timeout_until(order->deadline_ns),
    };
    if (fetches->n_items >= FX_LIMIT_OBJECT_FETCHES) {
        return false;
    }
    struct fx_cluster_fetch *fetch = make(fetches, order);
    if (fetch == NULL) {
        return false;
    }
    fetch->call = fx_kube_call_start(fetches->client, &request, on_answer, fetch);
    if (fetch->call == NULL) {
        destroy(fetch);
        return false;
    }
    link_in(fetch);
    return true;
}

void fx_cluster_fetches_object_changed(struct fx_cluster_fetches *fetches,
                                       struct fx_text name) {
    for (struct fx_cluster_fetch *fetch = fetches->first; fetch != NULL;
         fetch = fetch->next) {
        fetch->is_outdated = fetch->is_outdated || fx_text_is(name, fetch->name);
    }
}

bool fx_cluster_fetches_init(struct fx_cluster_fetches *fetches,
                             struct fx_kube_client *client,
                             const struct fx_kube_resource *resource) {
    *fetches = (struct fx_cluster_fetches){.client = client, .resource = resource};
    return fx_kube_type_meta_init(&fetches->kind, resource);
}

void fx_cluster_fetches_finish(struct fx_cluster_fetches *fetches) {
    struct fx_cluster_fetch *next = NULL;
    for (struct fx_cluster_fetch *fetch = fetches->first; fetch != NULL; fetch = next) {
        next = fetch->next;
        fx_kube_call_cancel(fetch->call);
        destroy(fetch);
    }
    fx_kube_type_meta_finish(&fetches->kind);
    *fetches = (struct fx_cluster_fetches){0};
}
