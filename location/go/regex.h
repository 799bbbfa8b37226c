/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/regex.h - what Go's package regexp has beyond base/regex.h: its message for
 * an invalid pattern, the walk from match to match, and replacing all matches.
 */
#ifndef FX_LOCATION_GO_REGEX_H
#define FX_LOCATION_GO_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/regex.h"
#include "base/text.h"

/* Appends Go's message for one of base/regex.h: "missing closing ): `a(b`" for
 * "missing ): a(b". */
void fx_go_regex_message(struct fx_buf *buf, const char *message);

/* A walk from match to match. The caller sets `regex` and `text`; the rest is zero. */
struct fx_go_regex_walk {
    const struct fx_regex *regex;
    struct fx_text text;
    size_t at;       /* the offset at which the next search begins */
    size_t last_end; /* the end of the previous match */
    bool has_last;   /* there was a previous match */
};

/* Finds the next match and its groups (fx_regex_find()); an empty match directly after
 * another one is skipped. *ret_found is false after the last match. Errors: those of
 * fx_regex_match(). */
bool fx_go_regex_next(struct fx_go_regex_walk *walk, struct fx_regex_span *ret_spans,
                      size_t n_spans, bool *ret_found, struct fx_err *err) FX_MUST_USE;

/* What replaces a match. */
struct fx_go_replacement {
    struct fx_text text;
    /* True if `$1`, `${1}`, `$name` and `${name}` in the text stand for groups, and `$$`
     * for a `$`. A name consists of letters, digits and `_`; an unknown group is
     * empty. */
    bool expands;
};

/* Returns the number of spans that fx_go_regex_replace() needs for this expression. */
size_t fx_go_regex_spans(const struct fx_regex *regex);

/* Appends `text` with each match replaced. `spans` is scratch memory
 * (fx_go_regex_spans()). Spends for what it appends. Errors: those of fx_regex_match(); a
 * failure of `buf` is kept there. */
bool fx_go_regex_replace(const struct fx_regex *regex, struct fx_text text,
                         struct fx_go_replacement by, struct fx_regex_span *spans,
                         struct fx_buf *buf, struct fx_err *err) FX_MUST_USE;

#endif
