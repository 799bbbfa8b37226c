/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/build_throttle.h - decides when the next build of policies may start.
 * Changes are collected for a moment, builds take at most half of a core, and the pauses
 * grow after failed builds (out of memory). The caller has the clock and the timer.
 * Private to this room.
 */
#ifndef FX_CLUSTER_POLICIES_BUILD_THROTTLE_H
#define FX_CLUSTER_POLICIES_BUILD_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/backoff.h"

#define FX_BUILD_PAUSE_MIN_MS 500u   /* the pause after the first failure; it doubles */
#define FX_BUILD_PAUSE_MAX_MS 30000u /* the longest pause, plus or minus half */

struct fx_build_throttle {
    uint64_t took_ms;  /* the duration of the last build */
    uint64_t pause_ms; /* the pause after a failure; 0: the last build succeeded */
    struct fx_kube_backoff backoff;
    struct fx_kube_random random;
};

void fx_build_throttle_init(struct fx_build_throttle *throttle);

/* Reports a successful build and its duration. Returns whether the previous build
 * failed. */
bool fx_build_throttle_succeeded(struct fx_build_throttle *throttle, uint64_t took_ms);

/* Reports a failed build and its duration. Returns whether the previous build
 * succeeded. */
bool fx_build_throttle_failed(struct fx_build_throttle *throttle, uint64_t took_ms);

/* The milliseconds until the next build; at least `collect_ms`. */
uint64_t fx_build_throttle_wait_ms(const struct fx_build_throttle *throttle,
                                   uint64_t collect_ms);

#endif
