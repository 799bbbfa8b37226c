/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/report.c - faults as findings: those of a document, and those that show only
 * when all of them are known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "policy/build.h"
#include "policy/findings_internal.h"

/* Is it to be told? Else it is counted: words cost memory, and an excerpt a look through
 * all marks of the file. */
static bool is_told(struct fx_tally *tally, enum fx_severity severity, const char *file) {
    if (tally->n_told < FX_LIMIT_FINDINGS) {
        tally->n_told++;
        return true;
    }
    if (tally->n_more++ == 0) {
        tally->file = file;
    }
    tally->worst = severity > tally->worst ? severity : tally->worst;
    return false;
}

static bool report_rest(struct fx_findings *findings, const struct fx_tally *tally) {
    if (tally->n_more == 0) {
        return true;
    }
    char text[sizeof "and  more" + 20];
    (void)snprintf(text, sizeof text, "and %zu more", tally->n_more);
    const struct fx_place nowhere = {0};
    return fx_findings_add(findings, tally->worst, tally->file, NULL, &nowhere, text);
}

bool fx_build_report_rest(struct fx_build *build) {
    return report_rest(&build->next->findings, &build->tally);
}

static struct fx_place place_of(const struct fx_build *build,
                                const struct fx_err *fault) {
    if (build->documents == NULL) {
        return (struct fx_place){.line = build->line};
    }
    return fx_place_of_fault(build->input->text, &build->documents->marks, fault,
                             build->line);
}

/* Appends the fault's words, and that the previous version stays where it does. */
static bool report_at(struct fx_build *build, enum fx_severity severity,
                      const struct fx_place *place, const char *id,
                      const struct fx_err *fault, bool stays) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, fault->msg);
    fx_buf_str(&text, stays ? "; the previous version stays in force" : "");
    const bool ok =
        !text.failed && fx_findings_add(&build->next->findings, severity,
                                        build->input->file, id, place, text.data);
    fx_buf_finish(&text);
    return ok;
}

bool fx_build_report(struct fx_build *build, enum fx_severity severity,
                     const struct fx_err *fault, bool stays) {
    if (!is_told(&build->tally, severity, build->input->file)) {
        return true;
    }
    const struct fx_place place = place_of(build, fault);
    /* Where the sentence begins with the object's own name, that is not said twice. */
    const bool named = build->id != NULL &&
                       !fx_text_starts(fx_text_of(fault->msg), fx_text_of(build->id));
    return report_at(build, severity, &place, named ? build->id : NULL, fault, stays);
}

bool fx_build_report_syntax(struct fx_build *build, const struct fx_err *fault,
                            bool stays) {
    const struct fx_place place =
        fx_place_of_offset(build->input->text, fault->off, fault->len);
    return report_at(build, FX_SEVERITY_ERROR, &place, NULL, fault, stays);
}

static const char *file_of(const struct fx_mutator *mutator) {
    return mutator->origin.file == NULL ? "" : mutator->origin.file;
}

/* Appends a finding about a whole mutator, at the place it was read. */
static bool report_mutator(struct fx_policies *policies, enum fx_severity severity,
                           const struct fx_mutator *mutator, const struct fx_buf *text) {
    const struct fx_place place = {.line = mutator->origin.line};
    struct fx_buf id;
    fx_buf_init(&id, 0);
    fx_buf_printf(&id, "%s/%s", mutator->kind, mutator->name);
    const bool ok = !id.failed && !text->failed &&
                    fx_findings_add(&policies->findings, severity, file_of(mutator),
                                    id.data, &place, text->data);
    fx_buf_finish(&id);
    return ok;
}

/* A mutator and its place in the order of reading. */
struct entry {
    const struct fx_mutator *mutator;
    size_t at;
};

static int by_id_and_place(const void *a, const void *b) {
    const struct entry *x = a;
    const struct entry *y = b;
    const int order = fx_mutator_compare(x->mutator, y->mutator);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static bool report_repeat(struct fx_policies *policies, const struct fx_mutator *mutator,
                          const struct fx_mutator *later) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "is defined again in %s, line %u, which counts",
                  later->origin.file, (unsigned)later->origin.line);
    const bool ok = report_mutator(policies, FX_SEVERITY_WARNING, mutator, &text);
    fx_buf_finish(&text);
    return ok;
}

static bool report_runs(struct fx_policies *policies, const struct entry *entries,
                        size_t n_entries) {
    struct fx_tally tally = {0};
    for (size_t i = 0; i + 1 < n_entries; i++) {
        const struct fx_mutator *mutator = entries[i].mutator;
        const struct fx_mutator *later = entries[i + 1].mutator;
        if (mutator != later && fx_mutator_compare(mutator, later) == 0 &&
            is_told(&tally, FX_SEVERITY_WARNING, file_of(mutator)) &&
            !report_repeat(policies, mutator, later)) {
            return false;
        }
    }
    return report_rest(&policies->findings, &tally);
}

bool fx_build_report_repeats(struct fx_policies *policies,
                             struct fx_mutator *const *mutators, size_t n_mutators) {
    struct entry *entries = calloc(n_mutators + 1, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_mutators; i++) {
        entries[i] = (struct entry){mutators[i], i};
    }
    qsort(entries, n_mutators, sizeof *entries, by_id_and_place);
    const bool ok = report_runs(policies, entries, n_mutators);
    free(entries);
    return ok;
}

static bool report_conflict(struct fx_policies *policies, size_t index) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_conflicts_print(&snapshot->conflicts, index, snapshot->mutators, &text);
    const bool ok =
        report_mutator(policies, FX_SEVERITY_CONFLICT, snapshot->mutators[index], &text);
    fx_buf_finish(&text);
    return ok;
}

bool fx_build_report_conflicts(struct fx_policies *policies) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    struct fx_tally tally = {0};
    for (size_t i = 0; i < snapshot->conflicts.n_mutators; i++) {
        if (snapshot->conflicts.sets[i].disabled &&
            is_told(&tally, FX_SEVERITY_CONFLICT, file_of(snapshot->mutators[i])) &&
            !report_conflict(policies, i)) {
            return false;
        }
    }
    return report_rest(&policies->findings, &tally);
}
