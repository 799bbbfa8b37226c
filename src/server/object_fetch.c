/* SPDX-License-Identifier: Apache-2.0
 *
 * server/object_fetch.c - a message there, a request, the same message back.
 */
#include "server/object_fetch.h"

#include "server/state.h"

/* On the asker's loop. */
static void on_answer(void *user) {
    const struct fx_object_fetch *ask = user;
    const struct fx_err failure = ask->failure; /* the ask may go */
    ask->on_done(ask->object, ask->object == NULL ? &failure : NULL, ask->user);
}

/* On the main loop, like the next ones. */
static void answer(struct fx_object_fetch *ask) {
    ask->message = (struct fx_message){.open = on_answer, .user = ask};
    fx_message_queue_post(&ask->thread->queue, &ask->message);
}

static void on_fetched(json_t *object_take, const struct fx_err *failure, void *user) {
    struct fx_object_fetch *ask = user;
    ask->object = object_take;
    if (object_take == NULL) {
        ask->failure = *failure;
    }
    answer(ask);
}

/* Since it was asked, another review may have brought it. */
static bool fetch_namespace(struct fx_object_fetch *ask, struct fx_cluster *cluster) {
    struct fx_cluster_namespaces *spaces = fx_cluster_spaces_of(cluster);
    const struct fx_cluster_wish wish = {
        .name = ask->reference.name,
        .whole = ask->reference.type == FX_REFERENCE_NAMESPACE,
        .deadline_ns = ask->deadline_ns,
    };
    ask->object = wish.whole ? fx_cluster_namespaces_find_whole(spaces, wish.name) : NULL;
    if (ask->object != NULL) {
        answer(ask);
        return true;
    }
    return fx_cluster_namespaces_fetch(spaces, &wish, on_fetched, ask);
}

static bool fetch(struct fx_object_fetch *ask) {
    struct fx_cluster *cluster = ask->thread->server->cluster;
    switch (ask->reference.type) {
    case FX_REFERENCE_LABELS:
    case FX_REFERENCE_NAMESPACE: return fetch_namespace(ask, cluster);
    case FX_REFERENCE_NODE: break;
    }
    return fx_cluster_fetch_node(cluster, ask->reference.name, ask->deadline_ns,
                                 on_fetched, ask);
}

static void on_question(void *user) {
    struct fx_object_fetch *ask = user;
    if (!fetch(ask)) {
        (void)fx_fail_nomem(&ask->failure);
        answer(ask);
    }
}

void fx_object_fetch(struct fx_object_fetch *ask) {
    ask->message = (struct fx_message){.open = on_question, .user = ask};
    fx_message_queue_post(&ask->thread->server->queue, &ask->message);
}
