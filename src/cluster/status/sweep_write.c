/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_write.c - removes entries, one object after the other.
 */
#include "cluster/status/sweep_internal.h"

#include <stdlib.h>

#include "base/vec.h"
#include "kube/body.h"
#include "value/tree.h"

void fx_sweep_drop_tasks(struct fx_cluster_sweep *sweep) {
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

bool fx_sweep_add_task(struct fx_cluster_sweep *sweep, const json_t *object,
                       struct fx_text id) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    if (!FX_VEC_GROW(sweep->tasks, sweep->n_tasks, sweep->cap_tasks)) {
        return false;
    }
    struct fx_sweep_task *task = &sweep->tasks[sweep->n_tasks++];
    *task = (struct fx_sweep_task){
        .resource = sweep->resource,
        .namespace_ = fx_text_dup(fx_tree_view_string(metadata, "namespace")),
        .name = fx_text_dup(fx_tree_view_string(metadata, "name")),
        .uid = fx_text_dup(fx_tree_view_string(metadata, "uid")),
        .id = id.len == 0 ? NULL : fx_text_dup(id),
    };
    return task->namespace_ != NULL && task->name != NULL && task->uid != NULL &&
           (id.len == 0 || task->id != NULL);
}

/* ---- one object ----------------------------------------------------------------- */

static void end_task(struct fx_cluster_sweep *sweep) {
    sweep->at_task++;
    fx_sweep_run_in(sweep, sweep->times.write_ms);
}

static void read_first(struct fx_cluster_sweep *sweep, const struct fx_sweep_task *task);

/* If an apply would leave an empty list that somebody owns, an API server makes it null,
 * and then refuses it (422): the object is updated without the entry instead. */
static bool updates_instead(struct fx_cluster_sweep *sweep,
                            const struct fx_kube_failure *failure) {
    struct fx_sweep_task *task = &sweep->tasks[sweep->at_task];
    if (failure == NULL || failure->status != 422 || task->id == NULL ||
        task->was_refused) {
        return false;
    }
    task->was_refused = true;
    read_first(sweep, task);
    return true;
}

/* Conflicts and deleted objects are not failures: the next round handles them. */
static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_sweep *sweep = fx_sweep_of(user);
    sweep->call = NULL;
    if (updates_instead(sweep, answer->failure)) {
        return;
    }
    if (answer->failure != NULL && answer->failure->reason != FX_KUBE_REASON_CONFLICT &&
        answer->failure->reason != FX_KUBE_REASON_NOT_FOUND) {
        fx_sweep_log_failure(sweep, answer->failure);
    }
    end_task(sweep);
}

static struct fx_kube_name name_of(const struct fx_sweep_task *task,
                                   const char *subresource) {
    return (struct fx_kube_name){
        .namespace_ = fx_text_of(task->namespace_),
        .name = fx_text_of(task->name),
        .subresource = subresource,
        .everywhere = true,
    };
}

/* Without memory the next round handles it. */
static void send_body(struct fx_cluster_sweep *sweep, const struct fx_sweep_task *task,
                      const json_t *body, const char *manager) {
    const bool applies = task->id != NULL && !task->was_refused;
    const struct fx_kube_request request = {
        .verb = applies ? FX_KUBE_VERB_APPLY : FX_KUBE_VERB_UPDATE,
        .resource = task->resource,
        .name = name_of(task, "status"),
        .body = body,
        .manager = manager,
    };
    sweep->call = body == NULL
                      ? NULL
                      : fx_kube_call_start(sweep->client, &request, on_written, sweep);
    if (sweep->call == NULL) {
        end_task(sweep);
    }
}

/* An empty apply as the manager of the deleted replica. */
static void apply_nothing(struct fx_cluster_sweep *sweep,
                          const struct fx_sweep_task *task) {
    char manager[FX_STATUS_MANAGER_BYTES];
    json_t *body = fx_kube_body_new(task->resource, fx_text_of(task->namespace_),
                                    fx_text_of(task->name), fx_text_of(task->uid));
    fx_status_manager(task->id, manager);
    send_body(sweep, task, body, manager);
    json_decref(body);
}

static bool is_to_go(const struct fx_cluster_sweep *sweep,
                     const struct fx_sweep_task *task, const json_t *object,
                     struct fx_text id) {
    return task->id != NULL ? fx_text_is(id, task->id)
                            : fx_sweep_is_to_drop(sweep, object, id);
}

/* The ids to remove from the object as it is now, terminated by NULL; their texts are
 * borrowed from the object. NULL if there are none, or without memory. */
static const char **collect(const struct fx_cluster_sweep *sweep,
                            const struct fx_sweep_task *task, const json_t *object) {
    const json_t *entries = fx_tree_view_key(fx_tree_view_key(object, "status"), "byPod");
    const char **ids = calloc(json_array_size(entries) + 1, sizeof *ids);
    size_t n = 0;
    for (size_t i = 0; ids != NULL && i < json_array_size(entries); i++) {
        const json_t *node = fx_tree_view_key(json_array_get(entries, i), "id");
        if (is_to_go(sweep, task, object, fx_tree_text(node))) {
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
    struct fx_cluster_sweep *sweep = fx_sweep_of(user);
    const struct fx_sweep_task *task = &sweep->tasks[sweep->at_task];
    const struct fx_text uid =
        fx_tree_view_string(fx_tree_view_key(answer->object, "metadata"), "uid");
    sweep->call = NULL;
    if (answer->failure != NULL || !fx_text_is(uid, task->uid)) {
        on_written(answer, sweep);
        return;
    }
    const char **ids = collect(sweep, task, answer->object);
    if (ids == NULL) {
        end_task(sweep);
        return;
    }
    json_t *body = fx_status_drop(answer->object, ids);
    send_body(sweep, task, body, sweep->manager);
    json_decref(body);
    free(ids);
}

static void read_first(struct fx_cluster_sweep *sweep, const struct fx_sweep_task *task) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = task->resource,
        .name = name_of(task, NULL),
    };
    sweep->call = fx_kube_call_start(sweep->client, &request, on_read, sweep);
    if (sweep->call == NULL) {
        end_task(sweep);
    }
}

void fx_sweep_write_next(struct fx_cluster_sweep *sweep) {
    if (sweep->at_task == sweep->n_tasks) {
        fx_sweep_end_round(sweep);
        if (sweep->list_mutators) {
            fx_sweep_run_in(sweep, sweep->times.write_ms); /* there are more tasks */
        }
        return;
    }
    const struct fx_sweep_task *task = &sweep->tasks[sweep->at_task];
    if (task->id != NULL) {
        apply_nothing(sweep, task);
    } else {
        read_first(sweep, task);
    }
}
