/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/parameters.c - one reflector for each kind that policies name.
 *
 *   looking up ── the resource is known ──→ listing ── listed ──→ watching
 *     ↑ ─ failed: retried after a pause         └─ failed: the reflector lists again
 */
#include "cluster/policies/parameters.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "engine/link.h"
#include "engine/policy_text.h"
#include "engine/request.h"
#include "engine/unit.h"
#include "kube/backoff.h"
#include "kube/discovery.h"
#include "kube/reflector.h"
#include "policy/check.h"
#include "value/tree.h"

#define KEY_BYTES    1024
#define RETRY_MIN_MS 1000u
#define RETRY_MAX_MS 30000u

/* One watched kind. Freed when its timer is closed. */
struct parameter_kind {
    struct fx_parameters *parameters; /* not valid after close_kind() */
    struct fx_named_kinds name; /* a list with only this kind; its texts end with NUL */
    /* Zeroed until it is known; borrows the texts of `name`. */
    struct fx_kube_resource resource;
    char *plural;
    struct fx_kube_discovery *discovery; /* in progress, or NULL */
    struct fx_kube_reflector *reflector; /* NULL: the resource is not known */
    struct fx_kube_backoff backoff;
    /* The end of the wait, then the next attempt to find the resource. */
    uv_timer_t timer;
    uint64_t began_ns;
    bool is_settled;
    char *unavailable; /* why its objects cannot be read; NULL: they can be read */
};

struct fx_parameters {
    uv_loop_t *loop;
    struct fx_kube_client *client;
    struct fx_parameters_events events;
    void *user;
    struct fx_kube_random random;
    struct parameter_kind **kinds;
    size_t n_kinds, cap_kinds;
    struct fx_parameter *items; /* sorted by key */
    size_t n_items, cap_items;
};

static const struct fx_named_kind *name_of(const struct parameter_kind *kind) {
    return &kind->name.items[0];
}

/* ---- objects ----------------------------------------------------------------------- */

/* Prints the key of an object. With an empty name: the prefix of all keys of the kind.
 * False for names that an API server does not allow. */
static bool print_key(char key[KEY_BYTES], const struct parameter_kind *kind,
                      struct fx_text namespace_, struct fx_text name) {
    const struct fx_kube_resource *resource = &kind->resource;
    const int len = snprintf(key, KEY_BYTES, "%s%s%s/%s/%.*s%s%.*s", resource->plural,
                             resource->group[0] == '\0' ? "" : ".", resource->group,
                             resource->version, FX_TEXT_ARG(namespace_),
                             name.len == 0 ? "" : "/", FX_TEXT_ARG(name));
    return len > 0 && len < KEY_BYTES;
}

static int compare_key(const void *key, const void *item) {
    const struct fx_parameter *parameter = item;
    return strcmp(key, parameter->key);
}

static size_t find_index(const struct fx_parameters *parameters, const char *key,
                         bool *ret_found) {
    return fx_sorted_find(parameters->items, parameters->n_items,
                          sizeof *parameters->items, key, compare_key, ret_found);
}

/* Adds an object without a text. NULL without memory. */
static struct fx_parameter *insert(struct fx_parameters *parameters, size_t at,
                                   const char *key) {
    char *copy = strdup(key);
    if (copy == NULL ||
        !FX_VEC_GROW(parameters->items, parameters->n_items, parameters->cap_items)) {
        free(copy);
        return NULL;
    }
    FX_SORTED_INSERT(parameters->items, parameters->n_items, at);
    parameters->items[at] = (struct fx_parameter){copy, NULL};
    return &parameters->items[at];
}

/* Stores the text of an object, and takes its reference. If the text is equal to the
 * present one, keeps that one. False without memory. */
static bool put_take(struct fx_parameters *parameters, const char *key,
                     struct fx_policy_text *text, bool *ret_changed) {
    bool found = false;
    const size_t at = find_index(parameters, key, &found);
    struct fx_parameter *item =
        found ? &parameters->items[at] : insert(parameters, at, key);
    *ret_changed = item != NULL && !(found && fx_policy_text_equal(item->object, text));
    if (!*ret_changed) {
        fx_policy_text_unref(text);
        return item != NULL;
    }
    fx_policy_text_unref(item->object);
    item->object = text;
    return true;
}

static bool on_object(json_t *object, void *user) {
    struct parameter_kind *kind = user;
    struct fx_parameters *parameters = kind->parameters;
    struct fx_subject subject;
    char key[KEY_BYTES];
    fx_subject_read(object, &subject);
    if (subject.name.len == 0 ||
        !print_key(key, kind, subject.namespace_, subject.name)) {
        return true;
    }
    json_t *kept = fx_unit_reduce_object(object);
    struct fx_policy_text *text = kept == NULL ? NULL : fx_policy_text_create(kept);
    bool changed = false;
    json_decref(kept);
    if (text == NULL || !put_take(parameters, key, text, &changed)) {
        return false;
    }
    if (changed) {
        parameters->events.on_object(name_of(kind), subject.namespace_, subject.name,
                                     parameters->user);
    }
    return true;
}

static void remove_at(struct fx_parameters *parameters, size_t at) {
    fx_policy_text_unref(parameters->items[at].object);
    free(parameters->items[at].key);
    FX_SORTED_REMOVE(parameters->items, parameters->n_items, at);
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    struct parameter_kind *kind = user;
    struct fx_parameters *parameters = kind->parameters;
    char key[KEY_BYTES];
    bool found = false;
    const size_t at =
        print_key(key, kind, namespace_, name) ? find_index(parameters, key, &found) : 0;
    if (found) {
        remove_at(parameters, at);
        parameters->events.on_object(name_of(kind), namespace_, name, parameters->user);
    }
}

/* Removes all objects of the kind. */
static void remove_all(struct fx_parameters *parameters,
                       const struct parameter_kind *kind) {
    char key[KEY_BYTES];
    bool found = false;
    if (kind->plural == NULL ||
        !print_key(key, kind, (struct fx_text){0}, (struct fx_text){0})) {
        return;
    }
    const size_t first = find_index(parameters, key, &found);
    size_t end = first;
    while (end < parameters->n_items &&
           fx_text_starts(fx_text_of(parameters->items[end].key), fx_text_of(key))) {
        fx_policy_text_unref(parameters->items[end].object);
        free(parameters->items[end].key);
        end++;
    }
    if (end > first) {
        memmove(parameters->items + first, parameters->items + end,
                (parameters->n_items - end) * sizeof *parameters->items);
        parameters->n_items -= end - first;
    }
}

/* ---- the state of a kind --------------------------------------------------------- */

static void log_kind(const struct parameter_kind *kind) {
    struct fx_buf name = {0};
    fx_named_kind_print(&name, name_of(kind));
    const char *text = name.failed ? "" : name.data;
    if (kind->unavailable != NULL) {
        fx_log(WARN, "objects of a kind that policies name cannot be read",
               fx_log_str("kind", text), fx_log_str("error", kind->unavailable));
    } else {
        fx_log(INFO, "objects of a kind that policies name are watched",
               fx_log_str("kind", text));
    }
    fx_buf_finish(&name);
}

/* Settles the kind, or changes the reason. `why` NULL: its objects can be read. */
static void settle(struct parameter_kind *kind, const char *why) {
    const char *before = kind->unavailable;
    const bool is_same = kind->is_settled && (why == NULL) == (before == NULL) &&
                         (why == NULL || strcmp(why, before) == 0);
    if (is_same) {
        return;
    }
    /* Without memory for the reason, nothing changes until the next event. */
    char *copy = why == NULL ? NULL : strdup(why);
    if (why != NULL && copy == NULL) {
        return;
    }
    free(kind->unavailable);
    kind->unavailable = copy;
    kind->is_settled = true;
    log_kind(kind);
    kind->parameters->events.on_kind(kind->parameters->user);
}

/* Settles the kind after a failure, unless the failure may be short. */
static void settle_failed(struct parameter_kind *kind,
                          const struct fx_kube_failure *failure) {
    const bool waits =
        fx_clock_ns() < kind->began_ns + FX_PARAMETERS_WAIT_MS * UINT64_C(1000000);
    if (kind->is_settled || !waits || !fx_kube_failure_is_temporary(failure)) {
        settle(kind, failure->message);
    }
}

static void on_synced(void *user) {
    struct parameter_kind *kind = user;
    struct fx_kube_reflector_status status;
    fx_kube_reflector_get_status(kind->reflector, &status);
    if (status.state != FX_KUBE_STATE_ABSENT) {
        (void)uv_timer_stop(&kind->timer);
        settle(kind, NULL);
    }
}

/* Objects that were listed stay in use if the watch fails later. */
static void on_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user) {
    struct parameter_kind *kind = user;
    struct fx_kube_reflector_status status;
    fx_kube_reflector_get_status(kind->reflector, &status);
    if (state == FX_KUBE_STATE_ABSENT) {
        settle(kind, "the API server does not have this kind");
    } else if (state == FX_KUBE_STATE_FAILING && !status.synced) {
        settle_failed(kind, failure);
    }
}

/* ---- finding the resource -------------------------------------------------------- */

static void discover(struct parameter_kind *kind);

static void on_retry(uv_timer_t *timer) {
    discover(timer->data);
}

static void retry_later(struct parameter_kind *kind, uint32_t retry_after_s) {
    const uint64_t ms =
        fx_kube_backoff_next(&kind->backoff, (uint64_t)retry_after_s * 1000, RETRY_MAX_MS,
                             &kind->parameters->random);
    (void)uv_timer_start(&kind->timer, on_retry, ms, 0); /* it has a callback */
}

/* The first list takes too long: policies work without the objects until it has
 * arrived. */
static void on_wait_over(uv_timer_t *timer) {
    struct parameter_kind *kind = timer->data;
    if (!kind->is_settled) {
        settle(kind, "they are not read yet");
    }
}

static void watch(struct parameter_kind *kind, const char *plural, struct fx_err *err) {
    static const struct fx_kube_reflector_events callbacks = {
        .on_object = on_object,
        .on_gone = on_gone,
        .on_synced = on_synced,
        .on_state = on_state,
    };
    struct fx_parameters *parameters = kind->parameters;
    free(kind->plural);
    kind->plural = strdup(plural);
    if (kind->plural == NULL) {
        (void)fx_fail_nomem(err);
        return;
    }
    const struct fx_named_kind *name = name_of(kind);
    kind->resource = (struct fx_kube_resource){name->group.data, name->version.data,
                                               kind->plural, name->kind.data};
    const struct fx_kube_reflector_options options = {
        .versions = &kind->resource, .n_versions = 1, .confirm_absence = true};
    kind->reflector = fx_kube_reflector_create(parameters->loop, parameters->client,
                                               &options, &callbacks, kind, err);
}

static void on_discovered(const struct fx_kube_discovered *discovered, void *user) {
    struct parameter_kind *kind = user;
    struct fx_err err = FX_ERR_INIT;
    kind->discovery = NULL;
    if (discovered->failure != NULL) {
        settle_failed(kind, discovered->failure);
        retry_later(kind, discovered->failure->retry_after_s);
        return;
    }
    watch(kind, discovered->resource.plural, &err);
    if (kind->reflector == NULL) {
        settle(kind, err.msg);
        retry_later(kind, 0);
        return;
    }
    if (!kind->is_settled) {
        (void)uv_timer_start(&kind->timer, on_wait_over, FX_PARAMETERS_WAIT_MS, 0);
    }
}

static void discover(struct parameter_kind *kind) {
    const struct fx_named_kind *name = name_of(kind);
    const struct fx_kube_resource wanted = {.group = name->group.data,
                                            .version = name->version.data,
                                            .kind = name->kind.data};
    kind->discovery = fx_kube_discovery_start(kind->parameters->client, &wanted,
                                              FX_PARAMETERS_WAIT_MS, on_discovered, kind);
    if (kind->discovery == NULL) {
        retry_later(kind, 0);
    }
}

/* ---- the list of kinds ------------------------------------------------------------- */

static void on_timer_closed(uv_handle_t *timer) {
    struct parameter_kind *kind = timer->data;
    fx_named_kinds_finish(&kind->name);
    free(kind->plural);
    free(kind->unavailable);
    free(kind);
}

/* Stops watching the kind, and removes its objects. */
static void close_kind(struct parameter_kind *kind) {
    fx_kube_discovery_cancel(kind->discovery);
    fx_kube_reflector_close(kind->reflector);
    remove_all(kind->parameters, kind);
    uv_close((uv_handle_t *)&kind->timer, on_timer_closed);
}

static struct parameter_kind *find_kind(const struct fx_parameters *parameters,
                                        const struct fx_named_kind *name) {
    for (size_t i = 0; i < parameters->n_kinds; i++) {
        if (fx_named_kind_compare(name_of(parameters->kinds[i]), name) == 0) {
            return parameters->kinds[i];
        }
    }
    return NULL;
}

/* Starts watching the kind. False without memory. */
static bool add_kind(struct fx_parameters *parameters, const struct fx_named_kind *name) {
    struct parameter_kind *kind = calloc(1, sizeof *kind);
    if (kind == NULL || !fx_named_kinds_add(&kind->name, name) ||
        !FX_VEC_GROW(parameters->kinds, parameters->n_kinds, parameters->cap_kinds)) {
        if (kind != NULL) {
            fx_named_kinds_finish(&kind->name);
        }
        free(kind);
        return false;
    }
    kind->parameters = parameters;
    kind->began_ns = fx_clock_ns();
    kind->backoff =
        (struct fx_kube_backoff){.min_ms = RETRY_MIN_MS, .max_ms = RETRY_MAX_MS};
    (void)uv_timer_init(parameters->loop, &kind->timer); /* cannot fail */
    kind->timer.data = kind;
    parameters->kinds[parameters->n_kinds++] = kind;
    if (fx_policy_is_kind(name->group, name->kind)) {
        settle(kind, "they are policies");
    } else if (name->group.len == 0 && fx_text_is(name->kind, "Secret")) {
        settle(kind, FX_SECRETS_ARE_NOT_READ);
    } else {
        discover(kind);
    }
    return true;
}

bool fx_parameters_watch(struct fx_parameters *parameters,
                         const struct fx_named_kinds *kinds, bool only) {
    size_t n_kept = 0;
    for (size_t i = 0; only && i < parameters->n_kinds; i++) {
        struct parameter_kind *kind = parameters->kinds[i];
        if (fx_named_kinds_have(kinds, name_of(kind))) {
            parameters->kinds[n_kept++] = kind;
        } else {
            close_kind(kind);
        }
    }
    parameters->n_kinds = only ? n_kept : parameters->n_kinds;
    bool ok = true;
    for (size_t i = 0; i < kinds->n_items; i++) {
        ok = (find_kind(parameters, &kinds->items[i]) != NULL ||
              add_kind(parameters, &kinds->items[i])) &&
             ok;
    }
    return ok;
}

/* ---- for a build ------------------------------------------------------------------- */

bool fx_parameters_copy_states(const struct fx_parameters *parameters,
                               struct fx_parameter_states *ret_states) {
    const size_t n = parameters->n_kinds;
    ret_states->items = calloc(n + 1, sizeof *ret_states->items);
    ret_states->texts = calloc(n + 1, sizeof *ret_states->texts);
    bool ok = ret_states->items != NULL && ret_states->texts != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        ok = fx_named_kinds_add(&ret_states->names, name_of(parameters->kinds[i]));
    }
    for (size_t i = 0; ok && i < n; i++) {
        const struct fx_named_kind *name = &ret_states->names.items[i];
        const struct parameter_kind *kind = find_kind(parameters, name);
        if (kind == NULL || !kind->is_settled) {
            continue;
        }
        char *why = kind->unavailable == NULL ? NULL : strdup(kind->unavailable);
        ok = why != NULL || kind->unavailable == NULL;
        ret_states->texts[ret_states->n_items] = why;
        ret_states->items[ret_states->n_items++] = (struct fx_kind_state){*name, why};
    }
    return ok;
}

void fx_parameter_states_finish(struct fx_parameter_states *states) {
    for (size_t i = 0; i < states->n_items; i++) {
        free(states->texts[i]);
    }
    free(states->items);
    free(states->texts);
    fx_named_kinds_finish(&states->names);
    *states = (struct fx_parameter_states){0};
}

const struct fx_parameter *fx_parameters_list(const struct fx_parameters *parameters,
                                              size_t *ret_n) {
    *ret_n = parameters->n_items;
    return parameters->items;
}

/* ---- for metrics ------------------------------------------------------------------- */

size_t fx_parameters_count(const struct fx_parameters *parameters) {
    return parameters == NULL ? 0 : parameters->n_kinds;
}

bool fx_parameters_get_status(const struct fx_parameters *parameters, size_t index,
                              const struct fx_kube_resource **ret_resource,
                              struct fx_kube_reflector_status *ret_status) {
    const struct parameter_kind *kind = parameters->kinds[index];
    if (kind->reflector == NULL) {
        return false;
    }
    *ret_resource = &kind->resource;
    fx_kube_reflector_get_status(kind->reflector, ret_status);
    return true;
}

/* ---- start and end ----------------------------------------------------------------- */

struct fx_parameters *fx_parameters_create(uv_loop_t *loop, struct fx_kube_client *client,
                                           const struct fx_parameters_events *events,
                                           void *user) {
    struct fx_parameters *parameters = calloc(1, sizeof *parameters);
    if (parameters != NULL) {
        parameters->loop = loop;
        parameters->client = client;
        parameters->events = *events;
        parameters->user = user;
        fx_kube_random_init(&parameters->random);
    }
    return parameters;
}

void fx_parameters_close(struct fx_parameters *parameters) {
    static const struct fx_named_kinds none = {0};
    if (parameters != NULL) {
        const bool ok = fx_parameters_watch(parameters, &none, true);
        assert(ok); /* nothing is added */
        (void)ok;
        free(parameters->kinds);
        free(parameters->items);
        free(parameters);
    }
}
