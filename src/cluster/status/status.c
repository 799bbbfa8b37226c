/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status.c - compares the statuses in the cluster with the wanted ones:
 *
 *   compare, a slice of the objects at a time → queue → a few writes at a time → watch
 *                                                 ↑ again, later  ←┘
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/log.h"
#include "cluster/status/status.h"
#include "cluster/status/status_internal.h"
#include "cluster/status/type_checks.h"
#include "kube/backoff.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define SLICE    64 /* objects compared in one iteration of the loop */
#define NS_IN_MS UINT64_C(1000000)
#define AGAIN_NS (UINT64_C(10000) * NS_IN_MS) /* after a lack of memory */

#define PAUSE_NS (20 * NS_IN_MS) /* between two writes: fifty a second */
#define NS_IN_S  UINT64_C(1000000000)

#define READY_MANAGER "fixpoint"

#define STATUS_MAGIC 0x66787374u /* "fxst" */

#define WRITES 4 /* in progress at a time */

/* The parts of a status, each with its own field manager. */
enum status_part {
    PART_ENTRY, /* in byPod: every replica writes its own */
    PART_READY, /* in conditions: only the holder of the Lease writes it */
    PART_TYPES, /* typeChecking and observedGeneration: the same */
    N_PARTS,
};

struct status_write {
    struct fx_cluster_status *status;
    struct fx_kube_call *call; /* NULL: none */
    enum status_part part;
    char *key; /* NULL: not in use */
};

struct fx_cluster_status {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_status_schemas *schemas;
    struct fx_type_checks *types; /* NULL: types are not checked */
    struct fx_policies *built;    /* the active policies; counted; NULL: none yet */
    bool leads;
    size_t cursor; /* objects before it were compared with `built` */
    bool comparing;
    uint64_t again_ns; /* when to compare all objects again; 0: never */
    struct fx_status_queue queues[N_PARTS];
    size_t next_part; /* the part whose queue is checked next */
    struct status_write writes[WRITES];
    uint64_t next_write_ns;
    struct fx_cluster_status_counts counts;
    enum fx_kube_reason logged; /* the last failure in the log */
    bool logged_no_field[FX_CLUSTER_KINDS_MAX];
    char manager[FX_STATUS_MANAGER_BYTES];
};

static void run_in(struct fx_cluster_status *status, uint64_t ms);

static struct fx_cluster_status *status_of(void *data) {
    struct fx_cluster_status *status = data;
    assert(status != NULL && status->magic == STATUS_MAGIC);
    return status;
}

/* ---- the wanted status ----------------------------------------------------------- */

/* Does this replica write that part of the object's status? The CRD must have the field,
 * and for all but PART_ENTRY this replica must be the leader. */
static bool has_part(const struct fx_cluster_status *status, enum status_part part,
                     const struct fx_cluster_object *object) {
    const struct fx_status_schema schema =
        fx_status_schemas_get(status->schemas, object->resource);
    switch (part) {
    case PART_READY:
        return status->leads && fx_cluster_kind_has(object->kind, FX_KIND_STATUS_READY) &&
               schema.conditions;
    case PART_TYPES:
        return status->leads && status->types != NULL && schema.types &&
               fx_cluster_kind_has(object->kind, FX_KIND_STATUS_TYPES) &&
               fx_type_checks_find(status->types, object) != NULL;
    case PART_ENTRY:
    case N_PARTS: break;
    }
    return schema.by_pod != FX_STATUS_NONE;
}

/* The wanted part, as a new tree; NULL without memory. */
static json_t *make_part(const struct fx_cluster_status *status, enum status_part part,
                         const struct fx_cluster_object *object) {
    if (part == PART_TYPES) {
        return fx_types_make(object, fx_type_checks_find(status->types, object));
    }
    json_t *entry = fx_cluster_status_entry(&status->identity, status->built, object);
    if (part == PART_ENTRY || entry == NULL) {
        return entry;
    }
    json_t *ready = fx_ready_make(entry, &object->ready, fx_date_now());
    json_decref(entry);
    return ready;
}

static uint64_t digest_of(enum status_part part, const json_t *tree) {
    return part == PART_READY   ? fx_ready_digest(tree)
           : part == PART_TYPES ? fx_types_digest(tree)
                                : fx_status_digest(tree);
}

static uint64_t seen_digest_of(enum status_part part,
                               const struct fx_cluster_object *object) {
    return part == PART_READY   ? object->ready.digest
           : part == PART_TYPES ? object->types
                                : object->own_status;
}

/* ---- comparing ------------------------------------------------------------------- */

static void compare_part(struct fx_cluster_status *status, enum status_part part,
                         const struct fx_cluster_object *object) {
    struct fx_status_queue *queue = &status->queues[part];
    const uint64_t seen = seen_digest_of(part, object);
    const uint64_t now_ns = fx_clock_ns();
    json_t *tree = make_part(status, part, object);
    const uint64_t wanted = tree == NULL ? 0 : digest_of(part, tree);
    if (tree != NULL && wanted == seen) {
        fx_status_queue_settle(queue, object->key, now_ns);
    } else if (tree == NULL || !fx_status_queue_add(queue, object->key, wanted, now_ns)) {
        status->again_ns = now_ns + AGAIN_NS; /* no memory */
    }
    json_decref(tree);
}

/* Logs that a CRD has no field for the status; once for each kind that has objects. */
static void log_no_field(struct fx_cluster_status *status,
                         const struct fx_cluster_object *object) {
    bool *logged = &status->logged_no_field[fx_cluster_kind_index(object->kind)];
    if (!*logged && !has_part(status, PART_ENTRY, object)) {
        *logged = true;
        fx_log(WARN, "status not written: the installed CRD has no field for it",
               fx_log_str("group", object->resource->group),
               fx_log_str("resource", object->resource->plural));
    }
}

/* Compares an object, unless it is newer than the build: then it waits for the next
 * build. */
static void compare_object(struct fx_cluster_status *status,
                           const struct fx_cluster_object *object) {
    if (!fx_cluster_kind_has(object->kind, FX_KIND_STATUS_BY_POD) ||
        !fx_cluster_status_is_built(status->built, object)) {
        return;
    }
    fx_status_schemas_request(status->schemas, object->kind);
    if (!fx_status_schemas_known(status->schemas)) {
        return; /* all objects will be compared */
    }
    log_no_field(status, object);
    for (size_t i = 0; i < N_PARTS; i++) {
        if (has_part(status, (enum status_part)i, object)) {
            compare_part(status, (enum status_part)i, object);
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

/* Types are checked by the holder of the Lease only. */
static void check_types(struct fx_cluster_status *status) {
    if (status->types != NULL) {
        fx_type_checks_set(status->types, status->leads ? status->built : NULL);
    }
}

static void set_built(struct fx_cluster_status *status, struct fx_policies *built) {
    fx_policies_ref(built);
    const bool is_new = built != status->built;
    fx_policies_unref(status->built);
    status->built = built;
    if (is_new) {
        check_types(status);
    }
}

static void begin_comparing(struct fx_cluster_status *status) {
    status->cursor = 0;
    status->comparing = status->built != NULL;
    status->again_ns = 0;
    run_in(status, 0);
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
    run_in(status, 0);
}

void fx_cluster_status_set_leader(struct fx_cluster_status *status, bool leads) {
    status->leads = leads;
    check_types(status);
    if (leads) {
        begin_comparing(status);
    } else {
        fx_status_queue_finish(&status->queues[PART_READY]);
        fx_status_queue_finish(&status->queues[PART_TYPES]);
    }
}

/* Compares a policy whose types were checked. */
static void on_types_checked(const char *key, void *user) {
    struct fx_cluster_status *status = status_of(user);
    const struct fx_cluster_object *object =
        fx_cluster_policies_find(status->policies, key);
    if (object != NULL) {
        compare_object(status, object);
        run_in(status, 0);
    }
}

bool fx_cluster_status_check_types(struct fx_cluster_status *status,
                                   const struct fx_type_source *source,
                                   struct fx_err *err) {
    status->types =
        fx_type_checks_create(status->timer.loop, source, on_types_checked, status, err);
    return status->types != NULL;
}

static struct fx_status_queue *queue_of(const struct status_write *write) {
    return &write->status->queues[write->part];
}

/* ---- the end of a write ---------------------------------------------------------- */

static void end_write(struct status_write *write, uint64_t wait_ns) {
    fx_status_queue_put_back(queue_of(write), write->key, wait_ns, fx_clock_ns());
    free(write->key);
    write->key = NULL;
    write->call = NULL;
    run_in(write->status, 0);
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

static void fail_write(struct status_write *write,
                       const struct fx_kube_failure *failure) {
    write->status->counts.failed++;
    log_failure(write->status, failure);
    if (failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        fx_status_queue_drop(queue_of(write), write->key);
    }
    end_write(write, failure->retry_after_s * NS_IN_S);
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct status_write *write = user;
    struct fx_cluster_status *status = status_of(write->status);
    if (answer->failure != NULL) {
        fail_write(write, answer->failure);
        return;
    }
    status->counts.written++;
    status->logged = FX_KUBE_REASON_NONE;
    end_write(write, 0);
}

/* ---- a write --------------------------------------------------------------------- */

/* Reads the object, or (with a body) writes its status. False without memory. */
static bool send_request(struct status_write *write,
                         const struct fx_cluster_object *object, enum fx_kube_verb verb,
                         const json_t *body, fx_kube_on_answer *on_done) {
    struct fx_cluster_status *status = write->status;
    const char *manager = write->part == PART_ENTRY ? status->manager : READY_MANAGER;
    const struct fx_kube_request request = {
        .verb = verb,
        .resource = object->resource,
        .name = {.namespace_ = object->namespace_,
                 .name = object->name,
                 .subresource = body == NULL ? NULL : "status",
                 .everywhere = true},
        .body = body,
        .manager = body == NULL ? NULL : manager,
        .force = verb == FX_KUBE_VERB_APPLY,
    };
    write->call = fx_kube_call_start(status->client, &request, on_done, write);
    return write->call != NULL;
}

/* Finds the object of a write, and the wanted part. False if there is nothing to write
 * (the object is gone, or newer than the build; another replica is the leader now), or
 * without memory. */
static bool find_wanted(const struct status_write *write,
                        const struct fx_cluster_object **ret_object,
                        json_t **ret_wanted) {
    struct fx_cluster_status *status = write->status;
    const struct fx_cluster_object *object =
        fx_cluster_policies_find(status->policies, write->key);
    if (object == NULL || !fx_cluster_status_is_built(status->built, object) ||
        !has_part(status, write->part, object)) {
        fx_status_queue_drop(queue_of(write), write->key);
        return false;
    }
    *ret_object = object;
    *ret_wanted = make_part(status, write->part, object);
    return *ret_wanted != NULL;
}

/* Is it still the same object? False if it was deleted and created again meanwhile. */
static bool is_same(const struct fx_cluster_object *object, const json_t *read) {
    return fx_text_equal(object->uid,
                         fx_tree_view_string(fx_tree_view_key(read, "metadata"), "uid"));
}

/* Merges the entry into the list that was read, and writes the object back. */
static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct status_write *write = user;
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
    if (body == NULL ||
        !send_request(write, object, FX_KUBE_VERB_UPDATE, body, on_written)) {
        end_write(write, 0);
    }
    json_decref(body);
    json_decref(entry);
}

static bool apply_part(struct status_write *write, const struct fx_cluster_object *object,
                       json_t *wanted) {
    static const char *const lists[N_PARTS] = {
        [PART_ENTRY] = "byPod", [PART_READY] = "conditions", [PART_TYPES] = NULL};
    json_t *body = fx_status_apply(object, lists[write->part], wanted);
    const bool ok =
        body != NULL && send_request(write, object, FX_KUBE_VERB_APPLY, body, on_written);
    json_decref(body);
    return ok;
}

/* Is the part applied? An entry is only in a list keyed by `id`, the others always are.
 */
static bool applies(const struct status_write *write,
                    const struct fx_cluster_object *object) {
    return write->part != PART_ENTRY ||
           fx_status_schemas_get(write->status->schemas, object->resource).by_pod ==
               FX_STATUS_KEYED;
}

static void begin_write(struct status_write *write, const char *key) {
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
    if (!(applies(write, object)
              ? apply_part(write, object, wanted)
              : send_request(write, object, FX_KUBE_VERB_GET, NULL, on_read))) {
        end_write(write, 0);
    }
    json_decref(wanted);
}

/* ---- scheduling ------------------------------------------------------------------ */

static struct status_write *find_free(struct fx_cluster_status *status) {
    for (size_t i = 0; i < WRITES; i++) {
        if (status->writes[i].key == NULL) {
            return &status->writes[i];
        }
    }
    return NULL;
}

/* Takes the next task, from the queues of the parts in turn. */
static struct fx_status_task *next_task(struct fx_cluster_status *status, uint64_t now_ns,
                                        enum status_part *ret_part) {
    for (size_t i = 0; i < N_PARTS; i++) {
        const size_t part = (status->next_part + i) % N_PARTS;
        struct fx_status_task *task = fx_status_queue_take(&status->queues[part], now_ns);
        if (task != NULL) {
            status->next_part = part + 1;
            *ret_part = (enum status_part)part;
            return task;
        }
    }
    return NULL;
}

/* Starts the next write that is due, if the rate and the number of writes in progress
 * allow. */
static void write_next(struct fx_cluster_status *status) {
    const uint64_t now_ns = fx_clock_ns();
    struct status_write *write = find_free(status);
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

/* The time to call write_next() again; UINT64_MAX: not known. */
static uint64_t next_write_at(struct fx_cluster_status *status) {
    uint64_t at_ns = UINT64_MAX;
    if (find_free(status) == NULL || !fx_status_schemas_known(status->schemas)) {
        return at_ns;
    }
    for (size_t i = 0; i < N_PARTS; i++) {
        const uint64_t due_ns = fx_status_queue_next(&status->queues[i]);
        at_ns = due_ns != 0 && due_ns < at_ns ? due_ns : at_ns;
    }
    return at_ns < status->next_write_ns ? status->next_write_ns : at_ns;
}

/* ---- the timer ------------------------------------------------------------------- */

/* The time to run again; UINT64_MAX: not known. */
static uint64_t next_run_ns(struct fx_cluster_status *status) {
    const uint64_t write_ns = next_write_at(status);
    return status->again_ns != 0 && status->again_ns < write_ns ? status->again_ns
                                                                : write_ns;
}

static void on_timer(uv_timer_t *timer) {
    struct fx_cluster_status *status = status_of(timer->data);
    if (status->again_ns != 0 && fx_clock_ns() >= status->again_ns) {
        begin_comparing(status);
    }
    const bool compares = status->comparing && fx_status_schemas_known(status->schemas);
    if (compares) {
        compare_slice(status);
    }
    write_next(status);
    const uint64_t at_ns = next_run_ns(status);
    if (compares) {
        run_in(status, 1);
    } else if (at_ns != UINT64_MAX) {
        run_in(status, fx_ms_until(at_ns));
    }
}

/* Sets the timer: compares and writes again in `ms` milliseconds. */
static void run_in(struct fx_cluster_status *status, uint64_t ms) {
    (void)uv_timer_start(&status->timer, on_timer, ms, 0);
}

/* Compares all objects, as the fields of the CRDs may have changed. */
static void on_schemas_known(void *user) {
    begin_comparing(status_of(user));
}

/* ---- life ------------------------------------------------------------------------ */

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
    for (size_t i = 0; i < WRITES; i++) {
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
    for (size_t i = 0; i < N_PARTS; i++) {
        ret_counts->queued += fx_status_queue_count(&status->queues[i]);
    }
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_status *status = status_of(timer->data);
    fx_policies_unref(status->built);
    for (size_t i = 0; i < N_PARTS; i++) {
        fx_status_queue_finish(&status->queues[i]);
    }
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
    fx_status_schemas_close(status->schemas);
    fx_type_checks_close(status->types);
    uv_close((uv_handle_t *)&status->timer, on_closed);
}
