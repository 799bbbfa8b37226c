/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/backoff.c - growing, jittered pauses.
 */
#include "kube/backoff.h"

#include <assert.h>

#include <uv.h>

#include "base/clock.h"

void fx_kube_random_init(struct fx_kube_random *random) {
    if (uv_random(NULL, NULL, &random->state, sizeof random->state, 0, NULL) != 0) {
        random->state = fx_clock_ns();
    }
}

/* SplitMix64: one addition, and a finalizer that spreads it over all bits. */
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

uint64_t fx_kube_backoff_next(struct fx_kube_backoff *backoff, uint64_t retry_after_ms,
                              uint64_t max_wish_ms, struct fx_kube_random *random) {
    assert(backoff->min_ms <= backoff->max_ms);
    const uint64_t now = backoff->next_ms == 0 ? backoff->min_ms : backoff->next_ms;
    backoff->next_ms = now < backoff->max_ms / 2 ? now * 2 : backoff->max_ms;
    const uint64_t pause = fx_kube_random_between(random, now / 2, now + now / 2);
    const uint64_t wish = retry_after_ms < max_wish_ms ? retry_after_ms : max_wish_ms;
    return pause > wish ? pause : wish;
}

void fx_kube_backoff_reset(struct fx_kube_backoff *backoff) {
    backoff->next_ms = 0;
}
