/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/strategic_clean.h - removes decided conditions, and what becomes empty without
 * them, from a patch (spec/kyverno.md section 9.4).
 */
#ifndef FX_KYVERNO_STRATEGIC_CLEAN_H
#define FX_KYVERNO_STRATEGIC_CLEAN_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

/* Cleans *patch, a counted map. It stays the same node if there is nothing to remove.
 * Errors: FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT. */
bool fx_kyverno_clean(json_t **patch, struct fx_err *err) FX_MUST_USE;

#endif
