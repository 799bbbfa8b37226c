/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/view.h - private: a controller of Pods as a policy for Pods
 * sees it: the Pod of its template (Kyverno spec section 18, autogen). Kyverno rewrites
 * the texts of expressions instead. A Pod has the same parts under the names that the
 * expressions use, so that paths which an expression computes are right, too.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_VIEW_H
#define FX_MUTATORS_ADMISSION_POLICY_VIEW_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/admission_policy/policy.h"

/* Makes the Pod of an object's template, with the namespace of the object. It shares
 * metadata and spec of the template. *ret_pod is a new reference, or NULL if the object
 * has no template. Errors: FX_ENOMEM. */
bool fx_map_view_make(enum map_view view, const json_t *object, json_t **ret_pod,
                      struct fx_err *err) FX_MUST_USE;

/* Writes metadata and spec of a changed Pod into the template of the object that
 * fx_map_view_make() made it of, copying on write. Errors: FX_ENOMEM. */
bool fx_map_view_write(enum map_view view, const json_t *pod, json_t **root,
                       struct fx_err *err) FX_MUST_USE;

#endif
