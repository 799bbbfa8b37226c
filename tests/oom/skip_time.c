/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/skip_time.c - replaces the C library's clock_gettime(): the loader prefers
 * the program's own function, also for libuv.
 */
#include "skip_time.h"

#include <stdatomic.h>
#include <time.h>

#define NS_IN_MS UINT64_C(1000000)
#define NS_IN_S  UINT64_C(1000000000)
#define START_NS (1000 * NS_IN_S) /* zero means "never" in many places */
#define LOOK_NS  UINT64_C(1000)

static _Atomic uint64_t passed_ns; /* libuv's workers read it, too */

void skip_ms(uint64_t ms) {
    (void)atomic_fetch_add(&passed_ns, ms * NS_IN_MS);
}

uint64_t skipped_ms(void) {
    return atomic_load(&passed_ns) / NS_IN_MS;
}

/* The time of day is real, because certificates are checked with it.
 * NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): not its names. */
int clock_gettime(clockid_t clock, struct timespec *ret_now) {
    if (clock == CLOCK_REALTIME) {
        return timespec_get(ret_now, TIME_UTC) == TIME_UTC ? 0 : -1;
    }
    const uint64_t now_ns = START_NS + atomic_fetch_add(&passed_ns, LOOK_NS);
    ret_now->tv_sec = (time_t)(now_ns / NS_IN_S);
    ret_now->tv_nsec = (long)(now_ns % NS_IN_S);
    return 0;
}
