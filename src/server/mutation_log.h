/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutation_log.h - `--log-mutations`: which mutators applied in each pass, in
 * Gatekeeper's record (spec section 5). Ids only: the labels that Gatekeeper adds are
 * values of the object.
 */
#ifndef FX_SERVER_MUTATION_LOG_H
#define FX_SERVER_MUTATION_LOG_H

#include "admission/review.h"

/* One line, `Mutation applied` or `Mutation not converging`, for a review in which a
 * mutator applied and changed something; none for the others. The passes are those of
 * `result->outcome` (fx_admission.tells_passes). */
void fx_log_mutation(const struct fx_review_result *result);

#endif
