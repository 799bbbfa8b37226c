/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/suggest.h - "did you mean": the word nearest to one that was mistyped.
 */
#ifndef FX_CLI_SUGGEST_H
#define FX_CLI_SUGGEST_H

#include <stddef.h>

#include "base/text.h"

struct fx_suggestion {
    struct fx_text given;
    const char *word; /* the nearest so far; NULL: none is near */
    size_t distance;
};

void fx_suggestion_init(struct fx_suggestion *suggestion, struct fx_text given);

/* Keeps `word` (borrowed) if it is nearer than those before, and near enough: at most a
 * third of its letters differ, or it begins with the given text. */
void fx_suggestion_offer(struct fx_suggestion *suggestion, const char *word);

#endif
