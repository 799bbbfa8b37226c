/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/e2e/stall.c - a library that is put before others (LD_PRELOAD) so that the
 * program under test hangs where a test wants it to: in the `floor` of a template that is
 * given the number below, and in opening a file of the name below. It hangs for as long
 * as the file is there that FIXPOINT_STALL names.
 */
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NUMBER 20000101.5
#define NAME   "/stalls.yaml"

static void stall(void) {
    const char *held = getenv("FIXPOINT_STALL");
    const struct timespec span = {.tv_nsec = 10000000};
    while (held != NULL && access(held, F_OK) == 0) {
        (void)nanosleep(&span, NULL);
    }
}

double floor(double x) {
    if (x == NUMBER) {
        stall();
    }
    const double cut = (double)(long long)x; /* the tests know no larger numbers */
    return cut > x ? cut - 1 : cut;
}

int open(const char *path, int flags, ...) {
    const size_t length = strlen(path);
    const size_t name = strlen(NAME);
    va_list rest;
    va_start(rest, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    if (length > name && strcmp(path + length - name, NAME) == 0) {
        stall();
    }
    return openat(AT_FDCWD, path, flags, mode);
}
