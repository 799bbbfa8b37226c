/* SPDX-License-Identifier: Apache-2.0
 *
 * server/in_force.h - the policies that reviews see: those a source gave (files, a
 * cluster), without the mutators that are in quarantine; and what their mutators did.
 * The main thread's, but for what each thread that serves does with its own seat.
 *
 * A mutator that failed so many reviews in a row (server/strikes.h) is taken out: the log
 * says so, and a snapshot without it is in force at once, also after further changes of
 * other policies. It comes back when its own policy changes, or by
 * fx_in_force_release(). Off unless asked for.
 */
#ifndef FX_SERVER_IN_FORCE_H
#define FX_SERVER_IN_FORCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "policy/policies.h"
#include "server/metrics.h"

struct fx_in_force; /* opaque */

/* 0: off, or the default. */
struct fx_in_force_options {
    size_t quarantine_after;       /* failures in a row; 0: no quarantine */
    uint64_t quarantine_budget_ms; /* of a mutator in one review; 0: no budget */
    size_t max_mutators;           /* that metrics tell apart; 0: 500 */
    size_t n_threads;              /* that serve; 0: one */
    /* Others are in force: threads that sleep may look (fx_in_force_look()). May be NULL.
     */
    void (*on_offer)(void *user);
    /* Called by a thread that serves: somebody failed too often, and the main thread is
     * to call fx_in_force_take_out(). NULL: that is done at once, for who has no other.
     */
    void (*on_strike)(void *user);
    /* The quarantine is another one, and with it the policies in force (borrowed): what
     * is told of them elsewhere may change. Not called by fx_in_force_take(). May be
     * NULL. */
    void (*on_quarantine)(struct fx_policies *policies, void *user);
    void *user;
};

/* `metrics` is borrowed and outlives it. NULL without memory. */
struct fx_in_force *fx_in_force_create(const struct fx_in_force_options *options,
                                       struct fx_metrics *metrics) FX_MUST_USE;
void fx_in_force_destroy(struct fx_in_force *in_force); /* NULL is fine */

/* A source has a new version (borrowed), whose making took so long: in force from now on,
 * but for those still in quarantine. */
void fx_in_force_take(struct fx_in_force *in_force, struct fx_policies *policies,
                      double seconds);

/* The policies in force, as a new reference; NULL before the first. */
struct fx_policies *fx_in_force_sample(const struct fx_in_force *in_force);

/* Takes those out who failed too often. */
void fx_in_force_take_out(struct fx_in_force *in_force);

/* ---- by the thread of that number, without a lock unless something is new --------- */

/* The policies in force, borrowed until the next call; NULL before the first. */
struct fx_policies *fx_in_force_look(struct fx_in_force *in_force, unsigned thread);

/* A review under them is done. */
void fx_in_force_note(struct fx_in_force *in_force, unsigned thread,
                      const struct fx_review_result *result);

/* ---- */

/* Ends every quarantine, and forgets all failures. */
void fx_in_force_release(struct fx_in_force *in_force);

#endif
