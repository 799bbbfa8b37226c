/* SPDX-License-Identifier: Apache-2.0
 *
 * base/sorted.c - a binary search.
 */
#include "base/sorted.h"

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
