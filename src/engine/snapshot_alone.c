/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_alone.c - two lists of spots: where mutators write, and what they pass
 * on the way there, where they do no more than add what is missing (engine/footprint.h).
 */
#include "engine/snapshot_alone.h"

#include <stdint.h>
#include <stdlib.h>

#include "engine/footprint.h"

struct spots {
    uint32_t *items; /* sorted, once they are all in */
    size_t n_items;
};

struct ways {
    struct spots ends, passed;
};

static uint32_t end_of(const struct fx_footprint *footprint) {
    return fx_footprint_steps(footprint)[footprint->n_steps - 1];
}

/* The end is no part of it: the step behind a list's stays where it is. */
static bool is_passed(const struct fx_footprint *footprint, size_t step) {
    return fx_footprint_steps(footprint)[step] != end_of(footprint);
}

/* Nobody who writes anything, or one who may write anywhere. */
static bool is_idle(const struct fx_snapshot *snapshot, size_t i) {
    return fx_mutator_is_validator(snapshot->mutators[i]) ||
           fx_snapshot_is_disabled(snapshot, i) ||
           fx_mutator_writes_anywhere(snapshot->mutators[i]);
}

/* How many steps there are. */
static size_t count_steps(const struct fx_snapshot *snapshot) {
    size_t n = 0;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        n += is_idle(snapshot, i) ? 0 : snapshot->mutators[i]->footprint->n_steps;
    }
    return n;
}

static int compare_spots(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void sort(struct spots *spots) {
    qsort(spots->items, spots->n_items, sizeof *spots->items, compare_spots);
}

static void fill(struct ways *ways, const struct fx_snapshot *snapshot) {
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        const struct fx_footprint *footprint = snapshot->mutators[i]->footprint;
        if (is_idle(snapshot, i)) {
            continue;
        }
        ways->ends.items[ways->ends.n_items++] = end_of(footprint);
        for (size_t k = 0; k < footprint->n_steps; k++) {
            if (is_passed(footprint, k)) {
                const uint32_t spot = fx_footprint_steps(footprint)[k];
                ways->passed.items[ways->passed.n_items++] = spot;
            }
        }
    }
    sort(&ways->ends);
    sort(&ways->passed);
}

/* How often the spot is in the list: 0, 1, or more than that. */
static unsigned count(const struct spots *spots, uint32_t spot) {
    const uint32_t *first = spots->items;
    const uint32_t *last = first + spots->n_items - 1;
    const uint32_t *found =
        bsearch(&spot, first, spots->n_items, sizeof *first, compare_spots);
    if (found == NULL) {
        return 0;
    }
    const bool again =
        (found > first && found[-1] == spot) || (found < last && found[1] == spot);
    return again ? 2 : 1;
}

/* Nobody else's way ends where it writes, or before it, or leads on from there. */
static bool is_alone(const struct ways *ways, const struct fx_footprint *footprint) {
    for (size_t k = 0; k < footprint->n_steps; k++) {
        if (is_passed(footprint, k) &&
            count(&ways->ends, fx_footprint_steps(footprint)[k]) > 0) {
            return false;
        }
    }
    return count(&ways->ends, end_of(footprint)) == 1 &&
           count(&ways->passed, end_of(footprint)) == 0;
}

bool fx_snapshot_find_alone(const struct fx_snapshot *snapshot, bool *alone) {
    const size_t n_steps = count_steps(snapshot);
    if (n_steps == 0) {
        return true;
    }
    struct ways ways = {
        .ends = {.items = calloc(snapshot->n_mutators, sizeof(uint32_t))},
        .passed = {.items = calloc(n_steps, sizeof(uint32_t))},
    };
    const bool ok = ways.ends.items != NULL && ways.passed.items != NULL;
    if (ok) {
        fill(&ways, snapshot);
    }
    for (size_t i = 0; ok && i < snapshot->n_mutators; i++) {
        alone[i] =
            !is_idle(snapshot, i) && is_alone(&ways, snapshot->mutators[i]->footprint);
    }
    free(ways.ends.items);
    free(ways.passed.items);
    return ok;
}
