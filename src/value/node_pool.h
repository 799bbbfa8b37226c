/* SPDX-License-Identifier: Apache-2.0
 *
 * value/node_pool.h - memory for the nodes of reviews.
 *
 * The nodes of a review are created within microseconds and dropped at once. A general
 * allocator is too slow for this: malloc() and free() took nearly half of a review.
 * Between fx_node_pool_enter() and fx_node_pool_leave() jansson takes the memory of its
 * nodes from slabs instead: an allocation advances a pointer, a free decrements a count,
 * and a slab without live pieces is reused. Elsewhere nodes come from malloc(): nodes of
 * policies live long, and one of them would keep a whole slab.
 *
 * Such a node may be dropped later, and by any thread; a thread that did not create it
 * takes a lock for this. If a thread ends before its nodes are dropped, their memory is
 * returned when they are. With FX_ARENA_DEBUG all of this does nothing, so that
 * sanitizers see every node.
 */
#ifndef FX_VALUE_NODE_POOL_H
#define FX_VALUE_NODE_POOL_H

#include <stddef.h>

/* Sets jansson's allocator for the process. Call it once, before other threads use
 * jansson. Existing nodes may be dropped afterwards. If there is no address space, nodes
 * come from malloc(). */
void fx_node_pool_install(void);

/* Between these two calls, this thread's new nodes come from its slabs. Calls do not
 * nest.
 */
void fx_node_pool_enter(void);
void fx_node_pool_leave(void);

/* Returns the bytes of the slabs that contain nodes of this thread, and of the empty
 * slabs that are kept for reuse, at most FX_LIMIT_IDLE_SLABS. */
size_t fx_node_pool_bytes(void);

/* Returns the same for all threads, including those that have ended. */
size_t fx_node_pool_all_bytes(void);

#endif
