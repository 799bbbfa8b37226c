/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/skip_time.h - a clock that stands still but for a microsecond each time
 * somebody looks, and for what is skipped: nobody waits for a pause, and no busy machine
 * makes anything late. It is the monotonic one, of libuv as well as our own.
 */
#ifndef FX_TESTS_OOM_SKIP_TIME_H
#define FX_TESTS_OOM_SKIP_TIME_H

#include <stdint.h>

void skip_ms(uint64_t ms);

/* So many milliseconds have passed since the start of the program. */
uint64_t skipped_ms(void);

#endif
