/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_schemas.c - one CRD after the other, and what each version says
 * of byPod.
 */
#include "cluster/status/status_schemas.h"

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

struct fx_status_schemas {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_kube_call *call;
    uv_timer_t timer;
    void (*on_known)(void *user);
    void *user;
    unsigned apis;
    size_t at; /* the kind that is asked for */
    struct {
        struct fx_status_schema rooms[FX_CLUSTER_KIND_VERSIONS];
        bool missing; /* its CRD, when it was asked for, */
        bool needed;  /* and again, since there are objects: once in a round is enough */
    } kinds[FX_CLUSTER_KINDS];
    bool known;
    bool changed; /* some room is another than before this round */
};

static struct fx_status_schemas *lists_of(void *data) {
    struct fx_status_schemas *lists = data;
    assert(lists != NULL && lists->magic == LISTS_MAGIC);
    return lists;
}

/* ---- one CRD --------------------------------------------------------------------- */

/* A list whose items are told apart by that field, and by nothing else. */
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

/* A property of a schema; `*keeps` becomes true where one that is not declared stays. */
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
    };
}

/* ---- all of them ----------------------------------------------------------------- */

static void ask(struct fx_status_schemas *lists);

static void on_timer(uv_timer_t *timer) {
    struct fx_status_schemas *lists = lists_of(timer->data);
    for (size_t i = 0; lists->at == 0 && i < FX_CLUSTER_KINDS; i++) {
        lists->kinds[i].needed = false;
    }
    ask(lists);
}

static void ask_in(struct fx_status_schemas *lists, uint64_t ms) {
    (void)uv_timer_start(&lists->timer, on_timer, ms, 0); /* it has a callback */
}

static void end_round(struct fx_status_schemas *lists) {
    const bool news = !lists->known || lists->changed;
    lists->at = 0;
    lists->known = true;
    lists->changed = false;
    ask_in(lists, ROUND_MS);
    if (news) {
        lists->on_known(lists->user);
    }
}

static void take(struct fx_status_schemas *lists, const json_t *crd) {
    const struct fx_cluster_kind *kind = &fx_cluster_kinds[lists->at];
    for (size_t i = 0; i < kind->n_versions; i++) {
        struct fx_status_schema *room = &lists->kinds[lists->at].rooms[i];
        const struct fx_status_schema now =
            fx_status_schema_read(crd, kind->versions[i].version);
        lists->changed = lists->changed || now.by_pod != room->by_pod ||
                         now.conditions != room->conditions;
        *room = now;
    }
}

/* What may not be read, or is not there, is what it was: atomic at first. */
static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct fx_status_schemas *lists = lists_of(user);
    lists->call = NULL;
    if (answer->failure == NULL) {
        take(lists, answer->object);
    } else if (fx_kube_failure_is_temporary(answer->failure)) {
        ask_in(lists, RETRY_MS);
        return;
    }
    lists->kinds[lists->at].missing =
        answer->failure != NULL && answer->failure->reason == FX_KUBE_REASON_NOT_FOUND;
    lists->at++;
    ask(lists);
}

static bool is_asked_for(const struct fx_status_schemas *lists,
                         const struct fx_cluster_kind *kind) {
    return kind->is_mutator && (lists->apis & FX_CLUSTER_API_BIT(kind->api)) != 0;
}

static void ask(struct fx_status_schemas *lists) {
    while (lists->at < FX_CLUSTER_KINDS &&
           !is_asked_for(lists, &fx_cluster_kinds[lists->at])) {
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

struct fx_status_schemas *
fx_status_schemas_create(uv_loop_t *loop, struct fx_kube_client *client, unsigned apis,
                         void (*on_known)(void *user), void *user, struct fx_err *err) {
    struct fx_status_schemas *lists = calloc(1, sizeof *lists);
    if (lists == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    lists->magic = LISTS_MAGIC;
    lists->client = client;
    lists->apis = apis;
    lists->on_known = on_known;
    lists->user = user;
    (void)uv_timer_init(loop, &lists->timer); /* cannot fail */
    lists->timer.data = lists;
    ask(lists);
    return lists;
}

bool fx_status_schemas_known(const struct fx_status_schemas *lists) {
    return lists->known;
}

void fx_status_schemas_request(struct fx_status_schemas *lists,
                               const struct fx_cluster_kind *kind) {
    const size_t at = (size_t)(kind - fx_cluster_kinds);
    assert(at < FX_CLUSTER_KINDS);
    if (!lists->kinds[at].missing || lists->kinds[at].needed) {
        return;
    }
    lists->kinds[at].needed = true;
    lists->known = false;
    lists->at = 0;
    fx_kube_call_cancel(lists->call);
    lists->call = NULL;
    (void)uv_timer_stop(&lists->timer);
    ask(lists);
}

struct fx_status_schema fx_status_schemas_get(const struct fx_status_schemas *lists,
                                              const struct fx_kube_resource *resource) {
    for (size_t i = 0; i < FX_CLUSTER_KINDS; i++) {
        const struct fx_cluster_kind *kind = &fx_cluster_kinds[i];
        for (size_t j = 0; j < kind->n_versions; j++) {
            if (&kind->versions[j] == resource) {
                return lists->kinds[i].rooms[j];
            }
        }
    }
    return (struct fx_status_schema){.by_pod = FX_STATUS_ATOMIC};
}

static void on_closed(uv_handle_t *timer) {
    struct fx_status_schemas *lists = lists_of(timer->data);
    lists->magic = 0;
    free(lists);
}

void fx_status_schemas_close(struct fx_status_schemas *lists) {
    if (lists == NULL) {
        return;
    }
    fx_kube_call_cancel(lists->call);
    uv_close((uv_handle_t *)&lists->timer, on_closed);
}
