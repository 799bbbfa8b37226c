/* SPDX-License-Identifier: Apache-2.0
 *
 * base/vec.h - growing a plain array. Pointer, length and capacity are fields of the
 * owner, with any names:
 *
 *     struct list { struct item *items; size_t n_items, cap_items; };
 *     if (!FX_VEC_GROW(list->items, list->n_items, list->cap_items)) { no memory }
 *     list->items[list->n_items++] = item;
 */
#ifndef FX_BASE_VEC_H
#define FX_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"

/* Makes room for one more item in the array `items`. False without memory. */
#define FX_VEC_GROW(items, len, cap) \
    ((len) < (cap) || fx_vec_grown(&(items), (len), &(cap), sizeof *(items)))

/* Returns the capacity to which an array of capacity `cap` grows. */
static inline size_t fx_vec_bigger(size_t cap) {
    return cap == 0 ? 8 : cap * 2;
}

/* Doubles the array that the pointer at `items` points to, whose *cap items of `size`
 * bytes are all in use, for FX_VEC_GROW(). On failure nothing changes. */
bool fx_vec_grown(void *items, size_t len, size_t *cap, size_t size) FX_MUST_USE;

#endif
