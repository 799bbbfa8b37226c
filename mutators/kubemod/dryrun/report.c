/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/report.c - the patch and its difference, rejections,
 * warnings, and the result of each rule.
 */
#include "mutators/kubemod/dryrun/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/linediff.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/yaml.h"

static void add_string(struct fx_buf *body, struct fx_text text) {
    fx_json_write_string(body, text, FX_JSON_COMPACT);
}

/* ---- the difference -------------------------------------------------------------- */

/* Removes the first two lines, which name files. */
static struct fx_text skip_names(struct fx_text diff) {
    for (unsigned line = 0; line < 2 && diff.len > 0; line++) {
        const char *end = memchr(diff.data, '\n', diff.len);
        const size_t taken = end == NULL ? diff.len : (size_t)(end - diff.data) + 1;
        diff = (struct fx_text){diff.data + taken, diff.len - taken};
    }
    return diff;
}

static bool make_diff(const struct fx_mutation *mutation, struct fx_buf *diff,
                      struct fx_err *err) {
    static const struct fx_linediff_names names = {"before", "after"};
    struct fx_buf before;
    struct fx_buf after;
    fx_buf_init(&before, FX_LIMIT_DRYRUN_ANSWER_BYTES);
    fx_buf_init(&after, FX_LIMIT_DRYRUN_ANSWER_BYTES);
    fx_yaml_write(&before, mutation->object);
    fx_yaml_write(&after, mutation->result);
    fx_buf_fail_as(diff, &before);
    fx_buf_fail_as(diff, &after);
    const bool ok =
        diff->failed || fx_linediff_unified(diff, fx_buf_view(&before),
                                            fx_buf_view(&after), &names, false, err);
    fx_buf_finish(&before);
    fx_buf_finish(&after);
    return ok;
}

static bool add_diff(const struct fx_mutation *mutation, struct fx_buf *body,
                     struct fx_err *err) {
    struct fx_buf diff;
    fx_buf_init(&diff, FX_LIMIT_DRYRUN_ANSWER_BYTES);
    const bool ok = mutation->patch.n_ops == 0 || make_diff(mutation, &diff, err);
    fx_buf_str(body, ",\"diff\":");
    add_string(body, skip_names(fx_buf_view(&diff)));
    fx_buf_fail_as(body, &diff);
    fx_buf_finish(&diff);
    return ok;
}

/* ---- rejections and warnings ----------------------------------------------------- */

static void add_rejections(const struct fx_outcome *outcome, struct fx_buf *body) {
    fx_buf_str(body, ",\"rejections\":[");
    for (size_t i = 0; i < outcome->n_violations; i++) {
        fx_buf_str(body, i == 0 ? "" : ",");
        add_string(body, outcome->violations[i].entry);
    }
    fx_buf_char(body, ']');
}

/* A list of warnings that is being written. */
struct dryrun_warnings {
    struct fx_buf *body;
    struct fx_buf message; /* the message of the next warning */
    size_t n_written;
};

static void add_warning(struct dryrun_warnings *warnings) {
    fx_buf_str(warnings->body, warnings->n_written++ == 0 ? "" : ",");
    add_string(warnings->body,
               (struct fx_text){warnings->message.data, warnings->message.len});
    fx_buf_fail_as(warnings->body, &warnings->message);
    fx_buf_reset(&warnings->message);
}

static void warn_members(struct dryrun_warnings *warnings,
                         const struct fx_dryrun_request *request) {
    const char *key = NULL;
    const json_t *value = NULL;
    json_object_foreach (request->root, key, value) {
        if (!fx_dryrun_request_knows(key)) {
            fx_buf_printf(&warnings->message, "the request: unknown field \"%s\"", key);
            add_warning(warnings);
        }
    }
}

static void warn_findings(struct dryrun_warnings *warnings,
                          const struct fx_findings *findings) {
    for (size_t i = 0; i < findings->n_items; i++) {
        fx_dryrun_print_finding(&warnings->message, &findings->items[i]);
        add_warning(warnings);
    }
}

/* Warns about each rule that failed, with the message of a review. */
static void warn_drops(struct dryrun_warnings *warnings,
                       const struct fx_dryrun_trial *trial) {
    const struct fx_outcome *outcome = &trial->mutation.outcome;
    for (size_t i = 0; i < outcome->n_skipped; i++) {
        const struct fx_skipped_mutator *drop = &outcome->skipped[i];
        fx_mutator_print_id(&warnings->message,
                            trial->policies->snapshot->mutators[drop->mutator]);
        fx_buf_printf(&warnings->message, "%s: %s", drop->fails ? " was skipped" : "",
                      drop->message);
        add_warning(warnings);
    }
}

static void add_warnings(const struct fx_dryrun_trial *trial, struct fx_buf *body) {
    struct dryrun_warnings warnings = {.body = body};
    fx_buf_init(&warnings.message, 0);
    fx_buf_str(body, ",\"warnings\":[");
    warn_members(&warnings, trial->request);
    warn_findings(&warnings, &trial->policies->findings);
    warn_drops(&warnings, trial);
    fx_buf_char(body, ']');
    fx_buf_finish(&warnings.message);
}

/* ---- the result of each rule ----------------------------------------------------- */

/* The result of one rule over all passes. */
struct rule_result {
    bool evaluated, matched, changed;
    const char *criterion, *failure; /* those of its last step, or NULL */
    struct fx_text found;            /* the value it found; empty if unknown */
};

static void read_steps(const struct fx_trace *trace, struct rule_result *results) {
    for (size_t i = 0; i < trace->n_steps; i++) {
        const struct fx_trace_step *step = &trace->steps[i];
        struct rule_result *result = &results[step->mutator];
        if (step->is_late) {
            continue; /* the earlier step has the reason */
        }
        result->evaluated = true;
        result->matched |= step->verdict.matched;
        result->changed |= step->effect.changed;
        result->criterion =
            step->verdict.matched ? step->effect.criterion : step->verdict.criterion;
        result->found = step->found;
        result->failure = step->failure != NULL ? step->failure : result->failure;
    }
}

static void add_text(struct fx_buf *body, const char *key, struct fx_text text) {
    if (text.len > 0) {
        fx_buf_printf(body, ",\"%s\":", key);
        add_string(body, text);
    }
}

static void add_member(struct fx_buf *body, const char *key, const char *text) {
    add_text(body, key, fx_text_of(text));
}

/* Appends the value that the criterion of the rule requires, and the value that it
 * found. */
static void add_wanted(struct fx_buf *body, const struct fx_mutator *mutator,
                       const struct rule_result *result) {
    if (result->found.len == 0) {
        return;
    }
    struct fx_criterion criterion;
    fx_mutator_explain(mutator, result->criterion, &criterion);
    add_text(body, "wanted", fx_buf_view(&criterion.wanted));
    fx_buf_fail_as(body, &criterion.wanted);
    fx_criterion_finish(&criterion);
    add_text(body, "found", result->found);
}

/* Returns the criterion that did not hold. On DELETE only Reject rules are evaluated. */
static const char *criterion_of(const struct fx_dryrun_trial *trial,
                                const struct rule_result *result) {
    if (!result->evaluated && trial->request->operation == FX_OPERATION_DELETE) {
        return "operation";
    }
    return result->changed ? NULL : result->criterion;
}

static void add_result(const struct fx_dryrun_trial *trial, size_t index,
                       const struct rule_result *result, struct fx_buf *body) {
    const struct fx_snapshot *snapshot = trial->policies->snapshot;
    const struct fx_mutator *mutator = snapshot->mutators[index];
    const bool is_disabled = fx_snapshot_is_disabled(snapshot, index);
    fx_buf_str(body, "{\"source\":");
    add_string(body, fx_text_of(mutator->origin.file));
    add_member(body, "kind", mutator->kind);
    add_member(body, "name", mutator->full_name);
    fx_buf_str(body, result->matched ? ",\"matched\":true" : ",\"matched\":false");
    fx_buf_str(body, result->changed ? ",\"changed\":true" : ",\"changed\":false");
    add_member(body, "criterion", criterion_of(trial, result));
    add_wanted(body, mutator, result);
    add_member(body, "failure",
               is_disabled ? "other policies disagree with it" : result->failure);
    fx_buf_char(body, '}');
}

static bool add_results(const struct fx_dryrun_trial *trial, struct fx_buf *body) {
    const size_t n = trial->policies->snapshot->n_mutators;
    struct rule_result *results = calloc(n + 1, sizeof *results);
    if (results == NULL) {
        return false;
    }
    read_steps(&trial->trace, results);
    fx_buf_str(body, ",\"rules\":[");
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(body, i == 0 ? "" : ",");
        add_result(trial, i, &results[i], body);
    }
    fx_buf_char(body, ']');
    free(results);
    return true;
}

bool fx_dryrun_report(const struct fx_dryrun_trial *trial, struct fx_buf *body,
                      struct fx_err *err) {
    fx_buf_str(body, "{\"patch\":");
    fx_patch_write(body, &trial->result->patch, FX_JSON_COMPACT);
    if (body->failed) {
        return true;
    }
    if (!add_diff(trial->result, body, err)) {
        return false;
    }
    add_rejections(&trial->mutation.outcome, body);
    add_warnings(trial, body);
    if (!add_results(trial, body)) {
        return fx_fail_nomem(err);
    }
    fx_buf_str(body, "}\n");
    return true;
}
