/* SPDX-License-Identifier: Apache-2.0
 *
 * base/clock.h - monotonic time and time of day.
 */
#ifndef FX_BASE_CLOCK_H
#define FX_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic time in nanoseconds; for durations and deadlines. */
uint64_t fx_clock_ns(void);

#define FX_CLOCK_RFC3339 sizeof "2026-01-02T03:04:05.678Z"

/* Writes the time of day in UTC with milliseconds, as RFC 3339; for logs. */
void fx_clock_rfc3339(char out[FX_CLOCK_RFC3339]);

#endif
