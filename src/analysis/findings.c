/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/findings.c - the list of findings.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "base/limits.h"
#include "base/vec.h"

const char *fx_analysis_rule_name(enum fx_analysis_rule rule) {
    static const char *const names[] = {
#define X(name, text) [FX_ANALYSIS_##name] = text,
        FX_ANALYSIS_RULES(X)
#undef X
    };
    return names[rule];
}

bool fx_analysis_rule_is_note(enum fx_analysis_rule rule) {
    return rule == FX_ANALYSIS_UPDATE;
}

static void finding_finish(struct fx_analysis_finding *finding) {
    free(finding->text);
    free(finding->path);
    for (size_t i = 0; i < finding->n_values; i++) {
        json_decref(finding->values[i]);
    }
    json_decref(finding->witness);
}

void fx_analysis_finish(struct fx_analysis *analysis) {
    if (analysis == NULL) {
        return;
    }
    for (size_t i = 0; i < analysis->n_findings; i++) {
        finding_finish(&analysis->findings[i]);
    }
    free(analysis->findings);
    free(analysis->untried);
    fx_placeholders_destroy(analysis->placeholders);
    *analysis = (struct fx_analysis){0};
}

/* ---- paths ----------------------------------------------------------------------- */

/* Takes the next token off, still escaped; false at the end. */
static bool take_token(struct fx_text *rest, struct fx_text *ret_token) {
    if (rest->len == 0) {
        return false;
    }
    size_t len = 1;
    while (len < rest->len && rest->data[len] != '/') {
        len++;
    }
    *ret_token = (struct fx_text){rest->data + 1, len - 1};
    *rest = (struct fx_text){rest->data + len, rest->len - len};
    return true;
}

static bool is_index(struct fx_text token) {
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] < '0' || token.data[i] > '9') {
            return false;
        }
    }
    return token.len > 0;
}

static bool same_tokens(struct fx_text a, struct fx_text b) {
    return fx_text_equal(a, b) || (is_index(a) && is_index(b));
}

bool fx_analyzer_path_begins(const char *prefix, const char *path) {
    struct fx_text wanted = fx_text_of(prefix);
    struct fx_text rest = fx_text_of(path);
    struct fx_text a = {0};
    struct fx_text b = {0};
    while (take_token(&wanted, &a)) {
        if (!take_token(&rest, &b) || !same_tokens(a, b)) {
            return false;
        }
    }
    return true;
}

bool fx_analyzer_same_path(const char *a, const char *b) {
    return fx_analyzer_path_begins(a, b) && fx_analyzer_path_begins(b, a);
}

/* Appends the token, quoted where a location would quote it. */
static void print_token(struct fx_buf *buf, struct fx_text token) {
    const bool quoted = memchr(token.data, '.', token.len) != NULL ||
                        memchr(token.data, '~', token.len) != NULL || token.len == 0;
    fx_buf_str(buf, quoted ? "\"" : "");
    for (size_t i = 0; i < token.len; i++) {
        const bool escaped = token.data[i] == '~' && i + 1 < token.len;
        if (escaped) {
            i++;
            fx_buf_char(buf, token.data[i] == '1' ? '/' : '~');
        } else {
            fx_buf_char(buf, token.data[i]);
        }
    }
    fx_buf_str(buf, quoted ? "\"" : "");
}

void fx_analyzer_print_path(struct fx_buf *buf, const char *pointer) {
    struct fx_text rest = fx_text_of(pointer);
    struct fx_text token = {0};
    const size_t start = buf->len;
    while (take_token(&rest, &token)) {
        if (is_index(token)) {
            fx_buf_str(buf, "[*]");
        } else {
            fx_buf_str(buf, buf->len > start ? "." : "");
            print_token(buf, token);
        }
    }
}

/* ---- the list -------------------------------------------------------------------- */

void fx_analyzer_print_id(struct fx_buf *buf, const struct analyzer *analyzer,
                          uint32_t mutator) {
    const struct fx_mutator *found = analyzer->snapshot->mutators[mutator];
    fx_buf_printf(buf, "%s/%s", found->kind, found->full_name);
}

static bool has_mutator(const struct fx_analysis_finding *finding, uint32_t mutator) {
    for (size_t i = 0; i < finding->n_mutators; i++) {
        if (finding->mutators[i] == mutator) {
            return true;
        }
    }
    return false;
}

/* In any order, as a cycle may begin anywhere. */
static bool same_mutators(const struct fx_analysis_finding *a,
                          const struct fx_analysis_finding *b) {
    for (size_t i = 0; i < a->n_mutators; i++) {
        if (!has_mutator(b, a->mutators[i])) {
            return false;
        }
    }
    return a->n_mutators == b->n_mutators;
}

/* Mutators that undo each other do so in every field they share: one is enough. */
static bool same_place(const struct fx_analysis_finding *a,
                       const struct fx_analysis_finding *b) {
    return a->rule == FX_ANALYSIS_UNDO || fx_analyzer_same_path(a->path, b->path);
}

static bool is_reported(const struct fx_analysis *analysis,
                        const struct fx_analysis_finding *finding) {
    for (size_t i = 0; i < analysis->n_findings; i++) {
        const struct fx_analysis_finding *known = &analysis->findings[i];
        if (known->rule == finding->rule && same_mutators(known, finding) &&
            same_place(known, finding)) {
            return true;
        }
    }
    return false;
}

bool fx_analyzer_has_undo(const struct analyzer *analyzer, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < analyzer->result->n_findings; i++) {
        const struct fx_analysis_finding *known = &analyzer->result->findings[i];
        if (known->rule == FX_ANALYSIS_UNDO && has_mutator(known, a) &&
            has_mutator(known, b)) {
            return true;
        }
    }
    return false;
}

bool fx_analyzer_report(struct analyzer *analyzer, const struct trial_case *tcase,
                        const struct fx_analysis_finding *finding, struct fx_err *err) {
    struct fx_analysis *analysis = analyzer->result;
    /* There is at most one note for each mutator: no need to search. */
    if (!fx_analysis_rule_is_note(finding->rule)) {
        if (is_reported(analysis, finding)) {
            return true;
        }
        if (analyzer->n_warnings == FX_LIMIT_CHECK_FINDINGS) {
            analysis->n_more++;
            return true;
        }
    }
    if (!FX_VEC_GROW(analysis->findings, analysis->n_findings, analysis->cap_findings)) {
        return fx_fail_nomem(err);
    }
    struct fx_analysis_finding copy = *finding;
    copy.text = strdup(finding->text);
    copy.path = strdup(finding->path);
    copy.witness = json_incref(tcase->object);
    copy.origin = tcase->origin;
    copy.operation = tcase->request.operation;
    for (size_t i = 0; i < copy.n_values; i++) {
        json_incref(copy.values[i]);
    }
    if (copy.text == NULL || copy.path == NULL) {
        finding_finish(&copy);
        return fx_fail_nomem(err);
    }
    analysis->findings[analysis->n_findings++] = copy;
    analyzer->n_warnings += !fx_analysis_rule_is_note(finding->rule);
    return true;
}
