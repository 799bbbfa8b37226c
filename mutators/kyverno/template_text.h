/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/template_text.h - a text with variables, compiled.
 */
#ifndef FX_KYVERNO_TEMPLATE_TEXT_H
#define FX_KYVERNO_TEMPLATE_TEXT_H

#include "template.h"

struct kyverno_text; /* opaque */

/* Compiles a text. *ret_text is NULL if the text has no variables, references or escapes:
 * it is then its own value. Otherwise as fx_kyverno_template_compile(). */
bool fx_kyverno_text_compile(const struct kyverno_template_compile *with,
                             struct fx_text text, const struct kyverno_path *path,
                             struct kyverno_text **ret_text) FX_MUST_USE;
void fx_kyverno_text_finish(struct kyverno_text *text); /* NULL is fine */

/* Gives a new reference to the value. If the text is one variable and nothing else, this
 * is the variable's value, else a string. Errors as fx_kyverno_template_eval(). */
bool fx_kyverno_text_eval(const struct kyverno_text *text,
                          const struct kyverno_path *path,
                          const struct fx_jmespath_scope *scope, json_t **ret_value,
                          struct fx_err *err) FX_MUST_USE;

bool fx_kyverno_text_visit(const struct kyverno_text *text,
                           bool (*visit)(void *context, const struct fx_jmespath *query),
                           void *context);

#endif
