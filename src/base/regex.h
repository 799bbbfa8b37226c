/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex.h - Go's regular expressions (RE2 syntax), in time linear in the text.
 * regex.cc is the only C++ of the house.
 */
#ifndef FX_BASE_REGEX_H
#define FX_BASE_REGEX_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_regex; /* opaque, immutable once made: any thread may use it */

/* Compiles. Errors: FX_ESYNTAX, in RE2's words: "missing ): a(b"; FX_ELIMIT where the
 * pattern is longer than FX_LIMIT_REGEX_PATTERN_BYTES, or its program would be larger
 * than FX_LIMIT_REGEX_BYTES; FX_ENOMEM. */
bool fx_regex_compile(struct fx_text pattern, struct fx_regex **ret_regex,
                      struct fx_err *err) FX_MUST_USE;
void fx_regex_destroy(struct fx_regex *regex); /* NULL is fine */

/* Does it match anywhere in the text, as Go's MatchString? What it takes of memory stays
 * below FX_LIMIT_REGEX_BYTES; where not even that can be had, the process ends, since
 * either answer would be a guess. Bytes that are no UTF-8 match nothing but \C. */
bool fx_regex_matches(const struct fx_regex *regex, struct fx_text text);

#endif
