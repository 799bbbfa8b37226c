/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry.c - families, and counting: values in arrays, one array for each
 * thread, on separate cache lines; printing.
 */
#include "metrics/registry.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "metrics/registry_internal.h"

#define CACHE_LINE 64u

/* The number of this thread (fx_registry_set_thread()). */
static _Thread_local unsigned this_thread;

void fx_registry_set_thread(unsigned thread) {
    this_thread = thread;
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
    for (size_t i = 0; family->values != NULL && i < family->n_threads; i++) {
        free(family->values[i]);
    }
    free(family->values);
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

/* Creates the fixed labels of the options. NULL if out of memory. */
static struct fx_labels *fixed_labels(struct fx_registry *registry,
                                      const struct fx_family_options *options) {
    size_t n_values = options->key == NULL ? 1 : 0;
    while (options->key != NULL && options->values[n_values] != NULL) {
        n_values++;
    }
    struct fx_labels *labels =
        fx_labels_create(&options->key, options->key == NULL ? 0 : 1, n_values);
    bool ok = labels != NULL;
    for (size_t i = 0; ok && i < n_values; i++) {
        const struct fx_text value =
            options->key == NULL ? (struct fx_text){0} : fx_text_of(options->values[i]);
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

static double load(const struct fx_metric_value *at) {
    return atomic_load_explicit(&at->value, memory_order_relaxed);
}

static void store(struct fx_metric_value *at, double value) {
    atomic_store_explicit(&at->value, value, memory_order_relaxed);
}

/* A thread with a number above 0 is the only writer of its values. Those of number 0 have
 * several writers, such as the worker threads of libuv. */
static void add_value(struct fx_metric_value *at, double amount) {
    double before = load(at);
    if (this_thread > 0) {
        store(at, before + amount);
        return;
    }
    while (!atomic_compare_exchange_weak_explicit(&at->value, &before, before + amount,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

void fx_family_reset(struct fx_family *family, uint32_t series) {
    const double zero = family->options.type == FX_FAMILY_GAUGE ? (double)NAN : 0;
    for (size_t thread = 0; thread < family->n_threads; thread++) {
        struct fx_metric_value *first = family->values[thread] + series * family->stride;
        for (size_t i = 0; i < family->stride; i++) {
            store(&first[i], zero);
        }
    }
}

/* The sum of a value over all threads. */
static double sum_of(const struct fx_family *family, size_t index) {
    double sum = 0;
    for (size_t thread = 0; thread < family->n_threads; thread++) {
        sum += load(&family->values[thread][index]);
    }
    return sum;
}

static bool is_new(const struct fx_registry *registry, const char *name) {
    for (const struct fx_family *f = registry->families; f != NULL; f = f->next) {
        if (strcmp(f->options.name, name) == 0) {
            return false;
        }
    }
    return true;
}

/* Allocates `n` values, padded so that no cache line has values of two threads. */
static struct fx_metric_value *allocate_values(size_t n) {
    return malloc(n * sizeof(struct fx_metric_value) + CACHE_LINE);
}

static bool create_values(struct fx_family *family) {
    const struct fx_labels *labels = family->labels;
    family->values = calloc(family->n_threads, sizeof *family->values);
    for (size_t i = 0; family->values != NULL && i < family->n_threads; i++) {
        family->values[i] = allocate_values(labels->cap_rows * family->stride);
        if (family->values[i] == NULL) {
            return false;
        }
    }
    for (size_t i = 0; family->values != NULL && i < labels->n_rows; i++) {
        fx_family_reset(family, (uint32_t)i);
    }
    return family->values != NULL;
}

/* May every thread count into the family? */
static bool is_per_thread(const struct fx_family_options *options) {
    return options->type != FX_FAMILY_GAUGE && options->labels == NULL;
}

struct fx_family *fx_registry_add(struct fx_registry *registry,
                                  const struct fx_family_options *options) {
    assert(is_new(registry, options->name));
    assert(options->type != FX_FAMILY_HISTOGRAM || options->buckets != NULL);
    struct fx_family *family = calloc(1, sizeof *family);
    struct fx_labels *labels =
        options->labels != NULL ? options->labels : fixed_labels(registry, options);
    if (family == NULL || labels == NULL) {
        free(family);
        return NULL;
    }
    family->options = *options;
    family->labels = labels;
    family->n_threads = is_per_thread(options) ? registry->n_threads : 1;
    family->stride =
        options->type == FX_FAMILY_HISTOGRAM ? options->buckets->n_bounds + 2 : 1;
    if (!create_values(family)) {
        destroy_family(family);
        return NULL;
    }
    family->next_of_labels = labels->families;
    labels->families = family;
    *registry->last = family;
    registry->last = &family->next;
    return family;
}

/* ---- counting --------------------------------------------------------------------- */

/* The values of this thread. */
static struct fx_metric_value *own_values(const struct fx_family *family) {
    assert(this_thread < family->n_threads);
    return family->values[this_thread];
}

void fx_family_count(struct fx_family *family, uint32_t series) {
    assert(family->options.type == FX_FAMILY_COUNTER && series < family->labels->n_rows);
    add_value(&own_values(family)[series], 1);
}

void fx_family_add(struct fx_family *family, uint32_t series, double amount) {
    assert(family->options.type == FX_FAMILY_COUNTER && series < family->labels->n_rows);
    assert(amount >= 0);
    add_value(&own_values(family)[series], amount);
}

void fx_family_set(struct fx_family *family, uint32_t series, double value) {
    assert(family->options.type != FX_FAMILY_HISTOGRAM &&
           series < family->labels->n_rows);
    assert(this_thread == 0);
    store(&family->values[0][series], value);
}

void fx_family_observe(struct fx_family *family, uint32_t series, double value) {
    assert(family->options.type == FX_FAMILY_HISTOGRAM &&
           series < family->labels->n_rows);
    const struct fx_buckets *buckets = family->options.buckets;
    struct fx_metric_value *first = own_values(family) + series * family->stride;
    size_t bucket = 0;
    while (bucket < buckets->n_bounds && value > buckets->bounds[bucket]) {
        bucket++;
    }
    add_value(&first[bucket], 1);
    add_value(&first[buckets->n_bounds + 1], value);
}

/* ---- printing ----
 *
 * Prometheus' text format 0.0.4:
 *
 *   # HELP name A sentence.
 *   # TYPE name counter
 *   name{label="value"} 5
 */

static const char *const type_names[] = {FX_FAMILY_TYPES(FX_WORD)};

/* name{labels} value, or name value */
static void print_sample(const char *name, const char *suffix, const char *row,
                         double value, struct fx_buf *buf) {
    fx_buf_str(buf, name);
    fx_buf_str(buf, suffix);
    if (row[0] != '\0') {
        fx_buf_printf(buf, "{%s}", row);
    }
    fx_buf_printf(buf, " %.15g\n", value);
}

static void print_bucket(const struct fx_family *family, const char *row, double bound,
                         double below, struct fx_buf *buf) {
    fx_buf_printf(buf, "%s_bucket{%s%sle=\"", family->options.name, row,
                  row[0] == '\0' ? "" : ",");
    if (isinf(bound)) {
        fx_buf_str(buf, "+Inf");
    } else {
        fx_buf_printf(buf, "%g", bound);
    }
    fx_buf_printf(buf, "\"} %.15g\n", below);
}

static void print_histogram(const struct fx_family *family, const char *row, size_t index,
                            struct fx_buf *buf) {
    const struct fx_buckets *buckets = family->options.buckets;
    double below = 0;
    for (size_t i = 0; i < buckets->n_bounds; i++) {
        below += sum_of(family, index + i);
        print_bucket(family, row, buckets->bounds[i], below, buf);
    }
    below += sum_of(family, index + buckets->n_bounds);
    print_bucket(family, row, (double)INFINITY, below, buf);
    print_sample(family->options.name, "_sum", row,
                 sum_of(family, index + buckets->n_bounds + 1), buf);
    print_sample(family->options.name, "_count", row, below, buf);
}

static void print_family(const struct fx_family *family, struct fx_buf *buf) {
    const struct fx_family_options *options = &family->options;
    const struct fx_labels *labels = family->labels;
    fx_buf_printf(buf, "# HELP %s %s\n# TYPE %s %s\n", options->name, options->help,
                  options->name, type_names[options->type]);
    for (size_t i = 0; i < labels->n_order; i++) {
        const uint32_t series = labels->order[i];
        const char *row = labels->rows[series];
        const size_t index = series * family->stride;
        const double value = sum_of(family, index);
        if (options->type == FX_FAMILY_HISTOGRAM) {
            print_histogram(family, row, index, buf);
        } else if (!isnan(value)) {
            print_sample(options->name, "", row, value, buf);
        }
    }
}

void fx_registry_print(struct fx_registry *registry, struct fx_buf *buf) {
    for (size_t i = 0; i < registry->n_readers; i++) {
        registry->readers[i].read(registry->readers[i].user);
    }
    for (const struct fx_family *f = registry->families; f != NULL; f = f->next) {
        print_family(f, buf);
    }
}
