/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_report.c - metrics and log lines about a version of the policies.
 */
#include "server/active_policies.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/dialect.h"

#define LOGGED_FINDINGS 100 /* the most findings logged of one version */

/* ---- metrics ----------------------------------------------------------------------- */

/* Is the kind one of the dialect's resources? */
static bool is_resource(const struct fx_dialect *dialect, struct fx_text kind) {
    for (const struct fx_kind *k = dialect->kinds; k->kind != NULL; k++) {
        if (k->role == FX_ROLE_RESOURCE && fx_text_is(kind, k->kind)) {
            return true;
        }
    }
    return false;
}

/* Is this the id of a mutator, and not of a resource? */
static bool is_mutator(const char *id) {
    const struct fx_text kind = {id, strcspn(id, "/")};
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        if (is_resource(fx_dialects[i], kind)) {
            return false;
        }
    }
    return true;
}

/* The number of mutators with errors. The findings of one mutator are adjacent. */
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

/* The number of mutators that `before` did not have. Both snapshots have the same order
 * and share unchanged mutators. */
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

static void count_ingestions(struct fx_metrics *metrics, enum fx_mutator_status status,
                             size_t n, double seconds) {
    for (size_t i = 0; i < n; i++) {
        fx_metrics_count(metrics, FX_METRIC_INGESTIONS, status);
        fx_metrics_observe(metrics, FX_METRIC_INGESTION_SECONDS, status, seconds);
    }
}

void fx_policies_count_build(const struct fx_policies *built,
                             const struct fx_policies *before, double seconds,
                             struct fx_metrics *metrics) {
    const struct fx_snapshot *snapshot = built->snapshot;
    count_ingestions(metrics, FX_MUTATOR_ACTIVE,
                     count_new(snapshot, before == NULL ? NULL : before->snapshot),
                     seconds);
    count_ingestions(metrics, FX_MUTATOR_ERROR, count_refused(&built->findings), seconds);
    fx_metrics_set(metrics, FX_METRIC_GENERATION, 0, (double)snapshot->generation);
    fx_metrics_set(metrics, FX_METRIC_CHANGED, 0, (double)time(NULL));
    for (unsigned i = FX_SEVERITY_WARNING; i <= FX_SEVERITY_CONFLICT; i++) {
        fx_metrics_set(metrics, FX_METRIC_FINDINGS, i,
                       (double)fx_findings_count(&built->findings, (enum fx_severity)i));
    }
}

/* ---- new findings ---------------------------------------------------------------- */

/* Sorted digests of the findings of a version. */
struct known_findings {
    uint64_t *digests;
    size_t n_digests;
};

static uint64_t digest_finding(const struct fx_finding *finding) {
    uint64_t digest = FX_HASH_START + (uint64_t)finding->severity;
    digest = fx_hash_text(digest, fx_text_of(finding->file));
    digest = fx_hash_text(digest, fx_text_of(finding->id));
    return fx_hash_text(digest, fx_text_of(finding->text));
}

static int compare_digests(const void *a, const void *b) {
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* If out of memory, no finding counts as known: logging one twice is better than not
 * logging it. */
static void collect_known(const struct fx_policies *policies,
                          struct known_findings *known) {
    const size_t n = policies == NULL ? 0 : policies->findings.n_items;
    known->n_digests = 0;
    known->digests = calloc(n + 1, sizeof *known->digests);
    if (known->digests == NULL) {
        return;
    }
    for (; known->n_digests < n; known->n_digests++) {
        known->digests[known->n_digests] =
            digest_finding(&policies->findings.items[known->n_digests]);
    }
    qsort(known->digests, n, sizeof *known->digests, compare_digests);
}

static bool is_known(const struct known_findings *known,
                     const struct fx_finding *finding) {
    const uint64_t digest = digest_finding(finding);
    return known->n_digests > 0 && bsearch(&digest, known->digests, known->n_digests,
                                           sizeof digest, compare_digests) != NULL;
}

/* ---- log --------------------------------------------------------------------- */

static void log_finding(const struct fx_finding *finding) {
    const bool works = finding->severity == FX_SEVERITY_WARNING;
    struct fx_log_field fields[7] = {{0}};
    size_t n = 0;
    fields[n++] = fx_log_str("severity", fx_severity_name(finding->severity));
    fields[n++] = fx_log_str("file", finding->file);
    if (finding->line > 0) {
        fields[n++] = fx_log_int("line", finding->line);
    }
    if (finding->column > 0) {
        fields[n++] = fx_log_int("column", finding->column);
    }
    if (finding->id != NULL) {
        fields[n++] = fx_log_str("mutator", finding->id);
    }
    fields[n] = fx_log_str("text", finding->text);
    fx_log_write(works ? FX_LOG_WARN : FX_LOG_ERROR, "policy finding", fields);
}

static size_t count_disabled(const struct fx_snapshot *snapshot) {
    size_t disabled = 0;
    for (size_t i = 0; i < snapshot->conflicts.n_mutators; i++) {
        disabled += snapshot->conflicts.sets[i].disabled;
    }
    return disabled;
}

static void log_findings(const struct fx_findings *findings,
                         const struct known_findings *known) {
    size_t n_new = 0;
    for (size_t i = 0; i < findings->n_items; i++) {
        const struct fx_finding *finding = &findings->items[i];
        if (!is_known(known, finding) && n_new++ < LOGGED_FINDINGS) {
            log_finding(finding);
        }
    }
    if (n_new > LOGGED_FINDINGS) {
        fx_log(WARN, "too many findings to log: `fixpoint check` shows all of them",
               fx_log_int("findings", (int64_t)n_new));
    }
}

static void log_version(const struct fx_policies *policies) {
    const struct fx_findings *findings = &policies->findings;
    const struct fx_snapshot *snapshot = policies->snapshot;
    fx_log(INFO, "policies active",
           fx_log_int("generation", (int64_t)snapshot->generation),
           fx_log_int("files", (int64_t)policies->n_files),
           fx_log_int("mutators", (int64_t)snapshot->n_mutators),
           fx_log_int("conflicting", (int64_t)count_disabled(snapshot)),
           fx_log_int("errors", (int64_t)fx_findings_count(findings, FX_SEVERITY_ERROR)),
           fx_log_int("warnings",
                      (int64_t)fx_findings_count(findings, FX_SEVERITY_WARNING)));
}

void fx_policies_log(const struct fx_policies *now, const struct fx_policies *before) {
    struct known_findings known = {0};
    collect_known(before, &known);
    log_findings(&now->findings, &known);
    free(known.digests);
    log_version(now);
}
