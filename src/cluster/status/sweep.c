/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep.c - rounds:
 *
 *   rest ─→ list the Pods ─→ one is gone? ─→ list the mutators ─→ write, one after
 *     ↑                        │ no                                 the other ──┐
 *     └────────────────────────┴────────────────────────────────────────────────┘
 *
 * An id that is no Pod's is a suspect at the first look, and is swept at the next one, a
 * moment later, that finds it so: a Pod may be younger than the list of Pods. An id of
 * somebody else (sweep_strangers.h) is waited for much longer, as its Pods may be where
 * we cannot see them.
 */
#include "cluster/status/sweep_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "cluster/policies/kinds.h"
#include "cluster/policies/policies.h"
#include "cluster/status/status_body.h"
#include "cluster/status/sweep_plan.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define PAGE         "limit=500"
#define MOST_IN_VAIN 64u /* pages of a list that bring nothing new */

#define SWEEP_MAGIC 0x66787377u /* "fxsw" */

#define NS_IN_MS  UINT64_C(1000000)
#define MS_IN_MIN UINT64_C(60000)

static const struct fx_kube_resource pods = {"", "v1", "pods", "Pod"};

static const struct fx_sweep_times usual = {
    .round_ms = 60000,
    .again_ms = 10000,
    .wait_ms = 5000,
    .write_ms = 200,
    .stranger_ms = 10 * MS_IN_MIN,
    .rest_ms = UINT64_C(24) * 60 * MS_IN_MIN,
};

struct fx_cluster_sweep *fx_sweep_of(void *data) {
    struct fx_cluster_sweep *sweep = data;
    assert(sweep != NULL && sweep->magic == SWEEP_MAGIC);
    return sweep;
}

/* ---- rounds ---------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer);

void fx_sweep_wake_in(struct fx_cluster_sweep *sweep, uint64_t ms) {
    (void)uv_timer_start(&sweep->timer, on_timer, ms, 0); /* it has a callback */
}

void fx_sweep_end_round(struct fx_cluster_sweep *sweep) {
    if (!sweep->failed) {
        sweep->logged = FX_KUBE_REASON_NONE;
    }
    fx_sweep_drop_tasks(sweep);
    fx_sweep_names_finish(&sweep->pods_next);
    fx_sweep_names_finish(&sweep->suspects_next);
    fx_sweep_wake_in(sweep, sweep->anew ? sweep->times.again_ms : sweep->times.round_ms);
    sweep->anew = false;
}

/* The same failure again is no news. */
void fx_sweep_log_failure(struct fx_cluster_sweep *sweep,
                          const struct fx_kube_failure *failure) {
    sweep->failed = true;
    fx_kube_failure_log("status entries of deleted replicas cannot be removed", failure,
                        &sweep->logged);
}

static void end_without_memory(struct fx_cluster_sweep *sweep) {
    fx_log(ERROR, "status entries not swept: too many Pods, or out of memory", {0});
    fx_sweep_end_round(sweep);
}

/* Pages of nothing, or of the same again and again, would be asked for one right after
 * the other, for ever. */
static bool leads_on(const struct fx_cluster_sweep *sweep) {
    const size_t n_objects = sweep->resource == &pods
                                 ? sweep->pods_next.n_items
                                 : fx_cluster_policies_count(sweep->policies);
    return sweep->n_pages <= n_objects + MOST_IN_VAIN;
}

static void end_in_vain(struct fx_cluster_sweep *sweep) {
    fx_log(ERROR, "status entries not swept: the pages of a list have no end",
           fx_log_str("resource", sweep->resource->plural));
    fx_sweep_end_round(sweep);
}

/* Asks for a page; `token` (as the page before gave it) is empty for the first. */
static void list(struct fx_cluster_sweep *sweep, struct fx_text token,
                 void (*on_page)(const struct fx_kube_answer *answer, void *user)) {
    const bool is_pods = sweep->resource == &pods;
    sweep->n_pages = token.len > 0 ? sweep->n_pages + 1 : 1;
    if (!leads_on(sweep)) {
        end_in_vain(sweep);
        return;
    }
    struct fx_buf query;
    fx_buf_init(&query, 0);
    fx_buf_str(&query, PAGE);
    if (token.len > 0) {
        fx_buf_str(&query, "&continue=");
        fx_kube_write_query(token, &query);
    }
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_LIST,
        .resource = sweep->resource,
        .name = {.namespace_ = fx_text_of(is_pods ? sweep->identity.namespace_ : NULL)},
        .query = query.data,
        .metadata_only = is_pods,
    };
    sweep->call =
        query.failed ? NULL : fx_kube_call_start(sweep->client, &request, on_page, sweep);
    fx_buf_finish(&query);
    if (sweep->call == NULL) {
        end_without_memory(sweep);
    }
}

static struct fx_text token_of(const json_t *page) {
    return fx_tree_view_string(fx_tree_view_key(page, "metadata"), "continue");
}

/* ---- mutators -------------------------------------------------------------------- */

static const json_t *view_entries(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "status"), "byPod");
}

/* How an entry that is nobody's can be removed; NONE where it is somebody's. */
enum fx_sweep_method fx_sweep_find_method(const struct fx_cluster_sweep *sweep,
                                          const json_t *object, struct fx_text id) {
    return fx_sweep_names_has(&sweep->pods, id)
               ? FX_SWEEP_NONE
               : fx_sweep_method_of(object, id, sweep->identity.pod);
}

bool fx_sweep_is_to_drop(const struct fx_cluster_sweep *sweep, const json_t *object,
                         struct fx_text id) {
    switch (fx_sweep_find_method(sweep, object, id)) {
    case FX_SWEEP_DROP: return fx_sweep_names_has(&sweep->suspects, id);
    case FX_SWEEP_FOREIGN:
        return fx_sweep_foreign_is_due(&sweep->strangers, id, sweep->look_ns);
    case FX_SWEEP_NONE:
    case FX_SWEEP_APPLY: break;
    }
    return false;
}

/* Notes the id, and its entry where that goes by itself. False without memory. */
static bool look_at_entry(struct fx_cluster_sweep *sweep, const json_t *object,
                          struct fx_text id) {
    const enum fx_sweep_method way = fx_sweep_find_method(sweep, object, id);
    if (way == FX_SWEEP_NONE) {
        return true;
    }
    if (way == FX_SWEEP_FOREIGN) {
        return fx_sweep_foreign_see(&sweep->strangers, id,
                                    sweep->look_ns + sweep->times.stranger_ms * NS_IN_MS);
    }
    const bool again = fx_sweep_names_has(&sweep->suspects, id);
    return (again || fx_sweep_names_add(&sweep->suspects_next, id)) &&
           (!again || way != FX_SWEEP_APPLY || fx_sweep_add_task(sweep, object, id));
}

static bool look_at(struct fx_cluster_sweep *sweep, const json_t *object) {
    const json_t *entries = view_entries(object);
    bool drops = false;
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const struct fx_text id = fx_tree_view_string(json_array_get(entries, i), "id");
        ok = look_at_entry(sweep, object, id);
        drops = drops || fx_sweep_is_to_drop(sweep, object, id);
    }
    return ok && (!drops || fx_sweep_add_task(sweep, object, (struct fx_text){0}));
}

/* What is removed again and again, and is there again. */
static void end_strangers(struct fx_cluster_sweep *sweep) {
    const char *id = fx_sweep_foreign_end_pass(&sweep->strangers, sweep->look_ns,
                                               sweep->times.rest_ms * NS_IN_MS);
    if (id != NULL) {
        fx_log(WARN,
               "status entries of another program come back each time they are removed: "
               "is another controller still running? They are left alone for a day",
               fx_log_str("id", id));
    }
}

/* All that was suspect at the look before has been found again now, or is gone: unless
 * the round was cut short, only those that are new are suspects from now on. */
static void end_look(struct fx_cluster_sweep *sweep, bool is_whole) {
    bool ok = true;
    sweep->anew = sweep->suspects_next.n_items > 0;
    if (is_whole) {
        end_strangers(sweep);
    }
    const bool still = !is_whole || sweep->n_tasks > 0;
    for (size_t i = 0; ok && still && i < sweep->suspects.n_items; i++) {
        ok = fx_sweep_names_add(&sweep->suspects_next,
                                fx_text_of(sweep->suspects.items[i]));
    }
    if (!ok) {
        end_without_memory(sweep);
        return;
    }
    fx_sweep_names_finish(&sweep->suspects);
    sweep->suspects = sweep->suspects_next;
    sweep->suspects_next = (struct fx_sweep_names){0};
    sweep->due = !is_whole;
    fx_sweep_write_next(sweep);
}

static void list_kind(struct fx_cluster_sweep *sweep);

static void on_objects(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_sweep *sweep = fx_sweep_of(user);
    sweep->call = NULL;
    const bool is_absent =
        answer->failure != NULL && answer->failure->reason == FX_KUBE_REASON_UNKNOWN;
    if (answer->failure != NULL && !is_absent) {
        fx_sweep_log_failure(sweep, answer->failure);
        fx_sweep_end_round(sweep);
        return;
    }
    const json_t *items = fx_tree_view_key(answer->object, "items");
    for (size_t i = 0; i < json_array_size(items) && sweep->n_tasks < FX_SWEEP_TASKS_MAX;
         i++) {
        if (!look_at(sweep, json_array_get(items, i))) {
            end_without_memory(sweep);
            return;
        }
    }
    if (sweep->n_tasks >= FX_SWEEP_TASKS_MAX) {
        end_look(sweep, false);
    } else if (token_of(answer->object).len > 0) {
        list(sweep, token_of(answer->object), on_objects);
    } else {
        sweep->kind++;
        list_kind(sweep);
    }
}

/* From `kind` on, the next one that there is. */
static void list_kind(struct fx_cluster_sweep *sweep) {
    for (; sweep->kind < FX_CLUSTER_KINDS; sweep->kind++) {
        struct fx_kube_reflector_status status;
        if (fx_cluster_kinds[sweep->kind].is_mutator &&
            fx_cluster_policies_get_status(sweep->policies, sweep->kind, &status) &&
            status.version != NULL && status.state != FX_KUBE_STATE_ABSENT) {
            sweep->resource = status.version;
            list(sweep, (struct fx_text){0}, on_objects);
            return;
        }
    }
    end_look(sweep, true);
}

/* ---- Pods ------------------------------------------------------------------------ */

/* Where we are no Pod of the namespace ourselves, who knows where the replicas are. */
static bool is_among_them(struct fx_cluster_sweep *sweep) {
    if (fx_sweep_names_has(&sweep->pods_next, fx_text_of(sweep->identity.pod))) {
        sweep->said_stranger = false;
        return true;
    }
    if (!sweep->said_stranger) {
        fx_log(WARN,
               "we are no Pod of our namespace: status entries of replicas that are gone "
               "are not swept",
               fx_log_str("pod", sweep->identity.pod),
               fx_log_str("namespace", sweep->identity.namespace_));
        sweep->said_stranger = true;
    }
    return false;
}

static void take_pods(struct fx_cluster_sweep *sweep) {
    if (!is_among_them(sweep)) {
        fx_sweep_end_round(sweep);
        return;
    }
    sweep->due = sweep->due || !fx_sweep_names_hold_all(&sweep->pods_next, &sweep->pods);
    fx_sweep_names_finish(&sweep->pods);
    sweep->pods = sweep->pods_next;
    sweep->pods_next = (struct fx_sweep_names){0};
    const uint64_t now_ns = fx_clock_ns();
    if (sweep->due || sweep->suspects.n_items > 0 ||
        now_ns >= fx_sweep_foreign_next(&sweep->strangers)) {
        sweep->kind = 0;
        sweep->look_ns = now_ns;
        list_kind(sweep);
    } else {
        fx_sweep_end_round(sweep);
    }
}

static void on_pods(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_sweep *sweep = fx_sweep_of(user);
    sweep->call = NULL;
    if (answer->failure != NULL) {
        fx_sweep_log_failure(sweep, answer->failure);
        fx_sweep_end_round(sweep);
        return;
    }
    if (!fx_sweep_names_add_page(&sweep->pods_next, answer->object)) {
        end_without_memory(sweep);
    } else if (token_of(answer->object).len > 0) {
        list(sweep, token_of(answer->object), on_pods);
    } else {
        take_pods(sweep);
    }
}

static void begin_round(struct fx_cluster_sweep *sweep) {
    const char *ignored = NULL;
    if (!fx_cluster_policies_ready(sweep->policies, &ignored)) {
        fx_sweep_wake_in(sweep, sweep->times.wait_ms);
        return;
    }
    sweep->failed = false;
    sweep->resource = &pods;
    list(sweep, (struct fx_text){0}, on_pods);
}

/* ---- all of it ------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer) {
    struct fx_cluster_sweep *sweep = fx_sweep_of(timer->data);
    if (sweep->n_tasks > 0) {
        fx_sweep_write_next(sweep);
    } else {
        begin_round(sweep);
    }
}

struct fx_cluster_sweep *
fx_cluster_sweep_create(uv_loop_t *loop, struct fx_kube_client *client,
                        const struct fx_cluster_identity *identity,
                        const struct fx_cluster_policies *policies, struct fx_err *err) {
    struct fx_cluster_sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    sweep->magic = SWEEP_MAGIC;
    sweep->client = client;
    sweep->identity = *identity;
    sweep->policies = policies;
    sweep->times = usual;
    fx_status_manager(identity->pod, sweep->manager);
    (void)uv_timer_init(loop, &sweep->timer); /* cannot fail */
    sweep->timer.data = sweep;
    return sweep;
}

void fx_cluster_sweep_set_times(struct fx_cluster_sweep *sweep,
                                const struct fx_sweep_times *times) {
    sweep->times = *times;
}

/* As if nothing had ever been seen. */
static void forget(struct fx_cluster_sweep *sweep) {
    fx_kube_call_cancel(sweep->call);
    sweep->call = NULL;
    fx_sweep_drop_tasks(sweep);
    fx_sweep_names_finish(&sweep->pods);
    fx_sweep_names_finish(&sweep->pods_next);
    fx_sweep_names_finish(&sweep->suspects);
    fx_sweep_names_finish(&sweep->suspects_next);
    fx_sweep_foreign_finish(&sweep->strangers);
}

void fx_cluster_sweep_set_leader(struct fx_cluster_sweep *sweep, bool on) {
    if (on == sweep->on) {
        return;
    }
    sweep->on = on;
    sweep->due = on;
    forget(sweep);
    if (on) {
        fx_sweep_wake_in(sweep, 0);
    } else {
        (void)uv_timer_stop(&sweep->timer);
    }
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_sweep *sweep = fx_sweep_of(timer->data);
    sweep->magic = 0;
    free(sweep);
}

void fx_cluster_sweep_close(struct fx_cluster_sweep *sweep) {
    if (sweep == NULL) {
        return;
    }
    forget(sweep);
    uv_close((uv_handle_t *)&sweep->timer, on_closed);
}
