/* SPDX-License-Identifier: Apache-2.0
 *
 * server/active_policies.h - the policies that reviews see: those a source gave (files, a
 * cluster), without the mutators that are in quarantine; and what their mutators did.
 * The main thread's, but for what each thread that serves does with its own slot.
 *
 * A mutator that failed so many reviews in a row (server/failure_counts.h) is taken out:
 * the log says so, and a snapshot without it is in force at once, also after further
 * changes of other policies. It comes back when its own policy changes, or by
 * fx_active_policies_release(). Off unless asked for.
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

/* 0: off, or the default. */
struct fx_active_policies_options {
    size_t quarantine_after;       /* failures in a row; 0: no quarantine */
    uint64_t quarantine_budget_ms; /* of a mutator in one review; 0: no budget */
    size_t max_mutators;           /* that metrics tell apart; 0: 500 */
    size_t n_threads;              /* that serve; 0: one */
    /* Others are in force: threads that sleep may look (fx_active_policies_refresh()).
     * May be NULL.
     */
    void (*on_change)(void *user);
    /* Called by a thread that serves: somebody failed too often, and the main thread is
     * to call fx_active_policies_quarantine(). NULL: that is done at once, for who has no
     * other.
     */
    void (*on_limit)(void *user);
    /* The quarantine is another one, and with it the policies in force (borrowed): what
     * is told of them elsewhere may change. Not called by fx_active_policies_set(). May
     * be NULL. */
    void (*on_quarantine)(struct fx_policies *policies, void *user);
    void *user;
};

/* `metrics` is borrowed and outlives it. NULL without memory. */
struct fx_active_policies *
fx_active_policies_create(const struct fx_active_policies_options *options,
                          struct fx_metrics *metrics) FX_MUST_USE;
void fx_active_policies_destroy(struct fx_active_policies *active); /* NULL is fine */

/* A source has a new version (borrowed), whose making took so long: in force from now on,
 * but for those still in quarantine. */
void fx_active_policies_set(struct fx_active_policies *active,
                            struct fx_policies *policies, double seconds);

/* The policies in force, as a new reference; NULL before the first. */
struct fx_policies *fx_active_policies_get(const struct fx_active_policies *active);

/* Takes those out who failed too often. */
void fx_active_policies_quarantine(struct fx_active_policies *active);

/* ---- by the thread of that number, without a lock unless something is new --------- */

/* The policies in force, borrowed until the next call; NULL before the first. */
struct fx_policies *fx_active_policies_refresh(struct fx_active_policies *active,
                                               unsigned thread);

/* A review under them is done. */
void fx_active_policies_record(struct fx_active_policies *active, unsigned thread,
                               const struct fx_review_result *result);

/* ---- */

/* Ends every quarantine, and forgets all failures. */
void fx_active_policies_release(struct fx_active_policies *active);

#endif
