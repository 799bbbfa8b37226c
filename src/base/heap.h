/* SPDX-License-Identifier: Apache-2.0
 *
 * base/heap.h - giving memory back.
 */
#ifndef FX_BASE_HEAP_H
#define FX_BASE_HEAP_H

/* Gives free pages of the heap back to the system, where the C library can: after
 * something large was dropped, which otherwise leaves its pages resident for good. Costs
 * a walk over the heap; nothing for small things. */
void fx_heap_trim(void);

#endif
