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

/* Lets the C library have at most `n` arenas (memory that it shares among threads), if it
 * has arenas. Each arena keeps free pages, and by default there may be one for each
 * thread, however rarely the thread allocates. Call it before other threads start. */
void fx_heap_limit_arenas(size_t n);

/* Overwrites a secret in memory; the compiler cannot remove the call. NULL is fine if
 * `len` is 0. */
void fx_heap_wipe(void *bytes, size_t len);

#endif
