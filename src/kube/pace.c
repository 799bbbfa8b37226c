/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/pace.c - pauses that double.
 */
#include "kube/pace.h"

#include <stdbool.h>

#define NS_IN_MS UINT64_C(1000000)

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void fx_kube_throttle_started(struct fx_kube_throttle *pace, uint64_t now_ns) {
    const uint64_t calm_at_ns =
        pace->ended_ns + (pace->pause_ms + pace->calm_ms) * NS_IN_MS;
    const bool is_first = pace->ended_ns == 0 || now_ns > calm_at_ns;
    pace->pause_ms = is_first ? pace->first_ms : least(2 * pace->pause_ms, pace->last_ms);
}

void fx_kube_throttle_ended(struct fx_kube_throttle *pace, uint64_t now_ns) {
    pace->ended_ns = now_ns;
}

uint64_t fx_kube_throttle_wait_ms(const struct fx_kube_throttle *pace, uint64_t now_ns) {
    const uint64_t until_ns = pace->ended_ns + pace->pause_ms * NS_IN_MS;
    return pace->ended_ns == 0 || now_ns >= until_ns
               ? 0
               : (until_ns - now_ns + NS_IN_MS - 1) / NS_IN_MS;
}
