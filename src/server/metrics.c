/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics.c - the registry: families from the list, values in plain arrays.
 */
#include "server/metrics.h"

#include <assert.h>
#include <stddef.h>

#include "admission/review.h"
#include "server/external_calls.h"
#include "server/reload.h"

enum type { COUNTER, GAUGE, HISTOGRAM };

static const char *const type_names[] = {
    [COUNTER] = "counter",
    [GAUGE] = "gauge",
    [HISTOGRAM] = "histogram",
};

#define NONE \
    { "" }
#define MUTATION_STATUSES \
    { "success", "skip", "error", "unknown" }
#define SUCCESSES \
    { "true", "false" }
#define MUTATOR_STATUSES \
    { "active", "error" }
#define VERSIONS \
    { FX_VERSION }
#define WORD(name, text) text,
#define DECISIONS \
    { FX_DECISIONS(WORD) }
#define EXTERNAL_RESULTS \
    { FX_EXTERNAL_RESULTS(WORD) }
#define RELOAD_RESULTS \
    { FX_RELOAD_RESULTS(WORD) }

static const struct family {
    enum type type;
    const char *name, *key, *help;
    const char *values[FX_METRIC_LABELS]; /* NULL after the last */
} families[] = {
#define X(type, id, name, key, values, help) {type, name, key, help, values},
    FX_METRICS(X)
#undef X
};

/* The buckets of Gatekeeper, spec section 9. */
static const double seconds[] = {
    .001, .002, .003, .004, .005, .006, .007, .008, .009, .01, .1, 1,   1.5, 2,   2.5,
    3,    3.5,  4,    4.5,  5,    5.5,  6,    6.5,  7,    7.5, 8,  8.5, 9,   9.5, 10};
static const double passes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 500};

static const struct scale {
    enum fx_metric metric;
    const double *bounds;
    size_t n_bounds;
} scales[FX_METRIC_HISTOGRAMS] = {
    {FX_METRIC_MUTATION_SECONDS, seconds, FX_COUNT(seconds)},
    {FX_METRIC_ITERATIONS, passes, FX_COUNT(passes)},
    {FX_METRIC_EXTERNAL_SECONDS, seconds, FX_COUNT(seconds)},
};

_Static_assert(FX_COUNT(seconds) < FX_METRIC_BUCKETS, "one more is for +Inf");

static size_t scale_of(enum fx_metric metric) {
    size_t i = 0;
    while (scales[i].metric != metric) {
        i++;
        assert(i < FX_METRIC_HISTOGRAMS);
    }
    return i;
}

void fx_metrics_init(struct fx_metrics *metrics) {
    *metrics = (struct fx_metrics){0};
    fx_metrics_set(metrics, FX_METRIC_BUILD, 0, 1);
}

void fx_metrics_count(struct fx_metrics *metrics, enum fx_metric metric, unsigned label) {
    assert(families[metric].type == COUNTER && label < FX_METRIC_LABELS);
    metrics->values[metric][label] += 1;
}

void fx_metrics_set(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                    double value) {
    assert(families[metric].type != HISTOGRAM && label < FX_METRIC_LABELS);
    metrics->values[metric][label] = value;
}

void fx_metrics_observe(struct fx_metrics *metrics, enum fx_metric metric, unsigned label,
                        double value) {
    assert(families[metric].type == HISTOGRAM && label < FX_METRIC_LABELS);
    const size_t which = scale_of(metric);
    struct fx_metric_histogram *histogram = &metrics->histograms[which][label];
    size_t bucket = 0;
    while (bucket < scales[which].n_bounds && value > scales[which].bounds[bucket]) {
        bucket++;
    }
    histogram->buckets[bucket]++;
    histogram->count++;
    histogram->sum += value;
}

/* {key="value"}, or nothing. */
static void print_label(const struct family *family, size_t label, struct fx_buf *buf) {
    if (family->key[0] != '\0') {
        fx_buf_printf(buf, "{%s=\"%s\"}", family->key, family->values[label]);
    }
}

static void print_histogram(const struct family *family, size_t label,
                            const struct scale *scale,
                            const struct fx_metric_histogram *histogram,
                            struct fx_buf *buf) {
    uint64_t below = 0;
    for (size_t i = 0; i < scale->n_bounds; i++) {
        below += histogram->buckets[i];
        fx_buf_printf(buf, "%s_bucket{%s=\"%s\",le=\"%g\"} %llu\n", family->name,
                      family->key, family->values[label], scale->bounds[i],
                      (unsigned long long)below);
    }
    fx_buf_printf(buf, "%s_bucket{%s=\"%s\",le=\"+Inf\"} %llu\n", family->name,
                  family->key, family->values[label],
                  (unsigned long long)histogram->count);
    fx_buf_printf(buf, "%s_sum", family->name);
    print_label(family, label, buf);
    fx_buf_printf(buf, " %.9g\n%s_count", histogram->sum, family->name);
    print_label(family, label, buf);
    fx_buf_printf(buf, " %llu\n", (unsigned long long)histogram->count);
}

static void print_value(const struct family *family, size_t label, double value,
                        struct fx_buf *buf) {
    fx_buf_str(buf, family->name);
    print_label(family, label, buf);
    fx_buf_printf(buf, " %.15g\n", value);
}

void fx_metrics_print(const struct fx_metrics *metrics, struct fx_buf *buf) {
    for (size_t i = 0; i < FX_METRIC_COUNT; i++) {
        const struct family *family = &families[i];
        fx_buf_printf(buf, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help,
                      family->name, type_names[family->type]);
        for (size_t label = 0; label < FX_METRIC_LABELS && family->values[label] != NULL;
             label++) {
            if (family->type == HISTOGRAM) {
                const size_t which = scale_of((enum fx_metric)i);
                print_histogram(family, label, &scales[which],
                                &metrics->histograms[which][label], buf);
            } else {
                print_value(family, label, metrics->values[i][label], buf);
            }
        }
    }
}
