/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/runes.c - binary search in tables of ranges.
 */
#include "location/go/runes.h"

#include <stddef.h>

#include "base/macros.h"
#include "location/go/runes_table.h"

/* Returns the range that contains the rune, or NULL. */
static const struct rune_range *find(const struct rune_range *ranges, size_t n,
                                     uint32_t rune) {
    size_t low = 0;
    size_t high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges[middle].last < rune) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == n || rune < ranges[low].first ||
        (rune - ranges[low].first) % ranges[low].stride != 0) {
        return NULL;
    }
    return &ranges[low];
}

static uint32_t map(const struct rune_range *ranges, size_t n, uint32_t rune) {
    const struct rune_range *range = find(ranges, n, rune);
    return range == NULL ? rune : (uint32_t)((int32_t)rune + range->delta);
}

/* Most texts are ASCII: the content of the tables for ASCII, without a search. */
static bool is_ascii_lower(uint32_t rune) {
    return rune >= 'a' && rune <= 'z';
}

static bool is_ascii_upper(uint32_t rune) {
    return rune >= 'A' && rune <= 'Z';
}

static bool is_ascii_digit(uint32_t rune) {
    return rune >= '0' && rune <= '9';
}

/* Punctuation: neither a letter, a digit, a space, a control, nor a symbol. */
static bool is_ascii_punct(uint32_t rune) {
    return (rune >= '!' && rune <= '/' && rune != '$' && rune != '+') || rune == ':' ||
           rune == ';' || rune == '?' || rune == '@' || (rune >= '[' && rune <= ']') ||
           rune == '_' || rune == '{' || rune == '}';
}

uint32_t fx_rune_to_upper(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_lower(rune) ? rune - 'a' + 'A' : rune;
    }
    return map(to_upper, FX_COUNT(to_upper), rune);
}

uint32_t fx_rune_to_lower(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_upper(rune) ? rune - 'A' + 'a' : rune;
    }
    return map(to_lower, FX_COUNT(to_lower), rune);
}

uint32_t fx_rune_to_title(uint32_t rune) {
    if (rune < 0x80) {
        return fx_rune_to_upper(rune);
    }
    const struct rune_range *apart = find(to_title_apart, FX_COUNT(to_title_apart), rune);
    return apart == NULL ? fx_rune_to_upper(rune)
                         : (uint32_t)((int32_t)rune + apart->delta);
}

bool fx_rune_is_letter(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_lower(rune) || is_ascii_upper(rune);
    }
    return find(letters, FX_COUNT(letters), rune) != NULL;
}

bool fx_rune_is_upper(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_upper(rune);
    }
    return find(uppers, FX_COUNT(uppers), rune) != NULL;
}

bool fx_rune_is_lower(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_lower(rune);
    }
    return find(lowers, FX_COUNT(lowers), rune) != NULL;
}

bool fx_rune_is_title(uint32_t rune) {
    return rune >= 0x80 && find(titles, FX_COUNT(titles), rune) != NULL;
}

bool fx_rune_is_digit(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_digit(rune);
    }
    return find(digits, FX_COUNT(digits), rune) != NULL;
}

bool fx_rune_is_number(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_digit(rune);
    }
    return find(numbers, FX_COUNT(numbers), rune) != NULL;
}

bool fx_rune_is_punct(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_punct(rune);
    }
    return find(puncts, FX_COUNT(puncts), rune) != NULL;
}

bool fx_rune_is_space(uint32_t rune) {
    return (rune >= 0x09 && rune <= 0x0D) || rune == ' ' || rune == 0x85 ||
           rune == 0xA0 || rune == 0x1680 || (rune >= 0x2000 && rune <= 0x200A) ||
           rune == 0x2028 || rune == 0x2029 || rune == 0x202F || rune == 0x205F ||
           rune == 0x3000;
}
