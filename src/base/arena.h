/* SPDX-License-Identifier: Apache-2.0
 *
 * base/arena.h - scratch memory of one review: patch operations, paths, trace notes.
 *
 * It never contains a json_t reference that must be dropped, and never outlives the
 * response. Single pieces cannot be freed. With FX_ARENA_DEBUG each piece is a separate
 * malloc(), so that sanitizers see every overrun.
 */
#ifndef FX_BASE_ARENA_H
#define FX_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"

struct fx_arena_block;

#define FX_ARENA_BLOCK_HEAD 32 /* the most bytes that the head of a block takes */

struct fx_arena {
    struct fx_arena_block *blocks; /* newest first */
    struct fx_arena_block *lent;   /* the first one if it is borrowed */
    size_t total, max;             /* allocated bytes, and their limit */
};

/* An empty arena of at most `max` bytes. Allocates nothing. */
void fx_arena_init(struct fx_arena *arena, size_t max);

/* The same, but the first pieces come from `block`, which is borrowed, aligned for any
 * type, and larger than FX_ARENA_BLOCK_HEAD. */
void fx_arena_init_within(struct fx_arena *arena, size_t max, void *block, size_t bytes);

/* Frees everything. NULL, zeroed and finished arenas are fine. */
void fx_arena_finish(struct fx_arena *arena);

/* Frees all pieces, and keeps one block for the next review. */
void fx_arena_reset(struct fx_arena *arena);

/* Returns `bytes` zeroed bytes, aligned for any type; NULL without memory or beyond the
 * limit. 0 bytes give a valid pointer. */
void *fx_arena_alloc(struct fx_arena *arena, size_t bytes) FX_MUST_USE;

/* Grows an array of the arena, whose *cap items of `size` bytes are all in use: sets the
 * pointer at `items` to a larger copy. The memory of the old array is not reused. False,
 * with nothing changed, without memory or beyond the limit. */
bool fx_arena_grown(struct fx_arena *arena, void *items, size_t *cap,
                    size_t size) FX_MUST_USE;

/* Makes room for one more item in the array `items` of the arena. False without memory or
 * beyond the limit. */
#define FX_ARENA_GROW(arena, items, len, cap) \
    ((len) < (cap) || fx_arena_grown((arena), &(items), &(cap), sizeof *(items)))

/* Returns a NUL-terminated copy; NULL without memory or beyond the limit. */
char *fx_arena_copy(struct fx_arena *arena, struct fx_text text) FX_MUST_USE;

/* Returns a formatted string; NULL without memory or beyond the limit. */
FX_PRINTF(2, 3)
char *fx_arena_printf(struct fx_arena *arena, const char *fmt, ...) FX_MUST_USE;

#endif
