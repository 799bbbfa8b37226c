/* SPDX-License-Identifier: Apache-2.0
 *
 * base/budget.h - the budget of work: counted in units, limited by units and by a
 * deadline.
 *
 * Everything that loops over data spends from the budget of its thread: the languages,
 * the walks over trees, the readers and writers of JSON and YAML, regular expressions,
 * hashes, dates, numbers. A unit is about ten nanoseconds of work on the reference
 * machine: one value visited, or FX_BUDGET_BYTES bytes read or written. Work is spent
 * before it is done. The clock is read once in FX_BUDGET_UNITS_PER_CHECK units, so that
 * work ends within a millisecond or so of its deadline, wherever it is.
 *
 * A budget that is exceeded stays so: each later fx_spend() says false, and all functions
 * return to the caller that set the bound. A function that cannot fail may return early
 * with any result; the caller checks fx_budget_exceeded() before it uses the result.
 *
 * A thread without a bound has no limit. docs/hostile.md has the price of each function.
 */
#ifndef FX_BASE_BUDGET_H
#define FX_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"

#define FX_BUDGET_BYTES           16u   /* bytes of a text for one unit */
#define FX_BUDGET_UNITS_PER_CHECK 4096u /* units between two reads of the clock */

/* What was exceeded. */
enum fx_exceeded {
    FX_EXCEEDED_NOTHING,
    FX_EXCEEDED_UNITS, /* the number of units */
    FX_EXCEEDED_TIME,  /* the deadline */
};

/* A bound: 0 in either field is no bound. */
struct fx_bound {
    uint64_t units;       /* the maximum value of fx_budget.spent */
    uint64_t deadline_ns; /* base/clock.h */
};

/* A zeroed budget has no bound, and nothing is spent. */
struct fx_budget {
    uint64_t spent;    /* units so far */
    uint64_t check_at; /* the value of `spent` at which the bounds are checked next */
    struct fx_bound bound;
    enum fx_exceeded exceeded;
};

/* The budget of this thread. Use only the functions below. */
extern FX_THREAD_LOCAL struct fx_budget fx_thread_budget;

/* Exchanges the thread's budget with *budget: call it before and after a piece of work,
 * so that the work spends from *budget, also if the work is interrupted and continued
 * between two such pairs of calls. */
void fx_budget_swap(struct fx_budget *budget);

/* Narrows the thread's budget to `units` more units and to this deadline; 0 does not
 * change the bound. A narrower bound stays. Returns the previous bound, for
 * fx_budget_widen(). */
FX_MUST_USE static inline struct fx_bound fx_budget_narrow(uint64_t units,
                                                           uint64_t deadline_ns) {
    const struct fx_bound before = fx_thread_budget.bound;
    const uint64_t end = fx_thread_budget.spent + units;
    if (units != 0 && (before.units == 0 || end < before.units)) {
        fx_thread_budget.bound.units = end;
        fx_thread_budget.check_at =
            end < fx_thread_budget.check_at ? end : fx_thread_budget.check_at;
    }
    if (deadline_ns != 0 &&
        (before.deadline_ns == 0 || deadline_ns < before.deadline_ns)) {
        fx_thread_budget.bound.deadline_ns = deadline_ns;
        fx_thread_budget.check_at = 0;
    }
    return before;
}

/* The slow path of fx_budget_widen(). */
enum fx_exceeded fx_budget_widen_exceeded(struct fx_bound before);

/* Restores the bound before fx_budget_narrow(). If only the narrower bound is exceeded,
 * the budget is not exceeded any more. Returns what was exceeded of the narrower
 * bound. */
static inline enum fx_exceeded fx_budget_widen(struct fx_bound before) {
    if (fx_thread_budget.exceeded != FX_EXCEEDED_NOTHING) {
        return fx_budget_widen_exceeded(before);
    }
    fx_thread_budget.bound = before;
    return FX_EXCEEDED_NOTHING;
}

/* The slow path of fx_spend(): checks the bounds. */
bool fx_budget_check(void);

/* Spends units. Returns false if the budget is exceeded. */
static inline bool fx_spend(uint64_t units) {
    fx_thread_budget.spent += units;
    return fx_thread_budget.spent < fx_thread_budget.check_at || fx_budget_check();
}

/* Spends for hashing, comparing or copying a text that is usually short, such as a key.
 * The price of a short text is included in that of its member. */
static inline bool fx_spend_text(size_t bytes) {
    return bytes / FX_BUDGET_BYTES < 4 || fx_spend(bytes / FX_BUDGET_BYTES);
}

/* Returns which bound of the thread's budget is exceeded. */
static inline enum fx_exceeded fx_budget_exceeded(void) {
    return fx_thread_budget.exceeded;
}

/* Returns the units that this thread has spent since it swapped budgets. */
static inline uint64_t fx_budget_spent(void) {
    return fx_thread_budget.spent;
}

/* Fails because the budget is exceeded: with FX_EDEADLINE for the time, with FX_ELIMIT
 * for the units. Always false. */
FX_RARE bool fx_fail_exceeded(struct fx_err *err);

#endif
