/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/strategic.h - makes a plain strategic merge patch for one object from a patch
 * with anchors (spec/kyverno.md sections 9.2 and 9.4). merge/strategic.h merges it.
 */
#ifndef FX_KYVERNO_STRATEGIC_H
#define FX_KYVERNO_STRATEGIC_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"

/*
 * Replaces *patch, which is counted, by the plain patch for this object. A patch that has
 * nothing to decide stays the same node; one whose condition does not hold becomes `{}`.
 * What is shared of the patch is copied before it is written. Memory of the work comes
 * from `arena`.
 * Errors: FX_EMUTATE (the patch has a list or a map where the object has something
 * else), FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT; then *patch is still counted.
 */
bool fx_kyverno_resolve_anchors(json_t **patch, const json_t *object,
                                struct fx_arena *arena, struct fx_err *err) FX_MUST_USE;

#endif
