/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/policy_text.h - the policy of a mutator as text. It is rarely read, there may be
 * thousands, and a tree takes ten times the memory. Counted, so that all users of a
 * policy share one text.
 */
#ifndef FX_ENGINE_POLICY_TEXT_H
#define FX_ENGINE_POLICY_TEXT_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"

struct fx_policy_text; /* opaque, immutable, counted */

/* Makes the text of the policy, with one reference. NULL without memory. */
struct fx_policy_text *fx_policy_text_create(const json_t *policy) FX_MUST_USE;
struct fx_policy_text *fx_policy_text_ref(struct fx_policy_text *text);
void fx_policy_text_unref(struct fx_policy_text *text); /* NULL is fine; any thread */

/* Are the policies equal? The order of fields does not count. */
bool fx_policy_text_equal(const struct fx_policy_text *a, const struct fx_policy_text *b);

/* Returns the policy as a tree, a new reference; JSON null if `text` is NULL. NULL
 * without memory. */
json_t *fx_policy_text_read(const struct fx_policy_text *text) FX_MUST_USE;

#endif
