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

/* Room for one more in the array `items`; false when there is no memory. */
#define FX_VEC_GROW(items, len, cap) \
    ((len) < (cap) || fx_vec_grown(&(items), (len), &(cap), sizeof *(items)))

/* The capacity after `cap`, wherever an array grows. */
static inline size_t fx_vec_bigger(size_t cap) {
    return cap == 0 ? 8 : cap * 2;
}

/* The part of FX_VEC_GROW that is a function: doubles the array that the pointer at
 * `items` points to, whose *cap items of `size` bytes are all in use. On failure
 * everything is as it was. */
bool fx_vec_grown(void *items, size_t len, size_t *cap, size_t size) FX_MUST_USE;

#endif
