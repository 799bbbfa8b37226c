/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/webhooks_write.c - writes what differs in each configuration: one
 * write at a time, after growing pauses if somebody undoes them.
 */
#include "cluster/webhooks/webhooks_internal.h"

#include "base/clock.h"
#include "base/date.h"
#include "base/log.h"
#include "cluster/webhooks/ca_bundle.h"
#include "cluster/webhooks/disable.h"
#include "kube/log_throttle.h"

const struct fx_kube_throttle fx_webhooks_throttle = {
    .first_ms = 500, .last_ms = 60000, .calm_ms = 120000};

/* After so many writes without a calm, a line in the log says that somebody undoes them.
 */
#define DISPUTED 4u

/* ---- writing --------------------------------------------------------------------- */

static void log_bundle_written(struct fx_webhooks_target *target) {
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

static void log_result(struct fx_webhooks_target *target,
                       const struct fx_kube_failure *failure) {
    if (failure == NULL) {
        target->logged = FX_KUBE_REASON_NONE;
        if (target->write == FX_WEBHOOKS_HAND_OVER) {
            fx_log(WARN, "mutation is enabled again: the end of the disable is reached",
                   {0});
        } else if (target->write == FX_WEBHOOKS_BUNDLE) {
            log_bundle_written(target);
        }
    } else if (failure->reason != FX_KUBE_REASON_CONFLICT) {
        fx_kube_failure_log("webhook configuration not written: it will be retried",
                            failure, &target->logged);
    }
}

static void hand_over(struct fx_webhooks_target *target, const json_t *configuration);

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct fx_webhooks_target *target = user;
    const bool ends = target->write != FX_WEBHOOKS_BUNDLE;
    target->call = NULL;
    target->end_failed = ends && answer->failure != NULL;
    target->n_written =
        target->throttle.pause_ms == target->throttle.first_ms ? 0 : target->n_written;
    fx_kube_throttle_ended(&target->throttle, fx_clock_ns());
    log_result(target, answer->failure);
    if (target->write == FX_WEBHOOKS_ENABLE && answer->failure == NULL) {
        hand_over(target, answer->object);
    } else {
        fx_webhooks_schedule_write(target);
    }
}

/* The request could not be sent: again after a pause. */
static void put_off(struct fx_webhooks_target *target) {
    fx_kube_throttle_started(&target->throttle, fx_clock_ns());
    fx_kube_throttle_ended(&target->throttle, fx_clock_ns());
    fx_webhooks_schedule_write(target);
}

/* Takes the body over. */
static void write_body(struct fx_webhooks_target *target, json_t *body_take,
                       enum fx_kube_verb verb, const char *manager) {
    const struct fx_kube_request request = {
        .verb = verb,
        .resource = target->resource,
        .name = {.name = fx_text_of(target->name)},
        .body = body_take,
        .manager = manager,
        .force = true,
    };
    target->call =
        fx_kube_call_start(target->webhooks->client, &request, on_written, target);
    json_decref(body_take);
    if (target->call == NULL) {
        put_off(target);
    } else {
        fx_kube_throttle_started(&target->throttle, fx_clock_ns());
    }
}

/* ---- the bundle ------------------------------------------------------------------ */

static bool needs_bundle(const struct fx_webhooks_target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    return webhooks->writes_ca && webhooks->bundle != NULL && target->object != NULL &&
           !fx_ca_bundle_is_in(target->object, webhooks->bundle);
}

static void write_bundle(struct fx_webhooks_target *target) {
    json_t *body = fx_ca_bundle_apply(target->object, target->webhooks->bundle);
    target->write = FX_WEBHOOKS_BUNDLE;
    if (body == NULL) {
        put_off(target);
    } else {
        write_body(target, body, FX_KUBE_VERB_APPLY, FX_CA_BUNDLE_MANAGER);
    }
}

/* ---- the end of a disable -------------------------------------------------------- */

static bool is_over(const struct fx_webhooks_target *target) {
    const struct fx_cluster_webhooks *webhooks = target->webhooks;
    struct fx_disable_record record;
    if (!target->is_first || target->object == NULL || !webhooks->leader ||
        target->cannot_end) {
        return false;
    }
    fx_disable_read(target->object, &record);
    return record.recorded && record.has_end && record.end <= fx_date_now();
}

static void end_disable(struct fx_webhooks_target *target) {
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
    target->write = FX_WEBHOOKS_ENABLE;
    write_body(target, body, FX_KUBE_VERB_APPLY, FX_DISABLE_MANAGER);
}

/* If this fails, the record still exists, and the disable is ended once more. */
static void hand_over(struct fx_webhooks_target *target, const json_t *configuration) {
    struct fx_err err = FX_ERR_INIT;
    json_t *body = fx_enable_hand_over(configuration, &err);
    target->write = FX_WEBHOOKS_HAND_OVER;
    if (body == NULL) {
        put_off(target);
    } else {
        write_body(target, body, FX_KUBE_VERB_MERGE_PATCH, FX_DISABLE_MANAGER);
    }
}

/* ---- the next write
 * ----------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer) {
    struct fx_webhooks_target *target = timer->data;
    if (target->call != NULL || target->object == NULL) {
        return;
    }
    if (is_over(target) && !(target->end_failed && needs_bundle(target))) {
        end_disable(target);
    } else if (needs_bundle(target)) {
        write_bundle(target);
    }
}

void fx_webhooks_schedule_write(struct fx_webhooks_target *target) {
    if (target->webhooks->closing || target->call != NULL ||
        uv_is_active((uv_handle_t *)&target->timer) ||
        (!is_over(target) && !needs_bundle(target))) {
        return;
    }
    const uint64_t wait_ms = fx_kube_throttle_wait_ms(&target->throttle, fx_clock_ns());
    (void)uv_timer_start(&target->timer, on_timer, wait_ms, 0);
}
