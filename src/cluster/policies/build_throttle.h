/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/build_throttle.h - when the next build of policies may begin: changes
 * are gathered for a moment, builds never take more than half of a core, and those that
 * fail (for memory, which others need as well) come later and later. Private to this
 * room. No clock and no timer: the caller's.
 */
#ifndef FX_CLUSTER_POLICIES_BUILD_THROTTLE_H
#define FX_CLUSTER_POLICIES_BUILD_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/backoff.h"

#define FX_BUILD_PAUSE_MIN_MS 500u   /* after the first failure; doubling to */
#define FX_BUILD_PAUSE_MAX_MS 30000u /* each half of it more or less */

struct fx_build_throttle {
    uint64_t rest_ms;  /* as long as the last build took */
    uint64_t pause_ms; /* 0: the last one did not fail */
    struct fx_kube_backoff backoff;
    struct fx_kube_random random;
};

void fx_build_throttle_init(struct fx_build_throttle *pace);

/* A build was made in so many milliseconds. True where the one before had failed. */
bool fx_build_throttle_succeeded(struct fx_build_throttle *pace, uint64_t took_ms);

/* It could not be. True where the one before could. */
bool fx_build_throttle_failed(struct fx_build_throttle *pace, uint64_t took_ms);

/* Where changes are gathered for so long, the next one begins in so many milliseconds. */
uint64_t fx_build_throttle_wait_ms(const struct fx_build_throttle *pace,
                                   uint64_t gather_ms);

#endif
