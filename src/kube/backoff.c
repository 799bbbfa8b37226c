/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/backoff.c - pauses that double, with jitter.
 */
#include "kube/backoff.h"

#include <assert.h>

#include <uv.h>

#include "base/clock.h"

#define NS_IN_MS UINT64_C(1000000)

/* ---- pauses ---------------------------------------------------------------------- */

uint64_t fx_backoff_double(uint64_t pause, uint64_t first, uint64_t last) {
    return pause == 0 ? first : pause < last / 2 ? pause * 2 : last;
}

static uint64_t ms_between(uint64_t now_ns, uint64_t then_ns) {
    return then_ns <= now_ns ? 0 : (then_ns - now_ns + NS_IN_MS - 1) / NS_IN_MS;
}

uint64_t fx_ms_until(uint64_t then_ns) {
    return ms_between(fx_clock_ns(), then_ns);
}

uint64_t fx_timeout_until(uint64_t deadline_ns) {
    const uint64_t ms = fx_ms_until(deadline_ns);
    return ms == 0 ? 1 : ms;
}

/* ---- jitter ---------------------------------------------------------------------- */

void fx_kube_random_init(struct fx_kube_random *random) {
    if (uv_random(NULL, NULL, &random->state, sizeof random->state, 0, NULL) != 0) {
        random->state = fx_clock_ns();
    }
}

/* SplitMix64: an addition, then a mix of all bits. */
static uint64_t draw(struct fx_kube_random *random) {
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = random->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint64_t fx_kube_random_between(struct fx_kube_random *random, uint64_t least,
                                uint64_t most) {
    assert(least <= most && most - least < UINT64_MAX);
    return least + draw(random) % (most - least + 1);
}

/* ---- back-off -------------------------------------------------------------------- */

uint64_t fx_kube_backoff_next(struct fx_kube_backoff *backoff, uint64_t retry_after_ms,
                              uint64_t max_retry_after_ms,
                              struct fx_kube_random *random) {
    assert(backoff->min_ms <= backoff->max_ms);
    const uint64_t now = backoff->next_ms == 0 ? backoff->min_ms : backoff->next_ms;
    backoff->next_ms = fx_backoff_double(now, backoff->min_ms, backoff->max_ms);
    const uint64_t pause = fx_kube_random_between(random, now / 2, now + now / 2);
    const uint64_t least =
        retry_after_ms < max_retry_after_ms ? retry_after_ms : max_retry_after_ms;
    return pause > least ? pause : least;
}

void fx_kube_backoff_reset(struct fx_kube_backoff *backoff) {
    backoff->next_ms = 0;
}

/* ---- throttle -------------------------------------------------------------------- */

void fx_kube_throttle_started(struct fx_kube_throttle *throttle, uint64_t now_ns) {
    const uint64_t calm_at_ns =
        throttle->ended_ns + (throttle->pause_ms + throttle->calm_ms) * NS_IN_MS;
    const bool is_first = throttle->ended_ns == 0 || now_ns > calm_at_ns;
    throttle->pause_ms = fx_backoff_double(is_first ? 0 : throttle->pause_ms,
                                           throttle->first_ms, throttle->last_ms);
}

void fx_kube_throttle_ended(struct fx_kube_throttle *throttle, uint64_t now_ns) {
    throttle->ended_ns = now_ns;
}

uint64_t fx_kube_throttle_wait_ms(const struct fx_kube_throttle *throttle,
                                  uint64_t now_ns) {
    return throttle->ended_ns == 0
               ? 0
               : ms_between(now_ns, throttle->ended_ns + throttle->pause_ms * NS_IN_MS);
}
