/* SPDX-License-Identifier: Apache-2.0
 *
 * base/heap.h - returning memory to the system, and overwriting secrets.
 */
#ifndef FX_BASE_HEAP_H
#define FX_BASE_HEAP_H

#include <stddef.h>

/* Returns free pages of the heap to the system, if the C library can. Call it after
 * freeing large objects, whose pages would otherwise stay resident. It walks the heap, so
 * do not call it for small objects. */
void fx_heap_trim(void);

/* Overwrites a secret in memory; the compiler cannot remove the call. NULL is fine if
 * `len` is 0. */
void fx_heap_wipe(void *bytes, size_t len);

#endif
