/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/selector.h - metav1.LabelSelector: matchLabels and matchExpressions, for labels
 * or for annotations.
 */
#ifndef FX_ENGINE_SELECTOR_H
#define FX_ENGINE_SELECTOR_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_selector; /* opaque and immutable */

/* What a selector is applied to. The values of annotations may be any text; their keys
 * follow the rules of annotation keys. */
enum fx_selector_over { FX_SELECTOR_OVER_LABELS, FX_SELECTOR_OVER_ANNOTATIONS };

/* Compiles a selector object; `path` is its place in the policy, for messages
 * ("spec.match.labelSelector"). The selector keeps references to parts of the object,
 * which must not be written any more. A selector that Kubernetes rejects is compiled, and
 * fails when it is evaluated; fx_selector_check() finds it earlier. Errors: FX_EINVALID
 * for wrong JSON types (with Go's message; node: the value), FX_ENOMEM. */
bool fx_selector_compile(json_t *selector, const char *path, enum fx_selector_over over,
                         struct fx_selector **ret_selector,
                         struct fx_err *err) FX_MUST_USE;
void fx_selector_destroy(struct fx_selector *selector); /* NULL is fine */

/* Appends what is wrong with the key of a label, a qualified name, in the words of
 * apimachinery; nothing if it is valid. */
void fx_label_key_check(struct fx_buf *buf, struct fx_text key);

/* Does Kubernetes accept the selector? Errors: FX_EMUTATE with the message of
 * apimachinery; node: `matchLabels`, or the invalid entry of `matchExpressions`. */
bool fx_selector_check(const struct fx_selector *selector,
                       struct fx_err *err) FX_MUST_USE;

/* Does the selector match these labels or annotations (an object, or NULL for none;
 * read-only)? The empty selector matches everything. If a label is neither a string nor
 * null, all labels count as missing, as in apimachinery. Errors: those of
 * fx_selector_check(). */
bool fx_selector_eval(const struct fx_selector *selector, json_t *labels, bool *ret_fits,
                      struct fx_err *err) FX_MUST_USE;

#endif
