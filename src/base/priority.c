/* SPDX-License-Identifier: Apache-2.0
 *
 * base/priority.c - niceness, which Linux has for each thread: 0 is the calling thread,
 * not its process (setpriority(2), "C library/kernel differences").
 */
#define _XOPEN_SOURCE 700 /* setpriority() */

#include "base/priority.h"

#include <sched.h>
#include <sys/resource.h>

#define LOWER  10 /* a tenth of the weight of niceness 0 */
#define LOWEST 19 /* a seventh of that */

static void lower_to(int niceness) {
    static _Thread_local int reached;
    if (reached < niceness) {
        reached = niceness;
        (void)setpriority(PRIO_PROCESS, 0, niceness);
    }
}

void fx_priority_lower(void) {
    lower_to(LOWER);
}

void fx_priority_lowest(void) {
    lower_to(LOWEST);
}

void fx_priority_yield(void) {
    (void)sched_yield(); /* sched_yield() never fails on Linux */
}
