/* SPDX-License-Identifier: Apache-2.0
 *
 * server/strikes.c - a short list of those who failed last; most of the time it is empty.
 */
#include "server/strikes.h"

#include <stdlib.h>

#include "base/vec.h"

void fx_strikes_forget(struct fx_strikes *strikes) {
    for (size_t i = 0; i < strikes->n_items; i++) {
        fx_mutator_unref(strikes->items[i].mutator);
    }
    strikes->n_items = 0;
}

void fx_strikes_finish(struct fx_strikes *strikes) {
    fx_strikes_forget(strikes);
    free(strikes->items);
    *strikes = (struct fx_strikes){0};
}

bool fx_strikes_is_out(const struct fx_strikes *strikes,
                       const struct fx_quarantined *item) {
    return strikes->limit > 0 && item->times >= strikes->limit;
}

/* NULL where it has none. */
static struct fx_quarantined *find(struct fx_strikes *strikes,
                                   const struct fx_mutator *mutator) {
    for (size_t i = 0; i < strikes->n_items; i++) {
        if (fx_mutator_compare(strikes->items[i].mutator, mutator) == 0) {
            return &strikes->items[i];
        }
    }
    return NULL;
}

void fx_strikes_forgive(struct fx_strikes *strikes, size_t at) {
    fx_mutator_unref(strikes->items[at].mutator);
    strikes->items[at] = strikes->items[--strikes->n_items];
}

static void forgive(struct fx_strikes *strikes, const struct fx_quarantined *item) {
    fx_strikes_forgive(strikes, (size_t)(item - strikes->items));
}

/* Without memory it gets away with it this time. */
static bool strike(struct fx_strikes *strikes, struct fx_mutator *mutator,
                   enum fx_misdeed misdeed) {
    struct fx_quarantined *item = find(strikes, mutator);
    if (item != NULL && !fx_quarantine_is_same(item->mutator, mutator)) {
        forgive(strikes, item); /* that was an earlier version of the policy */
        item = NULL;
    }
    if (item == NULL) {
        if (!FX_VEC_GROW(strikes->items, strikes->n_items, strikes->cap_items)) {
            return false;
        }
        item = &strikes->items[strikes->n_items++];
        *item = (struct fx_quarantined){.mutator = fx_mutator_ref(mutator)};
    }
    item->times++;
    item->misdeed = misdeed;
    return fx_strikes_is_out(strikes, item);
}

/* Is it among those that keep the object from settling? *at goes through them along with
 * the fares: both are in the order of a pass. */
static bool is_in_cycle(const struct fx_review_result *result, uint32_t mutator,
                        size_t *at) {
    const struct fx_outcome *outcome = result->outcome;
    if (result->failure == NULL || result->failure->code != FX_ENOCONVERGE) {
        return false;
    }
    while (*at < outcome->n_cycle && outcome->cycle[*at].mutator < mutator) {
        ++*at;
    }
    return *at < outcome->n_cycle && outcome->cycle[*at].mutator == mutator;
}

static bool is_over_budget(const struct fx_strikes *strikes, const struct fx_fare *fare) {
    return fare->overspent || (strikes->budget_ns > 0 && fare->ns > strikes->budget_ns);
}

bool fx_strikes_may_note(const struct fx_strikes *strikes,
                         const struct fx_review_result *result) {
    if (strikes->limit == 0 || result->outcome == NULL) {
        return false;
    }
    const struct fx_outcome *outcome = result->outcome;
    bool may = outcome->n_cycle > 0;
    for (size_t i = 0; !may && i < outcome->n_fares; i++) {
        may = outcome->fares[i].failed || is_over_budget(strikes, &outcome->fares[i]);
    }
    return may;
}

bool fx_strikes_note(struct fx_strikes *strikes, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    bool out = false;
    size_t at = 0;
    if (strikes->limit == 0 || outcome == NULL) {
        return false;
    }
    for (size_t i = 0; i < outcome->n_fares; i++) {
        const struct fx_fare *fare = &outcome->fares[i];
        struct fx_mutator *mutator = result->snapshot->mutators[fare->mutator];
        if (fare->failed) {
            out = strike(strikes, mutator, FX_MISDEED_FAILED) || out;
        } else if (is_in_cycle(result, fare->mutator, &at)) {
            out = strike(strikes, mutator, FX_MISDEED_CYCLE) || out;
        } else if (is_over_budget(strikes, fare)) {
            out = strike(strikes, mutator, FX_MISDEED_BUDGET) || out;
        } else if (strikes->n_items > 0) {
            const struct fx_quarantined *item = find(strikes, mutator);
            if (item != NULL) {
                forgive(strikes, item);
            }
        }
    }
    return out;
}
