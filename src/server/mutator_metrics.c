/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutator_metrics.c - counts by mutator, and a series for each mutator of the
 * active snapshot.
 */
#include "server/mutator_metrics.h"

#include <stdlib.h>

#include "base/sorted.h"

/* ---- the counts of one thread --------------------------------------------------- */

struct fx_mutator_counts *fx_mutator_counts_create(struct fx_snapshot *snapshot) {
    const size_t n_rows = (snapshot == NULL ? 0 : snapshot->n_mutators) + 1;
    struct fx_mutator_counts *counts =
        calloc(1, sizeof *counts + n_rows * sizeof counts->rows[0]);
    if (counts != NULL && snapshot != NULL) {
        counts->snapshot = fx_snapshot_ref(snapshot);
    }
    return counts;
}

void fx_mutator_counts_destroy(struct fx_mutator_counts *counts) {
    if (counts != NULL) {
        fx_snapshot_unref(counts->snapshot);
        free(counts);
    }
}

static size_t size_of(const struct fx_mutator_counts *counts) {
    return counts->snapshot == NULL ? 0 : counts->snapshot->n_mutators;
}

static int compare_mutator(const void *key, const void *item) {
    const struct fx_mutator *const *mutator = item;
    return fx_mutator_compare(key, *mutator);
}

/* Finds the row of a mutator. Mutators are sorted in the order of a pass. */
static struct fx_mutator_counts_row *find_row(struct fx_mutator_counts *counts,
                                              const struct fx_mutator *mutator) {
    const size_t n_mutators = size_of(counts);
    bool found = false;
    const size_t at = n_mutators == 0
                          ? 0
                          : fx_sorted_find(counts->snapshot->mutators, n_mutators,
                                           sizeof *counts->snapshot->mutators, mutator,
                                           compare_mutator, &found);
    return &counts->rows[found ? at : n_mutators];
}

/* Adds to a row that only this thread writes. */
static void add_count(struct fx_mutator_counts_row *row, enum fx_mutator_count count,
                      uint64_t amount) {
    const uint64_t total = atomic_load_explicit(&row->total[count], memory_order_relaxed);
    atomic_store_explicit(&row->total[count], total + amount, memory_order_relaxed);
}

/* The row of a mutator of the review's snapshot. */
static struct fx_mutator_counts_row *row_of(struct fx_mutator_counts *counts,
                                            const struct fx_snapshot *snapshot,
                                            uint32_t mutator) {
    return snapshot == counts->snapshot ? &counts->rows[mutator]
                                        : find_row(counts, snapshot->mutators[mutator]);
}

void fx_mutator_counts_record(struct fx_mutator_counts *counts,
                              const struct fx_snapshot *snapshot,
                              const struct fx_outcome *outcome) {
    static const enum fx_mutator_count of_action[] = {
        [FX_ACTION_DENY] = FX_MUTATOR_DENIED,
        [FX_ACTION_WARN] = FX_MUTATOR_WARNED,
        [FX_ACTION_AUDIT] = FX_MUTATOR_AUDITED,
    };
    if (outcome->share_ns > 0) {
        add_count(row_of(counts, snapshot, outcome->share_mutator), FX_MUTATOR_SHARE_NS,
                  outcome->share_ns);
    }
    for (size_t i = 0; i < outcome->n_stats; i++) {
        const struct fx_mutator_stats *entry = &outcome->stats[i];
        struct fx_mutator_counts_row *row = row_of(counts, snapshot, entry->mutator);
        add_count(row, FX_MUTATOR_MATCHED, entry->matched);
        add_count(row, FX_MUTATOR_APPLIED, entry->applied);
        add_count(row, FX_MUTATOR_CHANGED, entry->changed);
        if (entry->violated) {
            add_count(row, of_action[snapshot->mutators[entry->mutator]->run.action], 1);
        }
        add_count(row, FX_MUTATOR_ERRORS, entry->failed && !entry->skipped);
        add_count(row, FX_MUTATOR_SKIPPED, entry->skipped);
        add_count(row, FX_MUTATOR_NS, entry->ns);
    }
}

static uint64_t collect_count(struct fx_mutator_counts_row *row,
                              enum fx_mutator_count count) {
    const uint64_t total = atomic_load_explicit(&row->total[count], memory_order_relaxed);
    const uint64_t added = total - row->collected[count];
    if (added > 0) { /* rows that are never written take no memory */
        row->collected[count] = total;
    }
    return added;
}

/* ---- the metrics ---------------------------------------------------------------- */

static const char *const keys[] = {"group", "kind", "name"};

#define N_KEYS FX_COUNT(keys)

#define N_FAMILIES FX_MUTATOR_SHARE_NS

static const struct {
    const char *name, *help;
} texts[N_FAMILIES] = {
    [FX_MUTATOR_MATCHED] = {"fixpoint_mutator_matched_total",
                            "Reviews that a mutator matched."},
    [FX_MUTATOR_APPLIED] =
        {"fixpoint_mutator_applied_total",
         "Reviews in which a mutator found its location and its tests held."},
    [FX_MUTATOR_CHANGED] = {"fixpoint_mutator_changed_total",
                            "Reviews whose object a mutator changed."},
    [FX_MUTATOR_DENIED] = {"fixpoint_mutator_denied_total",
                           "Reviews whose object a policy denied."},
    [FX_MUTATOR_WARNED] = {"fixpoint_mutator_warned_total",
                           "Reviews that a policy allowed with a warning."},
    [FX_MUTATOR_AUDITED] = {"fixpoint_mutator_audited_total",
                            "Reviews that a policy allowed with an audit annotation."},
    [FX_MUTATOR_ERRORS] = {"fixpoint_mutator_errors_total",
                           "Reviews that failed because of a mutator."},
    [FX_MUTATOR_SKIPPED] = {"fixpoint_mutator_skipped_total",
                            "Reviews that went on without a mutator because it failed."},
    [FX_MUTATOR_NS] = {"fixpoint_mutator_seconds_total",
                       "Time spent in a mutator, in seconds."},
};

struct fx_mutator_metrics {
    struct fx_labels *labels;
    struct fx_family *families[N_FAMILIES];
    struct fx_snapshot *snapshot; /* counted; NULL before the first */
    uint32_t *series;             /* by index of the mutator */

    size_t max; /* series of each table */
    /* The labels of namespaces, for namespaced policies. */
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
    const struct fx_family_options options = {
        .type = FX_FAMILY_COUNTER,
        .name = "fixpoint_namespace_policies_seconds_total",
        .help = "Time that reviews spent in the policies of a namespace, in seconds.",
        .labels = metrics->namespaces,
    };
    metrics->namespace_seconds = fx_registry_add(registry, &options);
    return metrics->namespace_seconds != NULL;
}

struct fx_mutator_metrics *fx_mutator_metrics_create(struct fx_registry *registry,
                                                     size_t max_mutators) {
    struct fx_mutator_metrics *metrics = calloc(1, sizeof *metrics);
    if (metrics == NULL) {
        return NULL;
    }
    metrics->max = max_mutators;
    metrics->labels = fx_registry_add_labels(registry, keys, N_KEYS, max_mutators);
    bool ok = metrics->labels != NULL;
    for (size_t i = 0; ok && i < N_FAMILIES; i++) {
        const struct fx_family_options options = {
            .type = FX_FAMILY_COUNTER,
            .name = texts[i].name,
            .help = texts[i].help,
            .labels = metrics->labels,
        };
        metrics->families[i] = fx_registry_add(registry, &options);
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

/* ---- the set of series ----------------------------------------------------------- */

static void label_values(const struct fx_mutator *mutator,
                         struct fx_text values[N_KEYS]) {
    values[0] = fx_text_of(mutator->group);
    values[1] = fx_text_of(mutator->kind);
    values[2] = fx_text_of(mutator->full_name);
}

/* Mutators in both snapshots keep their series. Both snapshots have the same order. */
static void keep_series(const struct fx_mutator_metrics *metrics,
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

/* The series of the mutator's namespace; FX_SERIES_OTHER if there is none. */
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

/* Removes the series of namespaces without policies in the next snapshot. If out of
 * memory, they stay. */
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

/* Removes the series of mutators that are gone, to make room for new ones. False if out
 * of memory. */
static bool drop_series(struct fx_mutator_metrics *metrics, const uint32_t *series,
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
            stays[metrics->series[i]] =
                true; /* two names can share a series after they are cut */
        }
    }
    free(stays);
    return true;
}

static uint32_t new_series(struct fx_mutator_metrics *metrics,
                           const struct fx_mutator *mutator) {
    struct fx_text values[N_KEYS];
    if (fx_labels_is_full(metrics->labels)) {
        return fx_labels_other(metrics->labels);
    }
    label_values(mutator, values);
    return fx_labels_get(metrics->labels, values);
}

void fx_mutator_metrics_set_snapshot(struct fx_mutator_metrics *metrics,
                                     struct fx_snapshot *snapshot) {
    uint32_t *series = calloc(snapshot->n_mutators + 1, sizeof *series);
    if (series != NULL) {
        keep_series(metrics, snapshot, series);
    }
    if (series == NULL || !drop_series(metrics, series, snapshot->n_mutators)) {
        free(series); /* until the next snapshot, series are found by name */
        return;
    }
    drop_namespaces(metrics, snapshot);
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (series[i] == FX_SERIES_OTHER) {
            series[i] = new_series(metrics, snapshot->mutators[i]);
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
    if (row == size_of(counts)) {
        return fx_labels_other(metrics->labels);
    }
    if (snapshot == metrics->snapshot) {
        return metrics->series[row];
    }
    struct fx_text values[N_KEYS];
    uint32_t series = FX_SERIES_OTHER;
    label_values(snapshot->mutators[row], values);
    return fx_labels_find(metrics->labels, values, &series)
               ? series
               : fx_labels_other(metrics->labels);
}

/* Adds seconds to the policy's namespace. The policy may be from an earlier snapshot. */
static void add_namespace_seconds(struct fx_mutator_metrics *metrics,
                                  const struct fx_mutator_counts *counts, size_t row,
                                  uint64_t ns) {
    const char *namespace_ =
        row == size_of(counts) ? NULL : counts->snapshot->mutators[row]->namespace_;
    uint32_t series = FX_SERIES_OTHER;
    if (namespace_ == NULL) {
        series = fx_labels_other(metrics->namespaces);
    } else {
        const struct fx_text value = fx_text_of(namespace_);
        series = fx_labels_get(metrics->namespaces, &value);
    }
    fx_family_add(metrics->namespace_seconds, series, (double)ns * 1e-9);
}

/* Collects a row; most are unchanged, because most mutators do not match. */
static void collect_row(struct fx_mutator_metrics *metrics,
                        struct fx_mutator_counts *counts, size_t row) {
    uint64_t added[N_FAMILIES];
    uint64_t any = 0;
    const uint64_t share_ns = collect_count(&counts->rows[row], FX_MUTATOR_SHARE_NS);
    if (share_ns > 0) {
        add_namespace_seconds(metrics, counts, row, share_ns);
    }
    for (unsigned i = 0; i < N_FAMILIES; i++) {
        added[i] = collect_count(&counts->rows[row], (enum fx_mutator_count)i);
        any |= added[i];
    }
    if (any == 0) {
        return;
    }
    const uint32_t series = series_of(metrics, counts, row);
    for (unsigned i = 0; i < N_FAMILIES; i++) {
        const double scale = i == FX_MUTATOR_NS ? 1e-9 : 1;
        fx_family_add(metrics->families[i], series, (double)added[i] * scale);
    }
}

void fx_mutator_metrics_collect(struct fx_mutator_metrics *metrics,
                                struct fx_mutator_counts *counts) {
    for (size_t i = 0; i <= size_of(counts); i++) {
        collect_row(metrics, counts, i);
    }
}
