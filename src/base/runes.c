/* SPDX-License-Identifier: Apache-2.0
 *
 * base/runes.c - binary search in tables of ranges, with a shortcut for ASCII.
 */
#include "base/runes.h"

#include <stddef.h>

#include "base/macros.h"

/* The classes of the table. A rune is in exactly one of them. */
enum rune_class {
    CLASS_NONE,
    CLASS_UPPER,
    CLASS_LOWER,
    CLASS_TITLE,
    CLASS_OTHER_LETTER,
    CLASS_DIGIT,
    CLASS_OTHER_NUMBER,
    CLASS_PUNCT,
    CLASS_OTHER_PRINTABLE,
    CLASS_ALTERNATING, /* alternately upper and lower case letters */
};

enum letter_case { CASE_UPPER, CASE_LOWER, CASE_TITLE };

struct case_range {
    uint32_t first, last;
    int32_t deltas[3]; /* the difference to the rune in each letter_case */
};

#define IN_TURN INT32_MAX

#include "base/runes_table.h"

static enum rune_class class_of(uint32_t rune) {
    size_t low = 0;
    size_t high = FX_COUNT(rune_classes);
    if (rune > 0x10FFFF) {
        return CLASS_NONE;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (rune_classes[middle] >> 4 <= rune) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const enum rune_class class = rune_classes[low] & 0xF;
    if (class != CLASS_ALTERNATING) {
        return class;
    }
    return (rune - (rune_classes[low] >> 4)) % 2 == 0 ? CLASS_UPPER : CLASS_LOWER;
}

static uint32_t to_case(uint32_t rune, enum letter_case wanted) {
    size_t low = 0;
    size_t high = FX_COUNT(case_ranges);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (case_ranges[middle].last < rune) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == FX_COUNT(case_ranges) || rune < case_ranges[low].first) {
        return rune;
    }
    const struct case_range *range = &case_ranges[low];
    if (range->deltas[CASE_UPPER] != IN_TURN) {
        return (uint32_t)((int32_t)rune + range->deltas[wanted]);
    }
    const uint32_t upper = rune - (rune - range->first) % 2;
    return wanted == CASE_LOWER ? upper + 1 : upper;
}

static bool is_ascii_lower(uint32_t rune) {
    return rune >= 'a' && rune <= 'z';
}

static bool is_ascii_upper(uint32_t rune) {
    return rune >= 'A' && rune <= 'Z';
}

uint32_t fx_rune_to_upper(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_lower(rune) ? rune - 'a' + 'A' : rune;
    }
    return to_case(rune, CASE_UPPER);
}

uint32_t fx_rune_to_lower(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_upper(rune) ? rune - 'A' + 'a' : rune;
    }
    return to_case(rune, CASE_LOWER);
}

uint32_t fx_rune_to_title(uint32_t rune) {
    return rune < 0x80 ? fx_rune_to_upper(rune) : to_case(rune, CASE_TITLE);
}

bool fx_rune_is_letter(uint32_t rune) {
    if (rune < 0x80) {
        return is_ascii_lower(rune) || is_ascii_upper(rune);
    }
    const enum rune_class class = class_of(rune);
    return class >= CLASS_UPPER && class <= CLASS_OTHER_LETTER;
}

bool fx_rune_is_upper(uint32_t rune) {
    return rune < 0x80 ? is_ascii_upper(rune) : class_of(rune) == CLASS_UPPER;
}

bool fx_rune_is_lower(uint32_t rune) {
    return rune < 0x80 ? is_ascii_lower(rune) : class_of(rune) == CLASS_LOWER;
}

bool fx_rune_is_title(uint32_t rune) {
    return rune >= 0x80 && class_of(rune) == CLASS_TITLE;
}

bool fx_rune_is_digit(uint32_t rune) {
    return rune < 0x80 ? rune >= '0' && rune <= '9' : class_of(rune) == CLASS_DIGIT;
}

bool fx_rune_is_number(uint32_t rune) {
    return fx_rune_is_digit(rune) ||
           (rune >= 0x80 && class_of(rune) == CLASS_OTHER_NUMBER);
}

bool fx_rune_is_punct(uint32_t rune) {
    return class_of(rune) == CLASS_PUNCT;
}

bool fx_rune_is_space(uint32_t rune) {
    return (rune >= 0x09 && rune <= 0x0D) || rune == ' ' || rune == 0x85 ||
           rune == 0xA0 || rune == 0x1680 || (rune >= 0x2000 && rune <= 0x200A) ||
           rune == 0x2028 || rune == 0x2029 || rune == 0x202F || rune == 0x205F ||
           rune == 0x3000;
}

bool fx_rune_is_printable(uint32_t rune) {
    return rune < 0x7F ? rune >= 0x20 : class_of(rune) != CLASS_NONE;
}
