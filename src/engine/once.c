/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/once.c - counting changes, by the rank of who made them.
 */
#include "engine/once.h"

#include <string.h>

void fx_once_begin_pass(struct fx_once *once) {
    once->pass++;
    memcpy(once->last, once->now, sizeof once->now);
    memset(once->now, 0, sizeof once->now);
}

/* What came since the rank had its turns in the last pass: of that pass, what others did
 * behind it; of this one, what they did before it. */
bool fx_once_is_asked(const struct fx_once *once, const struct fx_mutator *mutator) {
    const unsigned own = mutator->rank;
    if (once->pass == 1) {
        return true;
    }
    uint32_t n = once->last[own].by_others + once->now[own].by_others;
    for (unsigned rank = 0; rank < own; rank++) {
        n += once->now[rank].all;
    }
    for (unsigned rank = own + 1; rank < FX_RANKS; rank++) {
        n += once->last[rank].all;
    }
    return n > 0;
}
