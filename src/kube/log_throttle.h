/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/log_throttle.h - log lines about the API server, without repetition: an outage of
 * the server affects all resources and is one line, and one more when it ends; a resource
 * that is refused is one line, repeated every ten minutes; a write that fails again for
 * the same reason is not logged again.
 */
#ifndef FX_KUBE_LOG_THROTTLE_H
#define FX_KUBE_LOG_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "kube/reflector.h"

/* The number of resources with a state of their own. Failures of others are not
 * repeated. */
#define FX_KUBE_LOG_RESOURCES 16u
#define FX_KUBE_LOG_REPEAT_MS 600000u /* a lasting refusal is logged again */

/* A zeroed throttle has seen no failure. */
struct fx_kube_log_throttle {
    uint64_t since_ns; /* start of the outage; 0 if there is none */
    struct fx_kube_log_refusal {
        const struct fx_kube_resource *resource;
        bool lasts;
        uint64_t logged_ns;
        char message[FX_ERR_TEXT];
    } refusals[FX_KUBE_LOG_RESOURCES];
    size_t n_refusals;
};

/* Does the reason affect all requests: the server cannot be reached, or does not
 * serve? */
bool fx_kube_reason_is_outage(enum fx_kube_reason reason);

/* Returns the log level for a failed write: ERROR, or INFO during an outage, which has
 * its own line. */
enum fx_log_level fx_kube_failure_log_level(const struct fx_kube_failure *failure);

/* Logs a failed write as `msg` with the failure's message, unless `*last` is the same
 * reason. `*last` is the reason that was logged last; the caller sets it to NONE after a
 * success. */
void fx_kube_failure_log(const char *msg, const struct fx_kube_failure *failure,
                         enum fx_kube_reason *last);

/* Reports the new state of a resource (kube/reflector.h). `failure` is NULL unless the
 * state is FAILING. `any` is true if this or another resource is failing because of an
 * outage. `now_ns` is the time of base/clock.h. */
void fx_kube_log_throttle_state(struct fx_kube_log_throttle *throttle,
                                const struct fx_kube_resource *resource,
                                enum fx_kube_state state,
                                const struct fx_kube_failure *failure, bool any,
                                uint64_t now_ns);

/* Reports that a request for the resource was refused. Repeats the line about a lasting
 * refusal when it is due. */
void fx_kube_log_throttle_refused(struct fx_kube_log_throttle *throttle,
                                  const struct fx_kube_resource *resource,
                                  uint64_t now_ns);

#endif
