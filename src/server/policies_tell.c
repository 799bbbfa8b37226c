/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_tell.c - what is new about the policies.
 */
#include "server/policies_tell.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"

/* Of one version's findings; the rest is only counted. */
#define FINDINGS_TOLD 100

/* ---- which findings are new ------------------------------------------------------ */

/* Of the findings of a version, so that each can be looked up in another: digests,
 * sorted.
 */
struct known {
    uint64_t *digests;
    size_t n_digests;
};

static uint64_t digest_finding(const struct fx_finding *finding) {
    uint64_t digest = FX_HASH_START + (uint64_t)finding->severity;
    digest = fx_hash_text(digest, fx_text_of(finding->file));
    digest = fx_hash_text(digest, fx_text_of(finding->id));
    return fx_hash_text(digest, fx_text_of(finding->text));
}

static int compare(const void *a, const void *b) {
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* Without memory nothing is known: what is told twice does less harm than what is not. */
static void know(const struct fx_policies *policies, struct known *known) {
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
    qsort(known->digests, n, sizeof *known->digests, compare);
}

static bool is_known(const struct known *known, const struct fx_finding *finding) {
    const uint64_t digest = digest_finding(finding);
    return known->n_digests > 0 && bsearch(&digest, known->digests, known->n_digests,
                                           sizeof digest, compare) != NULL;
}

/* ---- telling --------------------------------------------------------------------- */

/* What is not known of it is left out. */
static void tell_finding(const struct fx_finding *finding) {
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

static void tell_findings(const struct fx_findings *findings, const struct known *known) {
    size_t n_new = 0;
    for (size_t i = 0; i < findings->n_items; i++) {
        const struct fx_finding *finding = &findings->items[i];
        if (!is_known(known, finding) && n_new++ < FINDINGS_TOLD) {
            tell_finding(finding);
        }
    }
    if (n_new > FINDINGS_TOLD) {
        fx_log(WARN, "more findings than are told here: `fixpoint check` tells them all",
               fx_log_int("findings", (int64_t)n_new));
    }
}

static void tell_version(const struct fx_policies *policies) {
    const struct fx_findings *findings = &policies->findings;
    const struct fx_snapshot *snapshot = policies->snapshot;
    fx_log(INFO, "policies in force",
           fx_log_int("generation", (int64_t)snapshot->generation),
           fx_log_int("files", (int64_t)policies->n_files),
           fx_log_int("mutators", (int64_t)snapshot->n_mutators),
           fx_log_int("conflicting", (int64_t)count_disabled(snapshot)),
           fx_log_int("errors", (int64_t)fx_findings_count(findings, FX_SEVERITY_ERROR)),
           fx_log_int("warnings",
                      (int64_t)fx_findings_count(findings, FX_SEVERITY_WARNING)));
}

void fx_policies_log(const struct fx_policies *now, const struct fx_policies *before) {
    struct known known = {0};
    know(before, &known);
    tell_findings(&now->findings, &known);
    free(known.digests);
    tell_version(now);
}
