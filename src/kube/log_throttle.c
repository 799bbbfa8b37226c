/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/log_throttle.c - one line for each outage and each refused resource.
 */
#include "kube/log_throttle.h"

#include <string.h>

#define NS_IN_MS UINT64_C(1000000)
#define NS_IN_S  1e9

bool fx_kube_reason_is_outage(enum fx_kube_reason reason) {
    return reason == FX_KUBE_REASON_NETWORK || reason == FX_KUBE_REASON_SERVER ||
           reason == FX_KUBE_REASON_BUSY || reason == FX_KUBE_REASON_UNAUTHORIZED;
}

/* ---- writes ---------------------------------------------------------------------- */

enum fx_log_level fx_kube_failure_log_level(const struct fx_kube_failure *failure) {
    return fx_kube_reason_is_outage(failure->reason) ? FX_LOG_INFO : FX_LOG_ERROR;
}

void fx_kube_failure_log(const char *msg, const struct fx_kube_failure *failure,
                         enum fx_kube_reason *last) {
    if (failure->reason != *last) {
        const struct fx_log_field fields[] = {fx_log_str("error", failure->message), {0}};
        fx_log_write(fx_kube_failure_log_level(failure), msg, fields);
        *last = failure->reason;
    }
}

/* ---- refusals -------------------------------------------------------------------- */

static void log_state(enum fx_log_level level, const char *msg,
                      const struct fx_kube_resource *resource, enum fx_kube_state state,
                      const char *error) {
    const struct fx_log_field fields[] = {fx_log_str("group", resource->group),
                                          fx_log_str("resource", resource->plural),
                                          fx_log_str("state", fx_kube_state_name(state)),
                                          fx_log_str("error", error),
                                          {0}};
    fx_log_write(level, msg, fields);
}

static void log_refusal(const struct fx_kube_resource *resource, const char *error) {
    log_state(FX_LOG_ERROR, "resource cannot be read: the objects read last stay in use",
              resource, FX_KUBE_STATE_FAILING, error);
}

static struct fx_kube_log_refusal *find_refusal(struct fx_kube_log_throttle *throttle,
                                                const struct fx_kube_resource *resource) {
    for (size_t i = 0; i < throttle->n_refusals; i++) {
        if (throttle->refusals[i].resource == resource) {
            return &throttle->refusals[i];
        }
    }
    return NULL;
}

static bool is_due(const struct fx_kube_log_refusal *refusal, uint64_t now_ns) {
    return now_ns - refusal->logged_ns >= FX_KUBE_LOG_REPEAT_MS * NS_IN_MS;
}

/* Logs a refusal. An intermittent one is logged as often as a lasting one, unless its
 * message changes. */
static void note_refusal(struct fx_kube_log_throttle *throttle,
                         const struct fx_kube_resource *resource,
                         const struct fx_kube_failure *failure, uint64_t now_ns) {
    struct fx_kube_log_refusal *refusal = find_refusal(throttle, resource);
    const bool is_new = refusal == NULL;
    if (is_new && throttle->n_refusals == FX_KUBE_LOG_RESOURCES) {
        log_refusal(resource, failure->message);
        return;
    }
    if (is_new) {
        refusal = &throttle->refusals[throttle->n_refusals++];
        refusal->resource = resource;
    }
    const bool changed = is_new || strcmp(refusal->message, failure->message) != 0;
    refusal->lasts = true;
    memcpy(refusal->message, failure->message, sizeof refusal->message);
    if (changed || is_due(refusal, now_ns)) {
        refusal->logged_ns = now_ns;
        log_refusal(resource, refusal->message);
    }
}

void fx_kube_log_throttle_refused(struct fx_kube_log_throttle *throttle,
                                  const struct fx_kube_resource *resource,
                                  uint64_t now_ns) {
    for (size_t i = 0; i < throttle->n_refusals; i++) {
        struct fx_kube_log_refusal *refusal = &throttle->refusals[i];
        if (refusal->lasts && strcmp(refusal->resource->plural, resource->plural) == 0 &&
            strcmp(refusal->resource->group, resource->group) == 0 &&
            is_due(refusal, now_ns)) {
            refusal->logged_ns = now_ns;
            log_refusal(refusal->resource, refusal->message);
        }
    }
}

/* ---- states ---------------------------------------------------------------------- */

void fx_kube_log_throttle_state(struct fx_kube_log_throttle *throttle,
                                const struct fx_kube_resource *resource,
                                enum fx_kube_state state,
                                const struct fx_kube_failure *failure, bool any,
                                uint64_t now_ns) {
    const bool is_outage = failure != NULL && fx_kube_reason_is_outage(failure->reason);
    const bool was_outage = throttle->since_ns != 0;
    struct fx_kube_log_refusal *refusal = find_refusal(throttle, resource);
    if (refusal != NULL && state != FX_KUBE_STATE_FAILING) {
        refusal->lasts = false;
    }
    if (failure != NULL && !is_outage) {
        note_refusal(throttle, resource, failure, now_ns);
    } else if (is_outage && !was_outage) {
        throttle->since_ns = now_ns;
        fx_log(ERROR, "the API server does not answer: the objects read last stay in use",
               fx_log_str("error", failure->message));
    } else {
        log_state(was_outage ? FX_LOG_DEBUG : FX_LOG_INFO, "resource", resource, state,
                  failure == NULL ? "" : failure->message);
    }
    if (was_outage && !any) {
        const double seconds = (double)(now_ns - throttle->since_ns) / NS_IN_S;
        throttle->since_ns = 0;
        fx_log(WARN, "the API server answers again", fx_log_num("seconds", seconds));
    }
}
