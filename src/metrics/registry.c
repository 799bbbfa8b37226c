/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry.c - families, and counting: values in plain arrays.
 */
#include "metrics/registry.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "metrics/registry_internal.h"

struct fx_registry *fx_registry_create(void) {
    struct fx_registry *registry = calloc(1, sizeof *registry);
    if (registry != NULL) {
        registry->last = &registry->families;
    }
    return registry;
}

void fx_registry_destroy(struct fx_registry *registry) {
    if (registry == NULL) {
        return;
    }
    for (struct fx_family *next = NULL, *f = registry->families; f != NULL; f = next) {
        next = f->next;
        free(f->cells);
        free(f);
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
                                      const struct fx_family_plan *plan) {
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

void fx_family_reset(struct fx_family *family, uint32_t series) {
    double *cells = family->cells + series * family->stride;
    for (size_t i = 0; i < family->stride; i++) {
        cells[i] = family->plan.type == FX_FAMILY_GAUGE ? (double)NAN : 0;
    }
}

static bool is_new(const struct fx_registry *registry, const char *name) {
    for (const struct fx_family *f = registry->families; f != NULL; f = f->next) {
        if (strcmp(f->plan.name, name) == 0) {
            return false;
        }
    }
    return true;
}

static bool give_cells(struct fx_family *family) {
    const struct fx_labels *labels = family->labels;
    family->cells = calloc(labels->cap_rows * family->stride, sizeof *family->cells);
    for (size_t i = 0; family->cells != NULL && i < labels->n_rows; i++) {
        fx_family_reset(family, (uint32_t)i);
    }
    return family->cells != NULL;
}

struct fx_family *fx_registry_add(struct fx_registry *registry,
                                  const struct fx_family_plan *plan) {
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
    family->stride = plan->type == FX_FAMILY_HISTOGRAM ? plan->buckets->n_bounds + 2 : 1;
    if (!give_cells(family)) {
        free(family);
        return NULL;
    }
    family->next_sharer = labels->sharers;
    labels->sharers = family;
    *registry->last = family;
    registry->last = &family->next;
    return family;
}

/* ---- counting --------------------------------------------------------------------- */

void fx_family_count(struct fx_family *family, uint32_t series) {
    assert(family->plan.type == FX_FAMILY_COUNTER && series < family->labels->n_rows);
    family->cells[series] += 1;
}

void fx_family_add(struct fx_family *family, uint32_t series, double amount) {
    assert(family->plan.type == FX_FAMILY_COUNTER && series < family->labels->n_rows);
    assert(amount >= 0);
    family->cells[series] += amount;
}

void fx_family_set(struct fx_family *family, uint32_t series, double value) {
    assert(family->plan.type != FX_FAMILY_HISTOGRAM && series < family->labels->n_rows);
    family->cells[series] = value;
}

void fx_family_observe(struct fx_family *family, uint32_t series, double value) {
    assert(family->plan.type == FX_FAMILY_HISTOGRAM && series < family->labels->n_rows);
    const struct fx_buckets *buckets = family->plan.buckets;
    double *cells = family->cells + series * family->stride;
    size_t bucket = 0;
    while (bucket < buckets->n_bounds && value > buckets->bounds[bucket]) {
        bucket++;
    }
    cells[bucket] += 1;
    cells[buckets->n_bounds + 1] += value;
}
