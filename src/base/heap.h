/* SPDX-License-Identifier: Apache-2.0
 *
 * base/heap.h - giving memory back, and what was in it.
 */
#ifndef FX_BASE_HEAP_H
#define FX_BASE_HEAP_H

#include <stddef.h>

/* Gives free pages of the heap back to the system, where the C library can: after
 * something large was dropped, which otherwise leaves its pages resident for good. Costs
 * a walk over the heap; nothing for small things. */
void fx_heap_trim(void);

/* Overwrites what nobody may find in memory any more; no compiler leaves that out. NULL
 * is fine where `len` is 0. */
void fx_heap_wipe(void *bytes, size_t len);

#endif
