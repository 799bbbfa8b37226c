/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/e2e/stall.c - a library that is put before others (LD_PRELOAD) so that the
 * program under test hangs where a test wants it to: in the `round` of a template to as
 * many places as below, and in opening a file of the name below. It hangs for as long as
 * the file is there that FIXPOINT_STALL names.
 */
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLACES 13
#define NAME   "/stalls.yaml"

static void stall(void) {
    const char *held = getenv("FIXPOINT_STALL");
    const struct timespec span = {.tv_nsec = 10000000};
    while (held != NULL && access(held, F_OK) == 0) {
        (void)nanosleep(&span, NULL);
    }
}

/* The tests ask for small whole powers only. */
double pow(double base, double exponent) {
    double product = 1;
    if (exponent == PLACES) {
        stall();
    }
    for (int at = 0; at < (int)exponent; at++) {
        product *= base;
    }
    return product;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): as in libc. */
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
