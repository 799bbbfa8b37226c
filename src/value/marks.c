/* SPDX-License-Identifier: Apache-2.0
 *
 * value/marks.c - the list of positions, searched only for an error, and an index of it
 * for many lookups.
 */
#include "value/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void fx_marks_finish(struct fx_marks *marks) {
    if (marks == NULL) {
        return;
    }
    free(marks->items);
    *marks = (struct fx_marks){0};
}

bool fx_marks_add(struct fx_marks *marks, struct fx_mark mark) {
    if (!FX_VEC_GROW(marks->items, marks->n_items, marks->cap_items)) {
        return false;
    }
    marks->items[marks->n_items++] = mark;
    return true;
}

/* Searches from the end. If a key is repeated, the first value is freed but its mark
 * stays, and a later node may have the same address. */
const struct fx_mark *fx_marks_find(const struct fx_marks *marks, const void *node) {
    for (size_t i = marks->n_items; i > 0; i--) {
        if (marks->items[i - 1].node == node) {
            return &marks->items[i - 1];
        }
    }
    return NULL;
}

/* ---- by address ------------------------------------------------------------------ */

static int compare_marks(const void *left, const void *right) {
    const struct fx_mark *a = left;
    const struct fx_mark *b = right;
    if (a->node != b->node) {
        return (uintptr_t)a->node < (uintptr_t)b->node ? -1 : 1;
    }
    return a->off < b->off ? -1 : a->off > b->off;
}

bool fx_marks_index_make(const struct fx_marks *marks, size_t first,
                         struct fx_marks_index *ret_index) {
    const size_t n_items = marks->n_items - first;
    struct fx_mark *items = calloc(n_items + 1, sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (n_items > 0) {
        memcpy(items, marks->items + first, n_items * sizeof *items);
        qsort(items, n_items, sizeof *items, compare_marks);
    }
    *ret_index = (struct fx_marks_index){items, n_items};
    return true;
}

void fx_marks_index_finish(struct fx_marks_index *index) {
    free(index->items);
    *index = (struct fx_marks_index){0};
}

/* Invariant: marks below `low` have a lower or the same address, and marks from `high` on
 * have a higher one. */
const struct fx_mark *fx_marks_index_find(const struct fx_marks_index *index,
                                          const void *node) {
    size_t low = 0;
    size_t high = index->n_items;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)index->items[middle].node <= (uintptr_t)node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && index->items[low - 1].node == node ? &index->items[low - 1] : NULL;
}

/* ---- positions in the text --------------------------------------------------------- */

struct fx_position fx_position_start(struct fx_text text) {
    const struct fx_text bom = FX_TEXT("\xEF\xBB\xBF");
    const size_t off = fx_text_starts(text, bom) ? bom.len : 0;
    return (struct fx_position){.off = off, .line = 1, .column = 1};
}

static bool is_continuation(char byte) {
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

void fx_position_step(struct fx_position *position, struct fx_text text) {
    if (position->off == text.len) {
        return;
    }
    if (text.data[position->off] == '\n') {
        position->line++;
        position->column = 1;
    } else {
        position->column++;
    }
    do {
        position->off++;
    } while (position->off < text.len && is_continuation(text.data[position->off]));
}

void fx_position_advance(struct fx_position *position, struct fx_text text, size_t off) {
    const size_t end = off < text.len ? off : text.len;
    while (position->off < end) {
        fx_position_step(position, text);
    }
}
