/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/namespaces.c - a reflector, a sorted array of short texts, and asking for one.
 */
#include "cluster/namespaces.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "cluster/spaces.h"
#include "value/tree.h"

#define NAMESPACES_MAGIC 0x66786e73u /* "fxns" */

#define NS_IN_MS UINT64_C(1000000)

static const struct fx_kube_resource resource = {"", "v1", "namespaces", "Namespace"};

struct fetch {
    struct fx_cluster_namespaces *namespaces;
    struct fetch *next, *previous;
    char *name;
    struct fx_kube_call *call;
    void (*on_done)(json_t *object_take, const struct fx_err *failure, void *user);
    void *user;
};

struct fx_cluster_namespaces {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_kube_reflector *reflector;
    fx_cluster_on_state *on_state;
    void *user;
    uv_rwlock_t lock; /* on `spaces`: the loop writes, and all read */
    struct fx_cluster_spaces spaces;
    struct fetch *fetches;
    size_t n_fetches;
    bool ready;
};

/* ---- what the reflector tells ---------------------------------------------------- */

static bool on_object(json_t *object, void *user) {
    struct fx_cluster_namespaces *namespaces = user;
    uv_rwlock_wrlock(&namespaces->lock);
    const bool ok = fx_cluster_spaces_put(&namespaces->spaces, object);
    uv_rwlock_wrunlock(&namespaces->lock);
    return ok;
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    (void)namespace_; /* they are in none */
    struct fx_cluster_namespaces *namespaces = user;
    uv_rwlock_wrlock(&namespaces->lock);
    fx_cluster_spaces_remove(&namespaces->spaces, name);
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

/* ---- asking for one -------------------------------------------------------------- */

static void unlink_fetch(struct fetch *fetch) {
    struct fx_cluster_namespaces *namespaces = fetch->namespaces;
    if (fetch->previous != NULL) {
        fetch->previous->next = fetch->next;
    } else {
        namespaces->fetches = fetch->next;
    }
    if (fetch->next != NULL) {
        fetch->next->previous = fetch->previous;
    }
    namespaces->n_fetches--;
}

/* What the server says is the answer, as Gatekeeper gives it (spec section 8); that it
 * could not be asked is our own failure, and no verdict. */
static void say_failure(const struct fx_kube_failure *failure, struct fx_err *err) {
    switch (failure->reason) {
    case FX_KUBE_REASON_MEMORY: (void)fx_fail_nomem(err); return;
    case FX_KUBE_REASON_NOT_FOUND:
    case FX_KUBE_REASON_INVALID:
        (void)fx_fail(err, FX_EMUTATE, "%s", failure->words);
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
    (void)fx_fail(err, FX_EIO, "%s", failure->words);
}

static void destroy_fetch(struct fetch *fetch) {
    if (fetch != NULL) {
        free(fetch->name);
        free(fetch);
    }
}

/* The object that was asked for; NULL with the reason. What comes instead of it, from
 * whatever stands between us and the API server, is no namespace without labels. */
static json_t *read_answer(const struct fetch *fetch, const struct fx_kube_answer *answer,
                           struct fx_err *err) {
    if (answer->failure != NULL) {
        say_failure(answer->failure, err);
        return NULL;
    }
    const json_t *metadata = fx_tree_view_key(answer->object, "metadata");
    if (!fx_text_is(fx_tree_view_string(metadata, "name"), fetch->name)) {
        (void)fx_fail(err, FX_EIO,
                      "get namespaces `%s`: the answer is not the namespace of that name",
                      fetch->name);
        return NULL;
    }
    json_t *object = fx_cluster_space_read(answer->object);
    if (object == NULL) {
        (void)fx_fail_nomem(err);
    }
    return object;
}

static void on_fetched(const struct fx_kube_answer *answer, void *user) {
    struct fetch *fetch = user;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = read_answer(fetch, answer, &err);
    unlink_fetch(fetch);
    fetch->on_done(object, object == NULL ? &err : NULL, fetch->user);
    destroy_fetch(fetch);
}

static uint64_t timeout_until(uint64_t deadline_ns) {
    const uint64_t now_ns = fx_clock_ns();
    if (deadline_ns == 0) {
        return FX_LIMIT_REVIEW_MS;
    }
    return deadline_ns > now_ns ? (deadline_ns - now_ns) / NS_IN_MS + 1 : 1;
}

bool fx_cluster_namespaces_fetch(
    struct fx_cluster_namespaces *namespaces, struct fx_text name, uint64_t deadline_ns,
    void (*on_done)(json_t *object_take, const struct fx_err *failure, void *user),
    void *user) {
    assert(namespaces->magic == NAMESPACES_MAGIC);
    struct fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch != NULL) {
        fetch->name = fx_text_dup(name);
    }
    if (fetch == NULL || fetch->name == NULL ||
        namespaces->n_fetches >= FX_LIMIT_NAMESPACE_FETCHES) {
        destroy_fetch(fetch);
        return false;
    }
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &resource,
        .name = {.name = name},
        .metadata_only = true,
        .timeout_ms = timeout_until(deadline_ns),
    };
    fetch->call = fx_kube_call_start(namespaces->client, &request, on_fetched, fetch);
    if (fetch->call == NULL) {
        destroy_fetch(fetch);
        return false;
    }
    fetch->namespaces = namespaces;
    fetch->on_done = on_done;
    fetch->user = user;
    fetch->next = namespaces->fetches;
    if (fetch->next != NULL) {
        fetch->next->previous = fetch;
    }
    namespaces->fetches = fetch;
    namespaces->n_fetches++;
    return true;
}

/* ---- all of it ------------------------------------------------------------------- */

struct fx_cluster_namespaces *
fx_cluster_namespaces_create(uv_loop_t *loop, struct fx_kube_client *client,
                             fx_cluster_on_state *told, void *user, struct fx_err *err) {
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
        .doubts = true,
    };
    struct fx_cluster_namespaces *namespaces = calloc(1, sizeof *namespaces);
    if (namespaces == NULL || uv_rwlock_init(&namespaces->lock) != 0) {
        free(namespaces);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    namespaces->magic = NAMESPACES_MAGIC;
    namespaces->client = client;
    namespaces->on_state = told;
    namespaces->user = user;
    namespaces->reflector =
        fx_kube_reflector_create(loop, client, &options, &events, namespaces, err);
    if (namespaces->reflector == NULL) {
        uv_rwlock_destroy(&namespaces->lock);
        free(namespaces);
        return NULL;
    }
    return namespaces;
}

json_t *fx_cluster_namespaces_find(struct fx_cluster_namespaces *namespaces,
                                   struct fx_text name, bool *ret_nomem) {
    struct fx_cluster_space *space = NULL;
    uv_rwlock_rdlock(&namespaces->lock);
    const bool found =
        fx_cluster_spaces_copy(&namespaces->spaces, name, &space, ret_nomem);
    uv_rwlock_rdunlock(&namespaces->lock);
    if (!found) {
        return NULL;
    }
    json_t *object = fx_cluster_space_object(space);
    free(space);
    *ret_nomem = object == NULL;
    return object;
}

bool fx_cluster_namespaces_ready(const struct fx_cluster_namespaces *namespaces) {
    return namespaces->ready;
}

void fx_cluster_namespaces_look(const struct fx_cluster_namespaces *namespaces,
                                struct fx_kube_reflector_status *ret_status) {
    fx_kube_reflector_look(namespaces->reflector, ret_status);
}

void fx_cluster_namespaces_close(struct fx_cluster_namespaces *namespaces) {
    if (namespaces == NULL) {
        return;
    }
    struct fetch *next = NULL;
    for (struct fetch *fetch = namespaces->fetches; fetch != NULL; fetch = next) {
        next = fetch->next;
        fx_kube_call_cancel(fetch->call);
        destroy_fetch(fetch);
    }
    fx_kube_reflector_close(namespaces->reflector);
    fx_cluster_spaces_finish(&namespaces->spaces);
    uv_rwlock_destroy(&namespaces->lock);
    namespaces->magic = 0;
    free(namespaces);
}
