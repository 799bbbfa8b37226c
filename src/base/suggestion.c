/* SPDX-License-Identifier: Apache-2.0
 *
 * base/suggestion.c - the edit distance of words.
 */
#include "base/suggestion.h"

/* The edit distance: to insert, remove or replace a letter, or to swap neighbours, counts
 * 1 each. */

#define MAX_WORD 32 /* longer words get no suggestion */

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Rows of the distance table: row i holds the distances of the first i letters of `a` to
 * the beginnings of `b`. Only three rows are kept: a swap needs the row two back. */
static size_t distance(struct fx_text a, struct fx_text b) {
    size_t rows[3][MAX_WORD + 1];
    for (size_t k = 0; k <= b.len; k++) {
        rows[0][k] = k;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b.len; k++) {
            const size_t differs = a.data[i - 1] != b.data[k - 1];
            row[k] = least(above[k - 1] + differs, least(above[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && a.data[i - 1] == b.data[k - 2] &&
                a.data[i - 2] == b.data[k - 1]) {
                row[k] = least(row[k], rows[(i + 1) % 3][k - 2] + 1);
            }
        }
    }
    return rows[a.len % 3][b.len];
}

void fx_suggestion_init(struct fx_suggestion *suggestion, struct fx_text given) {
    *suggestion = (struct fx_suggestion){.given = given, .distance = MAX_WORD};
}

void fx_suggestion_offer(struct fx_suggestion *suggestion, const char *word) {
    const struct fx_text text = fx_text_of(word);
    const struct fx_text given = suggestion->given;
    if (given.len == 0 || given.len > MAX_WORD || text.len > MAX_WORD) {
        return;
    }
    const bool begins = given.len >= 2 && fx_text_starts(text, given);
    const size_t far = begins ? 1 : distance(given, text);
    if (far < suggestion->distance && far <= least(3, (text.len + 2) / 3)) {
        suggestion->word = word;
        suggestion->distance = far;
    }
}
