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

/* Appends an operation, which the caller fills. NULL without memory. */
struct fx_patch_op *fx_patch_append(struct fx_patch *patch) FX_MUST_USE;

/* Returns "add", "remove", and so on. */
const char *fx_patch_op_name(enum fx_patch_op_kind kind);

/* ---- patch_align.c ----------------------------------------------------------------- */

/* Aligns the elements of two lists by the cheapest edit script of each window. So the
 * cost is linear for long lists, and the result is exact for short ones. */

#define FX_ALIGN_WINDOW 64 /* elements of each list */

enum fx_align_step {
    FX_ALIGN_KEEP,    /* takes both: they are equal */
    FX_ALIGN_EDIT,    /* takes both: the same thing, changed within */
    FX_ALIGN_REPLACE, /* takes both: only the index is the same */
    FX_ALIGN_REMOVE,  /* takes the element of `before` */
    FX_ALIGN_ADD,     /* takes the element of `after` */
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
    const json_t *value; /* the value of the first one */
};

/* Tables of one window, which the next window reuses. A diff has only one, because it is
 * too large for the stack frame of a recursive function. */
struct fx_align {
    size_t budget; /* pairs that may still be compared, in all lists */
    uint16_t cost[FX_ALIGN_WINDOW + 1][FX_ALIGN_WINDOW + 1];
    uint8_t pair[FX_ALIGN_WINDOW][FX_ALIGN_WINDOW]; /* the step for before[i], after[j] */
    struct fx_align_identity before[FX_ALIGN_WINDOW], after[FX_ALIGN_WINDOW];
};

void fx_align_init(struct fx_align *align);

/* Do the merge keys show that both lists have the same things at the same indexes, and
 * `after` has only new ones after them? Then no other alignment is cheaper. False if a
 * list is longer than a window. */
bool fx_align_is_by_index(struct fx_align *align, const struct fx_align_side *before,
                          const struct fx_align_side *after);

/* Skips the elements at the start and at the end of both lists that are equal. */
void fx_align_trim(struct fx_align_side *before, struct fx_align_side *after);

/* Returns the steps of the next window, at least one if either side has elements left.
 * The caller moves `at` as it takes them. */
void fx_align_next(struct fx_align *align, const struct fx_align_side *before,
                   const struct fx_align_side *after, struct fx_align_steps *ret_steps);

#endif
