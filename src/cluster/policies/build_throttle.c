/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/build_throttle.c - the longest of three pauses.
 */
#include "cluster/policies/build_throttle.h"

void fx_build_throttle_init(struct fx_build_throttle *pace) {
    *pace = (struct fx_build_throttle){
        .backoff = {.min_ms = FX_BUILD_PAUSE_MIN_MS, .max_ms = FX_BUILD_PAUSE_MAX_MS},
    };
    fx_kube_random_init(&pace->random);
}

bool fx_build_throttle_succeeded(struct fx_build_throttle *pace, uint64_t took_ms) {
    const bool had_failed = pace->pause_ms != 0;
    pace->rest_ms = took_ms;
    pace->pause_ms = 0;
    fx_kube_backoff_reset(&pace->backoff);
    return had_failed;
}

bool fx_build_throttle_failed(struct fx_build_throttle *pace, uint64_t took_ms) {
    const bool had_failed = pace->pause_ms != 0;
    pace->rest_ms = took_ms;
    pace->pause_ms = fx_kube_backoff_next(&pace->backoff, 0, 0, &pace->random);
    return !had_failed;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

uint64_t fx_build_throttle_wait_ms(const struct fx_build_throttle *pace,
                                   uint64_t gather_ms) {
    return most(most(pace->rest_ms, pace->pause_ms), gather_ms);
}
