/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/skip_time.h - a monotonic clock that advances only by a microsecond for each
 * reading, and by the time that is skipped. So a test never waits for a pause, and a busy
 * machine delays nothing. libuv and our own code both read this clock.
 */
#ifndef FX_TESTS_OOM_SKIP_TIME_H
#define FX_TESTS_OOM_SKIP_TIME_H

#include <stdint.h>

void skip_ms(uint64_t ms);

/* Returns the milliseconds that have passed since the start of the program. */
uint64_t skipped_ms(void);

#endif
