/* SPDX-License-Identifier: Apache-2.0
 *
 * base/wildcard.h - Kyverno's wildcards (Kyverno spec section 4): `*` stands for any
 * bytes and `?` for one byte. There are no escapes and no classes.
 */
#ifndef FX_BASE_WILDCARD_H
#define FX_BASE_WILDCARD_H

#include <stdbool.h>

#include "base/text.h"

/* Does the pattern match the whole text? The empty pattern matches only the empty text.
 * Takes at most the bytes of the pattern times those of the text, in practice their sum.
 * Spends from the thread's budget (base/budget.h), and returns false if it is exceeded.
 */
bool fx_wildcard_match(struct fx_text pattern, struct fx_text text);

/* Does the text contain a `*` or a `?`? */
bool fx_wildcard_is_pattern(struct fx_text text);

#endif
