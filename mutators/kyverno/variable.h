/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/variable.h - finds the variables in a text (spec/kyverno.md section 7).
 */
#ifndef FX_KYVERNO_VARIABLE_H
#define FX_KYVERNO_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"

/* `{{ expression }}` in a text. */
struct kyverno_variable {
    size_t start, end;         /* with the braces */
    struct fx_text expression; /* without spaces around it, and without a `-` */
    bool is_shallow;           /* `{{- … }}`: the inserted text is not read again */
};

/* Finds the first variable without another one in it, from `from` on. `from` is 0 or the
 * end of the variable before: a variable that follows another one without a character
 * between them is found only in the next round. False if there is none. */
bool fx_kyverno_find_variable(struct fx_text text, size_t from,
                              struct kyverno_variable *ret_variable);

/* Appends the text with each `\{{` replaced by `{{`. */
void fx_kyverno_unescape(struct fx_buf *buf, struct fx_text text);

#endif
