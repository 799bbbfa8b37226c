/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/last_applied.h - private: applies the patch of a rule also to
 * kubectl's annotation `last-applied-configuration` (spec section 5.5).
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

/* Returns the annotation of the object: its node, borrowed; NULL if there is none. */
json_t *fx_last_applied_view(const json_t *object);

/* Applies the plan to the annotation, unless the rule has changed the annotation itself.
 * The plan was applied to *root before, which had the annotation `before`. If the plan
 * does not apply to the annotation (not JSON, a missing field), the annotation does not
 * change. Errors: FX_ENOMEM. */
bool fx_last_applied_follow(const struct plan *plan, const json_t *before, json_t **root,
                            struct fx_err *err) FX_MUST_USE;

#endif
