/* SPDX-License-Identifier: Apache-2.0
 *
 * find.c - the two-way algorithm (M. Crochemore, D. Perrin: Two-way string-matching,
 * Journal of the ACM 38, 1991): the part is cut where the period of its two sides is that
 * of the whole. The right side is compared first, from left to right, then the left one.
 */
#include "base/find.h"

#include <stdbool.h>
#include <string.h>

/* A text that is read from its start or from its end. */
struct reader {
    const char *first;
    ptrdiff_t step; /* 1 or -1 */
    size_t len;
};

static unsigned char at(const struct reader *reader, size_t index) {
    return (unsigned char)reader->first[(ptrdiff_t)index * reader->step];
}

/* The start of the greatest suffix of the text, in the order of bytes or the reverse
 * order, and its period. */
struct suffix {
    size_t start, period;
};

/* Invariant: the greatest suffix of what was read begins at `start`; `other` begins a
 * later one that has `same` bytes in common with it. */
static struct suffix find_suffix(const struct reader *part, bool reverse) {
    struct suffix greatest = {0, 1};
    size_t other = 1;
    size_t same = 0;
    while (other + same < part->len) {
        const unsigned char a = at(part, other + same);
        const unsigned char b = at(part, greatest.start + same);
        if (a == b) {
            same++;
            if (same == greatest.period) {
                other += same;
                same = 0;
            }
        } else if ((a < b) != reverse) {
            other += same + 1;
            same = 0;
            greatest.period = other - greatest.start;
        } else {
            greatest = (struct suffix){other, 1};
            other++;
            same = 0;
        }
    }
    return greatest;
}

/* Where to cut the part. */
static struct suffix find_cut(const struct reader *part) {
    const struct suffix a = find_suffix(part, false);
    const struct suffix b = find_suffix(part, true);
    return a.start > b.start ? a : b;
}

/* Is the left side repeated after one period? Then the period is that of the part. */
static bool is_periodic(const struct reader *part, struct suffix cut) {
    for (size_t i = 0; i < cut.start; i++) {
        if (i + cut.period >= part->len || at(part, i) != at(part, i + cut.period)) {
            return false;
        }
    }
    return true;
}

static size_t search(const struct reader *text, const struct reader *part) {
    struct suffix cut = find_cut(part);
    const bool periodic = is_periodic(part, cut);
    size_t known = 0; /* bytes of the part that equal the text at `from` */
    if (!periodic) {
        const size_t right = part->len - cut.start;
        cut.period = (cut.start > right ? cut.start : right) + 1;
    }
    for (size_t from = 0; part->len <= text->len - from;) {
        size_t i = cut.start > known ? cut.start : known;
        while (i < part->len && at(part, i) == at(text, from + i)) {
            i++;
        }
        if (i < part->len) {
            from += i - cut.start + 1;
            known = 0;
            if (from > text->len) {
                break;
            }
            continue;
        }
        size_t left = cut.start;
        while (left > known && at(part, left - 1) == at(text, from + left - 1)) {
            left--;
        }
        if (left <= known) {
            return from;
        }
        from += cut.period;
        known = periodic ? part->len - cut.period : 0;
        if (from > text->len) {
            break;
        }
    }
    return FX_NOT_FOUND;
}

size_t fx_text_find(struct fx_text text, struct fx_text part) {
    if (part.len == 0) {
        return 0;
    }
    if (part.len > text.len) {
        return FX_NOT_FOUND;
    }
    const char *hit = memchr(text.data, part.data[0], text.len - part.len + 1);
    if (hit == NULL || part.len == 1) {
        return hit == NULL ? FX_NOT_FOUND : (size_t)(hit - text.data);
    }
    const size_t skipped = (size_t)(hit - text.data);
    const struct reader in = {hit, 1, text.len - skipped};
    const struct reader what = {part.data, 1, part.len};
    const size_t found = search(&in, &what);
    return found == FX_NOT_FOUND ? FX_NOT_FOUND : skipped + found;
}

size_t fx_text_find_last(struct fx_text text, struct fx_text part) {
    if (part.len == 0) {
        return text.len;
    }
    if (part.len > text.len) {
        return FX_NOT_FOUND;
    }
    const struct reader in = {text.data + text.len - 1, -1, text.len};
    const struct reader what = {part.data + part.len - 1, -1, part.len};
    const size_t found = search(&in, &what);
    return found == FX_NOT_FOUND ? FX_NOT_FOUND : text.len - found - part.len;
}
