/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry.c - families, and counting: values in plain arrays, of each thread its
 * own, on cache lines of their own.
 */
#include "metrics/registry.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "metrics/registry_internal.h"

#define CACHE_LINE 64u

/* The number of this thread. */
static _Thread_local unsigned me;

void fx_registry_set_thread(unsigned thread) {
    me = thread;
}

struct fx_registry *fx_registry_create(size_t n_threads) {
    assert(n_threads > 0);
    struct fx_registry *registry = calloc(1, sizeof *registry);
    if (registry != NULL) {
        registry->n_threads = n_threads;
        registry->last = &registry->families;
    }
    return registry;
}

static void destroy_family(struct fx_family *family) {
    for (size_t i = 0; family->cells != NULL && i < family->n_threads; i++) {
        free(family->cells[i]);
    }
    free(family->cells);
    free(family);
}

void fx_registry_destroy(struct fx_registry *registry) {
    if (registry == NULL) {
        return;
    }
    for (struct fx_family *next = NULL, *f = registry->families; f != NULL; f = next) {
        next = f->next;
        destroy_family(f);
    }
    for (struct fx_labels *next = NULL, *l = registry->labels; l != NULL; l = next) {
        next = l->next;
        fx_labels_destroy(l);
    }
    free(registry->readers);
    free(registry);
}

bool fx_registry_add_reader(struct fx_registry *registry, void (*read)(void *user),
                            void *user) {
    if (!FX_VEC_GROW(registry->readers, registry->n_readers, registry->cap_readers)) {
        return false;
    }
    registry->readers[registry->n_readers++] = (struct reader){read, user};
    return true;
}

/* ---- families --------------------------------------------------------------------- */

/* The labels that the plan tells. NULL without memory. */
static struct fx_labels *known_labels(struct fx_registry *registry,
                                      const struct fx_family_options *plan) {
    size_t n_values = plan->key == NULL ? 1 : 0;
    while (plan->key != NULL && plan->values[n_values] != NULL) {
        n_values++;
    }
    struct fx_labels *labels =
        fx_labels_create(&plan->key, plan->key == NULL ? 0 : 1, n_values);
    bool ok = labels != NULL;
    for (size_t i = 0; ok && i < n_values; i++) {
        const struct fx_text value =
            plan->key == NULL ? (struct fx_text){0} : fx_text_of(plan->values[i]);
        ok = fx_labels_append(labels, &value);
    }
    if (!ok) {
        fx_labels_destroy(labels);
        return NULL;
    }
    labels->next = registry->labels;
    registry->labels = labels;
    return labels;
}

static double load(const struct fx_metric_value *cell) {
    return atomic_load_explicit(&cell->value, memory_order_relaxed);
}

static void store(struct fx_metric_value *cell, double value) {
    atomic_store_explicit(&cell->value, value, memory_order_relaxed);
}

/* A thread with a number is the only one that writes its cells; those of the first belong
 * to all who have none, workers of libuv among them. */
static void add(struct fx_metric_value *cell, double amount) {
    double before = load(cell);
    if (me > 0) {
        store(cell, before + amount);
        return;
    }
    while (!atomic_compare_exchange_weak_explicit(&cell->value, &before, before + amount,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

void fx_family_reset(struct fx_family *family, uint32_t series) {
    const double zero = family->plan.type == FX_FAMILY_GAUGE ? (double)NAN : 0;
    for (size_t thread = 0; thread < family->n_threads; thread++) {
        struct fx_metric_value *cells = family->cells[thread] + series * family->stride;
        for (size_t i = 0; i < family->stride; i++) {
            store(&cells[i], zero);
        }
    }
}

double fx_family_sum(const struct fx_family *family, size_t cell) {
    double sum = 0;
    for (size_t thread = 0; thread < family->n_threads; thread++) {
        sum += load(&family->cells[thread][cell]);
    }
    return sum;
}

static bool is_new(const struct fx_registry *registry, const char *name) {
    for (const struct fx_family *f = registry->families; f != NULL; f = f->next) {
        if (strcmp(f->plan.name, name) == 0) {
            return false;
        }
    }
    return true;
}

/* Room for `n` cells, and so far from those of the next block that no cache line has
 * some of both. */
static struct fx_metric_value *make_block(size_t n) {
    return malloc(n * sizeof(struct fx_metric_value) + CACHE_LINE);
}

static bool give_cells(struct fx_family *family) {
    const struct fx_labels *labels = family->labels;
    family->cells = calloc(family->n_threads, sizeof *family->cells);
    for (size_t i = 0; family->cells != NULL && i < family->n_threads; i++) {
        family->cells[i] = make_block(labels->cap_rows * family->stride);
        if (family->cells[i] == NULL) {
            return false;
        }
    }
    for (size_t i = 0; family->cells != NULL && i < labels->n_rows; i++) {
        fx_family_reset(family, (uint32_t)i);
    }
    return family->cells != NULL;
}

/* Whose cells may every thread count into? */
static bool is_for_all(const struct fx_family_options *plan) {
    return plan->type != FX_FAMILY_GAUGE && plan->labels == NULL;
}

struct fx_family *fx_registry_add(struct fx_registry *registry,
                                  const struct fx_family_options *plan) {
    assert(is_new(registry, plan->name));
    assert(plan->type != FX_FAMILY_HISTOGRAM || plan->buckets != NULL);
    struct fx_family *family = calloc(1, sizeof *family);
    struct fx_labels *labels =
        plan->labels != NULL ? plan->labels : known_labels(registry, plan);
    if (family == NULL || labels == NULL) {
        free(family);
        return NULL;
    }
    family->plan = *plan;
    family->labels = labels;
    family->n_threads = is_for_all(plan) ? registry->n_threads : 1;
    family->stride = plan->type == FX_FAMILY_HISTOGRAM ? plan->buckets->n_bounds + 2 : 1;
    if (!give_cells(family)) {
        destroy_family(family);
        return NULL;
    }
    family->next_sharer = labels->sharers;
    labels->sharers = family;
    *registry->last = family;
    registry->last = &family->next;
    return family;
}

/* ---- counting --------------------------------------------------------------------- */

/* The cells of this thread. */
static struct fx_metric_value *mine(const struct fx_family *family) {
    assert(me < family->n_threads);
    return family->cells[me];
}

void fx_family_count(struct fx_family *family, uint32_t series) {
    assert(family->plan.type == FX_FAMILY_COUNTER && series < family->labels->n_rows);
    add(&mine(family)[series], 1);
}

void fx_family_add(struct fx_family *family, uint32_t series, double amount) {
    assert(family->plan.type == FX_FAMILY_COUNTER && series < family->labels->n_rows);
    assert(amount >= 0);
    add(&mine(family)[series], amount);
}

void fx_family_set(struct fx_family *family, uint32_t series, double value) {
    assert(family->plan.type != FX_FAMILY_HISTOGRAM && series < family->labels->n_rows);
    assert(me == 0);
    store(&family->cells[0][series], value);
}

void fx_family_observe(struct fx_family *family, uint32_t series, double value) {
    assert(family->plan.type == FX_FAMILY_HISTOGRAM && series < family->labels->n_rows);
    const struct fx_buckets *buckets = family->plan.buckets;
    struct fx_metric_value *cells = mine(family) + series * family->stride;
    size_t bucket = 0;
    while (bucket < buckets->n_bounds && value > buckets->bounds[bucket]) {
        bucket++;
    }
    add(&cells[bucket], 1);
    add(&cells[buckets->n_bounds + 1], value);
}
