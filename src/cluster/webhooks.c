/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks.c - one reflector a configuration, and the applies that keep each as
 * it ought to be.
 */
#include "cluster/webhooks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/log.h"
#include "cluster/ca_bundle.h"
#include "cluster/disable.h"
#include "cluster/pace.h"
#include "value/tree.h"

#define GROUP "admissionregistration.k8s.io"

/* Somebody may undo what we write, and we what they do. */
static const struct fx_pace usual_pace = {
    .first_ms = 500, .last_ms = 60000, .calm_ms = 120000};

/* So many of them without a calm in between say so. */
#define DISPUTED 4u

/* The end of a disable is a time of day, which may jump: looked at so often. */
#define LOOK_MS INT64_C(10000)

#define WEBHOOKS_MAGIC 0x66787768u /* "fxwh" */

static const struct fx_kube_resource mutating = {
    GROUP, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"};
static const struct fx_kube_resource validating = {
    GROUP, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"};

/* One configuration. */
struct target {
    struct fx_cluster_webhooks *webhooks;
    const struct fx_kube_resource *resource;
    char *name;
    struct fx_kube_reflector *reflector;
    struct fx_kube_call *call; /* an apply under way */
    uv_timer_t timer;          /* the next one */
    json_t *object;            /* as last seen; counted; NULL: there is none */
    bool synced;               /* so that NULL means that */
    uint64_t holds_since_ns;   /* the bundle; 0: it does not */
    struct fx_pace pace;
    unsigned n_written;       /* bundles, since there was a calm */
    bool ends_disable;        /* what is applied: that, or the bundle */
    bool end_failed;          /* the last time; so the bundle first, the next time */
    bool cannot_end;          /* this object's disable: its record is spoilt */
    enum fx_kube_reason told; /* the failure that was logged last */
};

struct fx_cluster_webhooks {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_cluster_webhooks_events events;
    void *user;
    bool writes_ca, leader;
    bool present, present_known, disabled;
    char *bundle; /* base64; NULL: none to be published */
    uint64_t since_ns;
    uv_timer_t timer; /* the end of a disable */
    unsigned handles; /* not yet closed */
    bool closing;
    size_t n_targets;
    struct target targets[];
};

static struct fx_cluster_webhooks *webhooks_of(void *data) {
    struct fx_cluster_webhooks *webhooks = data;
    assert(webhooks != NULL && webhooks->magic == WEBHOOKS_MAGIC);
    return webhooks;
}

static void wake(struct target *target);

/* The one that people disable: the first mutating one. */
static bool is_first(const struct target *target) {
    return target == &target->webhooks->targets[0] && target->resource == &mutating;
}

/* ---- writing --------------------------------------------------------------------- */

/* Again and again, without a calm: somebody else undoes it. */
static void tell_written(struct target *target) {
    const bool disputed = ++target->n_written >= DISPUTED;
    const struct fx_log_field fields[] = {
        fx_log_str("resource", target->resource->plural),
        fx_log_str("name", target->name),
        {0}};
    fx_log_write(disputed ? FX_LOG_WARN : FX_LOG_INFO,
                 disputed ? "caBundle written again: somebody else keeps changing it"
                          : "caBundle written",
                 fields);
}

static void tell_applied(struct target *target, const struct fx_kube_failure *failure) {
    if (failure == NULL) {
        target->told = FX_KUBE_REASON_NONE;
        if (target->ends_disable) {
            fx_log(WARN, "mutation is enabled again: the time of its disable is over",
                   {0});
        } else {
            tell_written(target);
        }
    } else if (failure->reason != target->told &&
               failure->reason != FX_KUBE_REASON_CONFLICT) {
        target->told = failure->reason;
        fx_log(ERROR, "webhook configuration not written: it is tried again",
               fx_log_str("error", failure->words));
    }
}

/* Annotations that another field manager wrote as well are not taken away by no longer
 * applying them: then it would be ended again and again. */
static bool is_ended(const json_t *configuration) {
    struct fx_disable_record record;
    fx_disable_read(configuration, &record);
    return !record.recorded;
}

static void look_at_end(struct target *target, const json_t *configuration) {
    if (!is_ended(configuration)) {
        target->cannot_end = true;
        fx_log(ERROR,
               "the record of a disable that is over belongs to another field manager: "
               "delete its annotations fixpoint.dev/disabled-*",
               fx_log_str("name", target->name));
    }
}

static void on_applied(const struct fx_kube_answer *answer, void *user) {
    struct target *target = user;
    target->call = NULL;
    if (target->ends_disable && answer->failure == NULL) {
        look_at_end(target, answer->object);
    }
    target->end_failed = target->ends_disable && answer->failure != NULL;
    target->n_written =
        target->pace.pause_ms == target->pace.first_ms ? 0 : target->n_written;
    fx_pace_ended(&target->pace, fx_clock_ns());
    tell_applied(target, answer->failure);
    wake(target);
}

/* Nothing could be asked: after a pause again. */
static void put_off(struct target *target) {
    fx_pace_begun(&target->pace, fx_clock_ns());
    fx_pace_ended(&target->pace, fx_clock_ns());
    wake(target);
}

/* Takes the body over. */
static void apply(struct target *target, json_t *body_take, const char *manager) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_APPLY,
        .resource = target->resource,
        .name = {.name = fx_text_of(target->name)},
        .body = body_take,
        .manager = manager,
        .force = true,
    };
    target->call =
        fx_kube_call_start(target->webhooks->client, &request, on_applied, target);
    json_decref(body_take);
    if (target->call == NULL) {
        put_off(target);
    } else {
        fx_pace_begun(&target->pace, fx_clock_ns());
    }
}

/* ---- the bundle ------------------------------------------------------------------ */

/* Where there is no configuration, there is nobody who could trust the wrong one. */
static bool holds(const struct target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    return webhooks->bundle != NULL && target->synced &&
           (target->object == NULL ||
            fx_ca_bundle_is_in(target->object, webhooks->bundle));
}

static void tell_published(struct fx_cluster_webhooks *webhooks) {
    uint64_t since_ns = 0;
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        struct target *target = &webhooks->targets[i];
        if (!holds(target)) {
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

static bool wants_bundle(const struct target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    return webhooks->writes_ca && webhooks->bundle != NULL && target->object != NULL &&
           !fx_ca_bundle_is_in(target->object, webhooks->bundle);
}

static void write_bundle(struct target *target) {
    json_t *body = fx_ca_bundle_apply(target->object, target->webhooks->bundle);
    target->ends_disable = false;
    if (body == NULL) {
        put_off(target);
    } else {
        apply(target, body, FX_CA_BUNDLE_MANAGER);
    }
}

/* ---- the end of a disable -------------------------------------------------------- */

static bool is_over(const struct target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    struct fx_disable_record record;
    if (!is_first(target) || target->object == NULL || !webhooks->leader ||
        target->cannot_end) {
        return false;
    }
    fx_disable_read(target->object, &record);
    return record.recorded && record.has_end && record.end <= fx_date_now();
}

static void end_disable(struct target *target) {
    struct fx_err err = FX_ERR_INIT;
    json_t *body = fx_enable_apply(target->object, &err);
    if (body == NULL) {
        target->cannot_end = err.code != FX_ENOMEM;
        fx_log(ERROR, "mutation stays disabled though its time is over",
               fx_log_str("error", err.msg));
        put_off(target);
        return;
    }
    target->ends_disable = true;
    apply(target, body, FX_DISABLE_MANAGER);
}

static void on_look(uv_timer_t *timer) {
    struct fx_cluster_webhooks *webhooks = webhooks_of(timer->data);
    wake(&webhooks->targets[0]);
}

static void look_again(struct fx_cluster_webhooks *webhooks,
                       const struct fx_disable_record *record) {
    (void)uv_timer_stop(&webhooks->timer);
    if (!record->recorded || !record->has_end || !webhooks->leader) {
        return;
    }
    const int64_t left_ms = (record->end - fx_date_now()) * 1000;
    const int64_t ms = left_ms < 0 ? 0 : left_ms > LOOK_MS ? LOOK_MS : left_ms;
    /* It has a callback. */
    (void)uv_timer_start(&webhooks->timer, on_look, (uint64_t)ms, (uint64_t)LOOK_MS);
}

/* ---- turns ----------------------------------------------------------------------- */

static void on_turn(uv_timer_t *timer) {
    struct target *target = timer->data;
    if (target->call != NULL || target->object == NULL) {
        return;
    }
    if (is_over(target) && !(target->end_failed && wants_bundle(target))) {
        end_disable(target);
    } else if (wants_bundle(target)) {
        write_bundle(target);
    }
}

/* Not again before its pause. */
static void wake(struct target *target) {
    if (target->webhooks->closing || target->call != NULL ||
        uv_is_active((uv_handle_t *)&target->timer) ||
        (!is_over(target) && !wants_bundle(target))) {
        return;
    }
    const uint64_t wait_ms = fx_pace_wait_ms(&target->pace, fx_clock_ns());
    (void)uv_timer_start(&target->timer, on_turn, wait_ms, 0); /* it has a callback */
}

/* ---- what the reflectors tell ---------------------------------------------------- */

static void tell_first(struct fx_cluster_webhooks *webhooks) {
    const struct target *first = &webhooks->targets[0];
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
    look_again(webhooks, &record);
}

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Is it still the same disable? */
static bool same_record(const json_t *a, const json_t *b) {
    struct fx_disable_record one;
    struct fx_disable_record other;
    fx_disable_read(a, &one);
    fx_disable_read(b, &other);
    return same_text(one.at, other.at) && same_text(one.until, other.until);
}

static void take(struct target *target, json_t *object) {
    struct fx_cluster_webhooks *webhooks = target->webhooks;
    target->cannot_end = target->cannot_end && object != NULL && target->object != NULL &&
                         same_record(target->object, object);
    json_decref(target->object);
    target->object = json_incref(object);
    if (!target->synced) {
        return; /* and told with the rest */
    }
    if (is_first(target)) {
        tell_first(webhooks);
    }
    tell_published(webhooks);
    wake(target);
}

static void on_object(json_t *object, void *user) {
    take(user, object);
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    (void)namespace_;
    (void)name;
    take(user, NULL);
}

static void on_synced(void *user) {
    struct target *target = user;
    if (!target->synced) {
        target->synced = true;
        json_t *object = json_incref(target->object);
        take(target, object);
        json_decref(object);
    }
}

static void on_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user) {
    const struct target *target = user;
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    webhooks->events.on_state(target->resource, state, failure, webhooks->user);
}

/* ---- the beginning and the end --------------------------------------------------- */

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
    close_one(((struct target *)timer->data)->webhooks);
}

static bool start_target(struct fx_cluster_webhooks *webhooks, uv_loop_t *loop,
                         const struct fx_kube_resource *resource, const char *name,
                         struct fx_err *err) {
    static const struct fx_kube_reflector_events told = {
        .on_object = on_object,
        .on_gone = on_gone,
        .on_synced = on_synced,
        .on_state = on_state,
    };
    struct target *target = &webhooks->targets[webhooks->n_targets++];
    target->webhooks = webhooks;
    target->resource = resource;
    target->pace = usual_pace;
    (void)uv_timer_init(loop, &target->timer); /* cannot fail */
    target->timer.data = target;
    webhooks->handles++;
    target->name = strdup(name);
    if (target->name == NULL) {
        return fx_fail_nomem(err);
    }
    const struct fx_kube_reflector_options options = {
        .versions = resource, .n_versions = 1, .name = target->name, .doubts = true};
    target->reflector =
        fx_kube_reflector_create(loop, webhooks->client, &options, &told, target, err);
    return target->reflector != NULL;
}

static bool start_all(struct fx_cluster_webhooks *webhooks, uv_loop_t *loop,
                      const struct fx_cluster_webhooks_options *options,
                      struct fx_err *err) {
    for (size_t i = 0; i < options->n_mutating + options->n_validating; i++) {
        const bool first = i < options->n_mutating;
        const char *name =
            first ? options->mutating[i] : options->validating[i - options->n_mutating];
        if (name[0] != '\0' &&
            !start_target(webhooks, loop, first ? &mutating : &validating, name, err)) {
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
        calloc(1, sizeof *webhooks + n * sizeof(struct target));
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

/* Another bundle is nobody's undoing. */
static void forget_pauses(struct fx_cluster_webhooks *webhooks) {
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        webhooks->targets[i].pace = usual_pace;
        (void)uv_timer_stop(&webhooks->targets[i].timer);
    }
}

void fx_cluster_webhooks_publish(struct fx_cluster_webhooks *webhooks,
                                 struct fx_text ca_bundle) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_base64_encode(&text, ca_bundle);
    char *bundle = fx_buf_steal(&text);
    fx_buf_finish(&text);
    if (bundle == NULL) {
        fx_log(ERROR, "caBundle not published: out of memory", {0});
        return;
    }
    if (webhooks->bundle == NULL || strcmp(webhooks->bundle, bundle) != 0) {
        forget_pauses(webhooks);
    }
    free(webhooks->bundle);
    webhooks->bundle = bundle;
    tell_published(webhooks);
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        wake(&webhooks->targets[i]);
    }
}

uint64_t fx_cluster_webhooks_published_since(const struct fx_cluster_webhooks *webhooks) {
    return webhooks->since_ns;
}

void fx_cluster_webhooks_set_leader(struct fx_cluster_webhooks *webhooks, bool leader) {
    webhooks->leader = leader;
    if (webhooks->n_targets > 0 && webhooks->present_known) {
        tell_first(webhooks);
        wake(&webhooks->targets[0]);
    }
}

void fx_cluster_webhooks_close(struct fx_cluster_webhooks *webhooks) {
    if (webhooks == NULL) {
        return;
    }
    webhooks->closing = true;
    for (size_t i = 0; i < webhooks->n_targets; i++) {
        struct target *target = &webhooks->targets[i];
        fx_kube_call_cancel(target->call);
        fx_kube_reflector_close(target->reflector);
        uv_close((uv_handle_t *)&target->timer, on_target_closed);
    }
    uv_close((uv_handle_t *)&webhooks->timer, on_timer_closed);
}
