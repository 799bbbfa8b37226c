/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_budget.c - what a review spends on its mutators: a little on each, and
 * of the time to the deadline only a share on those of a namespace.
 */
#include "base/clock.h"
#include "engine/converge_run.h"

/* What a look at a mutator takes that does nothing. */
#define UNITS_OF_CANDIDATE 4u

bool fx_converge_spend_candidates(struct converge *run, size_t n, struct fx_err *err) {
    return fx_spend(UNITS_OF_CANDIDATE * n) ||
           fx_fail(err, FX_EDEADLINE, "deadline exceeded in pass %u of the mutators",
                   run->pass);
}

void fx_converge_begin_spending(struct converge *run) {
    const uint64_t deadline = fx_thread_budget.bound.deadline_ns;
    const unsigned percent = run->request->share_percent;
    run->loop_from = fx_budget_spent();
    if (percent == 0 || percent >= 100 || deadline == 0) {
        return;
    }
    const uint64_t now = fx_clock_ns();
    run->share.is_bounded = true;
    run->share.left_ns = deadline > now ? (deadline - now) / 100 * percent : 0;
}

/* Is the time that those with a share take of interest? */
static bool is_measured(const struct converge *run) {
    return run->share.is_bounded || run->stats != NULL;
}

void fx_converge_enter_share(struct converge *run, uint32_t index) {
    struct fx_share *share = &run->share;
    share->is_entered = true;
    run->outcome->share_mutator = index;
    if (is_measured(run)) {
        share->from_ns = fx_clock_ns();
    }
    if (share->is_bounded) {
        share->outer = fx_budget_narrow(0, share->from_ns + share->left_ns);
    }
}

void fx_converge_leave_share(struct converge *run) {
    struct fx_share *share = &run->share;
    if (!share->is_entered) {
        return;
    }
    share->is_entered = false;
    if (is_measured(run)) {
        const uint64_t taken = fx_clock_ns() - share->from_ns;
        share->left_ns -= taken < share->left_ns ? taken : share->left_ns;
        run->outcome->share_ns += taken;
    }
    if (share->is_bounded) {
        (void)fx_budget_widen(share->outer);
    }
}

/* Was it this turn above all that took the loop's time, and not the load? (A review may
 * have been through the loop before, with a part of the object.) */
static void note_overspent(struct converge *run, uint32_t index) {
    const uint64_t spent = fx_budget_spent();
    if (run->stats == NULL || spent - run->step_from <= (spent - run->loop_from) / 2) {
        return;
    }
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, index);
    if (entry != NULL) {
        entry->overspent = true;
    }
}

bool fx_converge_fail_step(struct converge *run, uint32_t index, struct fx_err *err) {
    if (err->code != FX_EDEADLINE) {
        return false;
    }
    const bool had_share = run->share.is_entered && run->share.is_bounded;
    fx_converge_leave_share(run);
    if (had_share && fx_budget_exceeded() == FX_EXCEEDED_NOTHING) {
        return fx_fail(err, FX_ELIMIT,
                       "the policies of its namespace have used up their share of the "
                       "review's time, %u %%",
                       run->request->share_percent);
    }
    note_overspent(run, index);
    return false;
}
