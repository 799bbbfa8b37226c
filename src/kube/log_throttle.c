/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/log_throttle.c - few lines for many resources.
 */
#include "kube/log_throttle.h"

#include <string.h>

#define NS_IN_MS UINT64_C(1000000)
#define NS_IN_S  1e9

bool fx_kube_reason_is_outage(enum fx_kube_reason reason) {
    return reason == FX_KUBE_REASON_NETWORK || reason == FX_KUBE_REASON_SERVER ||
           reason == FX_KUBE_REASON_BUSY || reason == FX_KUBE_REASON_UNAUTHORIZED;
}

enum fx_log_level fx_kube_failure_log_level(const struct fx_kube_failure *failure) {
    return fx_kube_reason_is_outage(failure->reason) ? FX_LOG_INFO : FX_LOG_ERROR;
}

void fx_kube_failure_log(const char *msg, const struct fx_kube_failure *failure) {
    const struct fx_log_field fields[] = {fx_log_str("error", failure->message), {0}};
    fx_log_write(fx_kube_failure_log_level(failure), msg, fields);
}

static void tell(enum fx_log_level level, const char *words,
                 const struct fx_kube_resource *resource, enum fx_kube_state state,
                 const char *error) {
    const struct fx_log_field fields[] = {fx_log_str("group", resource->group),
                                          fx_log_str("resource", resource->plural),
                                          fx_log_str("state", fx_kube_state_name(state)),
                                          fx_log_str("error", error),
                                          {0}};
    fx_log_write(level, words, fields);
}

/* ---- refusals -------------------------------------------------------------------- */

static struct fx_kube_log_refusal *find(struct fx_kube_log_throttle *outage,
                                        const struct fx_kube_resource *resource) {
    for (size_t i = 0; i < outage->n_refusals; i++) {
        if (outage->refusals[i].resource == resource) {
            return &outage->refusals[i];
        }
    }
    return NULL;
}

static void tell_refusal(struct fx_kube_log_refusal *refusal, uint64_t now_ns) {
    refusal->told_ns = now_ns;
    tell(FX_LOG_ERROR, "cannot be read: what was read last counts", refusal->resource,
         FX_KUBE_STATE_FAILING, refusal->words);
}

static bool is_time(const struct fx_kube_log_refusal *refusal, uint64_t now_ns) {
    return now_ns - refusal->told_ns >= FX_KUBE_LOG_REPEAT_MS * NS_IN_MS;
}

/* Of one that comes and goes no more often than of one that lasts, unless it says
 * something else. */
static void refuse(struct fx_kube_log_throttle *outage,
                   const struct fx_kube_resource *resource,
                   const struct fx_kube_failure *failure, uint64_t now_ns) {
    struct fx_kube_log_refusal *refusal = find(outage, resource);
    const bool is_new = refusal == NULL;
    if (is_new && outage->n_refusals == FX_KUBE_LOG_RESOURCES) {
        tell(FX_LOG_ERROR, "cannot be read: what was read last counts", resource,
             FX_KUBE_STATE_FAILING, failure->message);
        return;
    }
    if (is_new) {
        refusal = &outage->refusals[outage->n_refusals++];
        refusal->resource = resource;
    }
    const bool is_news = is_new || strcmp(refusal->words, failure->message) != 0;
    refusal->lasts = true;
    memcpy(refusal->words, failure->message, sizeof refusal->words);
    if (is_news || is_time(refusal, now_ns)) {
        tell_refusal(refusal, now_ns);
    }
}

void fx_kube_log_throttle_refused(struct fx_kube_log_throttle *outage,
                                  const struct fx_kube_resource *resource,
                                  uint64_t now_ns) {
    for (size_t i = 0; i < outage->n_refusals; i++) {
        struct fx_kube_log_refusal *refusal = &outage->refusals[i];
        if (refusal->lasts && strcmp(refusal->resource->plural, resource->plural) == 0 &&
            strcmp(refusal->resource->group, resource->group) == 0 &&
            is_time(refusal, now_ns)) {
            tell_refusal(refusal, now_ns);
        }
    }
}

/* ---- states ---------------------------------------------------------------------- */

void fx_kube_log_throttle_state(struct fx_kube_log_throttle *outage,
                                const struct fx_kube_resource *resource,
                                enum fx_kube_state state,
                                const struct fx_kube_failure *failure, bool any,
                                uint64_t now_ns) {
    const bool of_server = failure != NULL && fx_kube_reason_is_outage(failure->reason);
    const bool was_out = outage->since_ns != 0;
    struct fx_kube_log_refusal *refusal = find(outage, resource);
    if (refusal != NULL && state != FX_KUBE_STATE_FAILING) {
        refusal->lasts = false;
    }
    if (failure != NULL && !of_server) {
        refuse(outage, resource, failure, now_ns);
    } else if (of_server && !was_out) {
        outage->since_ns = now_ns;
        fx_log(ERROR, "the API server cannot be asked: what was read last counts",
               fx_log_str("error", failure->message));
    } else {
        tell(was_out ? FX_LOG_DEBUG : FX_LOG_INFO, "resource", resource, state,
             failure == NULL ? "" : failure->message);
    }
    if (was_out && !any) {
        const double seconds = (double)(now_ns - outage->since_ns) / NS_IN_S;
        outage->since_ns = 0;
        fx_log(WARN, "the API server answers again", fx_log_num("seconds", seconds));
    }
}
