/* SPDX-License-Identifier: Apache-2.0
 *
 * value/marks.c - the list of positions. Looked through only when an error is told.
 */
#include "value/marks.h"

#include <stdlib.h>

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

/* From the end: where a key is repeated the first value is freed while its mark stays,
 * and a node read later may lie at its address. */
const struct fx_mark *fx_marks_find(const struct fx_marks *marks, const void *node) {
    for (size_t i = marks->n_items; i > 0; i--) {
        if (marks->items[i - 1].node == node) {
            return &marks->items[i - 1];
        }
    }
    return NULL;
}
