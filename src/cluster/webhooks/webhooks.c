/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/webhooks.c - watches each configuration, reports changes, and writes
 * differences: one write at a time, after growing pauses if another client undoes the
 * writes.
 */
#include "cluster/webhooks/webhooks.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/log.h"
#include "cluster/webhooks/disable.h"
#include "kube/backoff.h"
#include "kube/body.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define GROUP "admissionregistration.k8s.io"

/* The interval of checks for the end of a disable: clocks may jump. */
#define CHECK_MS INT64_C(10000)

/* After this many writes without a quiet period, a log line says that a client undoes
 * them. */
#define DISPUTED 4u

#define WEBHOOKS_MAGIC 0x66787768u /* "fxwh" */

const struct fx_kube_resource fx_cluster_mutating = {
    GROUP, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"};
const struct fx_kube_resource fx_cluster_validating = {
    GROUP, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"};

/* The pauses of writes that others may undo. */
static const struct fx_kube_throttle first_throttle = {
    .first_ms = 500, .last_ms = 60000, .calm_ms = 120000};

/* The write in progress. */
enum write_type {
    WRITE_BUNDLE,
    WRITE_ENABLE,    /* the end of a disable: the selectors */
    WRITE_HAND_OVER, /* then, the owners of the selectors */
};

/* One configuration. */
struct webhook_target {
    struct fx_cluster_webhooks *webhooks;
    const struct fx_kube_resource *resource;
    bool is_first; /* the first mutating one, which `fixpoint disable` disables */
    char *name;
    struct fx_kube_reflector *reflector;
    struct fx_kube_call *call; /* a write in progress */
    uv_timer_t timer;          /* of the next write */
    json_t *object;            /* as last seen; counted; NULL: it does not exist */
    bool synced;               /* false: `object` is not known yet */
    uint64_t holds_since_ns;   /* when it first held the bundle; 0: it does not */
    struct fx_kube_throttle throttle;
    unsigned n_written; /* writes of the bundle without a quiet period */
    enum write_type write;
    bool end_failed; /* ending a disable failed: the bundle is written first next time */
    bool cannot_end; /* the record of this disable is invalid */
    enum fx_kube_reason logged; /* the last failure in the log */
};

struct fx_cluster_webhooks {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_cluster_webhooks_events events;
    void *user;
    bool writes_ca, leader;
    bool present, present_known, disabled;
    char *bundle; /* base64; NULL: none */
    uint64_t since_ns;
    uv_timer_t timer; /* of the end of a disable */
    unsigned handles; /* not closed yet */
    bool closing;
    size_t n_targets;
    struct webhook_target targets[];
};

static struct fx_cluster_webhooks *webhooks_of(void *data) {
    struct fx_cluster_webhooks *webhooks = data;
    assert(webhooks != NULL && webhooks->magic == WEBHOOKS_MAGIC);
    return webhooks;
}

static void schedule_write(struct webhook_target *target);

/* ---- the caBundle ---------------------------------------------------------------- */

bool fx_ca_bundle_is_in(const json_t *configuration, const char *bundle) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    for (size_t i = 0; i < json_array_size(webhooks); i++) {
        const json_t *client =
            fx_tree_view_key(json_array_get(webhooks, i), "clientConfig");
        if (!fx_text_is(fx_tree_view_string(client, "caBundle"), bundle)) {
            return false;
        }
    }
    return true;
}

json_t *fx_ca_bundle_apply(const json_t *configuration, const char *bundle) {
    const json_t *from = fx_tree_view_key(configuration, "webhooks");
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(configuration, &metadata);
    json_t *webhooks = json_array();
    bool ok = body != NULL && webhooks != NULL;
    for (size_t i = 0; ok && i < json_array_size(from); i++) {
        ok = fx_tree_append_take(
            webhooks, json_pack("{s:O*, s:{s:s}}", "name",
                                fx_tree_view_key(json_array_get(from, i), "name"),
                                "clientConfig", "caBundle", bundle));
    }
    ok = ok && fx_tree_set_take(body, FX_TEXT("webhooks"), json_incref(webhooks));
    json_decref(webhooks);
    return fx_tree_keep_if(ok, body);
}

/* ---- writing --------------------------------------------------------------------- */

static void log_bundle_written(struct webhook_target *target) {
    const bool disputed = ++target->n_written >= DISPUTED;
    const struct fx_log_field fields[] = {
        fx_log_str("resource", target->resource->plural),
        fx_log_str("name", target->name),
        {0}};
    fx_log_write(disputed ? FX_LOG_WARN : FX_LOG_INFO,
                 disputed ? "caBundle written again: another client keeps changing it"
                          : "caBundle written",
                 fields);
}

static void log_result(struct webhook_target *target,
                       const struct fx_kube_failure *failure) {
    if (failure == NULL) {
        target->logged = FX_KUBE_REASON_NONE;
        if (target->write == WRITE_HAND_OVER) {
            fx_log(WARN, "mutation is enabled again: the end of the disable is reached",
                   {0});
        } else if (target->write == WRITE_BUNDLE) {
            log_bundle_written(target);
        }
    } else if (failure->reason != FX_KUBE_REASON_CONFLICT) {
        fx_kube_failure_log("webhook configuration not written: it will be retried",
                            failure, &target->logged);
    }
}

static void hand_over(struct webhook_target *target, const json_t *configuration);

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct webhook_target *target = user;
    const bool ends = target->write != WRITE_BUNDLE;
    target->call = NULL;
    target->end_failed = ends && answer->failure != NULL;
    target->n_written =
        target->throttle.pause_ms == target->throttle.first_ms ? 0 : target->n_written;
    fx_kube_throttle_ended(&target->throttle, fx_clock_ns());
    log_result(target, answer->failure);
    if (target->write == WRITE_ENABLE && answer->failure == NULL) {
        hand_over(target, answer->object);
    } else {
        schedule_write(target);
    }
}

/* The request could not be sent: tries again after a pause. */
static void put_off(struct webhook_target *target) {
    fx_kube_throttle_started(&target->throttle, fx_clock_ns());
    fx_kube_throttle_ended(&target->throttle, fx_clock_ns());
    schedule_write(target);
}

/* Sends a write. `body_take` NULL: there was no memory for it. */
static void write_body(struct webhook_target *target, enum write_type write,
                       json_t *body_take, enum fx_kube_verb verb, const char *manager) {
    const struct fx_kube_request request = {
        .verb = verb,
        .resource = target->resource,
        .name = {.name = fx_text_of(target->name)},
        .body = body_take,
        .manager = manager,
        .force = true,
    };
    target->write = write;
    target->call = body_take == NULL ? NULL
                                     : fx_kube_call_start(target->webhooks->client,
                                                          &request, on_written, target);
    json_decref(body_take);
    if (target->call == NULL) {
        put_off(target);
    } else {
        fx_kube_throttle_started(&target->throttle, fx_clock_ns());
    }
}

/* ---- the bundle ------------------------------------------------------------------ */

static bool needs_bundle(const struct webhook_target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    return webhooks->writes_ca && webhooks->bundle != NULL && target->object != NULL &&
           !fx_ca_bundle_is_in(target->object, webhooks->bundle);
}

/* ---- the end of a disable -------------------------------------------------------- */

static bool is_over(const struct webhook_target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    struct fx_disable_record record;
    if (!target->is_first || target->object == NULL || !webhooks->leader ||
        target->cannot_end) {
        return false;
    }
    fx_disable_read(target->object, &record);
    return record.recorded && record.has_end && record.end <= fx_date_now();
}

static void end_disable(struct webhook_target *target) {
    struct fx_err err = FX_ERR_INIT;
    json_t *body = fx_enable_apply(target->object, &err);
    if (body == NULL) {
        target->cannot_end = err.code != FX_ENOMEM;
        fx_log(ERROR,
               "mutation stays disabled although the end of the disable is reached",
               fx_log_str("error", err.msg));
        put_off(target);
        return;
    }
    write_body(target, WRITE_ENABLE, body, FX_KUBE_VERB_APPLY, FX_DISABLE_MANAGER);
}

/* Hands the selectors over. If this fails, the record still exists, and the disable is
 * ended again. */
static void hand_over(struct webhook_target *target, const json_t *configuration) {
    struct fx_err err = FX_ERR_INIT;
    write_body(target, WRITE_HAND_OVER, fx_enable_hand_over(configuration, &err),
               FX_KUBE_VERB_MERGE_PATCH, FX_DISABLE_MANAGER);
}

/* ---- the next write -------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer) {
    struct webhook_target *target = timer->data;
    if (target->call != NULL || target->object == NULL) {
        return;
    }
    if (is_over(target) && !(target->end_failed && needs_bundle(target))) {
        end_disable(target);
    } else if (needs_bundle(target)) {
        write_body(target, WRITE_BUNDLE,
                   fx_ca_bundle_apply(target->object, target->webhooks->bundle),
                   FX_KUBE_VERB_APPLY, FX_CA_BUNDLE_MANAGER);
    }
}

static void schedule_write(struct webhook_target *target) {
    if (target->webhooks->closing || target->call != NULL ||
        uv_is_active((uv_handle_t *)&target->timer) ||
        (!is_over(target) && !needs_bundle(target))) {
        return;
    }
    const uint64_t wait_ms = fx_kube_throttle_wait_ms(&target->throttle, fx_clock_ns());
    (void)uv_timer_start(&target->timer, on_timer, wait_ms, 0);
}

/* ---- the bundle ------------------------------------------------------------------ */

/* Does the configuration hold the bundle? True if it does not exist, as it then cannot
 * hold a wrong one. */
static bool holds_bundle(const struct webhook_target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    return webhooks->bundle != NULL && target->synced &&
           (target->object == NULL ||
            fx_ca_bundle_is_in(target->object, webhooks->bundle));
}

static void report_published(struct fx_cluster_webhooks *webhooks) {
    uint64_t since_ns = 0;
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        struct webhook_target *target = &webhooks->targets[i];
        if (!holds_bundle(target)) {
            target->holds_since_ns = 0;
        } else if (target->holds_since_ns == 0) {
            target->holds_since_ns = fx_clock_ns();
        }
    }
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        const uint64_t one_ns = webhooks->targets[i].holds_since_ns;
        if (one_ns == 0) {
            since_ns = 0;
            break;
        }
        since_ns = one_ns > since_ns ? one_ns : since_ns;
    }
    if (since_ns != webhooks->since_ns) {
        webhooks->since_ns = since_ns;
        webhooks->events.on_published(since_ns, webhooks->user);
    }
}

static void on_check(uv_timer_t *timer) {
    struct fx_cluster_webhooks *webhooks = webhooks_of(timer->data);
    schedule_write(&webhooks->targets[0]);
}

static void schedule_check(struct fx_cluster_webhooks *webhooks,
                           const struct fx_disable_record *record) {
    (void)uv_timer_stop(&webhooks->timer);
    if (!record->recorded || !record->has_end || !webhooks->leader) {
        return;
    }
    const int64_t left_ms = (record->end - fx_date_now()) * 1000;
    const int64_t ms = left_ms < 0 ? 0 : left_ms > CHECK_MS ? CHECK_MS : left_ms;
    (void)uv_timer_start(&webhooks->timer, on_check, (uint64_t)ms, (uint64_t)CHECK_MS);
}

/* ---- callbacks of the reflectors ------------------------------------------------- */

static void report_first(struct fx_cluster_webhooks *webhooks) {
    const struct webhook_target *first = &webhooks->targets[0];
    struct fx_disable_record record = {0};
    const bool present = first->object != NULL;
    if (!webhooks->present_known || present != webhooks->present) {
        webhooks->present_known = true;
        webhooks->present = present;
        webhooks->events.on_present(present, webhooks->user);
    }
    if (present) {
        fx_disable_read(first->object, &record);
    }
    if (record.disabled != webhooks->disabled) {
        webhooks->disabled = record.disabled;
        webhooks->events.on_disabled(record.disabled, webhooks->user);
    }
    schedule_check(webhooks, &record);
}

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Do both have the same record of a disable? */
static bool same_record(const json_t *a, const json_t *b) {
    struct fx_disable_record one;
    struct fx_disable_record other;
    fx_disable_read(a, &one);
    fx_disable_read(b, &other);
    return same_text(one.at, other.at) && same_text(one.until, other.until);
}

static void set_object(struct webhook_target *target, json_t *object) {
    struct fx_cluster_webhooks *webhooks = target->webhooks;
    target->cannot_end = target->cannot_end && object != NULL && target->object != NULL &&
                         same_record(target->object, object);
    json_decref(target->object);
    target->object = json_incref(object);
    if (!target->synced) {
        return; /* reported by on_synced() */
    }
    if (target->is_first) {
        report_first(webhooks);
    }
    report_published(webhooks);
    schedule_write(target);
}

static bool on_object(json_t *object, void *user) {
    set_object(user, object);
    return true;
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    (void)namespace_;
    (void)name;
    set_object(user, NULL);
}

static void on_synced(void *user) {
    struct webhook_target *target = user;
    if (!target->synced) {
        target->synced = true;
        json_t *object = json_incref(target->object);
        set_object(target, object);
        json_decref(object);
    }
}

static void on_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user) {
    const struct webhook_target *target = user;
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    webhooks->events.on_state(target->resource, state, failure, webhooks->user);
}

/* ---- start and end --------------------------------------------------- */

static void destroy(struct fx_cluster_webhooks *webhooks) {
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        json_decref(webhooks->targets[i].object);
        free(webhooks->targets[i].name);
    }
    free(webhooks->bundle);
    webhooks->magic = 0;
    free(webhooks);
}

static void close_one(struct fx_cluster_webhooks *webhooks) {
    if (--webhooks->handles == 0) {
        destroy(webhooks);
    }
}

static void on_timer_closed(uv_handle_t *timer) {
    close_one(webhooks_of(timer->data));
}

static void on_target_closed(uv_handle_t *timer) {
    close_one(((struct webhook_target *)timer->data)->webhooks);
}

static bool start_target(struct fx_cluster_webhooks *webhooks, uv_loop_t *loop,
                         const struct fx_kube_resource *resource, const char *name,
                         bool is_first, struct fx_err *err) {
    static const struct fx_kube_reflector_events callbacks = {
        .on_object = on_object,
        .on_gone = on_gone,
        .on_synced = on_synced,
        .on_state = on_state,
    };
    struct webhook_target *target = &webhooks->targets[webhooks->n_targets++];
    target->webhooks = webhooks;
    target->resource = resource;
    target->is_first = is_first;
    target->throttle = first_throttle;
    (void)uv_timer_init(loop, &target->timer); /* cannot fail */
    target->timer.data = target;
    webhooks->handles++;
    target->name = strdup(name);
    if (target->name == NULL) {
        return fx_fail_nomem(err);
    }
    const struct fx_kube_reflector_options options = {.versions = resource,
                                                      .n_versions = 1,
                                                      .name = target->name,
                                                      .confirm_absence = true};
    target->reflector = fx_kube_reflector_create(loop, webhooks->client, &options,
                                                 &callbacks, target, err);
    return target->reflector != NULL;
}

static bool start_all(struct fx_cluster_webhooks *webhooks, uv_loop_t *loop,
                      const struct fx_cluster_webhooks_options *options,
                      struct fx_err *err) {
    for (size_t i = 0; i < options->n_mutating + options->n_validating; i++) {
        const bool mutates = i < options->n_mutating;
        const char *name =
            mutates ? options->mutating[i] : options->validating[i - options->n_mutating];
        if (name[0] != '\0' &&
            !start_target(webhooks, loop,
                          mutates ? &fx_cluster_mutating : &fx_cluster_validating, name,
                          mutates && i == 0, err)) {
            return false;
        }
    }
    return true;
}

struct fx_cluster_webhooks *
fx_cluster_webhooks_create(uv_loop_t *loop, struct fx_kube_client *client,
                           const struct fx_cluster_webhooks_options *options,
                           const struct fx_cluster_webhooks_events *events, void *user,
                           struct fx_err *err) {
    const size_t n = options->n_mutating + options->n_validating;
    struct fx_cluster_webhooks *webhooks =
        calloc(1, sizeof *webhooks + n * sizeof(struct webhook_target));
    if (webhooks == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    webhooks->magic = WEBHOOKS_MAGIC;
    webhooks->client = client;
    webhooks->events = *events;
    webhooks->user = user;
    webhooks->writes_ca = options->writes_ca;
    (void)uv_timer_init(loop, &webhooks->timer); /* cannot fail */
    webhooks->timer.data = webhooks;
    webhooks->handles = 1;
    if (!start_all(webhooks, loop, options, err)) {
        fx_cluster_webhooks_close(webhooks);
        return NULL;
    }
    return webhooks;
}

/* A new bundle is not an undone write: it is written without a pause. */
static void reset_throttles(struct fx_cluster_webhooks *webhooks) {
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        webhooks->targets[i].throttle = first_throttle;
        (void)uv_timer_stop(&webhooks->targets[i].timer);
    }
}

bool fx_cluster_webhooks_publish(struct fx_cluster_webhooks *webhooks,
                                 struct fx_text ca_bundle) {
    struct fx_buf text = {0};
    fx_base64_encode(&text, ca_bundle);
    char *bundle = fx_buf_steal(&text);
    fx_buf_finish(&text);
    if (bundle == NULL) {
        return false;
    }
    if (webhooks->bundle == NULL || strcmp(webhooks->bundle, bundle) != 0) {
        reset_throttles(webhooks);
    }
    free(webhooks->bundle);
    webhooks->bundle = bundle;
    report_published(webhooks);
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        schedule_write(&webhooks->targets[i]);
    }
    return true;
}

uint64_t fx_cluster_webhooks_published_since(const struct fx_cluster_webhooks *webhooks) {
    return webhooks->since_ns;
}

/* Ranks the status of a watch; greater is worse. */
static int badness(const struct fx_kube_reflector_status *status) {
    switch (status->state) {
    case FX_KUBE_STATE_WATCHING: return 0;
    case FX_KUBE_STATE_ABSENT: return 1;
    case FX_KUBE_STATE_STARTING: return 2;
    case FX_KUBE_STATE_FAILING: break;
    }
    return 3;
}

static bool is_worse(const struct fx_kube_reflector_status *one,
                     const struct fx_kube_reflector_status *than) {
    return badness(one) != badness(than) ? badness(one) > badness(than)
                                         : one->synced_ns < than->synced_ns;
}

bool fx_cluster_webhooks_get_status(const struct fx_cluster_webhooks *webhooks,
                                    const struct fx_kube_resource *resource,
                                    struct fx_kube_reflector_status *ret_status) {
    bool found = false;
    size_t n_objects = 0;
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        struct fx_kube_reflector_status one;
        if (webhooks->targets[i].resource != resource) {
            continue;
        }
        fx_kube_reflector_get_status(webhooks->targets[i].reflector, &one);
        n_objects += one.n_objects;
        if (!found || is_worse(&one, ret_status)) {
            *ret_status = one;
        }
        found = true;
    }
    if (found) {
        ret_status->n_objects = n_objects;
    }
    return found;
}

void fx_cluster_webhooks_set_leader(struct fx_cluster_webhooks *webhooks, bool leader) {
    webhooks->leader = leader;
    if (webhooks->n_targets > 0 && webhooks->present_known) {
        report_first(webhooks);
        schedule_write(&webhooks->targets[0]);
    }
}

void fx_cluster_webhooks_close(struct fx_cluster_webhooks *webhooks) {
    if (webhooks == NULL) {
        return;
    }
    webhooks->closing = true;
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        struct webhook_target *target = &webhooks->targets[i];
        fx_kube_call_cancel(target->call);
        fx_kube_reflector_close(target->reflector);
        uv_close((uv_handle_t *)&target->timer, on_target_closed);
    }
    uv_close((uv_handle_t *)&webhooks->timer, on_timer_closed);
}
