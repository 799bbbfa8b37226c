/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/overlay.h - `overlay` of a rule, the method of the first versions of Kyverno
 * (spec/kyverno.md section 14). It sets and adds, and never removes.
 */
#ifndef FX_KYVERNO_OVERLAY_H
#define FX_KYVERNO_OVERLAY_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"

/*
 * Applies an overlay, whose variables are replaced, to *root, copying on write.
 *
 * First all conditions `(k)` are evaluated, with the language of patterns (pattern.h): if
 * one does not hold, nothing is written. A list with conditions holds if one of them
 * holds for an element of the object. Then the plain fields are set, and those marked
 * `+(k)` if the object lacks them; a null sets nothing. In a list,
 *   - an element with conditions is merged into each element for which they hold;
 *   - an element of which all fields are lists, or maps of such, is merged into each
 *     element: it says nothing that would make it an element of its own;
 *   - any other element is appended unless an equal one is there.
 * Values of labels and annotations become texts, as a server wants them.
 *
 * Nodes of the overlay become nodes of the object. If nothing changes, *root keeps its
 * nodes; it is unchanged after a failure, too. Memory of the work comes from `arena`.
 * Errors: FX_EDEADLINE, FX_ELIMIT, FX_ENOMEM.
 */
bool fx_kyverno_overlay_apply(json_t *overlay, json_t **root, struct fx_arena *arena,
                              struct fx_err *err) FX_MUST_USE;

#endif
