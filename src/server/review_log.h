/* SPDX-License-Identifier: Apache-2.0
 *
 * server/review_log.h - what the log says of a review: names, counts and our own words,
 * never what an object holds.
 */
#ifndef FX_SERVER_REVIEW_LOG_H
#define FX_SERVER_REVIEW_LOG_H

#include <stdint.h>

#include "admission/review.h"
#include "base/text.h"

/* Room for a W3C trace id and the NUL. */
#define FX_TRACE_ID_SIZE 33

/* The trace id of a `traceparent` header (W3C Trace Context, section 3.2); "" where it is
 * none, which counts as not sent. */
void fx_trace_id_read(struct fx_text traceparent, char out[FX_TRACE_ID_SIZE]);

/* One line for a review that changed its object, or whose object was denied (info), or
 * that failed (warn, with the cycle where there is no fixed point); none for the others.
 */
void fx_log_review(const struct fx_review_result *result, struct fx_text traceparent,
                   double ms);

/* One line (warn) for a mutator that failed and was left out of the review, and so many
 * times since the last such line. */
void fx_log_skipped_mutator(const struct fx_review_result *result,
                            const struct fx_mutator *mutator, uint64_t times);

/* One line for a policy or a label that was denied (info), or a review of one that failed
 * (warn); none for those allowed. */
void fx_log_admission(const struct fx_review_result *result, struct fx_text traceparent,
                      double ms);

#endif
