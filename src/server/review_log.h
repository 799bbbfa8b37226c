/* SPDX-License-Identifier: Apache-2.0
 *
 * server/review_log.h - log lines about reviews. They contain names, counts and our own
 * sentences, but never contents of objects. Error texts that may quote an object are only
 * in the response.
 */
#ifndef FX_SERVER_REVIEW_LOG_H
#define FX_SERVER_REVIEW_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/text.h"
#include "server/log_throttle.h"

#define FX_TRACE_ID_SIZE 33 /* of a W3C trace id with its NUL */

/* Reads the trace id of a `traceparent` header (W3C Trace Context, section 3.2). An
 * invalid header counts as none: then `out` is "". */
void fx_trace_id_read(struct fx_text traceparent, char out[FX_TRACE_ID_SIZE]);

/* Logs a review that changed or denied its object, or for which a validator warns or
 * audits (info), or that failed (warn, with the cycle if it did not converge). Logs
 * nothing for other reviews. */
void fx_log_review(const struct fx_review_result *result, struct fx_text traceparent,
                   double ms);

/* Logs a policy or label that was denied (info), or whose review failed (warn). */
void fx_log_admission(const struct fx_review_result *result, struct fx_text traceparent,
                      double ms);

/* For `--log-mutations`: logs which mutators applied in each pass, in the record of spec
 * section 5, one line for each review that changed its object or did not converge.
 * Mutators are named by id only: the labels of the spec are values of the object. Needs
 * fx_admission.reports_passes. */
void fx_log_mutation(const struct fx_review_result *result);

/* ---- skipped mutators ---- */

#define FX_SKIP_LOG_NS                                                   \
    UINT64_C(60000000000)     /* the interval of lines about one mutator \
                               */
#define FX_SKIP_LOG_ITEMS 64u /* mutators at a time; further ones are not logged */

/* Limits the lines about mutators that failed and were skipped. Owned by one thread.
 * Zeroed at first. */
struct fx_skip_log {
    struct fx_skip_log_item {
        uint64_t id; /* a hash of kind and name */
        struct fx_log_throttle throttle;
    } items[FX_SKIP_LOG_ITEMS];
    size_t n_items;
};

/* Logs each mutator that the review skipped after a failure (warn), at most once a minute
 * for each mutator. Calls `clock_ns` only if there is one. */
void fx_skip_log_record(struct fx_skip_log *log, const struct fx_review_result *result,
                        uint64_t (*clock_ns)(void));

#endif
