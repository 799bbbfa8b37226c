/* SPDX-License-Identifier: Apache-2.0
 *
 * server/skip_log.h - policies that failed and were left out of a review, which went on
 * without them: a line each, but for each policy at most one a minute. Why they failed
 * quotes the object: the answer has that, as a warning.
 */
#ifndef FX_SERVER_SKIP_LOG_H
#define FX_SERVER_SKIP_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"

#define FX_SKIP_LOG_NS    UINT64_C(60000000000) /* between two lines of one policy */
#define FX_SKIP_LOG_ITEMS 64u /* policies told apart; of others there is no line */

/* A thread's own; zeroed at first. */
struct fx_skip_log {
    struct fx_skip_log_item {
        uint64_t id;      /* a hash of kind and name */
        uint64_t told_ns; /* when there was a line last */
        uint64_t times;   /* left out since, without one */
    } items[FX_SKIP_LOG_ITEMS];
    size_t n_items;
};

/* Notes who was left out of the review. The clock is read only where somebody was. */
void fx_skip_log_record(struct fx_skip_log *log, const struct fx_review_result *result,
                        uint64_t (*clock_ns)(void));

#endif
