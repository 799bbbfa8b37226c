/* SPDX-License-Identifier: Apache-2.0
 *
 * base/sorted.c - a binary search; a stable sort.
 */
#include "base/sorted.h"

#include <stdlib.h>

size_t fx_sorted_find(const void *items, size_t n, size_t size, const void *key,
                      fx_sorted_compare *compare, bool *ret_found) {
    size_t from = 0;
    size_t to = n;
    *ret_found = false;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = compare(key, (const char *)items + middle * size);
        if (order > 0) {
            from = middle + 1;
        } else {
            *ret_found = order == 0 || *ret_found;
            to = middle;
        }
    }
    return from;
}

/* An item and its index, because qsort() is not stable. */
struct positioned {
    const void *item;
    size_t at;
    fx_sorted_compare *compare;
};

static int compare_positioned(const void *left, const void *right) {
    const struct positioned *a = left;
    const struct positioned *b = right;
    const int order = a->compare(a->item, b->item);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

bool fx_sorted_keep_last(void *pointers, size_t *n, fx_sorted_compare *compare) {
    struct positioned *items = calloc(*n + 1, sizeof *items);
    if (items == NULL) {
        return false;
    }
    char *bytes = pointers;
    for (size_t i = 0; i < *n; i++) {
        memcpy(&items[i].item, bytes + i * sizeof(void *), sizeof(void *));
        items[i].at = i;
        items[i].compare = compare;
    }
    qsort(items, *n, sizeof *items, compare_positioned);
    size_t n_kept = 0;
    for (size_t i = 0; i < *n; i++) {
        if (i + 1 == *n || compare(items[i].item, items[i + 1].item) != 0) {
            memcpy(bytes + n_kept++ * sizeof(void *), &items[i].item, sizeof(void *));
        }
    }
    *n = n_kept;
    free(items);
    return true;
}
