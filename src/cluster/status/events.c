/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events.c - compares builds with the reported errors, a slice of
 * the objects at a time, and writes Events:
 *
 *   create ─→ it exists ─→ read ─→ counted up recently: done
 *     ↑  │ failed: retry      │
 *     └──┘                    └────→ apply: count up
 */
#include "cluster/status/events.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/list.h"
#include "cluster/status/status.h"
#include "cluster/status/status_internal.h"
#include "kube/backoff.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define MANAGER  "fixpoint"
#define SLICE    64 /* objects compared in one iteration of the loop */
#define TRIES    4
#define PAUSE_MS UINT64_C(4000) /* after a failed write; doubles */
#define NS_IN_MS UINT64_C(1000000)
#define AGAIN_NS (UINT64_C(10000) * NS_IN_MS) /* after a lack of memory */

#define EVENTS_MAGIC 0x66786576u /* "fxev" */

static const struct fx_kube_resource resource = {"", "v1", "events", "Event"};

/* An Event to write. */
struct event_task {
    struct fx_list_link link; /* of `events->tasks` */
    struct fx_cluster_events *events;
    struct fx_kube_call *call; /* NULL: the task waits for `due_ns` */
    json_t *body;              /* of the new Event */
    uint64_t due_ns;
    unsigned tries;
};

struct fx_cluster_events {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_cluster_identity identity;
    const struct fx_cluster_policies *policies;
    struct fx_policies *built; /* counted; NULL: none yet */
    bool leads, comparing;
    size_t cursor;     /* objects before it were compared with `built` */
    uint64_t again_ns; /* when to compare all objects again; 0: never */
    struct fx_events_known known;
    struct fx_events_rate rate;
    struct fx_list_link *tasks;
    uint64_t delay_ms;
    struct fx_cluster_event_counts counts;
    enum fx_kube_reason logged; /* the last failure in the log */
};

static struct fx_cluster_events *events_of(void *data) {
    struct fx_cluster_events *events = data;
    assert(events != NULL && events->magic == EVENTS_MAGIC);
    return events;
}

static void on_timer(uv_timer_t *timer);

static void run_in(struct fx_cluster_events *events, uint64_t ms) {
    (void)uv_timer_start(&events->timer, on_timer, ms, 0);
}

/* ---- tasks ----------------------------------------------------------------------- */

static void release(struct event_task *task) {
    fx_kube_call_cancel(task->call);
    json_decref(task->body);
    free(task);
}

static void end_task(struct event_task *task) {
    fx_list_remove(&task->events->tasks, &task->link);
    release(task);
}

static void drop_tasks(struct fx_cluster_events *events) {
    for (struct fx_list_link *link = fx_list_pop(&events->tasks); link != NULL;
         link = fx_list_pop(&events->tasks)) {
        release((struct event_task *)link); /* its first member */
    }
}

static void give_up(struct event_task *task) {
    task->events->counts.failed++;
    end_task(task);
}

/* Retries the task later, a limited number of times. */
static void retry_later(struct event_task *task) {
    struct fx_cluster_events *events = task->events;
    if (++task->tries >= TRIES) {
        give_up(task);
        return;
    }
    const uint64_t delay_ms = events->delay_ms << (task->tries - 1);
    task->due_ns = fx_clock_ns() + delay_ms * NS_IN_MS;
    run_in(events, 0);
}

static void fail_task(struct event_task *task, const struct fx_kube_failure *failure) {
    struct fx_cluster_events *events = task->events;
    fx_kube_failure_log("Event not written", failure, &events->logged);
    if (fx_kube_failure_is_temporary(failure)) {
        retry_later(task);
    } else {
        give_up(task);
    }
}

static void on_written(const struct fx_kube_answer *answer, void *user);

/* Sends a request. `body` is NULL for a GET. */
static void send_request(struct event_task *task, enum fx_kube_verb verb,
                         const json_t *body, fx_kube_on_answer *on_done) {
    const json_t *metadata = fx_tree_view_key(task->body, "metadata");
    const json_t *involved = fx_tree_view_key(task->body, "involvedObject");
    const struct fx_kube_request request = {
        .verb = verb,
        .resource = &resource,
        .name = {.namespace_ = fx_tree_view_string(metadata, "namespace"),
                 .name = fx_tree_view_string(metadata, "name"),
                 .everywhere = fx_tree_view_key(involved, "namespace") != NULL},
        .body = body,
        .manager = body == NULL ? NULL : MANAGER,
        .force = verb == FX_KUBE_VERB_APPLY,
    };
    task->call = fx_kube_call_start(task->events->client, &request, on_done, task);
    if (task->call == NULL) {
        retry_later(task);
    }
}

static void create_event(struct event_task *task) {
    send_request(task, FX_KUBE_VERB_CREATE, task->body, on_written);
}

static void count_up(struct event_task *task, const json_t *existing) {
    json_t *body = fx_event_count_up(existing, fx_date_now());
    if (body == NULL) {
        retry_later(task);
        return;
    }
    send_request(task, FX_KUBE_VERB_APPLY, body, on_written);
    json_decref(body);
}

static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct event_task *task = user;
    task->call = NULL;
    if (answer->failure != NULL) {
        fail_task(task, answer->failure);
    } else if (fx_event_is_due(answer->object, fx_date_now())) {
        count_up(task, answer->object);
    } else {
        end_task(task);
    }
}

/* After a conflict the task is done: another replica has counted up the Event. */
static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct event_task *task = user;
    struct fx_cluster_events *events = events_of(task->events);
    task->call = NULL;
    if (answer->failure == NULL) {
        events->counts.written++;
        events->logged = FX_KUBE_REASON_NONE;
        end_task(task);
    } else if (answer->failure->reason == FX_KUBE_REASON_EXISTS) {
        send_request(task, FX_KUBE_VERB_GET, NULL, on_read);
    } else if (answer->failure->reason == FX_KUBE_REASON_CONFLICT) {
        end_task(task);
    } else {
        fail_task(task, answer->failure);
    }
}

/* False without memory. */
static bool add_task(struct fx_cluster_events *events, json_t *body) {
    struct event_task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        return false;
    }
    task->events = events;
    task->body = json_incref(body);
    fx_list_add(&events->tasks, &task->link);
    create_event(task);
    return true;
}

/* ---- comparing ------------------------------------------------------------------- */

/* False without memory. */
static bool send_event(struct fx_cluster_events *events,
                       const struct fx_cluster_object *object,
                       const struct fx_event *event) {
    if (!fx_events_rate_take(&events->rate, fx_clock_ns())) {
        events->counts.dropped++;
        return true;
    }
    json_t *body = fx_event_new(&events->identity, object, event, fx_date_now());
    const bool ok = body != NULL && add_task(events, body);
    json_decref(body);
    return ok;
}

/* Sends an Event if the error is new. False without memory: then the error is new again
 * in the next pass. */
static bool compare_error(struct fx_cluster_events *events,
                          const struct fx_cluster_object *object,
                          const struct fx_event *event) {
    bool is_new = false;
    if (!fx_events_known_add(&events->known, event->digest, &is_new)) {
        return false;
    }
    if (is_new && !send_event(events, object, event)) {
        fx_events_known_forget(&events->known, event->digest);
        return false;
    }
    return true;
}

/* Sends the Event of a policy that Fixpoint does not run; bindings have none. False
 * without memory. */
static bool compare_left(struct fx_cluster_events *events,
                         const struct fx_cluster_object *object,
                         enum fx_native_state state, const char *reason) {
    struct fx_event event;
    if (object->kind->kind->role != FX_ROLE_POLICY || state == FX_NATIVE_CHECKING) {
        return true;
    }
    fx_event_of_left(object, state, reason, &event);
    return compare_error(events, object, &event);
}

/* Sends the Events of the errors of an object's status. False without memory. */
static bool compare_errors(struct fx_cluster_events *events,
                           const struct fx_cluster_object *object) {
    json_t *entry = fx_cluster_status_entry(&events->identity, events->built, object);
    const json_t *errors = fx_tree_view_key(entry, "errors");
    bool ok = entry != NULL;
    for (size_t i = 0; i < json_array_size(errors); i++) {
        struct fx_event event;
        fx_event_read(object, json_array_get(errors, i), &event);
        ok = compare_error(events, object, &event) && ok;
    }
    json_decref(entry);
    return ok;
}

/* Are there Events about objects of this kind: does it have a status, or would it have
 * one if it were not the API server's? */
static bool has_events(const struct fx_cluster_kind *kind) {
    return fx_cluster_kind_has(kind, FX_KIND_STATUS_BY_POD) || kind->kind->native != NULL;
}

static void compare_object(struct fx_cluster_events *events,
                           const struct fx_cluster_object *object) {
    enum fx_native_state state = FX_NATIVE_CHECKING;
    const char *reason = NULL;
    bool ok = true;
    if (fx_cluster_policies_leaves(events->policies, object, &state, &reason)) {
        ok = compare_left(events, object, state, reason);
    } else if (has_events(object->kind) &&
               fx_cluster_status_is_built(events->built, object)) {
        ok = compare_errors(events, object); /* newer objects: after the next build */
    }
    if (!ok) {
        events->again_ns = fx_clock_ns() + AGAIN_NS;
    }
}

static void compare_slice(struct fx_cluster_events *events) {
    const size_t n = fx_cluster_policies_count(events->policies);
    for (size_t i = 0; i < SLICE && events->cursor < n; i++) {
        compare_object(events,
                       fx_cluster_policies_at(events->policies, events->cursor++));
    }
    events->comparing = events->cursor < n;
    if (!events->comparing) {
        fx_events_known_end(&events->known);
    }
}

static void begin_comparing(struct fx_cluster_events *events) {
    if (events->leads && events->built != NULL) {
        fx_events_known_begin(&events->known);
        events->cursor = 0;
        events->comparing = true;
        events->again_ns = 0;
        run_in(events, 0);
    }
}

void fx_cluster_events_compare_all(struct fx_cluster_events *events,
                                   struct fx_policies *built) {
    (void)fx_policies_ref(built);
    fx_policies_unref(events->built);
    events->built = built;
    begin_comparing(events);
}

void fx_cluster_events_set_leader(struct fx_cluster_events *events, bool leads) {
    if (leads == events->leads) {
        return;
    }
    events->leads = leads;
    events->comparing = false;
    events->again_ns = 0;
    fx_events_known_finish(&events->known);
    drop_tasks(events);
    begin_comparing(events);
}

/* ---- the timer ------------------------------------------------------------------- */

/* Starts the tasks that are due. Returns the milliseconds until the next one is due, or
 * until all objects are compared again; UINT64_MAX: neither. */
static uint64_t start_due_tasks(struct fx_cluster_events *events) {
    const uint64_t now_ns = fx_clock_ns();
    uint64_t next_ns = events->again_ns != 0 ? events->again_ns : UINT64_MAX;
    struct fx_list_link *next = NULL;
    for (struct fx_list_link *link = events->tasks; link != NULL; link = next) {
        struct event_task *task = (struct event_task *)link;
        next = link->next;
        if (task->call != NULL) {
            continue;
        }
        if (task->due_ns <= now_ns) {
            create_event(task);
        } else if (task->due_ns < next_ns) {
            next_ns = task->due_ns;
        }
    }
    return next_ns == UINT64_MAX ? UINT64_MAX : fx_ms_until(next_ns);
}

static void on_timer(uv_timer_t *timer) {
    struct fx_cluster_events *events = events_of(timer->data);
    if (events->again_ns != 0 && fx_clock_ns() >= events->again_ns) {
        begin_comparing(events);
    }
    if (events->comparing) {
        compare_slice(events);
    }
    const uint64_t ms = start_due_tasks(events);
    if (events->comparing) {
        run_in(events, 1);
    } else if (ms != UINT64_MAX && !uv_is_active((uv_handle_t *)timer)) {
        /* If the timer is active, retry_later() has set it. */
        run_in(events, ms);
    }
}

/* ---- life ------------------------------------------------------------------------ */

struct fx_cluster_events *
fx_cluster_events_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_identity *identity,
                         const struct fx_cluster_policies *policies, struct fx_err *err) {
    struct fx_cluster_events *events = calloc(1, sizeof *events);
    if (events == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    events->magic = EVENTS_MAGIC;
    events->client = client;
    events->identity = *identity;
    events->policies = policies;
    events->delay_ms = PAUSE_MS;
    (void)uv_timer_init(loop, &events->timer); /* cannot fail */
    events->timer.data = events;
    return events;
}

void fx_cluster_events_send(struct fx_cluster_events *events,
                            const struct fx_cluster_object *object, const char *reason,
                            struct fx_text message) {
    struct fx_event event;
    fx_event_of_cause(object, reason, message, &event);
    if (!send_event(events, object, &event)) {
        events->counts.dropped++;
    }
}

void fx_cluster_events_set_delay(struct fx_cluster_events *events, uint64_t delay_ms) {
    events->delay_ms = delay_ms;
}

void fx_cluster_events_get_counts(const struct fx_cluster_events *events,
                                  struct fx_cluster_event_counts *ret_counts) {
    *ret_counts = events->counts;
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_events *events = events_of(timer->data);
    events->magic = 0;
    free(events);
}

void fx_cluster_events_close(struct fx_cluster_events *events) {
    if (events == NULL) {
        return;
    }
    drop_tasks(events);
    fx_events_known_finish(&events->known);
    fx_policies_unref(events->built);
    uv_close((uv_handle_t *)&events->timer, on_closed);
}
