/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/report.c - the patch and its difference, who refuses, what is
 * odd, and how each rule fared.
 */
#include "mutators/kubemod/dryrun/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/linediff.h"
#include "mutators/kubemod/dryrun/rules.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/yaml.h"

static void add_string(struct fx_buf *body, struct fx_text text) {
    fx_json_write_string(body, text, FX_JSON_COMPACT);
}

/* ---- the difference -------------------------------------------------------------- */

/* The two lines before the hunks name files: there are none. */
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
        diff->failed ||
        fx_linediff_unified(diff, (struct fx_text){before.data, before.len},
                            (struct fx_text){after.data, after.len}, &names, false, err);
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
    add_string(body, skip_names((struct fx_text){diff.data, diff.len}));
    fx_buf_fail_as(body, &diff);
    fx_buf_finish(&diff);
    return ok;
}

/* ---- who refuses, and what is odd ------------------------------------------------ */

static void add_rejections(const struct fx_outcome *outcome, struct fx_buf *body) {
    fx_buf_str(body, ",\"rejections\":[");
    for (size_t i = 0; i < outcome->n_refusals; i++) {
        fx_buf_str(body, i == 0 ? "" : ",");
        add_string(body, outcome->refusals[i].entry);
    }
    fx_buf_char(body, ']');
}

/* A list of words under way. */
struct warnings {
    struct fx_buf *body;
    struct fx_buf words; /* of the next one */
    size_t n_told;
};

static void tell(struct warnings *warnings) {
    fx_buf_str(warnings->body, warnings->n_told++ == 0 ? "" : ",");
    add_string(warnings->body,
               (struct fx_text){warnings->words.data, warnings->words.len});
    fx_buf_fail_as(warnings->body, &warnings->words);
    fx_buf_reset(&warnings->words);
}

static void warn_members(struct warnings *warnings,
                         const struct fx_dryrun_question *question) {
    const char *key = NULL;
    const json_t *value = NULL;
    json_object_foreach (question->root, key, value) {
        if (!fx_dryrun_question_knows(key)) {
            fx_buf_printf(&warnings->words, "the request: unknown field \"%s\"", key);
            tell(warnings);
        }
    }
}

static void warn_findings(struct warnings *warnings, const struct fx_findings *findings) {
    for (size_t i = 0; i < findings->n_items; i++) {
        fx_dryrun_print_finding(&warnings->words, &findings->items[i]);
        tell(warnings);
    }
}

/* Those who failed, in the words of a review. */
static void warn_drops(struct warnings *warnings, const struct fx_dryrun_trial *trial) {
    const struct fx_outcome *outcome = &trial->mutation.outcome;
    for (size_t i = 0; i < outcome->n_drops; i++) {
        const struct fx_drop *drop = &outcome->drops[i];
        fx_mutator_print_id(&warnings->words,
                            trial->policies->snapshot->mutators[drop->mutator]);
        fx_buf_printf(&warnings->words, "%s: %s", drop->fails ? " was left out" : "",
                      drop->words);
        tell(warnings);
    }
}

static void add_warnings(const struct fx_dryrun_trial *trial, struct fx_buf *body) {
    struct warnings warnings = {.body = body};
    fx_buf_init(&warnings.words, 0);
    fx_buf_str(body, ",\"warnings\":[");
    warn_members(&warnings, trial->question);
    warn_findings(&warnings, &trial->policies->findings);
    warn_drops(&warnings, trial);
    fx_buf_char(body, ']');
    fx_buf_finish(&warnings.words);
}

/* ---- how each fared -------------------------------------------------------------- */

/* One of them, over all passes. */
struct fate {
    bool asked, matched, changed;
    const char *criterion, *failure; /* of its last turn; or NULL */
    struct fx_text found;            /* of that criterion; where the rule says more */
};

static void read_steps(const struct fx_trace *trace, struct fate *fates) {
    for (size_t i = 0; i < trace->n_steps; i++) {
        const struct fx_trace_step *step = &trace->steps[i];
        struct fate *fate = &fates[step->mutator];
        if (step->is_late) {
            continue; /* it is told how it was when it was asked */
        }
        fate->asked = true;
        fate->matched |= step->verdict.matched;
        fate->changed |= step->effect.changed;
        fate->criterion =
            step->verdict.matched ? step->effect.criterion : step->verdict.criterion;
        fate->found = step->found;
        fate->failure = step->failure != NULL ? step->failure : fate->failure;
    }
}

static void add_words(struct fx_buf *body, const char *key, struct fx_text words) {
    if (words.len > 0) {
        fx_buf_printf(body, ",\"%s\":", key);
        add_string(body, words);
    }
}

static void add_member(struct fx_buf *body, const char *key, const char *words) {
    add_words(body, key, fx_text_of(words));
}

/* What the rule asks for by the criterion, and what it found. */
static void add_wanted(struct fx_buf *body, const struct fx_mutator *mutator,
                       const struct fate *fate) {
    if (fate->found.len == 0) {
        return;
    }
    struct fx_criterion criterion;
    fx_mutator_explain(mutator, fate->criterion, &criterion);
    add_words(body, "words",
              (struct fx_text){criterion.wanted.data, criterion.wanted.len});
    fx_buf_fail_as(body, &criterion.wanted);
    fx_criterion_finish(&criterion);
    add_words(body, "found", fate->found);
}

/* What stood against it: of a deletion, nobody but judges is asked. */
static const char *criterion_of(const struct fx_dryrun_trial *trial,
                                const struct fate *fate) {
    if (!fate->asked && trial->question->operation == FX_OPERATION_DELETE) {
        return "operation";
    }
    return fate->changed ? NULL : fate->criterion;
}

static void add_fate(const struct fx_dryrun_trial *trial, size_t index,
                     const struct fate *fate, struct fx_buf *body) {
    const struct fx_snapshot *snapshot = trial->policies->snapshot;
    const struct fx_mutator *mutator = snapshot->mutators[index];
    const bool is_disabled = fx_snapshot_is_disabled(snapshot, index);
    fx_buf_str(body, "{\"source\":");
    add_string(body, fx_text_of(mutator->origin.file));
    add_member(body, "kind", mutator->kind);
    add_member(body, "name", mutator->full_name);
    fx_buf_str(body, fate->matched ? ",\"matched\":true" : ",\"matched\":false");
    fx_buf_str(body, fate->changed ? ",\"changed\":true" : ",\"changed\":false");
    add_member(body, "criterion", criterion_of(trial, fate));
    add_wanted(body, mutator, fate);
    add_member(body, "failure",
               is_disabled ? "other policies disagree with it" : fate->failure);
    fx_buf_char(body, '}');
}

static bool add_fates(const struct fx_dryrun_trial *trial, struct fx_buf *body) {
    const size_t n = trial->policies->snapshot->n_mutators;
    struct fate *fates = calloc(n + 1, sizeof *fates);
    if (fates == NULL) {
        return false;
    }
    read_steps(&trial->trace, fates);
    fx_buf_str(body, ",\"rules\":[");
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(body, i == 0 ? "" : ",");
        add_fate(trial, i, &fates[i], body);
    }
    fx_buf_char(body, ']');
    free(fates);
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
    if (!add_fates(trial, body)) {
        return fx_fail_nomem(err);
    }
    fx_buf_str(body, "}\n");
    return true;
}
