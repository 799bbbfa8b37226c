/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/autogen.h - the rules for controllers of Pods that a policy for Pods gets
 * (spec/kyverno.md section 13).
 */
#ifndef FX_KYVERNO_AUTOGEN_H
#define FX_KYVERNO_AUTOGEN_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

/* Which controllers: absent or "all", "none", or a list with commas. */
#define KYVERNO_AUTOGEN_CONTROLLERS "pod-policies.kyverno.io/autogen-controllers"

/* "true": rules are also made from JSON patches, whose paths then begin at the template
 * of the Pods. Fixpoint's own. */
#define KYVERNO_AUTOGEN_JSON_PATCHES "policies.fixpoint.dev/autogen-json-patches"

/* The members of the object that a generated rule has for a JSON patch. */
#define KYVERNO_AUTOGEN_PATCH_TEXT  "text"  /* the patch of the rule for Pods */
#define KYVERNO_AUTOGEN_PATCH_BELOW "below" /* a pointer that each path begins with */

/*
 * Makes the rules that follow the rules of `spec`, which must be valid. `annotations` are
 * those of the policy, or NULL. *ret_rules is a new list of rules, empty if there are
 * none; `spec` is not written, and the rules may share nodes with it. The mutate part of
 * a rule that is made from a JSON patch has an object for it
 * (fx_kyverno_json_patch_compile()). Errors: FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT.
 */
bool fx_kyverno_autogen(const json_t *spec, const json_t *annotations, json_t **ret_rules,
                        struct fx_err *err) FX_MUST_USE;

#endif
