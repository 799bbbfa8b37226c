/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/guard.h - the review of an object by the guard of a dialect
 * (engine/webhook.h). A review as those of admission/admit.h.
 */
#ifndef FX_ADMISSION_GUARD_H
#define FX_ADMISSION_GUARD_H

#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/webhook.h"

/* The guard that answers this path of the webhook; NULL: there is none. */
const struct fx_guard *fx_guard_find(struct fx_text path);

/* Begins the review of an object: what the guard does not allow is denied with code 403.
 * `guard` and `exempt` are borrowed and outlive the review. NULL without memory. */
struct fx_review *fx_guard_create(const struct fx_guard *guard,
                                  const struct fx_exemptions *exempt, struct fx_text text,
                                  uint64_t deadline_ns) FX_MUST_USE;

#endif
