/* SPDX-License-Identifier: Apache-2.0
 *
 * base/arena.c - a chain of blocks, filled from the newest.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#ifdef FX_ARENA_DEBUG
#define BLOCK_BYTES 0u /* every piece needs a block of its own */
#else
#define BLOCK_BYTES 4096u
#endif
#define FEW_BYTES (BLOCK_BYTES / 4) /* of the first block: many arenas need no more */

struct fx_arena_block {
    struct fx_arena_block *next;
    size_t used, size;
    max_align_t bytes[];
};

void fx_arena_init(struct fx_arena *arena, size_t max) {
    *arena = (struct fx_arena){.max = max};
}

void fx_arena_init_within(struct fx_arena *arena, size_t max, void *block, size_t bytes) {
    fx_arena_init(arena, max);
    assert(sizeof *arena->lent <= FX_ARENA_BLOCK_HEAD && bytes > sizeof *arena->lent);
    if (BLOCK_BYTES > 0) {
        arena->lent = block;
        *arena->lent = (struct fx_arena_block){.size = bytes - sizeof *arena->lent};
        arena->blocks = arena->lent;
    }
}

/* Frees all blocks but `keep`, which may be NULL, and the borrowed one. */
static void free_blocks(const struct fx_arena *arena, const struct fx_arena_block *keep) {
    for (struct fx_arena_block *block = arena->blocks; block != NULL;) {
        struct fx_arena_block *next = block->next;
        if (block != keep && block != arena->lent) {
            free(block);
        }
        block = next;
    }
}

void fx_arena_finish(struct fx_arena *arena) {
    if (arena == NULL) {
        return;
    }
    free_blocks(arena, NULL);
    *arena = (struct fx_arena){0};
}

/* Returns the block that is kept: a borrowed one, otherwise one that is not too large. */
static struct fx_arena_block *block_to_keep(struct fx_arena *arena) {
    struct fx_arena_block *first = arena->blocks;
    if (arena->lent != NULL) {
        return arena->lent;
    }
    return first != NULL && first->size <= BLOCK_BYTES ? first : NULL;
}

void fx_arena_reset(struct fx_arena *arena) {
    struct fx_arena_block *keep = block_to_keep(arena);
    free_blocks(arena, keep);
    if (keep != NULL) {
        keep->next = NULL;
        keep->used = 0;
    }
    arena->blocks = keep;
    arena->total = 0;
}

/* The usual size of the next block: it grows with what is in use. */
static size_t next_size(const struct fx_arena *arena) {
    const size_t size = FEW_BYTES + arena->total;
    return arena->lent != NULL || size > BLOCK_BYTES ? BLOCK_BYTES : size;
}

static struct fx_arena_block *add_block(struct fx_arena *arena, size_t least) {
    const size_t usual = next_size(arena);
    const size_t size = least > usual ? least : usual;
    struct fx_arena_block *block = malloc(sizeof *block + size);
    if (block == NULL) {
        return NULL;
    }
    *block = (struct fx_arena_block){.next = arena->blocks, .size = size};
    arena->blocks = block;
    return block;
}

void *fx_arena_alloc(struct fx_arena *arena, size_t bytes) {
    if (bytes > arena->max - arena->total) {
        return NULL;
    }
    const size_t align = _Alignof(max_align_t);
    const size_t rounded = bytes == 0 ? align : (bytes + align - 1) & ~(align - 1);
    struct fx_arena_block *block = arena->blocks;
    if (block == NULL || rounded > block->size - block->used) {
#ifdef FX_ARENA_DEBUG
        block = add_block(arena, bytes); /* exact, for sanitizers */
#else
        block = add_block(arena, rounded);
#endif
        if (block == NULL) {
            return NULL;
        }
    }
    void *piece = (char *)block->bytes + block->used;
    block->used =
        rounded < block->size - block->used ? block->used + rounded : block->size;
    arena->total += bytes;
    memset(piece, 0, bytes);
    return piece;
}

bool fx_arena_grown(struct fx_arena *arena, void *items, size_t *cap, size_t size) {
    void *bigger = fx_arena_alloc(arena, fx_vec_bigger(*cap) * size);
    if (bigger == NULL) {
        return false;
    }
    /* The pointer may be of any type, so it is copied as bytes and never read as a void
     * *. */
    void *array = NULL;
    memcpy(&array, items, sizeof array);
    if (*cap > 0) {
        memcpy(bigger, array, *cap * size);
    }
    memcpy(items, &bigger, sizeof bigger);
    *cap = fx_vec_bigger(*cap);
    return true;
}

char *fx_arena_copy(struct fx_arena *arena, struct fx_text text) {
    char *copy = fx_arena_alloc(arena, text.len + 1);
    if (copy != NULL && text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    return copy;
}

char *fx_arena_printf(struct fx_arena *arena, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    va_start(args, fmt);
    char *text = length < 0 ? NULL : fx_arena_alloc(arena, (size_t)length + 1);
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)length + 1, fmt, args);
    }
    va_end(args);
    return text;
}
