/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status.c - compares the statuses in the cluster with those they should
 * have:
 *
 *   compare, a slice of the objects at a time → queue → a few writes at a time → watch
 *                                                 ↑ again, later  ←┘
 */
#include "cluster/status/status_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/log.h"
#include "cluster/status/ready.h"
#include "kube/backoff.h"

#define SLICE    64 /* objects compared in one iteration of the loop */
#define NS_IN_MS UINT64_C(1000000)
#define AGAIN_NS (UINT64_C(10000) * NS_IN_MS) /* after a lack of memory */

#define STATUS_MAGIC 0x66787374u /* "fxst" */

struct fx_cluster_status *fx_status_of(void *data) {
    struct fx_cluster_status *status = data;
    assert(status != NULL && status->magic == STATUS_MAGIC);
    return status;
}

/* ---- the status as it should be ------------------------------------------------------
 */

bool fx_status_has(const struct fx_cluster_status *status, enum fx_status_part part,
                   const struct fx_cluster_object *object) {
    const struct fx_status_schema schema =
        fx_status_schemas_get(status->schemas, object->resource);
    return part == FX_STATUS_READY
               ? status->leads &&
                     fx_cluster_kind_has(object->kind, FX_KIND_STATUS_READY) &&
                     schema.conditions
               : schema.by_pod != FX_STATUS_NONE;
}

json_t *fx_status_make(const struct fx_cluster_status *status, enum fx_status_part part,
                       const struct fx_cluster_object *object) {
    json_t *entry = fx_cluster_status_entry(&status->identity, status->built, object);
    if (part == FX_STATUS_ENTRY || entry == NULL) {
        return entry;
    }
    json_t *ready = fx_ready_make(entry, &object->ready, fx_date_now());
    json_decref(entry);
    return ready;
}

static uint64_t digest_of(enum fx_status_part part, const json_t *tree) {
    return part == FX_STATUS_READY ? fx_ready_digest(tree) : fx_status_digest(tree);
}

/* ---- comparing ---------------------------------------------------------------- */

static void compare_part(struct fx_cluster_status *status, enum fx_status_part part,
                         const struct fx_cluster_object *object) {
    struct fx_status_queue *queue = &status->queues[part];
    const uint64_t seen =
        part == FX_STATUS_READY ? object->ready.digest : object->own_status;
    const uint64_t now_ns = fx_clock_ns();
    json_t *tree = fx_status_make(status, part, object);
    const uint64_t wanted = tree == NULL ? 0 : digest_of(part, tree);
    if (tree != NULL && wanted == seen) {
        fx_status_queue_settle(queue, object->key, now_ns);
    } else if (tree == NULL || !fx_status_queue_add(queue, object->key, wanted, now_ns)) {
        status->again_ns = now_ns + AGAIN_NS; /* no memory */
    }
    json_decref(tree);
}

/* Once for each kind that has objects. */
static void log_no_field(struct fx_cluster_status *status,
                         const struct fx_cluster_object *object) {
    bool *logged = &status->logged_no_field[fx_cluster_kind_index(object->kind)];
    if (!*logged && !fx_status_has(status, FX_STATUS_ENTRY, object)) {
        *logged = true;
        fx_log(WARN, "status not written: the installed CRD has no field for it",
               fx_log_str("group", object->resource->group),
               fx_log_str("resource", object->resource->plural));
    }
}

/* An object that is newer than the build waits for the next build. */
static void compare_object(struct fx_cluster_status *status,
                           const struct fx_cluster_object *object) {
    if (!fx_cluster_kind_has(object->kind, FX_KIND_STATUS_BY_POD) ||
        !fx_cluster_status_is_built(status->built, object)) {
        return;
    }
    fx_status_schemas_request(status->schemas, object->kind);
    if (!fx_status_schemas_known(status->schemas)) {
        return; /* all objects are compared then */
    }
    log_no_field(status, object);
    for (size_t i = 0; i < FX_STATUS_PARTS; i++) {
        if (fx_status_has(status, (enum fx_status_part)i, object)) {
            compare_part(status, (enum fx_status_part)i, object);
        }
    }
}

static void compare_slice(struct fx_cluster_status *status) {
    const size_t n = fx_cluster_policies_count(status->policies);
    for (size_t i = 0; i < SLICE && status->cursor < n; i++) {
        compare_object(status,
                       fx_cluster_policies_at(status->policies, status->cursor++));
    }
    status->comparing = status->cursor < n;
}

static void set_built(struct fx_cluster_status *status, struct fx_policies *built) {
    fx_policies_ref(built);
    fx_policies_unref(status->built);
    status->built = built;
}

static void begin_comparing(struct fx_cluster_status *status) {
    status->cursor = 0;
    status->comparing = status->built != NULL;
    status->again_ns = 0;
    fx_status_run_in(status, 0);
}

void fx_cluster_status_compare_all(struct fx_cluster_status *status,
                                   struct fx_policies *built) {
    set_built(status, built);
    begin_comparing(status);
}

void fx_cluster_status_compare_one(struct fx_cluster_status *status,
                                   struct fx_policies *built,
                                   const struct fx_cluster_object *object) {
    set_built(status, built);
    compare_object(status, object);
    fx_status_run_in(status, 0);
}

void fx_cluster_status_set_leader(struct fx_cluster_status *status, bool leads) {
    status->leads = leads;
    if (leads) {
        begin_comparing(status);
    } else {
        fx_status_queue_finish(&status->queues[FX_STATUS_READY]);
    }
}

/* ---- the timer -----------------------------------------------------------------------
 */

/* When to run again; UINT64_MAX: not known. */
static uint64_t next_run_ns(struct fx_cluster_status *status) {
    const uint64_t write_ns = fx_status_next_write_ns(status);
    return status->again_ns != 0 && status->again_ns < write_ns ? status->again_ns
                                                                : write_ns;
}

static void on_timer(uv_timer_t *timer) {
    struct fx_cluster_status *status = fx_status_of(timer->data);
    if (status->again_ns != 0 && fx_clock_ns() >= status->again_ns) {
        begin_comparing(status);
    }
    const bool compares = status->comparing && fx_status_schemas_known(status->schemas);
    if (compares) {
        compare_slice(status);
    }
    fx_status_write_next(status);
    const uint64_t at_ns = next_run_ns(status);
    if (compares) {
        fx_status_run_in(status, 1);
    } else if (at_ns != UINT64_MAX) {
        fx_status_run_in(status, fx_ms_until(at_ns));
    }
}

void fx_status_run_in(struct fx_cluster_status *status, uint64_t ms) {
    (void)uv_timer_start(&status->timer, on_timer, ms, 0);
}

/* The fields of the CRDs may have changed. */
static void on_schemas_known(void *user) {
    begin_comparing(fx_status_of(user));
}

/* ---- life ------------------------------------------------------------------- */

struct fx_cluster_status *
fx_cluster_status_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_identity *identity,
                         const struct fx_cluster_policies *policies, unsigned apis,
                         struct fx_err *err) {
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
    for (size_t i = 0; i < FX_STATUS_WRITES; i++) {
        status->writes[i].status = status;
    }
    (void)uv_timer_init(loop, &status->timer); /* cannot fail */
    status->timer.data = status;
    status->schemas =
        fx_status_schemas_create(loop, client, apis, on_schemas_known, status, err);
    if (status->schemas == NULL) {
        fx_cluster_status_close(status);
        return NULL;
    }
    return status;
}

void fx_cluster_status_get_counts(const struct fx_cluster_status *status,
                                  struct fx_cluster_status_counts *ret_counts) {
    *ret_counts = status->counts;
    for (size_t i = 0; i < FX_STATUS_PARTS; i++) {
        ret_counts->queued += fx_status_queue_count(&status->queues[i]);
    }
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_status *status = fx_status_of(timer->data);
    fx_policies_unref(status->built);
    for (size_t i = 0; i < FX_STATUS_PARTS; i++) {
        fx_status_queue_finish(&status->queues[i]);
    }
    status->magic = 0;
    free(status);
}

void fx_cluster_status_close(struct fx_cluster_status *status) {
    if (status == NULL) {
        return;
    }
    for (size_t i = 0; i < FX_STATUS_WRITES; i++) {
        fx_kube_call_cancel(status->writes[i].call);
        free(status->writes[i].key);
    }
    fx_status_schemas_close(status->schemas);
    uv_close((uv_handle_t *)&status->timer, on_closed);
}
