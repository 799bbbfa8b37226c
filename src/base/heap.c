/* SPDX-License-Identifier: Apache-2.0
 *
 * base/heap.c - returning memory and overwriting it.
 */
#include "base/heap.h"

#include <limits.h>
#include <stdlib.h> /* defines __GLIBC__ */
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void fx_heap_trim(void) {
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

void fx_heap_limit_arenas(size_t n) {
#ifdef __GLIBC__
    (void)mallopt(M_ARENA_MAX, n > INT_MAX ? INT_MAX : (int)n);
#else
    (void)n;
#endif
}

/* A volatile pointer, so that the compiler does not know the function and cannot remove
 * the call. */
static void *(*volatile overwrite)(void *, int, size_t) = memset;

void fx_heap_wipe(void *bytes, size_t len) {
    if (len > 0) {
        (void)overwrite(bytes, 0, len);
    }
}
