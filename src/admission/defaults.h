/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/defaults.h - the mutating webhook of policies: sets the defaults of a policy
 * before a cluster stores it. A review as those of admission/admit.h, whose decisions are
 * UNCHANGED, MUTATED, REFUSED and BROKEN: it does not check whether the policy is valid.
 */
#ifndef FX_ADMISSION_DEFAULTS_H
#define FX_ADMISSION_DEFAULTS_H

#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"

/* Begins the review of a policy that is created or updated. Everything else is allowed
 * unchanged. NULL without memory. */
struct fx_review *fx_defaults_create(struct fx_text text,
                                     uint64_t deadline_ns) FX_MUST_USE;

#endif
