/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_write.c - writes what the queues hold.
 */
#include "cluster/status/status_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define PAUSE_NS      (UINT64_C(20) * 1000000) /* between two: fifty a second */
#define NS_IN_S       UINT64_C(1000000000)
#define READY_MANAGER "fixpoint"

static struct fx_status_queue *queue_of(const struct fx_status_write *write) {
    return &write->status->queues[write->part];
}

/* ---- the end of a write --------------------------------------------------------------
 */

static void end_write(struct fx_status_write *write, uint64_t wait_ns) {
    fx_status_queue_put_back(queue_of(write), write->key, wait_ns, fx_clock_ns());
    free(write->key);
    write->key = NULL;
    write->call = NULL;
    fx_status_run_in(write->status, 0);
}

/* Conflicts and deleted objects are not logged. */
static void log_failure(struct fx_cluster_status *status,
                        const struct fx_kube_failure *failure) {
    if (failure->reason != FX_KUBE_REASON_CONFLICT &&
        failure->reason != FX_KUBE_REASON_NOT_FOUND) {
        fx_kube_failure_log("status not written: it will be retried", failure,
                            &status->logged);
    }
}

static void fail_write(struct fx_status_write *write,
                       const struct fx_kube_failure *failure) {
    write->status->counts.failed++;
    log_failure(write->status, failure);
    if (failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        fx_status_queue_drop(queue_of(write), write->key);
    }
    end_write(write, failure->retry_after_s * NS_IN_S);
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct fx_status_write *write = user;
    struct fx_cluster_status *status = fx_status_of(write->status);
    if (answer->failure != NULL) {
        fail_write(write, answer->failure);
        return;
    }
    status->counts.written++;
    status->logged = FX_KUBE_REASON_NONE;
    end_write(write, 0);
}

/* ---- a write -------------------------------------------------------------------------
 */

static struct fx_kube_name name_of(const struct fx_cluster_object *object,
                                   const char *subresource) {
    return (struct fx_kube_name){
        .namespace_ = object->namespace_,
        .name = object->name,
        .subresource = subresource,
        .everywhere = true,
    };
}

/* Sends the body; false without memory. */
static bool send_body(struct fx_status_write *write,
                      const struct fx_cluster_object *object, const json_t *body,
                      bool applies) {
    struct fx_cluster_status *status = write->status;
    const struct fx_kube_request request = {
        .verb = applies ? FX_KUBE_VERB_APPLY : FX_KUBE_VERB_UPDATE,
        .resource = object->resource,
        .name = name_of(object, "status"),
        .body = body,
        .manager = write->part == FX_STATUS_READY ? READY_MANAGER : status->manager,
        .force = applies,
    };
    write->call = fx_kube_call_start(status->client, &request, on_written, write);
    return write->call != NULL;
}

/* The object of a write, and the part as it should be. False if there is nothing to write
 * (the object is gone, or newer than the build; another replica leads now), or without
 * memory. */
static bool find_wanted(const struct fx_status_write *write,
                        const struct fx_cluster_object **ret_object,
                        json_t **ret_wanted) {
    struct fx_cluster_status *status = write->status;
    const struct fx_cluster_object *object =
        fx_cluster_policies_find(status->policies, write->key);
    if (object == NULL || !fx_cluster_status_is_built(status->built, object) ||
        !fx_status_has(status, write->part, object)) {
        fx_status_queue_drop(queue_of(write), write->key);
        return false;
    }
    *ret_object = object;
    *ret_wanted = fx_status_make(status, write->part, object);
    return *ret_wanted != NULL;
}

/* False if the object was deleted and created again meanwhile. */
static bool is_same(const struct fx_cluster_object *object, const json_t *read) {
    return fx_text_equal(object->uid,
                         fx_tree_view_string(fx_tree_view_key(read, "metadata"), "uid"));
}

/* Merges the entry into the list that was read, and writes the object back. */
static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct fx_status_write *write = user;
    const struct fx_cluster_object *object = NULL;
    json_t *entry = NULL;
    write->call = NULL;
    if (answer->failure != NULL) {
        fail_write(write, answer->failure);
        return;
    }
    if (!find_wanted(write, &object, &entry) || !is_same(object, answer->object)) {
        json_decref(entry);
        end_write(write, 0);
        return;
    }
    json_t *body = fx_status_merge(answer->object, entry);
    if (body == NULL || !send_body(write, object, body, false)) {
        end_write(write, 0);
    }
    json_decref(body);
    json_decref(entry);
}

static bool read_first(struct fx_status_write *write,
                       const struct fx_cluster_object *object) {
    struct fx_cluster_status *status = write->status;
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = object->resource,
        .name = name_of(object, NULL),
    };
    write->call = fx_kube_call_start(status->client, &request, on_read, write);
    return write->call != NULL;
}

static bool apply_part(struct fx_status_write *write,
                       const struct fx_cluster_object *object, json_t *wanted) {
    json_t *body = fx_status_apply(
        object, write->part == FX_STATUS_READY ? "conditions" : "byPod", wanted);
    const bool ok = body != NULL && send_body(write, object, body, true);
    json_decref(body);
    return ok;
}

/* Conditions are always applied. */
static bool applies(const struct fx_status_write *write,
                    const struct fx_cluster_object *object) {
    return write->part == FX_STATUS_READY ||
           fx_status_schemas_get(write->status->schemas, object->resource).by_pod ==
               FX_STATUS_KEYED;
}

static void begin_write(struct fx_status_write *write, const char *key) {
    const struct fx_cluster_object *object = NULL;
    json_t *wanted = NULL;
    write->key = strdup(key);
    if (write->key == NULL) {
        fx_status_queue_put_back(queue_of(write), key, 0, fx_clock_ns());
        return;
    }
    if (!find_wanted(write, &object, &wanted)) {
        end_write(write, 0);
        return;
    }
    if (!(applies(write, object) ? apply_part(write, object, wanted)
                                 : read_first(write, object))) {
        end_write(write, 0);
    }
    json_decref(wanted);
}

/* ---- scheduling
 * ------------------------------------------------------------------------ */

static struct fx_status_write *find_free(struct fx_cluster_status *status) {
    for (size_t i = 0; i < FX_STATUS_WRITES; i++) {
        if (status->writes[i].key == NULL) {
            return &status->writes[i];
        }
    }
    return NULL;
}

/* The next task of either part, alternating. */
static struct fx_status_task *next_task(struct fx_cluster_status *status, uint64_t now_ns,
                                        enum fx_status_part *ret_part) {
    for (size_t i = 0; i < FX_STATUS_PARTS; i++) {
        const size_t part = (status->next_part + i) % FX_STATUS_PARTS;
        struct fx_status_task *task = fx_status_queue_take(&status->queues[part], now_ns);
        if (task != NULL) {
            status->next_part = part + 1;
            *ret_part = (enum fx_status_part)part;
            return task;
        }
    }
    return NULL;
}

void fx_status_write_next(struct fx_cluster_status *status) {
    const uint64_t now_ns = fx_clock_ns();
    struct fx_status_write *write = find_free(status);
    if (write == NULL || now_ns < status->next_write_ns ||
        !fx_status_schemas_known(status->schemas)) {
        return;
    }
    const struct fx_status_task *task = next_task(status, now_ns, &write->part);
    if (task != NULL) {
        status->next_write_ns = now_ns + PAUSE_NS;
        begin_write(write, task->key);
    }
}

uint64_t fx_status_next_write_ns(struct fx_cluster_status *status) {
    uint64_t at_ns = UINT64_MAX;
    if (find_free(status) == NULL || !fx_status_schemas_known(status->schemas)) {
        return at_ns;
    }
    for (size_t i = 0; i < FX_STATUS_PARTS; i++) {
        const uint64_t due_ns = fx_status_queue_next(&status->queues[i]);
        at_ns = due_ns != 0 && due_ns < at_ns ? due_ns : at_ns;
    }
    return at_ns < status->next_write_ns ? status->next_write_ns : at_ns;
}
