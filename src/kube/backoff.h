/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/backoff.h - how long to wait before the next attempt: jitter, back-off after
 * failures, and a throttle for repeated writes of one object. The caller has the clock
 * and the timer.
 */
#ifndef FX_KUBE_BACKOFF_H
#define FX_KUBE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* ---- pauses ---- */

/* The pause after `pause`: `first` after 0, and otherwise its double, but not more than
 * `last`. All in one unit of the caller's choice. */
uint64_t fx_backoff_double(uint64_t pause, uint64_t first, uint64_t last);

/* The milliseconds from now until `then_ns` (base/clock.h), rounded up; 0 if that time
 * has passed. */
uint64_t fx_ms_until(uint64_t then_ns);

/* The same for the timeout of a request, which is at least 1. */
uint64_t fx_timeout_until(uint64_t deadline_ns);

/* ---- jitter ---- */

/* A source of random numbers for jitter. Not for secrets. */
struct fx_kube_random {
    uint64_t state;
};

/* Seeds the source from the system, or from the clock if the system has no random bytes.
 */
void fx_kube_random_init(struct fx_kube_random *random);

/* Returns a number from `least` to `most`, including both. */
uint64_t fx_kube_random_between(struct fx_kube_random *random, uint64_t least,
                                uint64_t most);

/* ---- back-off after failures ---- */

/* The state of a back-off. The caller sets min_ms and max_ms. */
struct fx_kube_backoff {
    uint64_t min_ms, max_ms;
    uint64_t next_ms; /* from min_ms, doubling to max_ms; 0 if there was no failure */
};

/* Counts one more failure and returns the pause before the next attempt: between half and
 * one and a half of the pause for that number of failures, and at least `retry_after_ms`
 * (the server's Retry-After), of which at most `max_retry_after_ms` count. */
uint64_t fx_kube_backoff_next(struct fx_kube_backoff *backoff, uint64_t retry_after_ms,
                              uint64_t max_retry_after_ms, struct fx_kube_random *random);

/* Forgets all failures. */
void fx_kube_backoff_reset(struct fx_kube_backoff *backoff);

/* ---- a throttle for writes ---- */

/* Limits how often an object is written that others may change back, or whose writes the
 * API server may refuse. The pauses double; they start again with the first after
 * `calm_ms` without a write since the end of a pause. The caller sets the first three
 * fields. */
struct fx_kube_throttle {
    uint64_t first_ms, last_ms; /* the shortest and the longest pause */
    uint64_t calm_ms;
    uint64_t pause_ms, ended_ns; /* the current pause; the end of the last write */
};

/* Reports the start of a write, and its end, whether it succeeded or failed. */
void fx_kube_throttle_started(struct fx_kube_throttle *throttle, uint64_t now_ns);
void fx_kube_throttle_ended(struct fx_kube_throttle *throttle, uint64_t now_ns);

/* Returns the milliseconds until the next write may start; 0 if it may start now. */
uint64_t fx_kube_throttle_wait_ms(const struct fx_kube_throttle *throttle,
                                  uint64_t now_ns);

#endif
