/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/webhooks.c - watches each configuration, and reports changes.
 */
#include "cluster/webhooks/webhooks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/log.h"
#include "cluster/webhooks/ca_bundle.h"
#include "cluster/webhooks/disable.h"
#include "cluster/webhooks/webhooks_internal.h"
#include "value/tree.h"

#define GROUP "admissionregistration.k8s.io"

/* The end of a disable is a time of day, which may jump: it is checked this often. */
#define CHECK_MS INT64_C(10000)

#define WEBHOOKS_MAGIC 0x66787768u /* "fxwh" */

const struct fx_kube_resource fx_cluster_mutating = {
    GROUP, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"};
const struct fx_kube_resource fx_cluster_validating = {
    GROUP, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"};

static struct fx_cluster_webhooks *webhooks_of(void *data) {
    struct fx_cluster_webhooks *webhooks = data;
    assert(webhooks != NULL && webhooks->magic == WEBHOOKS_MAGIC);
    return webhooks;
}

/* ---- the bundle ------------------------------------------------------------------ */

/* A configuration that does not exist cannot hold a wrong bundle. */
static bool holds_bundle(const struct fx_webhooks_target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    return webhooks->bundle != NULL && target->synced &&
           (target->object == NULL ||
            fx_ca_bundle_is_in(target->object, webhooks->bundle));
}

static void report_published(struct fx_cluster_webhooks *webhooks) {
    uint64_t since_ns = 0;
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        struct fx_webhooks_target *target = &webhooks->targets[i];
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
    fx_webhooks_schedule_write(&webhooks->targets[0]);
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

/* ---- callbacks of the reflectors ----------------------------------------------------
 */

static void report_first(struct fx_cluster_webhooks *webhooks) {
    const struct fx_webhooks_target *first = &webhooks->targets[0];
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

/* Whether both show the same disable. */
static bool same_record(const json_t *a, const json_t *b) {
    struct fx_disable_record one;
    struct fx_disable_record other;
    fx_disable_read(a, &one);
    fx_disable_read(b, &other);
    return same_text(one.at, other.at) && same_text(one.until, other.until);
}

static void set_object(struct fx_webhooks_target *target, json_t *object) {
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
    fx_webhooks_schedule_write(target);
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
    struct fx_webhooks_target *target = user;
    if (!target->synced) {
        target->synced = true;
        json_t *object = json_incref(target->object);
        set_object(target, object);
        json_decref(object);
    }
}

static void on_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user) {
    const struct fx_webhooks_target *target = user;
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
    close_one(((struct fx_webhooks_target *)timer->data)->webhooks);
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
    struct fx_webhooks_target *target = &webhooks->targets[webhooks->n_targets++];
    target->webhooks = webhooks;
    target->resource = resource;
    target->is_first = is_first;
    target->throttle = fx_webhooks_throttle;
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
        calloc(1, sizeof *webhooks + n * sizeof(struct fx_webhooks_target));
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
        webhooks->targets[i].throttle = fx_webhooks_throttle;
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
        fx_webhooks_schedule_write(&webhooks->targets[i]);
    }
    return true;
}

uint64_t fx_cluster_webhooks_published_since(const struct fx_cluster_webhooks *webhooks) {
    return webhooks->since_ns;
}

/* Greater is worse. */
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
        fx_webhooks_schedule_write(&webhooks->targets[0]);
    }
}

void fx_cluster_webhooks_close(struct fx_cluster_webhooks *webhooks) {
    if (webhooks == NULL) {
        return;
    }
    webhooks->closing = true;
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        struct fx_webhooks_target *target = &webhooks->targets[i];
        fx_kube_call_cancel(target->call);
        fx_kube_reflector_close(target->reflector);
        uv_close((uv_handle_t *)&target->timer, on_target_closed);
    }
    uv_close((uv_handle_t *)&webhooks->timer, on_timer_closed);
}
