/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/selector.h - metav1.LabelSelector: matchLabels and matchExpressions; over
 * labels, or over annotations.
 */
#ifndef FX_ENGINE_SELECTOR_H
#define FX_ENGINE_SELECTOR_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

struct fx_selector; /* opaque, immutable once made */

/* What is selected by. An annotation may be any text, so its values follow no rules; its
 * key follows those of annotations. */
enum fx_selector_over { FX_SELECTOR_OVER_LABELS, FX_SELECTOR_OVER_ANNOTATIONS };

/* Compiles a selector object that stands at `path` ("spec.match.labelSelector") of the
 * policy; parts of it are counted, so it must not be written any more. A selector that
 * Kubernetes would refuse is compiled all the same, and fails with Kubernetes' words when
 * it is evaluated, unless the caller asks fx_selector_check(). Errors here: FX_EINVALID
 * for wrong JSON types (Go's words; node: the value), FX_ENOMEM. */
bool fx_selector_compile(json_t *selector, const char *path, enum fx_selector_over over,
                         struct fx_selector **ret_selector,
                         struct fx_err *err) FX_MUST_USE;
void fx_selector_destroy(struct fx_selector *selector); /* NULL is fine */

/* Is it one that Kubernetes takes? Otherwise FX_EMUTATE with the words of apimachinery;
 * node: what is at fault within the selector, `matchLabels` or one of `matchExpressions`.
 */
bool fx_selector_check(const struct fx_selector *selector,
                       struct fx_err *err) FX_MUST_USE;

/* Do the labels or annotations (an object, or NULL for none; only read) fit? The empty
 * selector fits everything. Labels of which one is neither string nor null count as none
 * at all, as apimachinery reads them. Errors: those of fx_selector_check(). */
bool fx_selector_eval(const struct fx_selector *selector, json_t *labels, bool *ret_fits,
                      struct fx_err *err) FX_MUST_USE;

#endif
