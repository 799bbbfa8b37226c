/* SPDX-License-Identifier: Apache-2.0
 *
 * server/namespace_ask.c - a letter there, a request, the same letter back.
 */
#include "server/namespace_ask.h"

#include "server/state.h"

/* On the asker's loop. */
static void on_answer(void *user) {
    const struct fx_namespace_ask *ask = user;
    const struct fx_err failure = ask->failure; /* the ask may go */
    ask->on_done(ask->object, ask->object == NULL ? &failure : NULL, ask->user);
}

/* On the main loop, like the next one. */
static void answer(struct fx_namespace_ask *ask) {
    ask->letter = (struct fx_letter){.open = on_answer, .user = ask};
    fx_mailbox_post(&ask->thread->mailbox, &ask->letter);
}

static void on_fetched(json_t *object_take, const struct fx_err *failure, void *user) {
    struct fx_namespace_ask *ask = user;
    ask->object = object_take;
    if (object_take == NULL) {
        ask->failure = *failure;
    }
    answer(ask);
}

static void on_question(void *user) {
    struct fx_namespace_ask *ask = user;
    struct fx_cluster_namespaces *spaces =
        fx_cluster_spaces_of(ask->thread->server->cluster);
    if (!fx_cluster_namespaces_fetch(spaces, ask->name, ask->deadline_ns, on_fetched,
                                     ask)) {
        (void)fx_fail_nomem(&ask->failure);
        answer(ask);
    }
}

void fx_namespace_ask(struct fx_namespace_ask *ask) {
    ask->letter = (struct fx_letter){.open = on_question, .user = ask};
    fx_mailbox_post(&ask->thread->server->mailbox, &ask->letter);
}
