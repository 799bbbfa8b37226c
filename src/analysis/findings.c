/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/findings.c - the list of findings.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "value/pointer.h"
#include "value/tree.h"

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

/* Removes the next token, still escaped, from the text; false at the end. */
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

/* Are the two JSON Pointers equal, ignoring list indices? */
static bool same_path(const char *a, const char *b) {
    return fx_analyzer_path_begins(a, b) && fx_analyzer_path_begins(b, a);
}

/* Appends the token, quoted as in a location. */
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

/* Do both have the same mutators? In any order, as a cycle may begin anywhere. */
static bool same_mutators(const struct fx_analysis_finding *a,
                          const struct fx_analysis_finding *b) {
    for (size_t i = 0; i < a->n_mutators; i++) {
        if (!has_mutator(b, a->mutators[i])) {
            return false;
        }
    }
    return a->n_mutators == b->n_mutators;
}

/* Do both have the same field? Mutators that undo each other do so in all fields that
 * they share: one UNDO finding is enough. */
static bool same_place(const struct fx_analysis_finding *a,
                       const struct fx_analysis_finding *b) {
    return a->rule == FX_ANALYSIS_UNDO || same_path(a->path, b->path);
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
                        const struct fx_analysis_finding *finding,
                        struct fx_buf *text_take, struct fx_text path,
                        struct fx_err *err) {
    struct fx_analysis *analysis = analyzer->result;
    struct fx_analysis_finding made = *finding;
    made.text = fx_buf_steal(text_take);
    made.path = fx_text_dup(path);
    made.witness = json_incref(tcase->object);
    made.origin = tcase->origin;
    made.operation = tcase->request.operation;
    for (size_t i = 0; i < made.n_values; i++) {
        json_incref(made.values[i]);
    }
    fx_buf_finish(text_take);
    /* Each mutator has at most one note: no need to search. */
    const bool is_note = fx_analysis_rule_is_note(finding->rule);
    bool ok = made.text != NULL && made.path != NULL;
    bool is_new = ok && (is_note || !is_reported(analysis, &made));
    if (is_new && !is_note && analyzer->n_warnings == FX_LIMIT_CHECK_FINDINGS) {
        analysis->n_more++;
        is_new = false;
    }
    if (is_new) {
        ok =
            FX_VEC_GROW(analysis->findings, analysis->n_findings, analysis->cap_findings);
    }
    if (!ok || !is_new) {
        finding_finish(&made);
        return ok || fx_fail_nomem(err);
    }
    analysis->findings[analysis->n_findings++] = made;
    analyzer->n_warnings += !is_note;
    return true;
}

/* ---- the leaves of a change ------------------------------------------------------ */

void fx_leaves_finish(struct leaves *leaves) {
    for (size_t i = 0; i < leaves->n_paths; i++) {
        free(leaves->paths[i]);
    }
    leaves->n_paths = 0;
}

/* Lists the leaves of the value at the path in `at`. Restores `at` afterwards. */
static bool descend(struct leaves *leaves, json_t *value, struct fx_buf *at) {
    const size_t len = at->len;
    bool ok = true;
    if (json_object_size(value) > 0) {
        for (void *field = fx_node_first(value);
             ok && field != NULL && leaves->n_paths < LEAVES_MAX;
             field = fx_node_next(value, field)) {
            const struct fx_text key = fx_node_key(field);
            fx_pointer_push(at, key);
            ok = descend(leaves, json_object_iter_value(field), at);
            at->len = len;
        }
        return ok;
    }
    if (json_array_size(value) > 0) {
        for (size_t i = 0;
             ok && i < json_array_size(value) && leaves->n_paths < LEAVES_MAX; i++) {
            fx_pointer_push_index(at, i);
            ok = descend(leaves, json_array_get(value, i), at);
            at->len = len;
        }
        return ok;
    }
    char *path = at->failed ? NULL : fx_text_dup(fx_buf_view(at));
    if (path == NULL) {
        return false;
    }
    leaves->paths[leaves->n_paths++] = path;
    return true;
}

static bool add_leaves(struct leaves *leaves, struct fx_text path, json_t *value,
                       struct fx_buf *at) {
    if (value == NULL || leaves->n_paths == LEAVES_MAX) {
        return true;
    }
    fx_buf_reset(at);
    fx_buf_str(at, "");
    fx_buf_text(at, path);
    return descend(leaves, value, at);
}

bool fx_leaves_find(struct analyzer *analyzer, json_t *before, json_t *after,
                    struct leaves *ret_leaves, struct fx_err *err) {
    struct fx_patch patch;
    ret_leaves->n_paths = 0;
    if (!fx_analyzer_diff(analyzer, before, after, &patch, err)) {
        return false;
    }
    struct fx_buf at = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < patch.n_ops; i++) {
        ok = add_leaves(ret_leaves, patch.ops[i].path, patch.ops[i].value, &at) &&
             add_leaves(ret_leaves, patch.ops[i].path, patch.ops[i].old, &at);
    }
    fx_buf_finish(&at);
    if (!ok) {
        fx_leaves_finish(ret_leaves);
    }
    return ok || fx_fail_nomem(err);
}
