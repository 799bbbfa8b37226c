/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot.c - all policies at one instant: sorted, checked for conflicts and
 * indexed once, then only read.
 */
#include "engine/snapshot.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "engine/access.h"
#include "engine/input.h"
#include "engine/snapshot_index.h"
#include "engine/snapshot_whole.h"

static int compare_ids(const void *a, const void *b) {
    return fx_mutator_compare_ids(a, b);
}

static int compare_resources(const void *a, const void *b) {
    return fx_resource_compare(a, b);
}

static int compare_order(const void *left, const void *right) {
    struct fx_mutator *const *a = left;
    struct fx_mutator *const *b = right;
    return fx_mutator_compare(*a, *b);
}

/* Does a binding of the mutator name the operation? */
static bool names_operation(const struct fx_mutator *mutator,
                            enum fx_operation operation) {
    bool names = false;
    for (size_t i = 0; !names && i < mutator->n_bindings; i++) {
        names = (mutator->bindings[i].operations & FX_OPERATION_BIT(operation)) != 0;
    }
    return names;
}

static bool wants_deletes(const struct fx_mutator *mutator) {
    return mutator->n_bindings == 0 || names_operation(mutator, FX_OPERATION_DELETE);
}

static void note_inputs(struct fx_snapshot *snapshot, const struct fx_mutator *mutator) {
    for (size_t i = 0; i < mutator->n_inputs; i++) {
        const struct fx_input *input = &mutator->inputs[i];
        const bool is_before = input->phase == FX_INPUT_BEFORE;
        snapshot->has_inputs_before |= is_before && input->key != NULL;
        snapshot->asks_for_inputs |= is_before && input->key == NULL;
        snapshot->has_inputs_after |= !is_before;
        snapshot->reads_user |= input->type == FX_INPUT_ACCESS;
    }
}

/* Has the mutator none of the options for which steps need more checks? */
static bool is_simple(const struct fx_mutator *mutator) {
    return !mutator->run.once && !mutator->run.match_first &&
           !mutator->run.ignores_failure && mutator->ops->view == NULL;
}

static void note_options(struct fx_snapshot *snapshot, const struct fx_mutator *mutator) {
    snapshot->is_simple = snapshot->is_simple && is_simple(mutator);
    snapshot->runs_again |= mutator->run.again;
    snapshot->reads_request |= mutator->reads_request;
    snapshot->reads_old_object |= mutator->reads_old_object;
    snapshot->may_conflict =
        snapshot->may_conflict ||
        (!fx_mutator_is_validator(mutator) && fx_mutator_writes_anywhere(mutator));
}

/* Sorts the mutators into the order of a pass, and keeps one for each id. */
static void order_mutators(struct fx_snapshot *snapshot) {
    qsort(snapshot->mutators, snapshot->n_mutators, sizeof(struct fx_mutator *),
          compare_order);
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        const struct fx_mutator *mutator = snapshot->mutators[i];
        assert(mutator->rank < FX_RANKS);
        note_inputs(snapshot, mutator);
        note_options(snapshot, mutator);
        if (!fx_mutator_is_validator(mutator)) {
            snapshot->n_acting = i + 1;
            snapshot->validates_deletes |= mutator->run.checks_deletes;
            snapshot->mutates_connects |= names_operation(mutator, FX_OPERATION_CONNECT);
        } else if (wants_deletes(mutator)) {
            snapshot->validates_deletes = true;
        }
    }
}

/* Returns a sorted copy of the list with the last item of each id, and sets *n to their
 * number. NULL without memory. */
static void *sort_list(const void *items, size_t *n, fx_sorted_compare *compare) {
    void **list = calloc(*n + 1, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    if (*n > 0) {
        memcpy(list, items, *n * sizeof *list);
    }
    if (!fx_sorted_keep_last(list, n, compare)) {
        free(list);
        return NULL;
    }
    return list;
}

static bool sort_parts(struct fx_snapshot *snapshot,
                       const struct fx_snapshot_parts *parts) {
    size_t n_mutators = parts->n_mutators;
    size_t n_resources = parts->n_resources;
    snapshot->mutators = sort_list(parts->mutators, &n_mutators, compare_ids);
    snapshot->resources = sort_list(parts->resources, &n_resources, compare_resources);
    if (snapshot->mutators == NULL || snapshot->resources == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_mutators; i++) {
        (void)fx_mutator_ref(snapshot->mutators[i]);
    }
    for (size_t i = 0; i < n_resources; i++) {
        (void)fx_resource_ref(snapshot->resources[i]);
    }
    snapshot->n_mutators = n_mutators;
    snapshot->n_resources = n_resources;
    if (n_mutators > 0) {
        order_mutators(snapshot);
    }
    return true;
}

static void destroy(struct fx_snapshot *snapshot) {
    fx_snapshot_index_destroy(snapshot->index);
    free(snapshot->alone);
    fx_json_part_finish(&snapshot->reads);
    free(snapshot->whole);
    fx_conflicts_finish(&snapshot->conflicts);
    fx_quarantine_unref(snapshot->quarantine);
    free(snapshot->quarantined);
    for (size_t i = 0; i < snapshot->n_resources; i++) {
        fx_resource_unref(snapshot->resources[i]);
    }
    free(snapshot->resources);
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        fx_mutator_unref(snapshot->mutators[i]);
    }
    free(snapshot->mutators);
    free(snapshot);
}

/* ---- mutators that write alone ----------------------------------------------------- */

/* Two lists of path hashes: the ends of the paths that mutators write, and the nodes
 * before the ends, where mutators only add what is missing (engine/access.h). */

struct path_hashes {
    uint32_t *items; /* sorted, once all are added */
    size_t n_items;
};

struct ways {
    struct path_hashes ends, passed;
};

static uint32_t end_of(const struct fx_access_hashes *hashes) {
    return fx_access_written_hashes(hashes)[hashes->n_steps - 1];
}

/* Is the step's node before the end of the path? The step to an element has the hash of
 * its list, so it may be the end, too. */
static bool is_passed(const struct fx_access_hashes *hashes, size_t step) {
    return fx_access_written_hashes(hashes)[step] != end_of(hashes);
}

/* Does the mutator write nothing, or may it write anywhere? */
static bool is_idle(const struct fx_snapshot *snapshot, size_t i) {
    return fx_mutator_is_validator(snapshot->mutators[i]) ||
           fx_snapshot_is_disabled(snapshot, i) ||
           fx_mutator_writes_anywhere(snapshot->mutators[i]);
}

/* Returns the number of steps of all written paths. */
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

static void sort_hashes(struct path_hashes *list) {
    qsort(list->items, list->n_items, sizeof *list->items, compare_hashes);
}

static void fill_ways(struct ways *ways, const struct fx_snapshot *snapshot) {
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
    sort_hashes(&ways->ends);
    sort_hashes(&ways->passed);
}

/* Returns how often the hash is in the list: 0, 1, or 2 for more. */
static unsigned count_hash(const struct path_hashes *list, uint32_t hash) {
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

/* Does no other path end where this one ends or passes, and does none continue it? */
static bool is_alone(const struct ways *ways, const struct fx_access_hashes *hashes) {
    for (size_t k = 0; k < hashes->n_steps; k++) {
        if (is_passed(hashes, k) &&
            count_hash(&ways->ends, fx_access_written_hashes(hashes)[k]) > 0) {
            return false;
        }
    }
    return count_hash(&ways->ends, end_of(hashes)) == 1 &&
           count_hash(&ways->passed, end_of(hashes)) == 0;
}

/* Fills `alone`, which has one entry for each mutator. It is true for an enabled mutator
 * that declares where it writes, if no other enabled mutator with such a declaration
 * writes there: then no other undoes its changes. False without memory. */
static bool find_alone(const struct fx_snapshot *snapshot, bool *alone) {
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
        fill_ways(&ways, snapshot);
    }
    for (size_t i = 0; ok && i < snapshot->n_mutators; i++) {
        alone[i] =
            !is_idle(snapshot, i) && is_alone(&ways, snapshot->mutators[i]->hashes);
    }
    free(ways.ends.items);
    free(ways.passed.items);
    return ok;
}

/* ---- building ---------------------------------------------------------------------- */

/* Finds the members of the quarantine. False without memory. */
static bool find_quarantined(struct fx_snapshot *snapshot,
                             struct fx_quarantine *quarantine) {
    if (quarantine == NULL) {
        return true;
    }
    snapshot->quarantine = fx_quarantine_ref(quarantine);
    snapshot->quarantined =
        calloc(snapshot->n_mutators + 1, sizeof *snapshot->quarantined);
    for (size_t i = 0; snapshot->quarantined != NULL && i < quarantine->n_members; i++) {
        const struct fx_quarantined *member = &quarantine->members[i];
        size_t index = 0;
        if (fx_quarantine_find(member, snapshot->mutators, snapshot->n_mutators,
                               &index)) {
            snapshot->quarantined[index] = member;
        }
    }
    return snapshot->quarantined != NULL;
}

static bool fill_snapshot(struct fx_snapshot *snapshot,
                          const struct fx_snapshot_parts *parts, struct fx_err *err) {
    if (!sort_parts(snapshot, parts) || !find_quarantined(snapshot, parts->quarantine) ||
        !fx_snapshot_find_reads(snapshot)) {
        return fx_fail_nomem(err);
    }
    if (!fx_conflicts_find(snapshot->mutators, snapshot->n_mutators, &snapshot->conflicts,
                           err)) {
        return false;
    }
    snapshot->index = fx_snapshot_index_create(snapshot);
    snapshot->alone = calloc(snapshot->n_mutators + 1, sizeof *snapshot->alone);
    if (snapshot->index == NULL || snapshot->alone == NULL ||
        !find_alone(snapshot, snapshot->alone)) {
        return fx_fail_nomem(err);
    }
    return true;
}

bool fx_snapshot_build(const struct fx_snapshot_parts *parts, uint64_t generation,
                       struct fx_snapshot **ret_snapshot, struct fx_err *err) {
    struct fx_snapshot *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    atomic_init(&made->refs, 1);
    made->generation = generation;
    made->is_simple = true;
    made->reads.omits_rest = true;
    if (!fill_snapshot(made, parts, err)) {
        destroy(made);
        return false;
    }
    *ret_snapshot = made;
    return true;
}

const struct fx_quarantined *fx_snapshot_quarantined(const struct fx_snapshot *snapshot,
                                                     size_t index) {
    return snapshot->quarantined == NULL ? NULL : snapshot->quarantined[index];
}

bool fx_snapshot_is_disabled(const struct fx_snapshot *snapshot, size_t index) {
    return snapshot->conflicts.sets[index].disabled ||
           fx_snapshot_quarantined(snapshot, index) != NULL;
}

/* Returns the index of the first resource that is not before that type and name. */
static size_t find_resource(const struct fx_snapshot *snapshot,
                            enum fx_resource_type type, struct fx_text name) {
    size_t low = 0;
    size_t high = snapshot->n_resources;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fx_resource *resource = snapshot->resources[middle];
        const enum fx_resource_type found = resource->ops->type;
        if (found < type ||
            (found == type && fx_text_compare(fx_text_of(resource->name), name) < 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct fx_resource *fx_snapshot_find(const struct fx_snapshot *snapshot,
                                           enum fx_resource_type type,
                                           struct fx_text name) {
    const size_t at = find_resource(snapshot, type, name);
    const struct fx_resource *found =
        at < snapshot->n_resources ? snapshot->resources[at] : NULL;
    return found != NULL && found->ops->type == type &&
                   fx_text_equal(fx_text_of(found->name), name)
               ? found
               : NULL;
}

struct fx_resource *const *fx_snapshot_resources(const struct fx_snapshot *snapshot,
                                                 enum fx_resource_type type,
                                                 size_t *ret_count) {
    const size_t at = find_resource(snapshot, type, FX_TEXT(""));
    size_t end = at;
    while (end < snapshot->n_resources && snapshot->resources[end]->ops->type == type) {
        end++;
    }
    *ret_count = end - at;
    return snapshot->resources + at;
}

struct fx_snapshot *fx_snapshot_ref(struct fx_snapshot *snapshot) {
    (void)atomic_fetch_add_explicit(&snapshot->refs, 1, memory_order_relaxed);
    return snapshot;
}

void fx_snapshot_unref(struct fx_snapshot *snapshot) {
    if (snapshot == NULL) {
        return;
    }
    const unsigned before =
        atomic_fetch_sub_explicit(&snapshot->refs, 1, memory_order_acq_rel);
    assert(before > 0);
    if (before == 1) {
        destroy(snapshot);
    }
}

bool fx_snapshot_candidates(const struct fx_snapshot *snapshot,
                            const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct fx_candidates *ret_candidates, struct fx_err *err) {
    const struct fx_snapshot_query query = {
        .operation = request->operation,
        .group = subject->group,
        .version = subject->version,
        .kind = subject->kind,
        .namespace_ = fx_subject_namespace(subject, request),
        .object_namespace = fx_subject_object_namespace(subject, request),
    };
    return fx_snapshot_index_find(snapshot->index, &query, ret_candidates) ||
           fx_fail_nomem(err);
}

bool fx_snapshot_all(const struct fx_snapshot *snapshot,
                     struct fx_candidates *ret_candidates, struct fx_err *err) {
    if (ret_candidates->cap_indices < snapshot->n_mutators) {
        uint32_t *moved =
            realloc(ret_candidates->indices, snapshot->n_mutators * sizeof *moved);
        if (moved == NULL) {
            return fx_fail_nomem(err);
        }
        ret_candidates->indices = moved;
        ret_candidates->cap_indices = snapshot->n_mutators;
    }
    ret_candidates->n_indices = 0;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (!fx_snapshot_is_disabled(snapshot, i)) {
            ret_candidates->indices[ret_candidates->n_indices++] = (uint32_t)i;
        }
    }
    return true;
}

void fx_candidates_finish(struct fx_candidates *candidates) {
    if (candidates == NULL) {
        return;
    }
    free(candidates->indices);
    *candidates = (struct fx_candidates){0};
}
