/* SPDX-License-Identifier: Apache-2.0
 *
 * value/node_pool.h - memory for the nodes of reviews.
 *
 * The nodes of a review are made within microseconds and dropped together. For them a
 * general allocator does too much: nearly half of what a review cost was malloc() and
 * free(). Between fx_node_pool_enter() and fx_node_pool_leave() jansson takes the memory
 * of its nodes from slabs instead: a piece is a bump of a pointer, dropping it is a
 * count, and a slab whose pieces are all dropped begins anew. Elsewhere, nodes come from
 * malloc() as ever: those of policies live long, and one such node would hold a whole
 * slab.
 *
 * A node made within may be dropped later, and by any thread; by another than the one
 * that made it at the cost of a lock. What a thread leaves behind when it ends is given
 * back as it is dropped. With FX_ARENA_DEBUG all of this does nothing, so that sanitizers
 * see every node.
 */
#ifndef FX_VALUE_NODE_POOL_H
#define FX_VALUE_NODE_POOL_H

#include <stddef.h>

/* Sets jansson's allocator, once for the process; before other threads use jansson.
 * Nodes that exist already may be dropped afterwards. Where no address space can be had,
 * everything goes on with malloc(). */
void fx_node_pool_install(void);

/* From here on, and until here, this thread's new nodes come from its slabs. Not nested.
 */
void fx_node_pool_enter(void);
void fx_node_pool_leave(void);

/* Bytes of the slabs that hold nodes of this thread, or held some and are kept for the
 * next ones: at most FX_LIMIT_IDLE_SLABS of those. */
size_t fx_node_pool_bytes(void);

/* The same of all threads, those that have ended included. */
size_t fx_node_pool_all_bytes(void);

#endif
