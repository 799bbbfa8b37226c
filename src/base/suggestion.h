/* SPDX-License-Identifier: Apache-2.0
 *
 * base/suggestion.h - "did you mean": the known word that is nearest to a mistyped one.
 */
#ifndef FX_BASE_SUGGESTION_H
#define FX_BASE_SUGGESTION_H

#include <stddef.h>

#include "base/text.h"

/* "Did you mean": the word nearest to one that was mistyped. */
struct fx_suggestion {
    struct fx_text given; /* borrowed */
    const char *word;     /* the nearest so far; NULL: none is near */
    size_t distance;
};

void fx_suggestion_init(struct fx_suggestion *suggestion, struct fx_text given);

/* Keeps `word` (borrowed) if it is nearer than all words before it, and near enough: at
 * most a third of its letters differ, or it begins with the given text. */
void fx_suggestion_offer(struct fx_suggestion *suggestion, const char *word);

#endif
