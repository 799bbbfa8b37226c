/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status_lists.c - one CRD after the other, and what each version says of byPod.
 */
#include "cluster/status_lists.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/tree.h"

#define ROUND_MS UINT64_C(600000) /* a CRD is seldom replaced */
#define RETRY_MS UINT64_C(5000)

#define LISTS_MAGIC 0x6678736cu /* "fxsl" */

static const struct fx_kube_resource crds = {"apiextensions.k8s.io", "v1",
                                             "customresourcedefinitions",
                                             "CustomResourceDefinition"};

struct fx_status_lists {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_kube_call *call;
    uv_timer_t timer;
    void (*on_known)(void *user);
    void *user;
    size_t at; /* the kind that is asked for */
    bool keyed[FX_CLUSTER_KINDS][FX_CLUSTER_KIND_VERSIONS];
    bool known;
};

static struct fx_status_lists *lists_of(void *data) {
    struct fx_status_lists *lists = data;
    assert(lists != NULL && lists->magic == LISTS_MAGIC);
    return lists;
}

/* A list whose entries are told apart by their `id`, and by nothing else. */
static bool is_keyed_by_id(const json_t *list) {
    const json_t *keys = fx_tree_view_key(list, "x-kubernetes-list-map-keys");
    return fx_text_is(fx_tree_view_string(list, "x-kubernetes-list-type"), "map") &&
           json_array_size(keys) == 1 &&
           fx_text_is(fx_tree_text(json_array_get(keys, 0)), "id");
}

bool fx_status_list_is_keyed(const json_t *crd, const char *version) {
    static const char *const way[] = {"schema", "openAPIV3Schema", "properties",
                                      "status", "properties",      "byPod"};
    const json_t *versions = fx_tree_view_key(fx_tree_view_key(crd, "spec"), "versions");
    for (size_t i = 0; i < json_array_size(versions); i++) {
        const json_t *node = json_array_get(versions, i);
        if (!fx_text_is(fx_tree_view_string(node, "name"), version)) {
            continue;
        }
        for (size_t j = 0; j < FX_COUNT(way); j++) {
            node = fx_tree_view_key(node, way[j]);
        }
        return is_keyed_by_id(node);
    }
    return false;
}

static void ask(struct fx_status_lists *lists);

static void on_timer(uv_timer_t *timer) {
    ask(lists_of(timer->data));
}

static void ask_in(struct fx_status_lists *lists, uint64_t ms) {
    (void)uv_timer_start(&lists->timer, on_timer, ms, 0); /* it has a callback */
}

static void end_round(struct fx_status_lists *lists) {
    const bool news = !lists->known;
    lists->at = 0;
    lists->known = true;
    ask_in(lists, ROUND_MS);
    if (news) {
        lists->on_known(lists->user);
    }
}

static void take(struct fx_status_lists *lists, const json_t *crd) {
    const struct fx_cluster_kind *kind = &fx_cluster_kinds[lists->at];
    for (size_t i = 0; i < kind->n_versions; i++) {
        lists->keyed[lists->at][i] =
            fx_status_list_is_keyed(crd, kind->versions[i].version);
    }
}

/* What may not be read, or is not there, is what it was: not keyed at first. */
static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct fx_status_lists *lists = lists_of(user);
    lists->call = NULL;
    if (answer->failure == NULL) {
        take(lists, answer->object);
    } else if (fx_kube_failure_passes(answer->failure)) {
        ask_in(lists, RETRY_MS);
        return;
    }
    lists->at++;
    ask(lists);
}

static void ask(struct fx_status_lists *lists) {
    while (lists->at < FX_CLUSTER_KINDS && !fx_cluster_kinds[lists->at].is_mutator) {
        lists->at++;
    }
    if (lists->at == FX_CLUSTER_KINDS) {
        end_round(lists);
        return;
    }
    char name[128];
    const struct fx_kube_resource *resource = &fx_cluster_kinds[lists->at].versions[0];
    (void)snprintf(name, sizeof name, "%s.%s", resource->plural, resource->group);
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &crds,
        .name = {.name = fx_text_of(name)},
    };
    lists->call = fx_kube_call_start(lists->client, &request, on_answer, lists);
    if (lists->call == NULL) {
        ask_in(lists, RETRY_MS);
    }
}

struct fx_status_lists *fx_status_lists_create(uv_loop_t *loop,
                                               struct fx_kube_client *client,
                                               void (*on_known)(void *user), void *user,
                                               struct fx_err *err) {
    struct fx_status_lists *lists = calloc(1, sizeof *lists);
    if (lists == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    lists->magic = LISTS_MAGIC;
    lists->client = client;
    lists->on_known = on_known;
    lists->user = user;
    (void)uv_timer_init(loop, &lists->timer); /* cannot fail */
    lists->timer.data = lists;
    ask(lists);
    return lists;
}

bool fx_status_lists_known(const struct fx_status_lists *lists) {
    return lists->known;
}

bool fx_status_lists_is_keyed(const struct fx_status_lists *lists,
                              const struct fx_kube_resource *resource) {
    for (size_t i = 0; i < FX_CLUSTER_KINDS; i++) {
        const struct fx_cluster_kind *kind = &fx_cluster_kinds[i];
        for (size_t j = 0; j < kind->n_versions; j++) {
            if (&kind->versions[j] == resource) {
                return lists->keyed[i][j];
            }
        }
    }
    return false;
}

static void on_closed(uv_handle_t *timer) {
    struct fx_status_lists *lists = lists_of(timer->data);
    lists->magic = 0;
    free(lists);
}

void fx_status_lists_close(struct fx_status_lists *lists) {
    if (lists == NULL) {
        return;
    }
    fx_kube_call_cancel(lists->call);
    uv_close((uv_handle_t *)&lists->timer, on_closed);
}
