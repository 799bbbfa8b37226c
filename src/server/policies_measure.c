/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_measure.c - how many mutators there are, how they are, which are new.
 */
#include "server/policies_measure.h"

#include <string.h>
#include <time.h>

/* Is it about a mutator, and not about a Provider or the like? */
static bool is_mutator(const char *id) {
    static const enum fx_resource_type types[] = {
        FX_RESOURCE_PROVIDER, FX_RESOURCE_EXCLUSION, FX_RESOURCE_EXPANSION};
    const size_t kind = strcspn(id, "/");
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        if (fx_text_is((struct fx_text){id, kind}, fx_resource_kind(types[i]))) {
            return false;
        }
    }
    return true;
}

/* Mutators in error: neighbours with one id are one. */
static size_t count_refused(const struct fx_findings *findings) {
    size_t refused = 0;
    const char *last = NULL;
    for (size_t i = 0; i < findings->n_items; i++) {
        const struct fx_finding *finding = &findings->items[i];
        if (finding->severity == FX_SEVERITY_ERROR && finding->id != NULL &&
            is_mutator(finding->id) && (last == NULL || strcmp(last, finding->id) != 0)) {
            refused++;
            last = finding->id;
        }
    }
    return refused;
}

void fx_policies_count(const struct fx_policies *policies, struct fx_metrics *metrics) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    size_t disabled = 0;
    size_t conflicting = 0;
    size_t quarantined = 0;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        disabled += fx_snapshot_is_disabled(snapshot, i);
        conflicting += snapshot->conflicts.sets[i].disabled;
        quarantined += fx_snapshot_quarantined(snapshot, i) != NULL;
    }
    fx_metrics_set(metrics, FX_METRIC_MUTATORS, FX_MUTATOR_ACTIVE,
                   (double)(snapshot->n_mutators - disabled));
    fx_metrics_set(metrics, FX_METRIC_MUTATORS, FX_MUTATOR_ERROR,
                   (double)(count_refused(&policies->findings) + disabled));
    fx_metrics_set(metrics, FX_METRIC_CONFLICTING, 0, (double)conflicting);
    fx_metrics_set(metrics, FX_METRIC_QUARANTINED, 0, (double)quarantined);
}

/* Both are in the order of a pass; what did not change is shared. */
static size_t count_new(const struct fx_snapshot *now, const struct fx_snapshot *before) {
    size_t n_new = now->n_mutators;
    size_t at = 0;
    for (size_t i = 0; before != NULL && i < now->n_mutators; i++) {
        while (at < before->n_mutators &&
               fx_mutator_compare(before->mutators[at], now->mutators[i]) < 0) {
            at++;
        }
        n_new -= at < before->n_mutators && before->mutators[at] == now->mutators[i];
    }
    return n_new;
}

static void ingest(struct fx_metrics *metrics, enum fx_mutator_status status, size_t n,
                   double seconds) {
    for (size_t i = 0; i < n; i++) {
        fx_metrics_count(metrics, FX_METRIC_INGESTIONS, status);
        fx_metrics_observe(metrics, FX_METRIC_INGESTION_SECONDS, status, seconds);
    }
}

void fx_policies_count_build(const struct fx_policies *built,
                             const struct fx_policies *before, double seconds,
                             struct fx_metrics *metrics) {
    const struct fx_snapshot *snapshot = built->snapshot;
    ingest(metrics, FX_MUTATOR_ACTIVE,
           count_new(snapshot, before == NULL ? NULL : before->snapshot), seconds);
    ingest(metrics, FX_MUTATOR_ERROR, count_refused(&built->findings), seconds);
    fx_metrics_set(metrics, FX_METRIC_GENERATION, 0, (double)snapshot->generation);
    fx_metrics_set(metrics, FX_METRIC_CHANGED, 0, (double)time(NULL));
    for (unsigned i = FX_SEVERITY_WARNING; i <= FX_SEVERITY_CONFLICT; i++) {
        fx_metrics_set(metrics, FX_METRIC_FINDINGS, i,
                       (double)fx_findings_count(&built->findings, (enum fx_severity)i));
    }
}
