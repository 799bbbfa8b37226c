/* SPDX-License-Identifier: Apache-2.0
 *
 * base/sorted.h - searching, inserting and removing in sorted arrays (base/vec.h grows
 * them), and making them.
 */
#ifndef FX_BASE_SORTED_H
#define FX_BASE_SORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"

/* Compares the key with an item, and returns a negative number, 0 or a positive one, as
 * strcmp(). */
typedef int fx_sorted_compare(const void *key, const void *item);

/* Finds the key among `n` sorted items of `size` bytes. Returns the index of the first
 * item that is not before the key, where the key would be inserted. *ret_found is true if
 * that item equals the key. */
size_t fx_sorted_find(const void *items, size_t n, size_t size, const void *key,
                      fx_sorted_compare *compare, bool *ret_found);

/* Makes room for an item at index `at`, which the caller then sets. The array has room
 * for one more item (FX_VEC_GROW()). */
#define FX_SORTED_INSERT(items, n, at)                                               \
    do {                                                                             \
        memmove((items) + (at) + 1, (items) + (at), ((n) - (at)) * sizeof *(items)); \
        (n)++;                                                                       \
    } while (0)

/* Removes the item at index `at`, which the caller has released. */
#define FX_SORTED_REMOVE(items, n, at)                                                   \
    do {                                                                                 \
        memmove((items) + (at), (items) + (at) + 1, ((n) - (at) - 1) * sizeof *(items)); \
        (n)--;                                                                           \
    } while (0)

/* Sorts an array of *n pointers by `compare`, which gets the pointers themselves. Of
 * items that compare equal only the last one stays; *n becomes the number of items that
 * stay. False, with the array unchanged, without memory. */
bool fx_sorted_keep_last(void *pointers, size_t *n,
                         fx_sorted_compare *compare) FX_MUST_USE;

#endif
