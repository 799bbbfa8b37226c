/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/pace.h - how often one thing is written that others may write, too, or may not
 * let us write: the pauses double, and are short again after all was calm for a while.
 * Private to this room. No clock and no timer: the caller's.
 */
#ifndef FX_KUBE_PACE_H
#define FX_KUBE_PACE_H

#include <stdint.h>

/* Its user sets the first three. */
struct fx_kube_throttle {
    uint64_t first_ms, last_ms; /* the pauses */
    uint64_t calm_ms;           /* nothing to be written for so long after a pause */
    uint64_t pause_ms, ended_ns;
};

/* A write begins, or has ended, well or not. */
void fx_kube_throttle_started(struct fx_kube_throttle *pace, uint64_t now_ns);
void fx_kube_throttle_ended(struct fx_kube_throttle *pace, uint64_t now_ns);

/* In so many milliseconds the next one may begin. */
uint64_t fx_kube_throttle_wait_ms(const struct fx_kube_throttle *pace, uint64_t now_ns);

#endif
