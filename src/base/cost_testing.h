/* SPDX-License-Identifier: Apache-2.0
 *
 * base/cost_testing.h - for fuzz targets of cost: checks that a piece of work takes no
 * more CPU time than the units that it spends allow.
 */
#ifndef FX_BASE_COST_TESTING_H
#define FX_BASE_COST_TESTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/budget.h"

/* A unit is about ten nanoseconds. These are the limits for a unit under sanitizers on a
 * busy machine, and the time that most work may take without spending. */
#define COST_NS_OF_UNIT UINT64_C(2000)
#define COST_NS_FREE    UINT64_C(5000000)
#define COST_TRIES      3 /* all of them must be too slow */

/* The cost between cost_begin() and cost_end(). */
struct cost {
    uint64_t ns, units;
};

static inline uint64_t cost_clock_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline void cost_begin(struct cost *cost) {
    *cost = (struct cost){.ns = cost_clock_ns(), .units = fx_budget_spent()};
}

static inline void cost_end(struct cost *cost) {
    cost->ns = cost_clock_ns() - cost->ns;
    cost->units = fx_budget_spent() - cost->units;
}

/* Does the work and aborts the process if it is too slow in each of some tries:
 * `free_ns` is the time that it may take without spending. */
static inline void cost_check(void (*work)(void *user, struct cost *ret_cost), void *user,
                              uint64_t free_ns) {
    struct cost cost = {0};
    for (int i = 0; i < COST_TRIES; i++) {
        work(user, &cost);
        if (cost.ns <= free_ns + cost.units * COST_NS_OF_UNIT) {
            return;
        }
    }
    (void)fprintf(stderr, "%llu ns for %llu units\n", (unsigned long long)cost.ns,
                  (unsigned long long)cost.units);
    abort();
}

#endif
