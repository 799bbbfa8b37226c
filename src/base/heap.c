/* SPDX-License-Identifier: Apache-2.0
 *
 * base/heap.c - giving memory back.
 */
#include "base/heap.h"

#include <stdlib.h> /* which tells what C library this is */

#ifdef __GLIBC__
#include <malloc.h>
#endif

void fx_heap_trim(void) {
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}
