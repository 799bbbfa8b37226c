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

/* Takes `word` (borrowed) where it is nearer than those before, and near at all: a third
 * of its letters wrong at most, or what was given is its beginning. */
void fx_suggestion_offer(struct fx_suggestion *suggestion, const char *word);

#endif
