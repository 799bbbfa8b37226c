/* SPDX-License-Identifier: Apache-2.0
 *
 * base/priority.c - niceness, which on Linux each thread has of its own: 0 stands for the
 * calling thread, not for its process (setpriority(2), "C library/kernel differences").
 */
#define _XOPEN_SOURCE 700 /* setpriority() */

#include "base/priority.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

#define NICENESS 10 /* a tenth of the weight of who has 0 */

void fx_priority_lower(void) {
    static _Thread_local bool is_low;
    if (!is_low) {
        is_low = true;
        (void)setpriority(PRIO_PROCESS, 0, NICENESS);
    }
}

void fx_priority_yield(void) {
    (void)sched_yield(); /* which never fails */
}
