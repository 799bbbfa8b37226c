/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot.c - all policies at one instant: sorted, checked against each other and
 * indexed once, then only read.
 */
#include "engine/snapshot.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/snapshot_index.h"

/* A mutator and its place in the list given. */
struct given {
    struct fx_mutator *mutator;
    size_t at;
};

static int compare_given(const void *left, const void *right) {
    const struct given *a = left;
    const struct given *b = right;
    const int order = fx_mutator_compare(a->mutator, b->mutator);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* Fills `mutators` in the order of a pass, of several with one id the last given. */
static bool sort_mutators(struct fx_snapshot *snapshot,
                          struct fx_mutator *const *mutators, size_t n_mutators) {
    const size_t n = n_mutators == 0 ? 1 : n_mutators;
    struct given *given = calloc(n, sizeof *given);
    snapshot->mutators = calloc(n, sizeof(struct fx_mutator *));
    if (given == NULL || snapshot->mutators == NULL) {
        free(given);
        return false;
    }
    for (size_t i = 0; i < n_mutators; i++) {
        given[i] = (struct given){mutators[i], i};
    }
    qsort(given, n_mutators, sizeof *given, compare_given);
    for (size_t i = 0; i < n_mutators; i++) {
        const bool is_last =
            i + 1 == n_mutators ||
            fx_mutator_compare(given[i].mutator, given[i + 1].mutator) != 0;
        if (is_last) {
            snapshot->mutators[snapshot->n_mutators++] = fx_mutator_ref(given[i].mutator);
            snapshot->wants_external |= given[i].mutator->wants_external;
        }
    }
    free(given);
    return true;
}

/* A resource and its place in the list given. */
struct given_resource {
    struct fx_resource *resource;
    size_t at;
};

static int compare_given_resources(const void *left, const void *right) {
    const struct given_resource *a = left;
    const struct given_resource *b = right;
    const int order = fx_resource_compare(a->resource, b->resource);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* The same for resources. */
static bool sort_resources(struct fx_snapshot *snapshot,
                           struct fx_resource *const *resources, size_t n_resources) {
    const size_t n = n_resources == 0 ? 1 : n_resources;
    struct given_resource *given = calloc(n, sizeof *given);
    snapshot->resources = calloc(n, sizeof(struct fx_resource *));
    if (given == NULL || snapshot->resources == NULL) {
        free(given);
        return false;
    }
    for (size_t i = 0; i < n_resources; i++) {
        given[i] = (struct given_resource){resources[i], i};
    }
    qsort(given, n_resources, sizeof *given, compare_given_resources);
    for (size_t i = 0; i < n_resources; i++) {
        const bool is_last =
            i + 1 == n_resources ||
            fx_resource_compare(given[i].resource, given[i + 1].resource) != 0;
        if (is_last) {
            snapshot->resources[snapshot->n_resources++] =
                fx_resource_ref(given[i].resource);
        }
    }
    free(given);
    return true;
}

static void destroy(struct fx_snapshot *snapshot) {
    fx_snapshot_index_destroy(snapshot->index);
    fx_conflicts_finish(&snapshot->conflicts);
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

static bool fill(struct fx_snapshot *snapshot, const struct fx_snapshot_parts *parts,
                 struct fx_err *err) {
    if (!sort_mutators(snapshot, parts->mutators, parts->n_mutators) ||
        !sort_resources(snapshot, parts->resources, parts->n_resources)) {
        return fx_fail_nomem(err);
    }
    if (!fx_conflicts_find(snapshot->mutators, snapshot->n_mutators, &snapshot->conflicts,
                           err)) {
        return false;
    }
    snapshot->index = fx_snapshot_index_create(snapshot);
    return snapshot->index != NULL || fx_fail_nomem(err);
}

bool fx_snapshot_build(const struct fx_snapshot_parts *parts, uint64_t generation,
                       struct fx_snapshot **ret_snapshot, struct fx_err *err) {
    struct fx_snapshot *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    atomic_init(&made->refs, 1);
    made->generation = generation;
    if (!fill(made, parts, err)) {
        destroy(made);
        return false;
    }
    *ret_snapshot = made;
    return true;
}

const struct fx_resource *fx_snapshot_find(const struct fx_snapshot *snapshot,
                                           enum fx_resource_type type,
                                           struct fx_text name) {
    size_t low = 0;
    size_t high = snapshot->n_resources;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fx_resource *resource = snapshot->resources[middle];
        const int order = resource->type != type
                              ? (resource->type < type ? -1 : 1)
                              : fx_text_compare(fx_text_of(resource->name), name);
        if (order == 0) {
            return resource;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
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
    const struct fx_snapshot_wish wish = {
        .operation = request->operation,
        .group = subject->group,
        .version = subject->version,
        .kind = subject->kind,
        .namespace_ = fx_subject_namespace(subject, request),
    };
    return fx_snapshot_index_find(snapshot->index, &wish, ret_candidates) ||
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
        if (!snapshot->conflicts.sets[i].disabled) {
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
