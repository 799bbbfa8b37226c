/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_internal.h - shared by the files of JSON Patch; private to this room.
 */
#ifndef FX_VALUE_PATCH_INTERNAL_H
#define FX_VALUE_PATCH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "value/patch.h"

/* Appends an operation for the caller to fill; NULL without memory. */
struct fx_patch_op *fx_patch_append(struct fx_patch *patch) FX_MUST_USE;

/* "add", "remove", … */
const char *fx_patch_op_name(enum fx_patch_op_kind kind);

/* ---- patch_align.c ----------------------------------------------------------------- */

/* Aligns the elements of two lists. It takes the cheapest edit script of each window, so
 * the cost is linear in long lists, and the result is exact for short ones. */

#define FX_ALIGN_WINDOW 64 /* elements of each list */

enum fx_align_step {
    FX_ALIGN_KEEP,    /* both: equal */
    FX_ALIGN_EDIT,    /* both: the same thing, changed within */
    FX_ALIGN_REPLACE, /* both: nothing in common but the index */
    FX_ALIGN_REMOVE,  /* before only */
    FX_ALIGN_ADD,     /* after only */
};

/* The remaining elements [at, end) of a list. */
struct fx_align_side {
    const json_t *array;
    size_t at, end;
};

struct fx_align_steps {
    uint8_t steps[2 * FX_ALIGN_WINDOW]; /* enum fx_align_step */
    size_t n_steps;
};

/* The merge keys of an element. */
struct fx_align_identity {
    unsigned keys;       /* a bit for each of fx_patch_merge_keys */
    const json_t *value; /* of the first of them */
};

/* Tables of one window, reused by the next. One is made for a whole diff: it is too large
 * for the stack frame of a recursive function. */
struct fx_align {
    size_t budget; /* pairs that may still be compared, for all lists */
    uint16_t cost[FX_ALIGN_WINDOW + 1][FX_ALIGN_WINDOW + 1];
    uint8_t pair[FX_ALIGN_WINDOW][FX_ALIGN_WINDOW]; /* step for before[i], after[j] */
    struct fx_align_identity before[FX_ALIGN_WINDOW], after[FX_ALIGN_WINDOW];
};

void fx_align_init(struct fx_align *align);

/* Do the merge keys show that both lists have the same things at the same indexes, with
 * only new ones after them in `after`? Then no alignment costs less. False for lists
 * longer than a window. */
bool fx_align_is_by_index(struct fx_align *align, const struct fx_align_side *before,
                          const struct fx_align_side *after);

/* Skips the elements that are equal at the start and at the end of both. */
void fx_align_trim(struct fx_align_side *before, struct fx_align_side *after);

/* Returns the steps of the next window; the caller moves `at` as it takes them. At least
 * one step if either side has elements left. */
void fx_align_next(struct fx_align *align, const struct fx_align_side *before,
                   const struct fx_align_side *after, struct fx_align_steps *ret_steps);

#endif
