/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/build_throttle.c - computes the longest of three pauses.
 */
#include "cluster/policies/build_throttle.h"

void fx_build_throttle_init(struct fx_build_throttle *throttle) {
    *throttle = (struct fx_build_throttle){
        .backoff = {.min_ms = FX_BUILD_PAUSE_MIN_MS, .max_ms = FX_BUILD_PAUSE_MAX_MS},
    };
    fx_kube_random_init(&throttle->random);
}

bool fx_build_throttle_succeeded(struct fx_build_throttle *throttle, uint64_t took_ms) {
    const bool had_failed = throttle->pause_ms != 0;
    throttle->took_ms = took_ms;
    throttle->pause_ms = 0;
    fx_kube_backoff_reset(&throttle->backoff);
    return had_failed;
}

bool fx_build_throttle_failed(struct fx_build_throttle *throttle, uint64_t took_ms) {
    const bool had_failed = throttle->pause_ms != 0;
    throttle->took_ms = took_ms;
    throttle->pause_ms =
        fx_kube_backoff_next(&throttle->backoff, 0, 0, &throttle->random);
    return !had_failed;
}

uint64_t fx_build_throttle_wait_ms(const struct fx_build_throttle *throttle,
                                   uint64_t collect_ms) {
    uint64_t ms = collect_ms;
    ms = throttle->took_ms > ms ? throttle->took_ms : ms;
    return throttle->pause_ms > ms ? throttle->pause_ms : ms;
}
