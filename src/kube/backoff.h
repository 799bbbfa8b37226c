/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/backoff.h - how long to wait before asking again: longer after each failure, and
 * never all at the same moment. No clock and no timer: the caller's.
 */
#ifndef FX_KUBE_BACKOFF_H
#define FX_KUBE_BACKOFF_H

#include <stdint.h>

/* A source of jitter, which guards nothing. */
struct fx_kube_random {
    uint64_t state;
};

/* Seeded by the system, or by the clock where it has no randomness to give. */
void fx_kube_random_init(struct fx_kube_random *random);

/* Anything from `least` to `most`, both included. */
uint64_t fx_kube_random_between(struct fx_kube_random *random, uint64_t least,
                                uint64_t most);

/* `next_ms` doubles from `min_ms` to `max_ms`. */
struct fx_kube_backoff {
    uint64_t min_ms, max_ms;
    uint64_t next_ms; /* 0: at the beginning */
};

/* The pause after one more failure: half to one and a half of what it is by the number of
 * failures; at least `retry_after_ms`, the server's wish, as far as `max_wish_ms`. */
uint64_t fx_kube_backoff_next(struct fx_kube_backoff *backoff, uint64_t retry_after_ms,
                              uint64_t max_wish_ms, struct fx_kube_random *random);

/* All is well again. */
void fx_kube_backoff_reset(struct fx_kube_backoff *backoff);

#endif
