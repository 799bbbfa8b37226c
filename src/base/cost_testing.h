/* SPDX-License-Identifier: Apache-2.0
 *
 * base/cost_testing.h - for fuzz targets of cost: a piece of work may take no more time
 * of the processor than the units of the budget that it spends allow.
 */
#ifndef FX_BASE_COST_TESTING_H
#define FX_BASE_COST_TESTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/budget.h"

/* A unit is about ten nanoseconds. This is what it may take under sanitizers, on a busy
 * machine, and what every work may take for nothing. */
#define COST_NS_OF_UNIT UINT64_C(2000)
#define COST_NS_FREE    UINT64_C(5000000)
#define COST_TRIES      3 /* all of them must be too slow */

static inline uint64_t cost_clock_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Does the work, which spends `most` units at most, and says whether it was in time. */
static inline bool cost_try(void (*work)(void *user), void *user, uint64_t most,
                            uint64_t *ret_units, uint64_t *ret_ns) {
    const struct fx_bound outer = fx_budget_narrow(most, 0);
    const uint64_t units = fx_budget_spent();
    const uint64_t begin = cost_clock_ns();
    work(user);
    *ret_ns = cost_clock_ns() - begin;
    *ret_units = fx_budget_spent() - units;
    (void)fx_budget_widen(outer);
    return *ret_ns <= COST_NS_FREE + *ret_units * COST_NS_OF_UNIT;
}

/* Ends the process where the work is too slow in each of some tries. */
static inline void cost_check(void (*work)(void *user), void *user, uint64_t most) {
    uint64_t units = 0;
    uint64_t ns = 0;
    for (int i = 0; i < COST_TRIES; i++) {
        if (cost_try(work, user, most, &units, &ns)) {
            return;
        }
    }
    (void)fprintf(stderr, "%llu ns for %llu units\n", (unsigned long long)ns,
                  (unsigned long long)units);
    abort();
}

#endif
