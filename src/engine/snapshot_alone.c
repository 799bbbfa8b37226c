/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_alone.c - two lists of path hashes: the ends of the paths that mutators
 * write, and the nodes before the ends, where mutators only add what is missing
 * (engine/access.h).
 */
#include "engine/snapshot_alone.h"

#include <stdint.h>
#include <stdlib.h>

#include "engine/access.h"

struct hash_list {
    uint32_t *items; /* sorted, once they are all in */
    size_t n_items;
};

struct ways {
    struct hash_list ends, passed;
};

static uint32_t end_of(const struct fx_access_hashes *hashes) {
    return fx_access_written_hashes(hashes)[hashes->n_steps - 1];
}

/* Is the node of the step passed? Not the end: the step to an element has the hash of its
 * list. */
static bool is_passed(const struct fx_access_hashes *hashes, size_t step) {
    return fx_access_written_hashes(hashes)[step] != end_of(hashes);
}

/* Writes nothing, or may write anywhere. */
static bool is_idle(const struct fx_snapshot *snapshot, size_t i) {
    return fx_mutator_is_validator(snapshot->mutators[i]) ||
           fx_snapshot_is_disabled(snapshot, i) ||
           fx_mutator_writes_anywhere(snapshot->mutators[i]);
}

/* How many steps there are. */
static size_t count_steps(const struct fx_snapshot *snapshot) {
    size_t n = 0;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        n += is_idle(snapshot, i) ? 0 : snapshot->mutators[i]->hashes->n_steps;
    }
    return n;
}

static int compare_hashes(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void sort(struct hash_list *list) {
    qsort(list->items, list->n_items, sizeof *list->items, compare_hashes);
}

static void fill(struct ways *ways, const struct fx_snapshot *snapshot) {
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        const struct fx_access_hashes *hashes = snapshot->mutators[i]->hashes;
        if (is_idle(snapshot, i)) {
            continue;
        }
        ways->ends.items[ways->ends.n_items++] = end_of(hashes);
        for (size_t k = 0; k < hashes->n_steps; k++) {
            if (is_passed(hashes, k)) {
                const uint32_t hash = fx_access_written_hashes(hashes)[k];
                ways->passed.items[ways->passed.n_items++] = hash;
            }
        }
    }
    sort(&ways->ends);
    sort(&ways->passed);
}

/* How often the hash is in the list: 0, 1, or 2 for more. */
static unsigned count(const struct hash_list *list, uint32_t hash) {
    const uint32_t *first = list->items;
    const uint32_t *last = first + list->n_items - 1;
    const uint32_t *found =
        bsearch(&hash, first, list->n_items, sizeof *first, compare_hashes);
    if (found == NULL) {
        return 0;
    }
    const bool again =
        (found > first && found[-1] == hash) || (found < last && found[1] == hash);
    return again ? 2 : 1;
}

/* No other path ends where this one ends, or before it, or goes on from there. */
static bool is_alone(const struct ways *ways, const struct fx_access_hashes *hashes) {
    for (size_t k = 0; k < hashes->n_steps; k++) {
        if (is_passed(hashes, k) &&
            count(&ways->ends, fx_access_written_hashes(hashes)[k]) > 0) {
            return false;
        }
    }
    return count(&ways->ends, end_of(hashes)) == 1 &&
           count(&ways->passed, end_of(hashes)) == 0;
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
            !is_idle(snapshot, i) && is_alone(&ways, snapshot->mutators[i]->hashes);
    }
    free(ways.ends.items);
    free(ways.passed.items);
    return ok;
}
