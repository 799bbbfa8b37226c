/* SPDX-License-Identifier: Apache-2.0
 *
 * server/failure_counts.h - who failed how often in a row: it leads to a quarantine
 * (engine/quarantine.h). Whoever uses it from several threads has a lock for it.
 *
 * A review counts against a mutator whose match or mutation failed in it, that was among
 * those which kept it from settling, that took more of its time than the budget, or in
 * whose turn the review's deadline passed while it had taken more than half of the work.
 * It counts for every other mutator that matched: that one begins anew at 0. What a
 * provider of external data did, and what we ourselves lacked (memory, time), is nobody's
 * fault.
 */
#ifndef FX_SERVER_FAILURE_COUNTS_H
#define FX_SERVER_FAILURE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "engine/quarantine.h"

struct fx_failure_counts {
    uint32_t limit;     /* failures in a row that are too many; 0: any number is fine */
    uint64_t budget_ns; /* of one review; 0: none */
    struct fx_quarantined *items; /* those with one at least; mutators counted */
    size_t n_items, cap_items;
};

void fx_failure_counts_finish(
    struct fx_failure_counts *failures); /* zeroed ones are fine */

/* Notes how the mutators of a review fared. True where there is one now, in `items`, that
 * has failed too often. */
bool fx_failure_counts_record(struct fx_failure_counts *failures,
                              const struct fx_review_result *result);

/* False where the review failures nobody, so that it is only of interest where somebody
 * has failed before. Needs no lock. */
bool fx_failure_counts_may_record(const struct fx_failure_counts *failures,
                                  const struct fx_review_result *result);

/* Has it failed too often? */
bool fx_failure_counts_exceeds(const struct fx_failure_counts *failures,
                               const struct fx_quarantined *item);

/* The one at that place begins anew at 0: it is no item any more, and the last one stands
 * in its place. */
void fx_failure_counts_remove(struct fx_failure_counts *failures, size_t at);

/* All begin anew at 0. */
void fx_failure_counts_clear(struct fx_failure_counts *failures);

#endif
