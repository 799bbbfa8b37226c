/* SPDX-License-Identifier: Apache-2.0
 *
 * server/failure_counts.c - a short list of the mutators that failed last; it is usually
 * empty.
 */
#include "server/failure_counts.h"

#include <stdlib.h>

#include "base/vec.h"

void fx_failure_counts_clear(struct fx_failure_counts *failures) {
    for (size_t i = 0; i < failures->n_items; i++) {
        fx_mutator_unref(failures->items[i].mutator);
    }
    failures->n_items = 0;
}

void fx_failure_counts_finish(struct fx_failure_counts *failures) {
    fx_failure_counts_clear(failures);
    free(failures->items);
    *failures = (struct fx_failure_counts){0};
}

bool fx_failure_counts_exceeds(const struct fx_failure_counts *failures,
                               const struct fx_quarantined *item) {
    return failures->limit > 0 && item->times >= failures->limit;
}

/* NULL if the mutator has no item. */
static struct fx_quarantined *find_item(struct fx_failure_counts *failures,
                                        const struct fx_mutator *mutator) {
    for (size_t i = 0; i < failures->n_items; i++) {
        if (fx_mutator_compare(failures->items[i].mutator, mutator) == 0) {
            return &failures->items[i];
        }
    }
    return NULL;
}

void fx_failure_counts_remove(struct fx_failure_counts *failures, size_t at) {
    fx_mutator_unref(failures->items[at].mutator);
    failures->items[at] = failures->items[--failures->n_items];
}

static void remove_item(struct fx_failure_counts *failures,
                        const struct fx_quarantined *item) {
    fx_failure_counts_remove(failures, (size_t)(item - failures->items));
}

/* Counts a failure. True if the mutator has now reached the limit. If is_over of memory,
 * the failure is not counted. */
static bool add_failure(struct fx_failure_counts *failures, struct fx_mutator *mutator,
                        enum fx_failure_reason reason) {
    struct fx_quarantined *item = find_item(failures, mutator);
    if (item != NULL && !fx_quarantine_is_same(item->mutator, mutator)) {
        remove_item(failures, item); /* the item is of an earlier version of the policy */
        item = NULL;
    }
    if (item == NULL) {
        if (!FX_VEC_GROW(failures->items, failures->n_items, failures->cap_items)) {
            return false;
        }
        item = &failures->items[failures->n_items++];
        *item = (struct fx_quarantined){.mutator = fx_mutator_ref(mutator)};
    }
    item->times++;
    item->reason = reason;
    return fx_failure_counts_exceeds(failures, item);
}

/* Is the mutator part of the cycle that did not converge? *at is the position in the
 * cycle, which has the same order as the stats. */
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

static bool is_over_budget(const struct fx_failure_counts *failures,
                           const struct fx_mutator_stats *entry) {
    return entry->overspent ||
           (failures->budget_ns > 0 && entry->ns > failures->budget_ns);
}

bool fx_failure_counts_may_record(const struct fx_failure_counts *failures,
                                  const struct fx_review_result *result) {
    if (failures->limit == 0 || result->outcome == NULL) {
        return false;
    }
    const struct fx_outcome *outcome = result->outcome;
    bool may = outcome->n_cycle > 0;
    for (size_t i = 0; !may && i < outcome->n_stats; i++) {
        may = outcome->stats[i].failed || is_over_budget(failures, &outcome->stats[i]);
    }
    return may;
}

bool fx_failure_counts_record(struct fx_failure_counts *failures,
                              const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    bool is_over = false;
    size_t at = 0;
    if (failures->limit == 0 || outcome == NULL) {
        return false;
    }
    for (size_t i = 0; i < outcome->n_stats; i++) {
        const struct fx_mutator_stats *entry = &outcome->stats[i];
        struct fx_mutator *mutator = result->snapshot->mutators[entry->mutator];
        if (entry->failed) {
            is_over = add_failure(failures, mutator, FX_FAILURE_FAILED) || is_over;
        } else if (is_in_cycle(result, entry->mutator, &at)) {
            is_over = add_failure(failures, mutator, FX_FAILURE_CYCLE) || is_over;
        } else if (is_over_budget(failures, entry)) {
            is_over = add_failure(failures, mutator, FX_FAILURE_BUDGET) || is_over;
        } else if (failures->n_items > 0) {
            const struct fx_quarantined *item = find_item(failures, mutator);
            if (item != NULL) {
                remove_item(failures, item);
            }
        }
    }
    return is_over;
}
