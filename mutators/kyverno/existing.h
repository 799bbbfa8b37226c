/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/existing.h - rules with `mutate.targets`, which mutate existing objects
 * (spec/kyverno.md section 15).
 */
#ifndef FX_KYVERNO_EXISTING_H
#define FX_KYVERNO_EXISTING_H

#include "engine/existing.h"

/* Why a rule does not mutate an object that it selected. */
#define KYVERNO_BY_TARGET_PRECONDITIONS "mutate.targets.preconditions"

extern const struct fx_existing_ops fx_kyverno_existing;

#endif
