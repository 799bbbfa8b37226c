/* SPDX-License-Identifier: Apache-2.0
 *
 * base/printable.c - looks a rune up in the table of printable ones.
 */
#include "base/printable.h"

#include <stddef.h>

#include "base/macros.h"
#include "base/printable_table.h"

/* The first range that does not end before the rune, by halving. */
static size_t first_range_to(uint32_t rune) {
    size_t low = 0;
    size_t high = FX_COUNT(printable);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (printable[middle].last < rune) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool fx_rune_is_printable(uint32_t rune) {
    if (rune < 0x7F) {
        return rune >= 0x20;
    }
    const size_t at = first_range_to(rune);
    return at < FX_COUNT(printable) && rune >= printable[at].first;
}
