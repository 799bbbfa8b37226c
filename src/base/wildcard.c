/* SPDX-License-Identifier: Apache-2.0
 *
 * wildcard.c - matching with `*` and `?`.
 *
 * Each piece between two `*` takes the first place where it fits: if a later one is
 * possible, so is the first. So only the latest `*` is ever extended, byte by byte.
 */
#include "base/wildcard.h"

#include <stddef.h>
#include <string.h>

#include "base/budget.h"

#define COMPARED_BYTES_OF_A_UNIT 8u

struct wildcard_search {
    struct fx_text pattern, text;
    size_t at_pattern, at_text; /* what is compared next */
    bool has_star;
    size_t behind_star; /* in the pattern, behind the latest `*` */
    size_t piece;       /* in the text, where the piece behind it is tried */
};

static bool is_fitting(const struct wildcard_search *search) {
    const char c = search->pattern.data[search->at_pattern];
    return c == '?' || c == search->text.data[search->at_text];
}

static bool is_at_star(const struct wildcard_search *search) {
    return search->at_pattern < search->pattern.len &&
           search->pattern.data[search->at_pattern] == '*';
}

static void pass_star(struct wildcard_search *search) {
    search->has_star = true;
    search->behind_star = ++search->at_pattern;
    search->piece = search->at_text;
}

/* Lets the latest `*` stand for one more byte, and compares its piece again. False if
 * there is no `*`. Spends for the bytes that were compared in vain. */
static bool extend_star(struct wildcard_search *search) {
    const size_t compared = search->at_text - search->piece;
    if (!search->has_star || !fx_spend(compared / COMPARED_BYTES_OF_A_UNIT)) {
        return false;
    }
    search->at_text = ++search->piece;
    search->at_pattern = search->behind_star;
    return true;
}

bool fx_wildcard_match(struct fx_text pattern, struct fx_text text) {
    struct wildcard_search search = {.pattern = pattern, .text = text};
    if (!fx_spend(1 + (pattern.len + text.len) / COMPARED_BYTES_OF_A_UNIT)) {
        return false;
    }
    while (search.at_text < text.len) {
        if (is_at_star(&search)) {
            pass_star(&search);
        } else if (search.at_pattern < pattern.len && is_fitting(&search)) {
            search.at_pattern++;
            search.at_text++;
        } else if (!extend_star(&search)) {
            return false;
        }
    }
    while (is_at_star(&search)) {
        search.at_pattern++;
    }
    return search.at_pattern == pattern.len;
}

bool fx_wildcard_is_pattern(struct fx_text text) {
    return text.len > 0 && (memchr(text.data, '*', text.len) != NULL ||
                            memchr(text.data, '?', text.len) != NULL);
}
