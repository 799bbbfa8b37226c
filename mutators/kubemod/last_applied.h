/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/last_applied.h - private: keeps kubectl's note of what was applied in
 * step with what a rule does (spec section 5.5).
 */
#ifndef FX_MUTATORS_KUBEMOD_LAST_APPLIED_H
#define FX_MUTATORS_KUBEMOD_LAST_APPLIED_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "mutators/kubemod/patch_rule.h"

#define LAST_APPLIED FX_TEXT("kubectl.kubernetes.io/last-applied-configuration")

/* The note of the object: its node, borrowed; NULL where it has none. */
json_t *fx_last_applied_view(const json_t *object);

/* After the plan was applied to *root, which had the note `before`: applies it to the
 * note as well, unless the rule has changed that itself. Where the note cannot be
 * followed (no JSON, nothing there to replace) it stays as it was. Errors: FX_ENOMEM. */
bool fx_last_applied_follow(const struct plan *plan, const json_t *before, json_t **root,
                            struct fx_err *err) FX_MUST_USE;

#endif
