/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/glob.c - globs with a star at one end, or at both.
 */
#include "mutators/gatekeeper/glob.h"

static bool is_star(struct fx_text text, size_t at) {
    return text.data[at] == '*';
}

bool fx_glob_is_exact(struct fx_text pattern) {
    return pattern.len == 0 ||
           (!is_star(pattern, 0) && !is_star(pattern, pattern.len - 1));
}

bool fx_glob_has_literal_star(struct fx_text pattern) {
    return pattern.len > 2 &&
           fx_text_contains((struct fx_text){pattern.data + 1, pattern.len - 2},
                            FX_TEXT("*"));
}

bool fx_glob_matches(struct fx_text pattern, struct fx_text text) {
    if (fx_glob_is_exact(pattern)) {
        return fx_text_equal(pattern, text);
    }
    const bool leading = is_star(pattern, 0);
    const bool trailing = is_star(pattern, pattern.len - 1);
    if (pattern.len == 1) {
        return true;
    }
    const struct fx_text part = {pattern.data + (leading ? 1 : 0),
                                 pattern.len - (leading ? 1 : 0) - (trailing ? 1 : 0)};
    if (leading && trailing) {
        return fx_text_contains(text, part);
    }
    return leading ? fx_text_ends(text, part) : fx_text_starts(text, part);
}

/* Matches a name of which only the start is known, because the server will complete
 * it. */
bool fx_glob_matches_generate_name(struct fx_text pattern, struct fx_text generate_name) {
    return pattern.len > 0 && is_star(pattern, pattern.len - 1) &&
           fx_glob_matches(pattern, generate_name);
}

bool fx_glob_any_matches(const struct fx_text_list *patterns, struct fx_text text) {
    for (size_t i = 0; i < patterns->n_items; i++) {
        if (fx_glob_matches(patterns->items[i], text)) {
            return true;
        }
    }
    return false;
}
