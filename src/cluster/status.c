/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status.c - from builds to entries that differ, from those to writes:
 *
 *   review, a slice of the objects at a time → queue → a few writes at a time → seen
 *                                                ↑ again, later ←┘
 */
#include "cluster/status.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cluster/outage.h"
#include "cluster/status_lists.h"
#include "cluster/status_merge.h"
#include "cluster/status_queue.h"
#include "value/tree.h"

#define SLICE    64 /* objects that are looked at in one turn of the loop */
#define WRITES   4  /* under way at a time */
#define PAUSE_NS (UINT64_C(20) * 1000000) /* between two: fifty a second */
#define NS_IN_MS UINT64_C(1000000)
#define NS_IN_S  UINT64_C(1000000000)
#define AGAIN_NS (10 * NS_IN_S) /* where memory was short */

#define STATUS_MAGIC 0x66787374u /* "fxst" */

struct write {
    struct fx_cluster_status *status;
    struct fx_kube_call *call; /* NULL: free */
    char *key;
};

struct fx_cluster_status {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_status_lists *lists;
    struct fx_policies *built; /* counted; NULL: none yet */
    size_t cursor;             /* objects before it were looked at under `built` */
    bool reviewing;
    uint64_t again_ns; /* when all are looked at once more; 0: no need */
    struct fx_status_queue queue;
    struct write writes[WRITES];
    uint64_t next_write_ns;
    struct fx_cluster_status_counts counts;
    enum fx_kube_reason told; /* the failure that was logged last */
    char manager[FX_STATUS_MANAGER_BYTES];
};

static struct fx_cluster_status *status_of(void *data) {
    struct fx_cluster_status *status = data;
    assert(status != NULL && status->magic == STATUS_MAGIC);
    return status;
}

static void wake(struct fx_cluster_status *status, uint64_t ms);

/* ---- what differs ---------------------------------------------------------------- */

/* An object that is newer than the build waits for the next one. */
static void compare(struct fx_cluster_status *status,
                    const struct fx_cluster_object *object) {
    if (!object->kind->is_mutator || !fx_cluster_status_is_built(status->built, object)) {
        return;
    }
    json_t *entry = fx_cluster_status_entry(&status->identity, status->built, object);
    const uint64_t wanted = entry == NULL ? 0 : fx_cluster_status_digest(entry);
    const uint64_t now_ns = fx_clock_ns();
    if (entry != NULL && wanted == object->own_status) {
        fx_status_queue_settle(&status->queue, object->key, now_ns);
    } else if (entry == NULL ||
               !fx_status_queue_add(&status->queue, object->key, wanted, now_ns)) {
        status->again_ns = now_ns + AGAIN_NS; /* no memory */
    }
    json_decref(entry);
}

static void review_slice(struct fx_cluster_status *status) {
    const size_t n = fx_cluster_policies_count(status->policies);
    for (size_t i = 0; i < SLICE && status->cursor < n; i++) {
        compare(status, fx_cluster_policies_at(status->policies, status->cursor++));
    }
    status->reviewing = status->cursor < n;
}

static void set_built(struct fx_cluster_status *status, struct fx_policies *built) {
    fx_policies_ref(built);
    fx_policies_unref(status->built);
    status->built = built;
}

static void begin_review(struct fx_cluster_status *status) {
    status->cursor = 0;
    status->reviewing = true;
    status->again_ns = 0;
}

void fx_cluster_status_review(struct fx_cluster_status *status,
                              struct fx_policies *built) {
    set_built(status, built);
    begin_review(status);
    wake(status, 0);
}

void fx_cluster_status_review_one(struct fx_cluster_status *status,
                                  struct fx_policies *built,
                                  const struct fx_cluster_object *object) {
    set_built(status, built);
    compare(status, object);
    wake(status, 0);
}

/* ---- writing --------------------------------------------------------------------- */

static void end_write(struct write *write, uint64_t wait_ns) {
    struct fx_cluster_status *status = write->status;
    fx_status_queue_put_back(&status->queue, write->key, wait_ns, fx_clock_ns());
    free(write->key);
    write->key = NULL;
    write->call = NULL;
    wake(status, 0);
}

/* The same failure again is no news; nor is it that somebody else was first, or that the
 * object is gone. */
static void tell_failure(struct fx_cluster_status *status,
                         const struct fx_kube_failure *failure) {
    if (failure->reason != status->told && failure->reason != FX_KUBE_REASON_CONFLICT &&
        failure->reason != FX_KUBE_REASON_NOT_FOUND) {
        fx_outage_tell_write("status not written: it is tried again", failure);
        status->told = failure->reason;
    }
}

static void fail_write(struct write *write, const struct fx_kube_failure *failure) {
    struct fx_cluster_status *status = write->status;
    status->counts.failed++;
    tell_failure(status, failure);
    if (failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        fx_status_queue_drop(&status->queue, write->key);
    }
    end_write(write, failure->retry_after_s * NS_IN_S);
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct write *write = user;
    struct fx_cluster_status *status = status_of(write->status);
    if (answer->failure != NULL) {
        fail_write(write, answer->failure);
        return;
    }
    status->counts.written++;
    status->told = FX_KUBE_REASON_NONE;
    end_write(write, 0);
}

/* Sends the object; false where not even a failure can be told. */
static bool send_body(struct write *write, const struct fx_cluster_object *object,
                      const json_t *body, bool keyed) {
    struct fx_cluster_status *status = write->status;
    const struct fx_kube_request request = {
        .verb = keyed ? FX_KUBE_VERB_APPLY : FX_KUBE_VERB_UPDATE,
        .resource = object->resource,
        .name = {.name = object->name, .subresource = "status"},
        .body = body,
        .manager = status->manager,
        .force = keyed,
    };
    write->call = fx_kube_call_start(status->client, &request, on_written, write);
    return write->call != NULL;
}

/* The object of a write, with its entry as it ought to be; false where there is nothing
 * to be said (the object is gone, or newer than the build, which the next one sees to),
 * or no memory. */
static bool find_entry(const struct write *write,
                       const struct fx_cluster_object **ret_object, json_t **ret_entry) {
    struct fx_cluster_status *status = write->status;
    const struct fx_cluster_object *object =
        fx_cluster_policies_find(status->policies, write->key);
    if (object == NULL || !fx_cluster_status_is_built(status->built, object)) {
        fx_status_queue_drop(&status->queue, write->key);
        return false;
    }
    *ret_object = object;
    *ret_entry = fx_cluster_status_entry(&status->identity, status->built, object);
    return *ret_entry != NULL;
}

/* One that was deleted and made anew meanwhile is another one. */
static bool is_same(const struct fx_cluster_object *object, const json_t *read) {
    return fx_text_equal(object->uid,
                         fx_tree_view_string(fx_tree_view_key(read, "metadata"), "uid"));
}

/* The object was read: its list is merged and written back. */
static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct write *write = user;
    const struct fx_cluster_object *object = NULL;
    json_t *entry = NULL;
    write->call = NULL;
    if (answer->failure != NULL) {
        fail_write(write, answer->failure);
        return;
    }
    if (!find_entry(write, &object, &entry) || !is_same(object, answer->object)) {
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

static bool read_first(struct write *write, const struct fx_cluster_object *object) {
    struct fx_cluster_status *status = write->status;
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = object->resource,
        .name = {.name = object->name},
    };
    write->call = fx_kube_call_start(status->client, &request, on_read, write);
    return write->call != NULL;
}

static bool apply(struct write *write, const struct fx_cluster_object *object,
                  json_t *entry) {
    json_t *body = fx_status_apply(object, entry);
    const bool ok = body != NULL && send_body(write, object, body, true);
    json_decref(body);
    return ok;
}

static void begin_write(struct write *write, const char *key) {
    struct fx_cluster_status *status = write->status;
    const struct fx_cluster_object *object = NULL;
    json_t *entry = NULL;
    write->key = strdup(key);
    if (write->key == NULL) {
        fx_status_queue_put_back(&status->queue, key, 0, fx_clock_ns());
        return;
    }
    if (!find_entry(write, &object, &entry)) {
        end_write(write, 0);
        return;
    }
    const bool keyed = fx_status_lists_is_keyed(status->lists, object->resource);
    if (!(keyed ? apply(write, object, entry) : read_first(write, object))) {
        end_write(write, 0);
    }
    json_decref(entry);
}

static struct write *find_free(struct fx_cluster_status *status) {
    for (size_t i = 0; i < WRITES; i++) {
        if (status->writes[i].key == NULL) {
            return &status->writes[i];
        }
    }
    return NULL;
}

/* Begins what is due, as far as there is room and it is time. */
static void write_some(struct fx_cluster_status *status) {
    const uint64_t now_ns = fx_clock_ns();
    struct write *write = find_free(status);
    if (write == NULL || now_ns < status->next_write_ns ||
        !fx_status_lists_known(status->lists)) {
        return;
    }
    struct fx_status_task *task = fx_status_queue_take(&status->queue, now_ns);
    if (task != NULL) {
        status->next_write_ns = now_ns + PAUSE_NS;
        begin_write(write, task->key);
    }
}

/* ---- turns ----------------------------------------------------------------------- */

static uint64_t ms_until(uint64_t then_ns) {
    const uint64_t now_ns = fx_clock_ns();
    return then_ns <= now_ns ? 0 : (then_ns - now_ns) / NS_IN_MS + 1;
}

/* When something is to be written or looked at; UINT64_MAX: no such time is known. */
static uint64_t next_turn_ns(struct fx_cluster_status *status) {
    const uint64_t due_ns = fx_status_queue_next(&status->queue);
    uint64_t at_ns = status->again_ns != 0 ? status->again_ns : UINT64_MAX;
    if (due_ns != 0 && find_free(status) != NULL &&
        fx_status_lists_known(status->lists)) {
        const uint64_t write_ns =
            due_ns > status->next_write_ns ? due_ns : status->next_write_ns;
        at_ns = write_ns < at_ns ? write_ns : at_ns;
    }
    return at_ns;
}

static void on_timer(uv_timer_t *timer) {
    struct fx_cluster_status *status = status_of(timer->data);
    if (status->again_ns != 0 && fx_clock_ns() >= status->again_ns) {
        begin_review(status);
    }
    if (status->reviewing) {
        review_slice(status);
    }
    write_some(status);
    const uint64_t at_ns = next_turn_ns(status);
    if (status->reviewing) {
        wake(status, 1);
    } else if (at_ns != UINT64_MAX) {
        wake(status, ms_until(at_ns));
    }
}

static void wake(struct fx_cluster_status *status, uint64_t ms) {
    (void)uv_timer_start(&status->timer, on_timer, ms, 0); /* it has a callback */
}

static void on_lists_known(void *user) {
    wake(status_of(user), 0);
}

/* ---- all of it ------------------------------------------------------------------- */

struct fx_cluster_status *
fx_cluster_status_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_identity *identity,
                         const struct fx_cluster_policies *policies, struct fx_err *err) {
    struct fx_cluster_status *status = calloc(1, sizeof *status);
    if (status == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    status->magic = STATUS_MAGIC;
    status->client = client;
    status->identity = *identity;
    status->policies = policies;
    fx_status_manager(identity->pod, status->manager);
    for (size_t i = 0; i < WRITES; i++) {
        status->writes[i].status = status;
    }
    (void)uv_timer_init(loop, &status->timer); /* cannot fail */
    status->timer.data = status;
    status->lists = fx_status_lists_create(loop, client, on_lists_known, status, err);
    if (status->lists == NULL) {
        fx_cluster_status_close(status);
        return NULL;
    }
    return status;
}

void fx_cluster_status_look(const struct fx_cluster_status *status,
                            struct fx_cluster_status_counts *ret_counts) {
    *ret_counts = status->counts;
    ret_counts->queued = fx_status_queue_count(&status->queue);
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_status *status = status_of(timer->data);
    fx_policies_unref(status->built);
    fx_status_queue_finish(&status->queue);
    status->magic = 0;
    free(status);
}

void fx_cluster_status_close(struct fx_cluster_status *status) {
    if (status == NULL) {
        return;
    }
    for (size_t i = 0; i < WRITES; i++) {
        fx_kube_call_cancel(status->writes[i].call);
        free(status->writes[i].key);
    }
    fx_status_lists_close(status->lists);
    uv_close((uv_handle_t *)&status->timer, on_closed);
}
