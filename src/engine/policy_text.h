/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/policy_text.h - the policy that a mutator was made of, as text: it is rarely
 * read, there may be thousands, and a tree takes ten times the memory. Counted, so that
 * all who keep the policy share one text.
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

/* Are the policies equal, whatever the order of their fields? */
bool fx_policy_text_equal(const struct fx_policy_text *a, const struct fx_policy_text *b);

/* Reads the policy: returns a new reference to a tree; JSON null if `text` is NULL. NULL
 * without memory. */
json_t *fx_policy_text_read(const struct fx_policy_text *text) FX_MUST_USE;

#endif
