/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep.c - removes obsolete entries in rounds:
 *
 *   wait ─→ list the Pods ─→ is one gone? ─→ list the mutators ─→ write, one object after
 *     ↑                        │ no                                 the other ──────────┐
 *     └────────────────────────┴────────────────────────────────────────────────────────┘
 *
 * A Pod may be newer than the list of Pods. So an id that is not in the list is only a
 * suspect in the first pass; the next pass, a moment later, removes its entries if it
 * still is not in the list. Ids of other programs (sweep_plan.c) wait much longer, as
 * their Pods may be in another namespace.
 */
#include "cluster/status/sweep.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "cluster/policies/kinds.h"
#include "cluster/policies/policies.h"
#include "cluster/status/status_internal.h"
#include "kube/body.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define PAGE        "limit=500"
#define USELESS_MAX 64u /* the most useless pages of a list */

#define SWEEP_MAGIC 0x66787377u /* "fxsw" */

#define NS_IN_MS  UINT64_C(1000000)
#define MS_IN_MIN UINT64_C(60000)

static const struct fx_kube_resource pods = {"", "v1", "pods", "Pod"};

#define TASKS_MAX 256 /* the most tasks of one round; the next round finds the others */

/* An object to write. */
struct sweep_task {
    const struct fx_kube_resource *resource;
    char *namespace_, *name, *uid; /* namespace: empty if there is none */
    char *id;                      /* the entry to remove; NULL: all entries to drop */
    bool was_refused; /* the server refused the apply: update the object instead */
};

struct fx_cluster_sweep {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_kube_call *call; /* NULL: none in progress */
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_sweep_times times;
    bool leads;
    bool new_suspects;
    bool list_mutators; /* list them in the next round, even if no Pod is gone */
    struct fx_sweep_names pods, pods_next;         /* the last list */
    struct fx_sweep_names suspects, suspects_next; /* ids that were not Pods */
    struct fx_sweep_foreign foreign;               /* ids of other programs */
    uint64_t pass_ns;                        /* when the mutators were last listed */
    size_t kind;                             /* the kind that is being listed */
    const struct fx_kube_resource *resource; /* the version that is being listed */
    size_t n_pages;                          /* the pages of that list so far */
    struct sweep_task *tasks;
    size_t n_tasks, cap_tasks, at_task;
    enum fx_kube_reason logged; /* the last failure in the log */
    bool failed;                /* a request of this round failed */
    bool logged_no_pod;
    char manager[FX_STATUS_MANAGER_BYTES]; /* of this replica */
};

static struct fx_cluster_sweep *sweep_of(void *data) {
    struct fx_cluster_sweep *sweep = data;
    assert(sweep != NULL && sweep->magic == SWEEP_MAGIC);
    return sweep;
}

/* ---- tasks ----------------------------------------------------------------------- */

static void drop_tasks(struct fx_cluster_sweep *sweep) {
    for (size_t i = 0; i < sweep->n_tasks; i++) {
        free(sweep->tasks[i].namespace_);
        free(sweep->tasks[i].name);
        free(sweep->tasks[i].uid);
        free(sweep->tasks[i].id);
    }
    free(sweep->tasks);
    sweep->tasks = NULL;
    sweep->n_tasks = sweep->cap_tasks = sweep->at_task = 0;
}

/* Adds a task to remove the entry with that id from the object (empty: all entries for
 * which is_to_drop() is true). False without memory. */
static bool add_task(struct fx_cluster_sweep *sweep, const json_t *object,
                     struct fx_text id) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    if (!FX_VEC_GROW(sweep->tasks, sweep->n_tasks, sweep->cap_tasks)) {
        return false;
    }
    struct sweep_task *task = &sweep->tasks[sweep->n_tasks++];
    *task = (struct sweep_task){
        .resource = sweep->resource,
        .namespace_ = fx_text_dup(fx_tree_view_string(metadata, "namespace")),
        .name = fx_text_dup(fx_tree_view_string(metadata, "name")),
        .uid = fx_text_dup(fx_tree_view_string(metadata, "uid")),
        .id = id.len == 0 ? NULL : fx_text_dup(id),
    };
    return task->namespace_ != NULL && task->name != NULL && task->uid != NULL &&
           (id.len == 0 || task->id != NULL);
}

/* ---- rounds ---------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer);

static void run_in(struct fx_cluster_sweep *sweep, uint64_t ms) {
    (void)uv_timer_start(&sweep->timer, on_timer, ms, 0);
}

static void end_round(struct fx_cluster_sweep *sweep) {
    if (!sweep->failed) {
        sweep->logged = FX_KUBE_REASON_NONE;
    }
    drop_tasks(sweep);
    fx_sweep_names_finish(&sweep->pods_next);
    fx_sweep_names_finish(&sweep->suspects_next);
    run_in(sweep, sweep->new_suspects ? sweep->times.again_ms : sweep->times.round_ms);
    sweep->new_suspects = false;
}

static void log_failure(struct fx_cluster_sweep *sweep,
                        const struct fx_kube_failure *failure) {
    sweep->failed = true;
    fx_kube_failure_log("status entries of deleted replicas cannot be removed", failure,
                        &sweep->logged);
}

static void end_without_memory(struct fx_cluster_sweep *sweep) {
    fx_log(ERROR, "status entries not removed: too many Pods, or out of memory", {0});
    end_round(sweep);
}

/* Requests a page. `token` comes from the previous page; empty for the first. */
static void request_page(struct fx_cluster_sweep *sweep, struct fx_text token,
                         void (*on_page)(const struct fx_kube_answer *answer,
                                         void *user)) {
    const bool is_pods = sweep->resource == &pods;
    const size_t n_objects =
        is_pods ? sweep->pods_next.n_items : fx_cluster_policies_count(sweep->policies);
    sweep->n_pages = token.len > 0 ? sweep->n_pages + 1 : 1;
    /* A server may endlessly send empty pages, or the same page. */
    if (sweep->n_pages > n_objects + USELESS_MAX) {
        fx_log(ERROR, "status entries not removed: a list has endless pages",
               fx_log_str("resource", sweep->resource->plural));
        end_round(sweep);
        return;
    }
    struct fx_buf query = {0};
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

/* How to remove the entry; FX_SWEEP_NONE if its id is a Pod. */
static enum fx_sweep_method find_method(const struct fx_cluster_sweep *sweep,
                                        const json_t *object, struct fx_text id) {
    return fx_sweep_names_has(&sweep->pods, id)
               ? FX_SWEEP_NONE
               : fx_sweep_method_of(object, id, sweep->identity.pod);
}

/* Is the entry with that id to be removed by an update of the whole object? */
static bool is_to_drop(const struct fx_cluster_sweep *sweep, const json_t *object,
                       struct fx_text id) {
    switch (find_method(sweep, object, id)) {
    case FX_SWEEP_DROP: return fx_sweep_names_has(&sweep->suspects, id);
    case FX_SWEEP_FOREIGN:
        return fx_sweep_foreign_is_due(&sweep->foreign, id, sweep->pass_ns);
    case FX_SWEEP_NONE:
    case FX_SWEEP_APPLY: break;
    }
    return false;
}

/* ---- one object ------------------------------------------------------------------ */

static void end_task(struct fx_cluster_sweep *sweep) {
    sweep->at_task++;
    run_in(sweep, sweep->times.write_ms);
}

static void send_request(struct fx_cluster_sweep *sweep, const struct sweep_task *task,
                         const json_t *body, const char *manager);

/* If an apply would leave an empty list that a manager owns, an API server sets it to
 * null, and then refuses it (422). Then the object is updated without the entry
 * instead. */
static bool updates_instead(struct fx_cluster_sweep *sweep,
                            const struct fx_kube_failure *failure) {
    struct sweep_task *task = &sweep->tasks[sweep->at_task];
    if (failure == NULL || failure->status != 422 || task->id == NULL ||
        task->was_refused) {
        return false;
    }
    task->was_refused = true;
    send_request(sweep, task, NULL, NULL);
    return true;
}

/* Conflicts and deleted objects are not failures: the next round handles them. */
static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_sweep *sweep = sweep_of(user);
    sweep->call = NULL;
    if (updates_instead(sweep, answer->failure)) {
        return;
    }
    if (answer->failure != NULL && answer->failure->reason != FX_KUBE_REASON_CONFLICT &&
        answer->failure->reason != FX_KUBE_REASON_NOT_FOUND) {
        log_failure(sweep, answer->failure);
    }
    end_task(sweep);
}

static void on_read(const struct fx_kube_answer *answer, void *user);

/* Reads the object, or (with a manager) writes its status. Without memory, the next round
 * does it. */
static void send_request(struct fx_cluster_sweep *sweep, const struct sweep_task *task,
                         const json_t *body, const char *manager) {
    const bool applies = task->id != NULL && !task->was_refused;
    const struct fx_kube_request request = {
        .verb = manager == NULL ? FX_KUBE_VERB_GET
                : applies       ? FX_KUBE_VERB_APPLY
                                : FX_KUBE_VERB_UPDATE,
        .resource = task->resource,
        .name = {.namespace_ = fx_text_of(task->namespace_),
                 .name = fx_text_of(task->name),
                 .subresource = manager == NULL ? NULL : "status",
                 .everywhere = true},
        .body = body,
        .manager = manager,
    };
    sweep->call = manager != NULL && body == NULL
                      ? NULL
                      : fx_kube_call_start(sweep->client, &request,
                                           manager == NULL ? on_read : on_written, sweep);
    if (sweep->call == NULL) {
        end_task(sweep);
    }
}

/* Sends an empty apply as the manager of the deleted replica. */
static void apply_nothing(struct fx_cluster_sweep *sweep, const struct sweep_task *task) {
    char manager[FX_STATUS_MANAGER_BYTES];
    json_t *body = fx_kube_body_new(task->resource, fx_text_of(task->namespace_),
                                    fx_text_of(task->name), fx_text_of(task->uid));
    fx_status_manager(task->id, manager);
    send_request(sweep, task, body, manager);
    json_decref(body);
}

/* The ids to remove from the object, NULL-terminated; their texts are borrowed from the
 * object. NULL if there are none, or without memory. */
static const char **collect_entries(const struct fx_cluster_sweep *sweep,
                                    const struct sweep_task *task, const json_t *object) {
    const json_t *entries = view_entries(object);
    const char **ids = calloc(json_array_size(entries) + 1, sizeof *ids);
    size_t n = 0;
    for (size_t i = 0; ids != NULL && i < json_array_size(entries); i++) {
        const json_t *node = fx_tree_view_key(json_array_get(entries, i), "id");
        const struct fx_text id = fx_tree_text(node);
        if (task->id != NULL ? fx_text_is(id, task->id) : is_to_drop(sweep, object, id)) {
            ids[n++] = json_string_value(node);
        }
    }
    if (n == 0) {
        free(ids);
        return NULL;
    }
    return ids;
}

static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_sweep *sweep = sweep_of(user);
    const struct sweep_task *task = &sweep->tasks[sweep->at_task];
    const struct fx_text uid =
        fx_tree_view_string(fx_tree_view_key(answer->object, "metadata"), "uid");
    sweep->call = NULL;
    if (answer->failure != NULL || !fx_text_is(uid, task->uid)) {
        on_written(answer, sweep);
        return;
    }
    const char **ids = collect_entries(sweep, task, answer->object);
    if (ids == NULL) {
        end_task(sweep);
        return;
    }
    json_t *body = fx_status_drop(answer->object, ids);
    send_request(sweep, task, body, sweep->manager);
    json_decref(body);
    free(ids);
}

/* Starts the next task; after the last one the round ends. */
static void write_next(struct fx_cluster_sweep *sweep) {
    if (sweep->at_task == sweep->n_tasks) {
        end_round(sweep);
        if (sweep->list_mutators) {
            run_in(sweep, sweep->times.write_ms); /* there are more tasks */
        }
        return;
    }
    const struct sweep_task *task = &sweep->tasks[sweep->at_task];
    if (task->id != NULL) {
        apply_nothing(sweep, task);
    } else {
        send_request(sweep, task, NULL, NULL);
    }
}

/* ---- a pass over the mutators ---------------------------------------------------- */

/* Checks an entry: records its id, and adds a task if the entry is removed by an apply.
 * False without memory. */
static bool check_entry(struct fx_cluster_sweep *sweep, const json_t *object,
                        struct fx_text id) {
    const enum fx_sweep_method method = find_method(sweep, object, id);
    if (method == FX_SWEEP_NONE) {
        return true;
    }
    if (method == FX_SWEEP_FOREIGN) {
        return fx_sweep_foreign_see(&sweep->foreign, id,
                                    sweep->pass_ns + sweep->times.foreign_ms * NS_IN_MS);
    }
    const bool again = fx_sweep_names_has(&sweep->suspects, id);
    return (again || fx_sweep_names_add(&sweep->suspects_next, id)) &&
           (!again || method != FX_SWEEP_APPLY || add_task(sweep, object, id));
}

static bool check_object(struct fx_cluster_sweep *sweep, const json_t *object) {
    const json_t *entries = view_entries(object);
    bool drops = false;
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const struct fx_text id = fx_tree_view_string(json_array_get(entries, i), "id");
        ok = check_entry(sweep, object, id);
        drops = drops || is_to_drop(sweep, object, id);
    }
    return ok && (!drops || add_task(sweep, object, (struct fx_text){0}));
}

/* Logs an id whose entries come back each time they are removed. */
static void end_foreign(struct fx_cluster_sweep *sweep) {
    const char *id = fx_sweep_foreign_end_pass(&sweep->foreign, sweep->pass_ns,
                                               sweep->times.rest_ms * NS_IN_MS);
    if (id != NULL) {
        fx_log(WARN,
               "status entries of another program come back each time they are removed: "
               "is another controller still running? They are left alone for a day",
               fx_log_str("id", id));
    }
}

/* Ends a pass. The suspects of the last pass have been found again now, or are gone, so
 * only new ones stay suspects; if the pass was cut short, the old ones stay, too. */
static void end_pass(struct fx_cluster_sweep *sweep, bool is_whole) {
    bool ok = true;
    sweep->new_suspects = sweep->suspects_next.n_items > 0;
    if (is_whole) {
        end_foreign(sweep);
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
    sweep->list_mutators = !is_whole;
    write_next(sweep);
}

static void list_kind(struct fx_cluster_sweep *sweep);

static void on_objects(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_sweep *sweep = sweep_of(user);
    sweep->call = NULL;
    const bool is_absent =
        answer->failure != NULL && answer->failure->reason == FX_KUBE_REASON_UNKNOWN;
    if (answer->failure != NULL && !is_absent) {
        log_failure(sweep, answer->failure);
        end_round(sweep);
        return;
    }
    const json_t *items = fx_tree_view_key(answer->object, "items");
    for (size_t i = 0; i < json_array_size(items) && sweep->n_tasks < TASKS_MAX; i++) {
        if (!check_object(sweep, json_array_get(items, i))) {
            end_without_memory(sweep);
            return;
        }
    }
    if (sweep->n_tasks >= TASKS_MAX) {
        end_pass(sweep, false);
    } else if (token_of(answer->object).len > 0) {
        request_page(sweep, token_of(answer->object), on_objects);
    } else {
        sweep->kind++;
        list_kind(sweep);
    }
}

/* Lists the next kind that exists, from `kind` on. */
static void list_kind(struct fx_cluster_sweep *sweep) {
    for (; sweep->kind < fx_cluster_kinds_count(); sweep->kind++) {
        struct fx_kube_reflector_status status;
        if (fx_cluster_kind_has(fx_cluster_kind_at(sweep->kind), FX_KIND_STATUS_BY_POD) &&
            fx_cluster_policies_get_status(sweep->policies, sweep->kind, &status) &&
            status.version != NULL && status.state != FX_KUBE_STATE_ABSENT) {
            sweep->resource = status.version;
            request_page(sweep, (struct fx_text){0}, on_objects);
            return;
        }
    }
    end_pass(sweep, true);
}

/* ---- Pods ------------------------------------------------------------------------ */

static void handle_pods(struct fx_cluster_sweep *sweep) {
    const bool has_own_pod =
        fx_sweep_names_has(&sweep->pods_next, fx_text_of(sweep->identity.pod));
    if (!has_own_pod && !sweep->logged_no_pod) {
        fx_log(WARN,
               "this process is not a Pod of its namespace: status entries of deleted "
               "replicas are not removed",
               fx_log_str("pod", sweep->identity.pod),
               fx_log_str("namespace", sweep->identity.namespace_));
    }
    sweep->logged_no_pod = !has_own_pod;
    if (!has_own_pod) { /* then the list is not of our replicas */
        end_round(sweep);
        return;
    }
    sweep->list_mutators =
        sweep->list_mutators || !fx_sweep_names_hold_all(&sweep->pods_next, &sweep->pods);
    fx_sweep_names_finish(&sweep->pods);
    sweep->pods = sweep->pods_next;
    sweep->pods_next = (struct fx_sweep_names){0};
    const uint64_t now_ns = fx_clock_ns();
    if (sweep->list_mutators || sweep->suspects.n_items > 0 ||
        now_ns >= fx_sweep_foreign_next(&sweep->foreign)) {
        sweep->kind = 0;
        sweep->pass_ns = now_ns;
        list_kind(sweep);
    } else {
        end_round(sweep);
    }
}

static void on_pods(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_sweep *sweep = sweep_of(user);
    sweep->call = NULL;
    if (answer->failure != NULL) {
        log_failure(sweep, answer->failure);
        end_round(sweep);
        return;
    }
    if (!fx_sweep_names_add_page(&sweep->pods_next, answer->object)) {
        end_without_memory(sweep);
    } else if (token_of(answer->object).len > 0) {
        request_page(sweep, token_of(answer->object), on_pods);
    } else {
        handle_pods(sweep);
    }
}

static void begin_round(struct fx_cluster_sweep *sweep) {
    const char *ignored = NULL;
    if (!fx_cluster_policies_ready(sweep->policies, &ignored)) {
        run_in(sweep, sweep->times.wait_ms);
        return;
    }
    sweep->failed = false;
    sweep->resource = &pods;
    request_page(sweep, (struct fx_text){0}, on_pods);
}

/* ---- life ------------------------------------------------------------------------ */

static void on_timer(uv_timer_t *timer) {
    struct fx_cluster_sweep *sweep = sweep_of(timer->data);
    if (sweep->n_tasks > 0) {
        write_next(sweep);
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
    sweep->times = (struct fx_sweep_times){
        .round_ms = 60000,
        .again_ms = 10000,
        .wait_ms = 5000,
        .write_ms = 200,
        .foreign_ms = 10 * MS_IN_MIN,
        .rest_ms = UINT64_C(24) * 60 * MS_IN_MIN,
    };
    fx_status_manager(identity->pod, sweep->manager);
    (void)uv_timer_init(loop, &sweep->timer); /* cannot fail */
    sweep->timer.data = sweep;
    return sweep;
}

void fx_cluster_sweep_set_times(struct fx_cluster_sweep *sweep,
                                const struct fx_sweep_times *times) {
    sweep->times = *times;
}

size_t fx_cluster_sweep_count_foreign(const struct fx_cluster_sweep *sweep) {
    return sweep->foreign.n_items;
}

/* Forgets everything from earlier passes. */
static void reset_sweep(struct fx_cluster_sweep *sweep) {
    fx_kube_call_cancel(sweep->call);
    sweep->call = NULL;
    drop_tasks(sweep);
    fx_sweep_names_finish(&sweep->pods);
    fx_sweep_names_finish(&sweep->pods_next);
    fx_sweep_names_finish(&sweep->suspects);
    fx_sweep_names_finish(&sweep->suspects_next);
    fx_sweep_foreign_finish(&sweep->foreign);
}

void fx_cluster_sweep_set_leader(struct fx_cluster_sweep *sweep, bool leads) {
    if (leads == sweep->leads) {
        return;
    }
    sweep->leads = leads;
    sweep->list_mutators = leads;
    reset_sweep(sweep);
    if (leads) {
        run_in(sweep, 0);
    } else {
        (void)uv_timer_stop(&sweep->timer);
    }
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_sweep *sweep = sweep_of(timer->data);
    sweep->magic = 0;
    free(sweep);
}

void fx_cluster_sweep_close(struct fx_cluster_sweep *sweep) {
    if (sweep == NULL) {
        return;
    }
    reset_sweep(sweep);
    uv_close((uv_handle_t *)&sweep->timer, on_closed);
}
