/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/findings.c - the list of findings.
 */
#include "policy/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static const char *const severity_names[] = {
#define X(name, text) [FX_SEVERITY_##name] = text,
    FX_SEVERITIES(X)
#undef X
};

const char *fx_severity_name(enum fx_severity severity) {
    return severity_names[severity];
}

static void finish_one(struct fx_finding *finding) {
    free(finding->file);
    free(finding->id);
    free(finding->text);
    free(finding->excerpt);
}

void fx_findings_finish(struct fx_findings *findings) {
    if (findings == NULL) {
        return;
    }
    for (size_t i = 0; i < findings->n_items; i++) {
        finish_one(&findings->items[i]);
    }
    free(findings->items);
    *findings = (struct fx_findings){0};
}

size_t fx_findings_count(const struct fx_findings *findings, enum fx_severity severity) {
    size_t count = 0;
    for (size_t i = 0; i < findings->n_items; i++) {
        count += findings->items[i].severity == severity;
    }
    return count;
}

/* A C string of the text; a NUL within it becomes a blank, so that columns stay. */
static char *copy_text(struct fx_text text) {
    char *copy = malloc(text.len + 1);
    if (copy == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = text.data[i];
        if (copy[i] == '\0') {
            copy[i] = ' ';
        }
    }
    copy[text.len] = '\0';
    return copy;
}

bool fx_findings_add(struct fx_findings *findings, enum fx_severity severity,
                     const char *file, const char *id, const struct fx_place *place,
                     const char *text) {
    const bool cited = place->excerpt.data != NULL;
    struct fx_finding finding = {
        .severity = severity,
        .file = strdup(file),
        .line = place->line,
        .column = place->column,
        .id = id == NULL ? NULL : strdup(id),
        .text = strdup(text),
        .excerpt = cited ? copy_text(place->excerpt) : NULL,
        .caret = place->caret,
        .caret_len = place->caret_len,
    };
    if (finding.file == NULL || (id != NULL && finding.id == NULL) ||
        finding.text == NULL || (cited && finding.excerpt == NULL) ||
        !FX_VEC_GROW(findings->items, findings->n_items, findings->cap_items)) {
        finish_one(&finding);
        return false;
    }
    findings->items[findings->n_items++] = finding;
    return true;
}

bool fx_findings_copy(struct fx_findings *findings, const struct fx_finding *finding) {
    const struct fx_place place = {
        .line = finding->line,
        .column = finding->column,
        .excerpt =
            finding->excerpt == NULL ? (struct fx_text){0} : fx_text_of(finding->excerpt),
        .caret = finding->caret,
        .caret_len = finding->caret_len,
    };
    return fx_findings_add(findings, finding->severity, finding->file, finding->id,
                           &place, finding->text);
}
