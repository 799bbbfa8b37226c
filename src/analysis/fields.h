/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/fields.h - private: which fields the API server treats as immutable after
 * creation, and which fields select Pods. Facts about the kinds of Kubernetes.
 */
#ifndef FX_ANALYSIS_FIELDS_H
#define FX_ANALYSIS_FIELDS_H

#include <stdbool.h>

#include "base/text.h"

/* Does the field at this JSON Pointer, or what is beneath it, stay as it is after
 * creation, in all objects of the kind? What depends on an object's other fields (a
 * ConfigMap's `immutable`, a Job's completion mode) is not said to. */
bool fx_field_is_immutable(struct fx_text group, struct fx_text kind, const char *path);

/* Is it a selector of Pods? */
bool fx_field_is_selector(struct fx_text group, struct fx_text kind, const char *path);

/* Does the kind have a Pod template whose labels spec.selector.matchLabels must hold? */
bool fx_kind_selects_template(struct fx_text group, struct fx_text kind);

/* Is anything of the kind immutable or a selector? */
bool fx_kind_has_fields(struct fx_text group, struct fx_text kind);

#endif
