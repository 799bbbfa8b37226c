/* SPDX-License-Identifier: Apache-2.0
 *
 * server/failure_counts.h - how often in a row each mutator failed, for the quarantine
 * (engine/quarantine.h). Not safe for threads: the owner has a lock.
 *
 * A review counts as a failure of a mutator if its match or mutation failed, if it was
 * part of the cycle that did not converge, if it took more time than the budget, or if
 * the deadline passed in it after it had done more than half of the work. For every other
 * mutator that matched, the count restarts at 0. Failures of external data providers and
 * our own (out of memory, out of time) count for no mutator.
 */
#ifndef FX_SERVER_FAILURE_COUNTS_H
#define FX_SERVER_FAILURE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "engine/quarantine.h"

struct fx_failure_counts {
    uint32_t limit;               /* of failures in a row; 0: none */
    uint64_t budget_ns;           /* of a mutator in one review; 0: none */
    struct fx_quarantined *items; /* mutators (counted) with at least one failure */
    size_t n_items, cap_items;
};

/* Frees the items. Zeroed counts are fine. */
void fx_failure_counts_finish(struct fx_failure_counts *failures);

/* Records the result of a review. True if a mutator has now reached the limit. */
bool fx_failure_counts_record(struct fx_failure_counts *failures,
                              const struct fx_review_result *result);

/* False if no mutator failed in the review: then it only needs to be recorded if there
 * are items. Needs no lock. */
bool fx_failure_counts_may_record(const struct fx_failure_counts *failures,
                                  const struct fx_review_result *result);

/* Has the mutator reached the limit? */
bool fx_failure_counts_exceeds(const struct fx_failure_counts *failures,
                               const struct fx_quarantined *item);

/* Removes the item at that index; the last item takes its index. */
void fx_failure_counts_remove(struct fx_failure_counts *failures, size_t at);

/* Removes all items. */
void fx_failure_counts_clear(struct fx_failure_counts *failures);

#endif
