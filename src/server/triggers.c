/* SPDX-License-Identifier: Apache-2.0
 *
 * server/triggers.c - a short list under a lock.
 */
#include "server/triggers.h"

#include <string.h>

#include "engine/trigger.h"
#include "server/state.h"

/* On the main loop: gives all triggers to the cluster. */
static void on_triggers(void *user) {
    struct fx_triggers *triggers = user;
    struct fx_cluster_existing *existing =
        fx_cluster_get_existing(triggers->server->cluster);
    struct fx_trigger *taken[FX_LIMIT_EXISTING_POSTED];
    uv_mutex_lock(&triggers->lock);
    const size_t n = triggers->n_items;
    const uint64_t n_dropped = triggers->n_dropped;
    memcpy(taken, triggers->items, n * sizeof *taken);
    triggers->n_items = 0;
    triggers->n_dropped = 0;
    uv_mutex_unlock(&triggers->lock);
    fx_cluster_existing_add_dropped(existing, n_dropped);
    for (size_t i = 0; i < n; i++) {
        fx_cluster_existing_add(existing, taken[i]);
        fx_trigger_unref(taken[i]);
    }
}

bool fx_triggers_init(struct fx_triggers *triggers, struct fx_server *server,
                      struct fx_err *err) {
    if (uv_mutex_init(&triggers->lock) != 0) {
        return fx_fail_nomem(err);
    }
    triggers->server = server;
    triggers->message = (struct fx_message){.handle = on_triggers, .user = triggers};
    return true;
}

void fx_triggers_finish(struct fx_triggers *triggers) {
    if (triggers->server == NULL) {
        return;
    }
    for (size_t i = 0; i < triggers->n_items; i++) {
        fx_trigger_unref(triggers->items[i]);
    }
    triggers->n_items = 0;
    triggers->server = NULL;
    uv_mutex_destroy(&triggers->lock);
}

/* Takes the trigger; NULL: there was no memory for it. */
static void add_trigger(struct fx_triggers *triggers, struct fx_trigger *trigger) {
    uv_mutex_lock(&triggers->lock);
    const bool fits = trigger != NULL && triggers->n_items < FX_COUNT(triggers->items);
    if (fits) {
        triggers->items[triggers->n_items++] = trigger;
    } else {
        triggers->n_dropped++;
    }
    uv_mutex_unlock(&triggers->lock);
    if (!fits) {
        fx_trigger_unref(trigger);
    }
}

void fx_triggers_post(struct fx_triggers *triggers, const struct fx_review *review) {
    struct fx_cluster *cluster = triggers->server->cluster;
    if (cluster != NULL && fx_review_has_trigger(review) &&
        fx_cluster_get_existing(cluster) != NULL) {
        add_trigger(triggers, fx_review_trigger(review));
        fx_message_queue_post(&triggers->server->queue, &triggers->message);
    }
}
