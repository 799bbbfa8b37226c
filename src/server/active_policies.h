/* SPDX-License-Identifier: Apache-2.0
 *
 * server/active_policies.h - the policies that reviews use: the last version from the
 * source (files, a cluster), without the mutators in quarantine; and the counts of each
 * mutator, for metrics.
 *
 * Quarantine (optional): a mutator that failed in too many reviews in a row is removed.
 * It stays removed while other policies change, and comes back when its own policy
 * changes or fx_active_policies_release() is called.
 *
 * Owned by the main thread, except the two functions for serving threads.
 */
#ifndef FX_SERVER_ACTIVE_POLICIES_H
#define FX_SERVER_ACTIVE_POLICIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "policy/policies.h"
#include "server/metrics.h"

struct fx_active_policies; /* opaque */

/* The callbacks may be NULL. */
struct fx_active_policies_options {
    size_t quarantine_after;       /* failures in a row; 0: no quarantine */
    uint64_t quarantine_budget_ms; /* time of a mutator in one review; 0: no limit */
    size_t max_mutators;           /* mutators with their own series in metrics; 0: 500 */
    size_t n_threads;              /* serving threads; 0: one */
    /* Called when other policies are active: idle threads may refresh
     * (fx_active_policies_refresh()). */
    void (*on_change)(void *user);
    /* Called by a serving thread when a mutator reached the limit: the main thread should
     * call fx_active_policies_quarantine(). NULL: the serving thread calls it itself,
     * which is only correct in a program with one thread. */
    void (*on_limit)(void *user);
    /* Called when the quarantine changed, with the active policies, borrowed. Not called
     * by fx_active_policies_set(). */
    void (*on_quarantine)(struct fx_policies *policies, void *user);
    void *user;
};

/* `metrics` is borrowed and must outlive the result. NULL if out of memory. */
struct fx_active_policies *
fx_active_policies_create(const struct fx_active_policies_options *options,
                          struct fx_metrics *metrics) FX_MUST_USE;
void fx_active_policies_destroy(struct fx_active_policies *active); /* NULL is fine */

/* Makes a new version of the source (borrowed), whose build took `seconds`, the active
 * one. Mutators whose policy is unchanged stay in quarantine. */
void fx_active_policies_set(struct fx_active_policies *active,
                            struct fx_policies *policies, double seconds);

/* The active policies, as a new reference; NULL before the first version. */
struct fx_policies *fx_active_policies_get(const struct fx_active_policies *active);

/* Quarantines the mutators that reached the limit. */
void fx_active_policies_quarantine(struct fx_active_policies *active);

/* Ends the quarantine of all mutators and forgets all failures. */
void fx_active_policies_release(struct fx_active_policies *active);

/* ---- called by the serving thread with that number; usually take no lock ---------- */

/* The active policies, borrowed until the next call; NULL before the first version. */
struct fx_policies *fx_active_policies_refresh(struct fx_active_policies *active,
                                               unsigned thread);

/* Records the result of a review: the counts of each mutator, and failures. */
void fx_active_policies_record(struct fx_active_policies *active, unsigned thread,
                               const struct fx_review_result *result);

/* ---- metrics and log lines of a version (policies_report.c) ---------------------- */

/* Sets the gauges for the active mutators: mutators that work, and mutators that do not
 * because they are invalid, in conflict (spec section 9) or in quarantine. */
void fx_policies_count(const struct fx_policies *policies, struct fx_metrics *metrics);

/* Counts a build that took `seconds`: the mutators that `before` (may be NULL) did not
 * have, and the rejected mutators. Sets the gauges for the version. */
void fx_policies_count_build(const struct fx_policies *built,
                             const struct fx_policies *before, double seconds,
                             struct fx_metrics *metrics);

/* Logs that `now` is active, and each of its findings that `before` (may be NULL) did not
 * have. */
void fx_policies_log(const struct fx_policies *now, const struct fx_policies *before);

#endif
