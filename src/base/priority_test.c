/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* getpriority() */

#include "base/priority.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

static void *lower(void *niceness) {
    int *ret_niceness = niceness;
    fx_priority_lower();
    fx_priority_lower();
    fx_priority_yield();
    *ret_niceness = getpriority(PRIO_PROCESS, 0);
    return NULL;
}

/* Behind those, and there it stays. */
static void *lower_more(void *niceness) {
    int *ret_niceness = niceness;
    fx_priority_lower();
    fx_priority_lowest();
    fx_priority_lower();
    *ret_niceness = getpriority(PRIO_PROCESS, 0);
    return NULL;
}

static void test_one_thread_alone_steps_back(void **state) {
    (void)state;
    const int before = getpriority(PRIO_PROCESS, 0);
    int niceness = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, lower, &niceness), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_in_range(niceness, 10, 19);
    assert_int_equal(pthread_create(&thread, NULL, lower_more, &niceness), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(niceness, 19);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread_alone_steps_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
