/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry.c - families, labels and counting: values in arrays, one array for
 * each thread, on separate cache lines; printing. Label values are kept as text, which is
 * the key, the sort key and the printed form.
 */
#include "metrics/registry.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/vec.h"

#define CACHE_LINE   64u
#define INITIAL_ROOM 8u

/* Written by one thread, read by any thread. */
struct fx_metric_value {
    _Atomic(double) value;
};

struct fx_family {
    struct fx_family_options options;
    struct fx_labels *labels;
    /* By thread (one only for gauges and dynamic labels): `stride` values for each series
     * that `labels` has room for. */
    struct fx_metric_value **values;
    size_t n_threads;
    size_t stride;                    /* 1; for a histogram: buckets, +Inf and the sum */
    struct fx_family *next;           /* in the order of adding */
    struct fx_family *next_of_labels; /* with the same labels */
};

struct fx_labels {
    const char *keys[FX_LABELS_KEYS];
    size_t n_keys;
    size_t max;              /* series, not counting OTHER */
    char **rows;             /* by series: `kind="Assign",name="a"`; NULL: unused */
    size_t n_rows, cap_rows; /* their families have values for cap_rows */
    size_t n_free;           /* unused rows below n_rows */
    uint32_t *order;         /* the printed series, sorted by row */
    size_t n_order;
    struct fx_family *families;
    struct fx_labels *next;
};

struct fx_registry {
    size_t n_threads;
    struct fx_family *families, **last;
    struct fx_labels *labels;
    struct reader {
        void (*read)(void *user);
        void *user;
    } *readers;
    size_t n_readers, cap_readers;
};

/* The number of this thread (fx_registry_set_thread()). */
static _Thread_local unsigned this_thread;

void fx_registry_set_thread(unsigned thread) {
    this_thread = thread;
}

/* ---- values ------------------------------------------------------------------------ */

static double load_value(const struct fx_metric_value *at) {
    return atomic_load_explicit(&at->value, memory_order_relaxed);
}

static void store(struct fx_metric_value *at, double value) {
    atomic_store_explicit(&at->value, value, memory_order_relaxed);
}

static void reset_family(struct fx_family *family, uint32_t series) {
    const double zero = family->options.type == FX_FAMILY_GAUGE ? (double)NAN : 0;
    for (size_t thread = 0; thread < family->n_threads; thread++) {
        struct fx_metric_value *first = family->values[thread] + series * family->stride;
        for (size_t i = 0; i < family->stride; i++) {
            store(&first[i], zero);
        }
    }
}

/* ---- the text of a row ------------------------------------------------------------ */

/* Writes a label value in the format: well-formed UTF-8, with `\`, `"` and line ends
 * escaped. */
static void print_value(struct fx_text value, struct fx_buf *buf) {
    if (value.len > FX_LABEL_BYTES) {
        value.len = fx_text_rune_floor(value.data, FX_LABEL_BYTES);
    }
    while (value.len > 0) {
        uint32_t rune = 0;
        char bytes[4];
        const size_t length = fx_text_rune(value, &rune);
        if (rune == '\n') {
            fx_buf_str(buf, "\\n");
        } else {
            if (rune == '"' || rune == '\\') {
                fx_buf_char(buf, '\\');
            }
            fx_buf_add(buf, bytes, fx_text_encode_rune(rune, bytes));
        }
        value.data += length;
        value.len -= length;
    }
}

/* NULL if out of memory. */
static char *print_row(const struct fx_labels *labels, const struct fx_text *values) {
    struct fx_buf row = {0};
    for (size_t i = 0; i < labels->n_keys; i++) {
        fx_buf_printf(&row, "%s%s=\"", i == 0 ? "" : ",", labels->keys[i]);
        print_value(values[i], &row);
        fx_buf_char(&row, '"');
    }
    return fx_buf_steal(&row);
}

/* ---- the order -------------------------------------------------------------------- */

struct row_key {
    const struct fx_labels *labels;
    const char *row;
};

static int compare_rows(const void *key, const void *item) {
    const struct row_key *wanted = key;
    const uint32_t *series = item;
    return strcmp(wanted->row, wanted->labels->rows[*series]);
}

/* The position of the row in the order, or where it would be inserted. */
static size_t find_row(const struct fx_labels *labels, const char *row, bool *ret_found) {
    const struct row_key key = {labels, row};
    return fx_sorted_find(labels->order, labels->n_order, sizeof *labels->order, &key,
                          compare_rows, ret_found);
}

static void insert_row(struct fx_labels *labels, uint32_t series, size_t at) {
    FX_SORTED_INSERT(labels->order, labels->n_order, at);
    labels->order[at] = series;
}

/* ---- room ------------------------------------------------------------------------- */

/* Families of dynamic labels have values for the first thread only. */
static bool grow_values(struct fx_family *family, size_t room) {
    assert(family->n_threads == 1);
    struct fx_metric_value *moved =
        realloc(family->values[0], room * family->stride * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    family->values[0] = moved;
    return true;
}

/* If only some families could grow, they have more room than needed. */
static bool grow_labels(struct fx_labels *labels, size_t room) {
    assert(room > 0);
    char **rows = realloc(labels->rows, room * sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    labels->rows = rows;
    uint32_t *order = realloc(labels->order, room * sizeof *order);
    if (order == NULL) {
        return false;
    }
    labels->order = order;
    for (struct fx_family *f = labels->families; f != NULL; f = f->next_of_labels) {
        if (!grow_values(f, room)) {
            return false;
        }
    }
    labels->cap_rows = room;
    return true;
}

/* An unused series, or the next new one. */
static bool find_free(struct fx_labels *labels, uint32_t *ret_series) {
    if (labels->n_free > 0) {
        uint32_t series = FX_SERIES_OTHER + 1;
        while (labels->rows[series] != NULL) {
            series++;
        }
        labels->n_free--;
        *ret_series = series;
        return true;
    }
    if (labels->n_rows == labels->cap_rows &&
        !grow_labels(labels, labels->cap_rows * 2)) {
        return false;
    }
    *ret_series = (uint32_t)labels->n_rows++;
    return true;
}

/* ---- create and destroy ----------------------------------------------------------- */

static void labels_destroy(struct fx_labels *labels) {
    if (labels == NULL) {
        return;
    }
    for (size_t i = 0; i < labels->n_rows; i++) {
        free(labels->rows[i]);
    }
    free(labels->rows);
    free(labels->order);
    free(labels);
}

/* Creates labels with room for `room` series. NULL if out of memory. */
static struct fx_labels *labels_create(const char *const *keys, size_t n_keys,
                                       size_t room) {
    assert(n_keys <= FX_LABELS_KEYS);
    struct fx_labels *labels = calloc(1, sizeof *labels);
    if (labels == NULL || !grow_labels(labels, room)) {
        labels_destroy(labels);
        return NULL;
    }
    labels->n_keys = n_keys;
    for (size_t i = 0; i < n_keys; i++) {
        labels->keys[i] = keys[i];
    }
    return labels;
}

/* Appends a series with these values. False if out of memory. */
static bool labels_append(struct fx_labels *labels, const struct fx_text *values) {
    assert(labels->n_rows < labels->cap_rows);
    char *row = print_row(labels, values);
    if (row == NULL) {
        return false;
    }
    labels->rows[labels->n_rows] = row;
    insert_row(labels, (uint32_t)labels->n_rows, labels->n_order);
    labels->n_rows++;
    return true;
}

struct fx_labels *fx_registry_add_labels(struct fx_registry *registry,
                                         const char *const *keys, size_t n_keys,
                                         size_t max) {
    struct fx_labels *labels = labels_create(keys, n_keys, INITIAL_ROOM);
    if (labels == NULL) {
        return NULL;
    }
    const struct fx_text other = FX_TEXT("other");
    const struct fx_text values[FX_LABELS_KEYS] = {other, other, other, other};
    if (!labels_append(labels, values)) {
        labels_destroy(labels);
        return NULL;
    }
    labels->n_order = 0; /* FX_SERIES_OTHER is not printed before it is used */
    labels->max = max;
    labels->next = registry->labels;
    registry->labels = labels;
    return labels;
}

/* ---- series ----------------------------------------------------------------------- */

uint32_t fx_labels_other(struct fx_labels *labels) {
    bool found = false;
    const size_t at = find_row(labels, labels->rows[FX_SERIES_OTHER], &found);
    if (!found) {
        insert_row(labels, FX_SERIES_OTHER, at);
    }
    return FX_SERIES_OTHER;
}

bool fx_labels_is_full(const struct fx_labels *labels) {
    return labels->n_rows - 1 - labels->n_free >= labels->max;
}

/* Consumes the row. */
static uint32_t add_series(struct fx_labels *labels, char *row_take, size_t at) {
    uint32_t series = FX_SERIES_OTHER;
    if (fx_labels_is_full(labels) || !find_free(labels, &series)) {
        free(row_take);
        return fx_labels_other(labels);
    }
    labels->rows[series] = row_take;
    insert_row(labels, series, at);
    for (struct fx_family *f = labels->families; f != NULL; f = f->next_of_labels) {
        reset_family(f, series);
    }
    return series;
}

uint32_t fx_labels_get(struct fx_labels *labels, const struct fx_text *values) {
    char *row = print_row(labels, values);
    if (row == NULL || strcmp(row, labels->rows[FX_SERIES_OTHER]) == 0) {
        free(row);
        return fx_labels_other(labels);
    }
    bool found = false;
    const size_t at = find_row(labels, row, &found);
    if (!found) {
        return add_series(labels, row, at);
    }
    free(row);
    return labels->order[at];
}

bool fx_labels_find(const struct fx_labels *labels, const struct fx_text *values,
                    uint32_t *ret_series) {
    char *row = print_row(labels, values);
    bool found = false;
    const size_t at = row == NULL ? 0 : find_row(labels, row, &found);
    free(row);
    if (found) {
        *ret_series = labels->order[at];
    }
    return found;
}

void fx_labels_drop(struct fx_labels *labels, uint32_t series) {
    bool found = false;
    if (series == FX_SERIES_OTHER) {
        return;
    }
    assert(series < labels->n_rows && labels->rows[series] != NULL);
    const size_t at = find_row(labels, labels->rows[series], &found);
    assert(found);
    FX_SORTED_REMOVE(labels->order, labels->n_order, at);
    free(labels->rows[series]);
    labels->rows[series] = NULL;
    labels->n_free++;
}

/* ---- the registry ---------------------------------------------------------------- */

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
        labels_destroy(l);
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
        labels_create(&options->key, options->key == NULL ? 0 : 1, n_values);
    bool ok = labels != NULL;
    for (size_t i = 0; ok && i < n_values; i++) {
        const struct fx_text value =
            options->key == NULL ? (struct fx_text){0} : fx_text_of(options->values[i]);
        ok = labels_append(labels, &value);
    }
    if (!ok) {
        labels_destroy(labels);
        return NULL;
    }
    labels->next = registry->labels;
    registry->labels = labels;
    return labels;
}

/* A thread with a number above 0 is the only writer of its values. Those of number 0 have
 * several writers, such as the worker threads of libuv. */
static void add_value(struct fx_metric_value *at, double amount) {
    double before = load_value(at);
    if (this_thread > 0) {
        store(at, before + amount);
        return;
    }
    while (!atomic_compare_exchange_weak_explicit(&at->value, &before, before + amount,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

/* The sum of a value over all threads. */
static double sum_of(const struct fx_family *family, size_t index) {
    double sum = 0;
    for (size_t thread = 0; thread < family->n_threads; thread++) {
        sum += load_value(&family->values[thread][index]);
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
        reset_family(family, (uint32_t)i);
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
