/* SPDX-License-Identifier: Apache-2.0
 *
 * base/budget.c - the slow path of spending: bounds and the clock.
 */
#include "base/budget.h"

#include "base/clock.h"

FX_THREAD_LOCAL struct fx_budget fx_thread_budget;

void fx_budget_swap(struct fx_budget *budget) {
    const struct fx_budget before = fx_thread_budget;
    fx_thread_budget = *budget;
    *budget = before;
}

/* Returns which bound is exceeded. */
static enum fx_exceeded find_exceeded(void) {
    const struct fx_bound bound = fx_thread_budget.bound;
    if (bound.units != 0 && fx_thread_budget.spent > bound.units) {
        return FX_EXCEEDED_UNITS;
    }
    if (bound.deadline_ns != 0 && fx_clock_ns() >= bound.deadline_ns) {
        return FX_EXCEEDED_TIME;
    }
    return FX_EXCEEDED_NOTHING;
}

enum fx_exceeded fx_budget_widen_exceeded(struct fx_bound before) {
    const enum fx_exceeded exceeded = fx_thread_budget.exceeded;
    fx_thread_budget.bound = before;
    fx_thread_budget.exceeded = FX_EXCEEDED_NOTHING;
    (void)fx_budget_check();
    return exceeded;
}

bool fx_budget_check(void) {
    if (fx_thread_budget.exceeded == FX_EXCEEDED_NOTHING) {
        fx_thread_budget.exceeded = find_exceeded();
    }
    if (fx_thread_budget.exceeded != FX_EXCEEDED_NOTHING) {
        fx_thread_budget.check_at = 0;
        return false;
    }
    const uint64_t next = fx_thread_budget.bound.deadline_ns == 0
                              ? UINT64_MAX
                              : fx_thread_budget.spent + FX_BUDGET_UNITS_PER_CHECK;
    const uint64_t most =
        fx_thread_budget.bound.units == 0 ? UINT64_MAX : fx_thread_budget.bound.units;
    fx_thread_budget.check_at = next < most ? next : most;
    return true;
}

bool fx_fail_exceeded(struct fx_err *err) {
    return fx_budget_exceeded() == FX_EXCEEDED_UNITS
               ? fx_fail(err, FX_ELIMIT, "it exceeds its limit of steps")
               : fx_fail(err, FX_EDEADLINE, "deadline exceeded");
}
