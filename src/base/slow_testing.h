/* SPDX-License-Identifier: Apache-2.0
 *
 * base/slow_testing.h - private: for tests whose rounds are many. Where the environment
 * says that everything is slow (FIXPOINT_SLOW, as under valgrind), they take fewer of
 * them.
 */
#ifndef FX_BASE_SLOW_TESTING_H
#define FX_BASE_SLOW_TESTING_H

#include <stdlib.h>

/* How many times the usual time everything takes, at least 1. */
static inline unsigned slow(void) {
    const char *text = getenv("FIXPOINT_SLOW");
    const long n = text != NULL ? strtol(text, NULL, 10) : 1;
    return n < 1 ? 1 : n > 100 ? 100 : (unsigned)n;
}

#endif
