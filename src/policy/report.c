/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/report.c - the faults of a document as findings.
 */
#include <stdio.h>

#include "base/limits.h"
#include "policy/build.h"
#include "policy/findings.h"

bool fx_tally_tells(struct fx_tally *tally, enum fx_severity severity, const char *file) {
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

bool fx_tally_report(const struct fx_tally *tally, struct fx_findings *findings) {
    if (tally->n_more == 0) {
        return true;
    }
    char text[sizeof "and  more" + 20];
    (void)snprintf(text, sizeof text, "and %zu more", tally->n_more);
    const struct fx_place nowhere = {0};
    return fx_findings_add(findings, tally->worst, tally->file, NULL, &nowhere, text);
}

bool fx_build_report_rest(struct fx_build *build) {
    return fx_tally_report(&build->tally, &build->next->findings);
}

static struct fx_place place_of(const struct fx_build *build,
                                const struct fx_err *fault) {
    if (build->input->is_flag || build->input->object != NULL) {
        return (struct fx_place){0};
    }
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
    fx_buf_str(&text, stays ? "; the previous version stays active" : "");
    const bool ok =
        !text.failed && fx_findings_add(&build->next->findings, severity,
                                        build->input->file, id, place, text.data);
    fx_buf_finish(&text);
    return ok;
}

bool fx_build_report(struct fx_build *build, enum fx_severity severity,
                     const struct fx_err *fault, bool stays) {
    if (!fx_tally_tells(&build->tally, severity, build->input->file)) {
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
