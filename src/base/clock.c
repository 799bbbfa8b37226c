/* SPDX-License-Identifier: Apache-2.0
 *
 * base/clock.c - the two clocks.
 */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

uint64_t fx_clock_ns(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void fx_clock_rfc3339(char out[FX_CLOCK_RFC3339]) {
    struct timespec now = {0};
    struct tm utc = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    char text[64];
    (void)snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                   utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                   utc.tm_min, utc.tm_sec, (int)(now.tv_nsec / 1000000));
    (void)snprintf(out, FX_CLOCK_RFC3339, "%.24s", text);
}
