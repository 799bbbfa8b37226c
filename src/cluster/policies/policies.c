/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/policies.c - keeps the objects of reflectors, and builds policies from
 * them:
 *
 *   idle ── a change ──→ waiting ── a moment later ──→ building ──→ report
 *     ↑                                                   │
 *     └──── no change meanwhile ──────────────────────────┤
 *           waiting ←── a change, or the build failed ────┘
 */
#include "cluster/policies/policies.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "base/log.h"
#include "cluster/policies/build_throttle.h"
#include "cluster/policies/native.h"
#include "cluster/policies/objects.h"
#include "cluster/policies/parameters.h"
#include "engine/request.h"

/* Changes come in bursts (`kubectl apply -f folder`): a build waits this long for further
 * changes, and longer until all first lists have arrived. */
#define COLLECT_MS       20u
#define COLLECT_FIRST_MS 2000u
#define NS_IN_MS         UINT64_C(1000000)

#define POLICIES_MAGIC 0x6678706fu /* "fxpo" */

/* One reflector. */
struct watched_kind {
    struct fx_cluster_policies *policies;
    const struct fx_cluster_kind *kind;
    struct fx_kube_reflector *reflector; /* NULL: not watched */
    bool synced;                         /* true if not watched */
    bool failing;                        /* its last state */
};

/* The input and the result of the worker. */
struct build_job {
    uv_work_t work;
    struct fx_cluster_policies *policies;
    struct fx_policy_input *inputs; /* their objects are counted */
    char **files;                   /* the names of the inputs, owned */
    size_t n_inputs;
    struct fx_parameter_states states;
    struct fx_policies *previous; /* counted */
    struct fx_policies *made;
    struct fx_err err;
    uint64_t began_ns, took_ns;
    bool holds_all; /* all first lists had arrived */
};

struct fx_cluster_policies {
    uint32_t magic;
    struct fx_job watchdog; /* for the job */
    uv_loop_t *loop;
    uv_timer_t timer;
    struct watched_kind sources[FX_CLUSTER_KINDS_MAX];
    struct fx_cluster_policies_options options;
    struct fx_cluster_policies_events events;
    void *user;
    struct fx_cluster_objects objects;
    struct fx_parameters *parameters;
    struct fx_native *native; /* of the native kinds that are watched; NULL: none are */
    struct fx_policies *current;
    /* The next build, which waits for the objects of a kind that it names; or NULL. */
    struct fx_policies *waiting;
    struct build_job job;
    struct fx_build_throttle throttle;
    bool dirty, building, has_timer, ready, closing;
};

static struct fx_cluster_policies *policies_of(void *data) {
    struct fx_cluster_policies *policies = data;
    assert(policies != NULL && policies->magic == POLICIES_MAGIC);
    return policies;
}

/* ---- memory --------------------------------------------------------------------- */

static void destroy_if_closed(struct fx_cluster_policies *policies) {
    if (!policies->closing || policies->has_timer || policies->building) {
        return;
    }
    fx_policies_unref(policies->current);
    fx_policies_unref(policies->waiting);
    fx_cluster_objects_finish(&policies->objects);
    policies->magic = 0;
    free(policies);
}

static void on_timer_closed(uv_handle_t *timer) {
    struct fx_cluster_policies *policies = policies_of(timer->data);
    policies->has_timer = false;
    destroy_if_closed(policies);
}

/* ---- building -------------------------------------------------------------------- */

static void job_finish(struct build_job *job) {
    for (size_t i = 0; i < job->n_inputs; i++) {
        free(job->files[i]);
        fx_policy_text_unref(job->inputs[i].object);
    }
    free(job->files);
    free(job->inputs);
    fx_parameter_states_finish(&job->states);
    fx_policies_unref(job->previous);
    fx_policies_unref(job->made);
    *job = (struct build_job){0};
}

/* Does Fixpoint run the policies of the kind? */
static bool runs_kind(const struct fx_cluster_policies *policies,
                      const struct fx_cluster_kind *kind) {
    return kind->kind->native == NULL ||
           (policies->native != NULL && fx_native_get(policies->native) == FX_NATIVE_RUN);
}

static bool add_input(struct build_job *job, const char *key,
                      struct fx_policy_text *object, bool is_parameter) {
    char *file = strdup(key);
    if (file == NULL) {
        return false;
    }
    job->files[job->n_inputs] = file;
    job->inputs[job->n_inputs++] = (struct fx_policy_input){
        .file = file,
        .object = fx_policy_text_ref(object),
        .is_parameter = is_parameter,
    };
    return true;
}

/* Adds policies and parameters, sorted by key. False without memory. */
static bool add_inputs(struct build_job *job,
                       const struct fx_cluster_policies *policies) {
    const struct fx_cluster_objects *objects = &policies->objects;
    size_t n_parameters = 0;
    const struct fx_parameter *parameters =
        fx_parameters_list(policies->parameters, &n_parameters);
    const size_t n = objects->n_items + n_parameters;
    job->inputs = calloc(n + 1, sizeof *job->inputs);
    job->files = calloc(n + 1, sizeof *job->files);
    bool ok = job->inputs != NULL && job->files != NULL;
    size_t at_object = 0;
    size_t at_parameter = 0;
    while (ok && (at_object < objects->n_items || at_parameter < n_parameters)) {
        const struct fx_cluster_object *object =
            at_object < objects->n_items ? objects->items[at_object] : NULL;
        const struct fx_parameter *parameter =
            at_parameter < n_parameters ? &parameters[at_parameter] : NULL;
        if (object != NULL &&
            (parameter == NULL || strcmp(object->key, parameter->key) <= 0)) {
            ok = !runs_kind(policies, object->kind) ||
                 add_input(job, object->key, object->object, false);
            at_object++;
        } else if (parameter != NULL) {
            ok = add_input(job, parameter->key, parameter->object, true);
            at_parameter++;
        }
    }
    return ok;
}

/* A kind that has not been listed yet; NULL if there is none. */
static const struct watched_kind *
find_missing(const struct fx_cluster_policies *policies) {
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        if (!policies->sources[i].synced) {
            return &policies->sources[i];
        }
    }
    return NULL;
}

static bool all_synced(const struct fx_cluster_policies *policies) {
    return find_missing(policies) == NULL &&
           (policies->native == NULL ||
            fx_native_get(policies->native) != FX_NATIVE_CHECKING);
}

/* False without memory. */
static bool job_fill(struct build_job *job, const struct fx_cluster_policies *policies) {
    *job =
        (struct build_job){.began_ns = fx_clock_ns(), .holds_all = all_synced(policies)};
    job->previous = fx_policies_ref(policies->waiting != NULL ? policies->waiting
                                                              : policies->current);
    return add_inputs(job, policies) &&
           fx_parameters_copy_states(policies->parameters, &job->states);
}

/* Called on a worker. */
static void on_work(uv_work_t *work) {
    struct build_job *job = work->data;
    const struct fx_policy_sources sources = {
        .inputs = job->inputs,
        .n_inputs = job->n_inputs,
        .previous = job->previous,
        .generation = job->previous->snapshot->generation + 1,
        .settings = &job->policies->options.settings, /* never change */
        .kind_states = job->states.items,
        .n_kind_states = job->states.n_items,
    };
    if (!fx_policies_build_from(&sources, &job->made, &job->err)) {
        job->made = NULL;
    }
    fx_heap_trim(); /* much memory was freed just now */
    job->took_ns = fx_clock_ns() - job->began_ns;
}

static void schedule_build(struct fx_cluster_policies *policies);

/* The build is retried after growing pauses; the first failure and the first success are
 * logged. */
static void note_failure(struct fx_cluster_policies *policies, uint64_t took_ns,
                         const struct fx_err *err) {
    policies->dirty = true;
    if (fx_build_throttle_failed(&policies->throttle, took_ns / NS_IN_MS)) {
        fx_log(ERROR, "policies cannot be built: the previous ones stay active",
               fx_log_str("error", err->msg));
    }
}

static void note_success(struct fx_cluster_policies *policies, uint64_t took_ns) {
    if (fx_build_throttle_succeeded(&policies->throttle, took_ns / NS_IN_MS)) {
        fx_log(INFO, "policies can be built again", {0});
    }
}

/* Did the build have the states of all these kinds? */
static bool are_known(const struct fx_parameter_states *states,
                      const struct fx_named_kinds *kinds) {
    for (size_t i = 0; i < kinds->n_items; i++) {
        bool is_known = false;
        for (size_t j = 0; j < states->n_items && !is_known; j++) {
            is_known =
                fx_named_kind_compare(&states->items[j].kind, &kinds->items[i]) == 0;
        }
        if (!is_known) {
            return false;
        }
    }
    return true;
}

/* Activates the build, unless it names kinds whose objects have not been read yet: then
 * it waits until they are read, or until it is known that they cannot be. */
static void handle_result(struct fx_cluster_policies *policies, struct build_job *job) {
    struct fx_policies *made = job->made;
    struct fx_policies *before = policies->current;
    job->made = NULL;
    fx_policies_unref(policies->waiting);
    policies->waiting = NULL;
    const bool is_known = are_known(&job->states, &made->named);
    if (!fx_parameters_watch(policies->parameters, &made->named, is_known)) {
        struct fx_err err = FX_ERR_INIT;
        (void)fx_fail_nomem(&err);
        note_failure(policies, job->took_ns, &err);
    }
    if (!is_known) {
        policies->waiting = made;
        return;
    }
    policies->current = made;
    policies->ready = policies->ready || job->holds_all;
    policies->events.on_built(policies->current, before, (double)job->took_ns / 1e9,
                              policies->user);
    fx_policies_unref(before);
}

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* never cancelled */
    struct build_job *job = work->data;
    struct fx_cluster_policies *policies = policies_of(job->policies);
    policies->building = false;
    fx_job_end(&policies->watchdog);
    if (!policies->closing && job->made != NULL) {
        note_success(policies, job->took_ns);
        handle_result(policies, job);
    } else if (!policies->closing) {
        note_failure(policies, job->took_ns, &job->err);
    }
    job_finish(job);
    schedule_build(policies);
    destroy_if_closed(policies);
}

static void start_build(struct fx_cluster_policies *policies) {
    struct build_job *job = &policies->job;
    if (!job_fill(job, policies)) {
        struct fx_err err = FX_ERR_INIT;
        (void)fx_fail_nomem(&err);
        job_finish(job);
        note_failure(policies, 0, &err);
        schedule_build(policies);
        return;
    }
    job->work.data = job;
    job->policies = policies;
    policies->dirty = false;
    /* Fails only for invalid arguments. */
    const int queued = uv_queue_work(policies->loop, &job->work, on_work, on_worked);
    assert(queued == 0);
    policies->building = queued == 0;
    policies->watchdog = (struct fx_job){
        .type = FX_JOB_BUILD,
        .name = "build of policies",
        .allowed_ns = FX_JOB_NS(FX_LIMIT_BUILD_MS),
    };
    fx_job_begin(&policies->watchdog);
}

static void on_timer(uv_timer_t *timer) {
    start_build(policies_of(timer->data));
}

/* Sets the timer for the next build, if there are changes and it is not set. */
static void schedule_build(struct fx_cluster_policies *policies) {
    if (!policies->dirty || policies->building || policies->closing ||
        uv_is_active((uv_handle_t *)&policies->timer)) {
        return;
    }
    const uint64_t collect_ms = all_synced(policies) ? COLLECT_MS : COLLECT_FIRST_MS;
    const uint64_t ms = fx_build_throttle_wait_ms(&policies->throttle, collect_ms);
    (void)uv_timer_start(&policies->timer, on_timer, ms, 0); /* it has a callback */
}

void fx_cluster_policies_rebuild(struct fx_cluster_policies *policies) {
    policies->dirty = true;
    schedule_build(policies);
}

/* ---- callbacks of the reflectors ------------------------------------------------- */

/* The resource in the version of the object. */
static const struct fx_kube_resource *version_of(const struct fx_cluster_kind *kind,
                                                 const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    for (size_t i = 1; i < kind->n_versions; i++) {
        if (fx_text_is(subject.version, kind->versions[i].version)) {
            return &kind->versions[i];
        }
    }
    return &kind->versions[0];
}

static bool on_object(json_t *object, void *user) {
    struct watched_kind *source = user;
    struct fx_cluster_policies *policies = source->policies;
    const struct fx_object_source from = {
        .kind = source->kind,
        .resource = version_of(source->kind, object),
        .pod = policies->options.identity.pod,
    };
    struct fx_cluster_object *item = NULL;
    enum fx_object_change change = FX_OBJECT_SAME;
    if (!fx_cluster_objects_put(&policies->objects, &from, object, &item, &change)) {
        return false;
    }
    if (change == FX_OBJECT_POLICY) {
        fx_cluster_policies_rebuild(policies);
    } else if (change == FX_OBJECT_STATUS &&
               fx_cluster_kind_has(source->kind, FX_KIND_STATUS_BY_POD)) {
        policies->events.on_status(item, policies->user);
    }
    return true;
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    struct watched_kind *source = user;
    if (fx_cluster_objects_remove(&source->policies->objects, source->kind, namespace_,
                                  name)) {
        fx_cluster_policies_rebuild(source->policies);
    }
}

/* The first build starts as soon as all lists have arrived, as readiness waits for it. */
static void build_if_synced(struct fx_cluster_policies *policies) {
    if (all_synced(policies)) {
        (void)uv_timer_stop(&policies->timer);
        fx_cluster_policies_rebuild(policies);
    }
}

static void on_synced(void *user) {
    struct watched_kind *source = user;
    if (!source->synced) {
        source->synced = true;
        build_if_synced(source->policies);
    }
}

static void on_native(void *user) {
    build_if_synced(policies_of(user));
}

/* After an outage the API server may be another one. */
static void check_native(struct watched_kind *source, enum fx_kube_state state) {
    if (source->kind->kind->native != NULL && source->failing &&
        state != FX_KUBE_STATE_FAILING) {
        fx_native_check(source->policies->native);
    }
    source->failing = state == FX_KUBE_STATE_FAILING;
}

static void on_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user) {
    struct watched_kind *source = user;
    struct fx_cluster_policies *policies = source->policies;
    check_native(source, state);
    policies->events.on_state(&source->kind->versions[0], state, failure, policies->user);
}

/* ---- callbacks of the parameters ------------------------------------------------- */

static bool concerns(const struct fx_policies *built, const struct fx_named_kind *kind,
                     struct fx_text namespace_, struct fx_text name) {
    for (size_t i = 0; i < built->n_linked; i++) {
        if (fx_linked_concerns(built->linked[i], kind, namespace_, name)) {
            return true;
        }
    }
    return false;
}

/* Schedules a build, unless no policy looked up the object. */
static void on_parameter(const struct fx_named_kind *kind, struct fx_text namespace_,
                         struct fx_text name, void *user) {
    struct fx_cluster_policies *policies = policies_of(user);
    if (policies->building || policies->waiting != NULL ||
        concerns(policies->current, kind, namespace_, name)) {
        fx_cluster_policies_rebuild(policies);
    }
}

static void on_kind(void *user) {
    fx_cluster_policies_rebuild(policies_of(user));
}

/* ---- start and end --------------------------------------------------------------- */

/* False without memory. All native kinds have the same API (kinds_test.c). */
static bool start_native(struct fx_cluster_policies *policies,
                         struct fx_kube_client *client, const struct fx_kind *kind) {
    if (policies->native == NULL) {
        policies->native = fx_native_create(
            policies->loop, client, kind, policies->options.native, on_native, policies);
    }
    return policies->native != NULL;
}

static bool start_source(struct fx_cluster_policies *policies, size_t kind,
                         struct fx_kube_client *client, struct fx_err *err) {
    static const struct fx_kube_reflector_events callbacks = {
        .on_object = on_object,
        .on_gone = on_gone,
        .on_synced = on_synced,
        .on_state = on_state,
    };
    struct watched_kind *source = &policies->sources[kind];
    source->policies = policies;
    source->kind = fx_cluster_kind_at(kind);
    if ((policies->options.apis & source->kind->api) == 0) {
        source->synced = true;
        return true;
    }
    const struct fx_kind *row = source->kind->kind;
    if (row->native != NULL && !start_native(policies, client, row)) {
        return fx_fail_nomem(err);
    }
    const struct fx_kube_reflector_options options = {
        .versions = source->kind->versions,
        .n_versions = source->kind->n_versions,
        .confirm_absence = true,
        .namespace_ =
            row->scope == FX_SCOPE_OWN ? policies->options.identity.namespace_ : NULL,
        .name = row->name,
    };
    source->reflector = fx_kube_reflector_create(policies->loop, client, &options,
                                                 &callbacks, source, err);
    return source->reflector != NULL;
}

static bool start_sources(struct fx_cluster_policies *policies,
                          struct fx_kube_client *client, struct fx_err *err) {
    static const struct fx_parameters_events events = {.on_object = on_parameter,
                                                       .on_kind = on_kind};
    if (!fx_policies_build(NULL, 0, NULL, 0, &policies->current, err)) {
        return false;
    }
    policies->parameters =
        fx_parameters_create(policies->loop, client, &events, policies);
    if (policies->parameters == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        if (!start_source(policies, i, client, err)) {
            return false;
        }
    }
    return true;
}

struct fx_cluster_policies *
fx_cluster_policies_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_policies_options *options,
                           const struct fx_cluster_policies_events *events, void *user,
                           struct fx_err *err) {
    struct fx_cluster_policies *policies = calloc(1, sizeof *policies);
    if (policies == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    policies->magic = POLICIES_MAGIC;
    policies->loop = loop;
    policies->options = *options;
    policies->events = *events;
    policies->user = user;
    fx_build_throttle_init(&policies->throttle);
    (void)uv_timer_init(loop, &policies->timer); /* cannot fail */
    policies->timer.data = policies;
    policies->has_timer = true;
    if (!start_sources(policies, client, err)) {
        fx_cluster_policies_close(policies);
        return NULL;
    }
    return policies;
}

void fx_cluster_policies_close(struct fx_cluster_policies *policies) {
    if (policies == NULL) {
        return;
    }
    policies->closing = true;
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        fx_kube_reflector_close(policies->sources[i].reflector);
    }
    fx_native_close(policies->native);
    policies->native = NULL;
    fx_parameters_close(policies->parameters);
    policies->parameters = NULL;
    uv_close((uv_handle_t *)&policies->timer, on_timer_closed);
}

/* ---- queries ---------------------------------------------------------------------- */

bool fx_cluster_policies_ready(const struct fx_cluster_policies *policies,
                               const char **ret_waits_for) {
    const struct watched_kind *missing = find_missing(policies);
    *ret_waits_for = policies->ready         ? ""
                     : missing != NULL       ? missing->kind->waiting
                     : !all_synced(policies) ? "waiting for the version of the API server"
                     : policies->waiting != NULL
                         ? "waiting for the objects of kinds that policies name"
                         : "waiting for the first build";
    return policies->ready;
}

bool fx_cluster_policies_leaves(const struct fx_cluster_policies *policies,
                                const struct fx_cluster_object *object,
                                enum fx_native_state *ret_state,
                                const char **ret_reason) {
    if (runs_kind(policies, object->kind)) {
        return false;
    }
    *ret_state = fx_native_get(policies->native);
    *ret_reason = fx_native_reason(policies->native);
    return true;
}

bool fx_cluster_policies_get_native(const struct fx_cluster_policies *policies,
                                    enum fx_native_state *ret_state) {
    if (policies->native != NULL) {
        *ret_state = fx_native_get(policies->native);
    }
    return policies->native != NULL;
}

size_t fx_cluster_policies_count(const struct fx_cluster_policies *policies) {
    return policies->objects.n_items;
}

const struct fx_cluster_object *
fx_cluster_policies_at(const struct fx_cluster_policies *policies, size_t index) {
    assert(index < policies->objects.n_items);
    return policies->objects.items[index];
}

const struct fx_cluster_object *
fx_cluster_policies_find(const struct fx_cluster_policies *policies, const char *key) {
    return fx_cluster_objects_find(&policies->objects, key);
}

bool fx_cluster_policies_get_status(const struct fx_cluster_policies *policies,
                                    size_t kind,
                                    struct fx_kube_reflector_status *ret_status) {
    assert(kind < fx_cluster_kinds_count());
    const struct fx_kube_reflector *reflector = policies->sources[kind].reflector;
    if (reflector != NULL) {
        fx_kube_reflector_get_status(reflector, ret_status);
    }
    return reflector != NULL;
}

size_t fx_cluster_policies_count_named(const struct fx_cluster_policies *policies) {
    return fx_parameters_count(policies->parameters);
}

bool fx_cluster_policies_get_named(const struct fx_cluster_policies *policies,
                                   size_t index,
                                   const struct fx_kube_resource **ret_resource,
                                   struct fx_kube_reflector_status *ret_status) {
    return fx_parameters_get_status(policies->parameters, index, ret_resource,
                                    ret_status);
}
