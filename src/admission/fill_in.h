/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/fill_in.h - the mutating webhook of policies: what their author left out is
 * filled in before a cluster stores them. A review as those of admission/admit.h, whose
 * decisions are UNCHANGED, MUTATED, REFUSED and BROKEN: whether a policy is valid is the
 * business of who validates it.
 */
#ifndef FX_ADMISSION_FILL_IN_H
#define FX_ADMISSION_FILL_IN_H

#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"

/* Begins the review of a policy that is created or updated. All else is allowed as it is.
 * NULL without memory. */
struct fx_review *fx_fill_in_create(struct fx_text text,
                                    uint64_t deadline_ns) FX_MUST_USE;

#endif
