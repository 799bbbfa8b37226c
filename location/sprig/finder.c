/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/finder.c - one pass over the needle, one over the text.
 */
#include "location/sprig/finder.h"

#include <string.h>

/* Returns the length of the match after one more character. */
static size_t extend(const struct text_finder *finder, size_t matched, char c) {
    while (matched > 0 && finder->needle.data[matched] != c) {
        matched = finder->borders[matched - 1];
    }
    return finder->needle.data[matched] == c ? matched + 1 : 0;
}

bool finder_init(struct text_finder *finder, struct template_run *run,
                 struct fx_text needle) {
    *finder = (struct text_finder){.needle = needle};
    finder->borders = run_alloc(run, needle.len * sizeof *finder->borders);
    if (finder->borders == NULL) {
        return false;
    }
    for (size_t i = 1; i < needle.len; i++) {
        finder->borders[i] = extend(finder, finder->borders[i - 1], needle.data[i]);
    }
    return true;
}

size_t finder_next(const struct text_finder *finder, struct fx_text text, size_t from) {
    size_t matched = 0;
    for (size_t at = from; at < text.len; at++) {
        if (matched == 0) {
            const char *first =
                memchr(text.data + at, finder->needle.data[0], text.len - at);
            if (first == NULL) {
                return FINDER_NONE;
            }
            at = (size_t)(first - text.data);
        }
        matched = extend(finder, matched, text.data[at]);
        if (matched == finder->needle.len) {
            return at + 1 - matched;
        }
    }
    return FINDER_NONE;
}
