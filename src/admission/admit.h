/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit.h - the validating webhook of policies, `/v1/admit`: is it valid?
 * (Spec section 8.)
 *
 * A review like any other (admission/review.h): created here, then run, asked for the
 * result, destroyed. It never pauses, has neither snapshot nor outcome, and its decisions
 * are UNCHANGED (allowed), FAILED (denied; `failure` has the words), SKIPPED, REFUSED and
 * BROKEN.
 */
#ifndef FX_ADMISSION_ADMIT_H
#define FX_ADMISSION_ADMIT_H

#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"

/* Begins the review of a policy: kinds that are none are allowed, and so are policies
 * that compile, with a warning for each thing in them that means nothing. One that does
 * not is denied with the words of spec section 3.2 and code 422, or 500 where it is not
 * even of the right types; where its dialect tells all faults at once, with these as an
 * API server tells them of any object. Of reserved groups (engine/webhook.h)
 * the old object is checked on DELETE; other policies may be deleted. Of `admission` only
 * `own_namespace` and `settings` count. The rest is as fx_review_create() has it. NULL
 * without memory.
 */
struct fx_review *fx_admit_create(const struct fx_admission *admission,
                                  struct fx_text text, uint64_t deadline_ns) FX_MUST_USE;

#endif
