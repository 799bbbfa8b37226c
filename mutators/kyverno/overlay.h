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
 * Applies an overlay, whose variables are replaced, to *root, copying on write. First all
 * conditions `(k)` are evaluated: if one does not hold, nothing is written; in an element
 * of a list this concerns only that element. Then the other fields are set, and those
 * marked `+(k)` if the object lacks them. Elements of a list without conditions are
 * appended unless an equal one is there; elements with conditions are merged into each
 * element that they match. Nodes of the overlay become nodes of the object. If nothing
 * changes, *root keeps its nodes. Memory of the work comes from `arena`.
 * Errors: FX_EMUTATE (the overlay has a map or a list where the object has something
 * else), FX_EDEADLINE, FX_ELIMIT, FX_ENOMEM; *root may then be half written.
 */
bool fx_kyverno_overlay_apply(json_t *overlay, json_t **root, struct fx_arena *arena,
                              struct fx_err *err) FX_MUST_USE;

#endif
