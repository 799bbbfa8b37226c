/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot.c - all policies at one instant: sorted, checked for conflicts and
 * indexed once, then only read.
 */
#include "engine/snapshot.h"
#include "engine/input.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/access.h"
#include "engine/snapshot_alone.h"
#include "engine/snapshot_index.h"

/* A mutator or resource, its position in the given list, and how to compare it. */
struct given {
    void *item;
    size_t at;
    int (*compare)(const void *a, const void *b);
};

static int compare_mutators(const void *a, const void *b) {
    return fx_mutator_compare_ids(a, b);
}

static int compare_resources(const void *a, const void *b) {
    return fx_resource_compare(a, b);
}

static int compare_given(const void *left, const void *right) {
    const struct given *a = left;
    const struct given *b = right;
    const int order = a->compare(a->item, b->item);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* Sorts, and of several with one id keeps the last. Returns how many are kept. */
static size_t sort(struct given *given, size_t n) {
    size_t n_kept = 0;
    qsort(given, n, sizeof *given, compare_given);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || given[i].compare(given[i].item, given[i + 1].item) != 0) {
            given[n_kept++] = given[i];
        }
    }
    return n_kept;
}

static int compare_order(const void *left, const void *right) {
    struct fx_mutator *const *a = left;
    struct fx_mutator *const *b = right;
    return fx_mutator_compare(*a, *b);
}

static bool wants_deletes(const struct fx_mutator *mutator) {
    bool wants = mutator->n_bindings == 0;
    for (size_t i = 0; !wants && i < mutator->n_bindings; i++) {
        wants = (mutator->bindings[i].operations &
                 FX_OPERATION_BIT(FX_OPERATION_DELETE)) != 0;
    }
    return wants;
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

/* Can every step of it run without the checks for the options below? */
static bool is_simple(const struct fx_mutator *mutator) {
    return !mutator->run.once && !mutator->run.match_first &&
           !mutator->run.ignores_failure && mutator->ops->view == NULL;
}

static void note_options(struct fx_snapshot *snapshot, const struct fx_mutator *mutator) {
    snapshot->is_simple = snapshot->is_simple && is_simple(mutator);
    snapshot->may_conflict =
        snapshot->may_conflict ||
        (!fx_mutator_is_validator(mutator) && fx_mutator_writes_anywhere(mutator));
}

/* Sorts the mutators, one for each id, into the order of a pass. */
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
        } else if (wants_deletes(mutator)) {
            snapshot->validates_deletes = true;
        }
    }
}

/* Fills `mutators`. */
static bool sort_mutators(struct fx_snapshot *snapshot,
                          struct fx_mutator *const *mutators, size_t n_mutators) {
    struct given *given = calloc(n_mutators + 1, sizeof *given);
    snapshot->mutators = calloc(n_mutators + 1, sizeof(struct fx_mutator *));
    const bool ok = given != NULL && snapshot->mutators != NULL;
    for (size_t i = 0; ok && i < n_mutators; i++) {
        given[i] = (struct given){mutators[i], i, compare_mutators};
    }
    const size_t n = ok ? sort(given, n_mutators) : 0;
    for (size_t i = 0; i < n; i++) {
        snapshot->mutators[snapshot->n_mutators++] = fx_mutator_ref(given[i].item);
    }
    if (n > 0) {
        order_mutators(snapshot);
    }
    free(given);
    return ok;
}

static bool sort_resources(struct fx_snapshot *snapshot,
                           struct fx_resource *const *resources, size_t n_resources) {
    struct given *given = calloc(n_resources + 1, sizeof *given);
    snapshot->resources = calloc(n_resources + 1, sizeof(struct fx_resource *));
    const bool ok = given != NULL && snapshot->resources != NULL;
    for (size_t i = 0; ok && i < n_resources; i++) {
        given[i] = (struct given){resources[i], i, compare_resources};
    }
    const size_t n = ok ? sort(given, n_resources) : 0;
    for (size_t i = 0; i < n; i++) {
        snapshot->resources[snapshot->n_resources++] = fx_resource_ref(given[i].item);
    }
    free(given);
    return ok;
}

static void destroy(struct fx_snapshot *snapshot) {
    fx_snapshot_index_destroy(snapshot->index);
    free(snapshot->alone);
    fx_json_part_finish(&snapshot->reads);
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

static bool fill(struct fx_snapshot *snapshot, const struct fx_snapshot_parts *parts,
                 struct fx_err *err) {
    if (!sort_mutators(snapshot, parts->mutators, parts->n_mutators) ||
        !sort_resources(snapshot, parts->resources, parts->n_resources) ||
        !find_quarantined(snapshot, parts->quarantine) ||
        !fx_access_add_parts(snapshot->mutators, snapshot->n_mutators,
                             &snapshot->reads)) {
        return fx_fail_nomem(err);
    }
    if (!fx_conflicts_find(snapshot->mutators, snapshot->n_mutators, &snapshot->conflicts,
                           err)) {
        return false;
    }
    snapshot->index = fx_snapshot_index_create(snapshot);
    snapshot->alone = calloc(snapshot->n_mutators + 1, sizeof *snapshot->alone);
    if (snapshot->index == NULL || snapshot->alone == NULL ||
        !fx_snapshot_find_alone(snapshot, snapshot->alone)) {
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
    if (!fill(made, parts, err)) {
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

/* The index of the first resource that is not before that type and name. */
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
