/* SPDX-License-Identifier: Apache-2.0
 *
 * base/heap.c - giving memory back, and what was in it.
 */
#include "base/heap.h"

#include <stdlib.h> /* which tells what C library this is */
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void fx_heap_trim(void) {
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

/* Through a pointer that may be another function by the time it is called. */
static void *(*volatile overwrite)(void *, int, size_t) = memset;

void fx_heap_wipe(void *bytes, size_t len) {
    if (len > 0) {
        (void)overwrite(bytes, 0, len);
    }
}
