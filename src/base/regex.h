/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex.h - Go's regular expressions (RE2 syntax), in time linear in the text.
 */
#ifndef FX_BASE_REGEX_H
#define FX_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_regex; /* opaque and immutable: any thread may use it */

/* Compiles the pattern. Errors: FX_ESYNTAX, with RE2's message, such as "missing ): a(b";
 * FX_ELIMIT if the pattern is longer than FX_LIMIT_REGEX_PATTERN_BYTES, or its program
 * would be larger than FX_LIMIT_REGEX_BYTES; FX_EDEADLINE; FX_ENOMEM. */
bool fx_regex_compile(struct fx_text pattern, struct fx_regex **ret_regex,
                      struct fx_err *err) FX_MUST_USE;

/* A limit for compiling: the number of expressions (including those that fail), and the
 * memory that each may take, also while it matches. */
struct fx_regex_allowance {
    size_t n_left, bytes_each;
};

/* Sets the allowance of this thread's fx_regex_compile(), borrowed until the next call.
 * NULL means that only the limits above apply. Use it for patterns of untrusted users,
 * who could otherwise compile any number of small ones. */
void fx_regex_allow(struct fx_regex_allowance *allowance);

void fx_regex_destroy(struct fx_regex *regex); /* NULL is fine */

/* Does it match anywhere in the text, as Go's MatchString? Bytes that are not UTF-8 match
 * only \C. Spends from the thread's budget (base/budget.h). Errors: FX_ELIMIT if the
 * number of the text's bytes times the program's size is more than FX_LIMIT_REGEX_WORK,
 * or the budget's units are exceeded; FX_EDEADLINE; FX_ENOMEM. */
bool fx_regex_match(const struct fx_regex *regex, struct fx_text text, bool *ret_matches,
                    struct fx_err *err) FX_MUST_USE;

/* The bytes of a text from `from` up to `to`. FX_REGEX_NO_SPAN stands for a group without
 * a match. */
struct fx_regex_span {
    size_t from, to;
};

#define FX_REGEX_NO_SPAN SIZE_MAX

/* Finds the leftmost match that begins at `from` (at most the length of the text) or
 * after it. The text before `from` still counts for `^` and \b. `ret_spans` has room for
 * `n_spans` spans, at least one: the match, then its groups in the order of their
 * parentheses. Spans of groups that do not match or exist are FX_REGEX_NO_SPAN. Errors:
 * those of fx_regex_match(). */
bool fx_regex_find(const struct fx_regex *regex, struct fx_text text, size_t from,
                   struct fx_regex_span *ret_spans, size_t n_spans,
                   struct fx_err *err) FX_MUST_USE;

/* Returns the number of groups, without the match itself. */
size_t fx_regex_count_groups(const struct fx_regex *regex);

/* Returns the number of the group `(?P<name>…)`, from 1; 0 if there is none. */
size_t fx_regex_find_group(const struct fx_regex *regex, struct fx_text name);

/* Returns the size of the program, which determines the time of compiling. */
size_t fx_regex_size(const struct fx_regex *regex);

#endif
