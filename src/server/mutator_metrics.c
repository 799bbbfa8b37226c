/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutator_metrics.c - a series for each mutator of the snapshot in force.
 */
#include "server/mutator_metrics.h"

#include <stdlib.h>

static const char *const keys[] = {"group", "kind", "name"};

#define N_KEYS FX_COUNT(keys)

/* id, name, help */
#define FAMILIES(X)                                                                      \
    X(MATCHED, "fixpoint_mutator_matched_total", "Reviews that a mutator matched.")      \
    X(APPLIED, "fixpoint_mutator_applied_total",                                         \
      "Reviews in which a mutator found its location and its tests held.")               \
    X(CHANGED, "fixpoint_mutator_changed_total",                                         \
      "Reviews whose object a mutator changed.")                                         \
    X(DENIED, "fixpoint_mutator_denied_total", "Reviews whose object a policy refused.") \
    X(ERRORS, "fixpoint_mutator_errors_total",                                           \
      "Reviews that failed because of a mutator.")                                       \
    X(LEFT_OUT, "fixpoint_mutator_left_out_total",                                       \
      "Reviews that a mutator was left out of, since it failed.")                        \
    X(SECONDS, "fixpoint_mutator_seconds_total", "Time spent in a mutator, in seconds.")

enum {
#define X(id, name, help) id,
    FAMILIES(X)
#undef X
        N_FAMILIES
};

struct fx_mutator_metrics {
    struct fx_labels *labels;
    struct fx_family *families[N_FAMILIES];
    struct fx_snapshot *snapshot; /* counted; NULL: none yet */
    uint32_t *series;             /* of its mutators, by index */

    size_t max; /* series of each table */
    /* By namespace: of the policies that live in one. */
    struct fx_labels *namespaces;
    struct fx_family *namespace_seconds;
};

static bool add_namespaces(struct fx_mutator_metrics *metrics,
                           struct fx_registry *registry, size_t max_namespaces) {
    static const char *const key[] = {"namespace"};
    metrics->namespaces = fx_registry_add_labels(registry, key, 1, max_namespaces);
    if (metrics->namespaces == NULL) {
        return false;
    }
    const struct fx_family_options plan = {
        .type = FX_FAMILY_COUNTER,
        .name = "fixpoint_namespace_policies_seconds_total",
        .help = "Time that reviews spent in the policies of a namespace, in seconds.",
        .labels = metrics->namespaces,
    };
    metrics->namespace_seconds = fx_registry_add(registry, &plan);
    return metrics->namespace_seconds != NULL;
}

struct fx_mutator_metrics *fx_mutator_metrics_create(struct fx_registry *registry,
                                                     size_t max_mutators) {
    static const char *const words[N_FAMILIES][2] = {
#define X(id, name, help) {name, help},
        FAMILIES(X)
#undef X
    };
    struct fx_mutator_metrics *metrics = calloc(1, sizeof *metrics);
    if (metrics == NULL) {
        return NULL;
    }
    metrics->max = max_mutators;
    metrics->labels = fx_registry_add_labels(registry, keys, N_KEYS, max_mutators);
    bool ok = metrics->labels != NULL;
    for (size_t i = 0; ok && i < N_FAMILIES; i++) {
        const struct fx_family_options plan = {
            .type = FX_FAMILY_COUNTER,
            .name = words[i][0],
            .help = words[i][1],
            .labels = metrics->labels,
        };
        metrics->families[i] = fx_registry_add(registry, &plan);
        ok = metrics->families[i] != NULL;
    }
    if (!ok || !add_namespaces(metrics, registry, max_mutators)) {
        free(metrics);
        return NULL;
    }
    return metrics;
}

void fx_mutator_metrics_destroy(struct fx_mutator_metrics *metrics) {
    if (metrics != NULL) {
        fx_snapshot_unref(metrics->snapshot);
        free(metrics->series);
        free(metrics);
    }
}

/* ---- which series there are ------------------------------------------------------ */

static void values_of(const struct fx_mutator *mutator, struct fx_text values[N_KEYS]) {
    values[0] = fx_text_of(mutator->group);
    values[1] = fx_text_of(mutator->kind);
    values[2] = fx_text_of(mutator->full_name);
}

/* What both snapshots have keeps its series. Both are in the order of a pass. */
static void carry_over(const struct fx_mutator_metrics *metrics,
                       const struct fx_snapshot *next, uint32_t *series) {
    const struct fx_snapshot *last = metrics->snapshot;
    size_t at = 0;
    for (size_t i = 0; last != NULL && i < next->n_mutators; i++) {
        int order = -1;
        while (at < last->n_mutators && order < 0) {
            order = fx_mutator_compare(last->mutators[at], next->mutators[i]);
            at += order < 0;
        }
        if (order == 0) {
            series[i] = metrics->series[at];
        }
    }
}

/* The series of the namespace that a mutator lives in, FX_SERIES_OTHER where there is
 * none. */
static uint32_t find_namespace(const struct fx_mutator_metrics *metrics,
                               const struct fx_mutator *mutator) {
    uint32_t series = FX_SERIES_OTHER;
    if (mutator->namespace_ == NULL) {
        return FX_SERIES_OTHER;
    }
    const struct fx_text value = fx_text_of(mutator->namespace_);
    return fx_labels_find(metrics->namespaces, &value, &series) ? series
                                                                : FX_SERIES_OTHER;
}

/* The namespaces of which the next snapshot has no policy any more lose their series.
 * Without memory they keep them. */
static void drop_namespaces(struct fx_mutator_metrics *metrics,
                            const struct fx_snapshot *next) {
    const struct fx_snapshot *last = metrics->snapshot;
    bool *stays = last == NULL ? NULL : calloc(metrics->max + 1, sizeof *stays);
    if (stays == NULL) {
        return;
    }
    stays[FX_SERIES_OTHER] = true;
    for (size_t i = 0; i < next->n_mutators; i++) {
        stays[find_namespace(metrics, next->mutators[i])] = true;
    }
    for (size_t i = 0; i < last->n_mutators; i++) {
        const uint32_t series = find_namespace(metrics, last->mutators[i]);
        if (!stays[series]) {
            fx_labels_drop(metrics->namespaces, series);
        }
    }
    free(stays);
}

/* Those who left make room before anybody new comes. False without memory. */
static bool drop_the_gone(struct fx_mutator_metrics *metrics, const uint32_t *series,
                          size_t n_series) {
    const size_t n = metrics->snapshot == NULL ? 0 : metrics->snapshot->n_mutators;
    uint32_t last = FX_SERIES_OTHER;
    for (size_t i = 0; i < n; i++) {
        last = metrics->series[i] > last ? metrics->series[i] : last;
    }
    bool *stays = calloc((size_t)last + 1, sizeof *stays);
    if (stays == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_series; i++) {
        stays[series[i]] = true;
    }
    for (size_t i = 0; i < n; i++) {
        if (!stays[metrics->series[i]]) {
            fx_labels_drop(metrics->labels, metrics->series[i]);
            stays[metrics->series[i]] = true; /* names that are cut can share one */
        }
    }
    free(stays);
    return true;
}

static uint32_t get(struct fx_mutator_metrics *metrics,
                    const struct fx_mutator *mutator) {
    struct fx_text values[N_KEYS];
    if (fx_labels_is_full(metrics->labels)) {
        return fx_labels_other(metrics->labels);
    }
    values_of(mutator, values);
    return fx_labels_get(metrics->labels, values);
}

void fx_mutator_metrics_set_snapshot(struct fx_mutator_metrics *metrics,
                                     struct fx_snapshot *snapshot) {
    uint32_t *series = calloc(snapshot->n_mutators + 1, sizeof *series);
    if (series != NULL) {
        carry_over(metrics, snapshot, series);
    }
    if (series == NULL || !drop_the_gone(metrics, series, snapshot->n_mutators)) {
        free(series); /* until the next one, names are looked up for each review */
        return;
    }
    drop_namespaces(metrics, snapshot);
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (series[i] == FX_SERIES_OTHER) {
            series[i] = get(metrics, snapshot->mutators[i]);
        }
    }
    fx_snapshot_unref(metrics->snapshot);
    free(metrics->series);
    metrics->snapshot = fx_snapshot_ref(snapshot);
    metrics->series = series;
}

/* ---- counting -------------------------------------------------------------------- */

static uint32_t series_of(struct fx_mutator_metrics *metrics,
                          const struct fx_mutator_counts *counts, size_t row) {
    const struct fx_snapshot *snapshot = counts->snapshot;
    if (row == fx_mutator_counts_size(counts)) {
        return fx_labels_other(metrics->labels);
    }
    if (snapshot == metrics->snapshot) {
        return metrics->series[row];
    }
    struct fx_text values[N_KEYS];
    uint32_t series = FX_SERIES_OTHER;
    values_of(snapshot->mutators[row], values);
    return fx_labels_find(metrics->labels, values, &series)
               ? series
               : fx_labels_other(metrics->labels);
}

/* Also where the policy is one of an earlier snapshot. */
static void add_namespace_seconds(struct fx_mutator_metrics *metrics,
                                  const struct fx_mutator_counts *counts, size_t row,
                                  uint64_t ns) {
    const char *namespace_ = row == fx_mutator_counts_size(counts)
                                 ? NULL
                                 : counts->snapshot->mutators[row]->namespace_;
    uint32_t series = FX_SERIES_OTHER;
    if (namespace_ == NULL) {
        series = fx_labels_other(metrics->namespaces);
    } else {
        const struct fx_text value = fx_text_of(namespace_);
        series = fx_labels_get(metrics->namespaces, &value);
    }
    fx_family_add(metrics->namespace_seconds, series, (double)ns * 1e-9);
}

/* What came since the last time; most mutators match nothing. */
static void take_row(struct fx_mutator_metrics *metrics, struct fx_mutator_counts *counts,
                     size_t row) {
    static const unsigned families[FX_MUTATOR_SHARE_NS] = {
        [FX_MUTATOR_MATCHED] = MATCHED, [FX_MUTATOR_APPLIED] = APPLIED,
        [FX_MUTATOR_CHANGED] = CHANGED, [FX_MUTATOR_DENIED] = DENIED,
        [FX_MUTATOR_ERRORS] = ERRORS,   [FX_MUTATOR_SKIPPED] = LEFT_OUT,
        [FX_MUTATOR_NS] = SECONDS,
    };
    uint64_t news[FX_MUTATOR_SHARE_NS];
    uint64_t any = 0;
    const uint64_t share_ns =
        fx_mutator_counts_collect(&counts->rows[row], FX_MUTATOR_SHARE_NS);
    if (share_ns > 0) {
        add_namespace_seconds(metrics, counts, row, share_ns);
    }
    for (unsigned i = 0; i < FX_MUTATOR_SHARE_NS; i++) {
        news[i] = fx_mutator_counts_collect(&counts->rows[row], (enum fx_mutator_count)i);
        any |= news[i];
    }
    if (any == 0) {
        return;
    }
    const uint32_t series = series_of(metrics, counts, row);
    for (unsigned i = 0; i < FX_MUTATOR_SHARE_NS; i++) {
        const double scale = i == FX_MUTATOR_NS ? 1e-9 : 1;
        fx_family_add(metrics->families[families[i]], series, (double)news[i] * scale);
    }
}

void fx_mutator_metrics_collect(struct fx_mutator_metrics *metrics,
                                struct fx_mutator_counts *counts) {
    for (size_t i = 0; i <= fx_mutator_counts_size(counts); i++) {
        take_row(metrics, counts, i);
    }
}
