/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/reference.h - references from one part of a rule to another, `$(./../name)`
 * (spec/kyverno.md section 7).
 */
#ifndef FX_KYVERNO_REFERENCE_H
#define FX_KYVERNO_REFERENCE_H

#include "template.h"

/* Replaces the references of a text by the texts they lead to, and `\$(` by `$(`. `path`
 * is the place of the text in the document of `with`. *ret_text is in the arena of
 * `with`; it does not change on failure. Errors, in `err` and not in that of `with`:
 * FX_EMUTATE (a reference leads nowhere, or to something else than a text), FX_ENOMEM. */
bool fx_kyverno_resolve_references(const struct kyverno_template_compile *with,
                                   struct fx_text text, const struct kyverno_path *path,
                                   struct fx_text *ret_text,
                                   struct fx_err *err) FX_MUST_USE;

#endif
