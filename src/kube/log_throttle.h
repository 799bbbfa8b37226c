/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/log_throttle.h - what the log says when resources cannot be read. The API server
 * goes for all of them at once: that is one line, and one more when it is back. What a
 * single one is refused is a line for each, now and then again. Private to this room.
 */
#ifndef FX_KUBE_LOG_THROTTLE_H
#define FX_KUBE_LOG_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "kube/reflector.h"

#define FX_KUBE_LOG_RESOURCES 16u     /* that are told apart; of further ones only once */
#define FX_KUBE_LOG_REPEAT_MS 600000u /* a refusal that lasts is told again */

/* Zeroed: all is well. */
struct fx_kube_log_throttle {
    uint64_t since_ns; /* 0: none */
    struct fx_kube_log_refusal {
        const struct fx_kube_resource *resource;
        bool lasts;
        uint64_t told_ns;
        char words[FX_ERR_TEXT];
    } refusals[FX_KUBE_LOG_RESOURCES];
    size_t n_refusals;
};

/* Is it for such a reason that nothing at all can be read? */
bool fx_kube_reason_is_outage(enum fx_kube_reason reason);

/* The level at which a write that failed is told: ERROR, or INFO where the server is
 * gone, which is told already. And the line, where there is nothing more to say. */
enum fx_log_level fx_kube_failure_log_level(const struct fx_kube_failure *failure);
void fx_kube_failure_log(const char *msg, const struct fx_kube_failure *failure);

/* A resource stands otherwise now. `any`: it, or another one, cannot be read because of
 * the server. `now_ns` is of base/clock.h. */
void fx_kube_log_throttle_state(struct fx_kube_log_throttle *outage,
                                const struct fx_kube_resource *resource,
                                enum fx_kube_state state,
                                const struct fx_kube_failure *failure, bool any,
                                uint64_t now_ns);

/* A request was refused; perhaps it is time to tell that again. */
void fx_kube_log_throttle_refused(struct fx_kube_log_throttle *outage,
                                  const struct fx_kube_resource *resource,
                                  uint64_t now_ns);

#endif
