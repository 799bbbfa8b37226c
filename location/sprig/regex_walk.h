/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex_walk.h - private: the matches of a regular expression in a
 * text, one after another, as Go's package regexp finds them.
 */
#ifndef FX_LOCATION_SPRIG_REGEX_WALK_H
#define FX_LOCATION_SPRIG_REGEX_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/regex.h"
#include "base/text.h"
#include "location/gotemplate/run.h"

/* Set `regex` and `text`; the rest is zero. */
struct regex_walk {
    const struct fx_regex *regex;
    struct fx_text text;
    size_t at;       /* where to look next */
    size_t last_end; /* of the match before, */
    bool has_last;   /* if there was one */
    bool is_done;
};

/* The next match and its groups (fx_regex_find()); an empty one right behind another one
 * is none. Each search is paid for (base/regex.h). */
bool regex_walk_next(struct regex_walk *walk, struct run *run,
                     struct fx_regex_span *ret_spans, size_t n_spans,
                     bool *ret_found) FX_MUST_USE;

struct regex_matches {
    struct fx_regex_span *spans;
    size_t n, capacity;
};

/* Adds one. */
bool regex_matches_add(struct run *run, struct regex_matches *matches,
                       struct fx_regex_span span) FX_MUST_USE;

#endif
