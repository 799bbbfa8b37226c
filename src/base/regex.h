/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex.h - Go's regular expressions (RE2 syntax), in time linear in the text.
 * regex.cc is the only C++ of the house.
 */
#ifndef FX_BASE_REGEX_H
#define FX_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_regex; /* opaque, immutable once made: any thread may use it */

/* Compiles. Errors: FX_ESYNTAX, in RE2's words: "missing ): a(b"; FX_ELIMIT where the
 * pattern is longer than FX_LIMIT_REGEX_PATTERN_BYTES, or its program would be larger
 * than FX_LIMIT_REGEX_BYTES; FX_ENOMEM. */
bool fx_regex_compile(struct fx_text pattern, struct fx_regex **ret_regex,
                      struct fx_err *err) FX_MUST_USE;

/* What somebody may compile: so many (those that fail included), each in so much memory,
 * now and when it matches. */
struct fx_regex_allowance {
    size_t n_left, bytes_each;
};

/* From here on, this thread's fx_regex_compile() keeps within the allowance, which is
 * borrowed until the next call; NULL: no bound but those above. For those who compile for
 * strangers: many small ones would take as much as they like. */
void fx_regex_allow(struct fx_regex_allowance *allowance);

void fx_regex_destroy(struct fx_regex *regex); /* NULL is fine */

/* Does it match anywhere in the text, as Go's MatchString? What it takes of memory stays
 * below FX_LIMIT_REGEX_BYTES; where not even that can be had, it says no, which is a
 * guess, and fx_regex_take_nomem() says so. Bytes that are no UTF-8 match nothing but \C.
 */
bool fx_regex_matches(const struct fx_regex *regex, struct fx_text text);

/* Bytes of a text from `from` up to `to`; a group that took no part has neither. */
struct fx_regex_span {
    size_t from, to;
};

#define FX_REGEX_NO_SPAN SIZE_MAX

/* Finds the leftmost match that begins at `from` or behind it (at most the length of the
 * text); what stands before still counts for `^` and \b. `ret_spans` get the match, then
 * its groups in the order of their parentheses, `n_spans` in all; those that there are
 * not get no span. Memory: as fx_regex_matches(). */
bool fx_regex_find(const struct fx_regex *regex, struct fx_text text, size_t from,
                   struct fx_regex_span *ret_spans, size_t n_spans);

/* How many groups it has, the match itself not counted. */
size_t fx_regex_count_groups(const struct fx_regex *regex);

/* The number of the group `(?P<name>…)`, from 1; 0 where there is none. Memory: as
 * fx_regex_matches(). */
size_t fx_regex_find_group(const struct fx_regex *regex, struct fx_text name);

/* Has a match of this thread had no memory since the last call? Whoever uses an answer
 * that came of matches asks this before: the answer is worth nothing then. */
bool fx_regex_take_nomem(void) FX_MUST_USE;

/* How large its program is: what compiling it took time for. */
size_t fx_regex_size(const struct fx_regex *regex);

#endif
