/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex_walk.c - from match to match.
 */
#include "location/sprig/regex_walk.h"

#include <string.h>

/* One rune on; past the end where there is none. */
static size_t behind_rune(struct fx_text text, size_t at) {
    uint32_t rune = 0;
    return at >= text.len
               ? at + 1
               : at +
                     fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
}

bool regex_walk_next(struct regex_walk *walk, struct run *run,
                     struct fx_regex_span *ret_spans, size_t n_spans, bool *ret_found) {
    *ret_found = false;
    while (!*ret_found && walk->at <= walk->text.len) {
        if (!fx_regex_find(walk->regex, walk->text, walk->at, ret_spans, n_spans,
                           run->err)) {
            return false;
        }
        if (ret_spans[0].from == FX_REGEX_NO_SPAN) {
            break;
        }
        const struct fx_regex_span match = ret_spans[0];
        *ret_found =
            match.to > match.from || !walk->has_last || match.from != walk->last_end;
        walk->at = match.to > walk->at ? match.to : behind_rune(walk->text, walk->at);
        walk->last_end = match.to;
        walk->has_last = true;
    }
    return true;
}

bool regex_matches_add(struct run *run, struct regex_matches *matches,
                       struct fx_regex_span span) {
    if (matches->n == matches->capacity) {
        const size_t capacity = matches->capacity == 0 ? 8 : 2 * matches->capacity;
        struct fx_regex_span *spans = run_alloc(run, capacity * sizeof *spans);
        if (spans == NULL) {
            return false;
        }
        if (matches->n > 0) {
            memcpy(spans, matches->spans, matches->n * sizeof *spans);
        }
        matches->spans = spans;
        matches->capacity = capacity;
    }
    matches->spans[matches->n++] = span;
    return true;
}
