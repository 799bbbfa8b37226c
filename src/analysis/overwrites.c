/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/overwrites.c - finds mutators whose change another dialect overwrites in the
 * same review.
 *
 * Mutators of one dialect that do so undo each other in every pass, or depend on their
 * order. Dialects have a fixed order, and some run only once, so the last one decides
 * without a cycle: the change of the first one is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "value/equal.h"
#include "value/pointer.h"

#define PASSES      2u  /* the passes in which a rule that runs once acts */
#define CHECKED_MAX 64u /* the most changes that are tried without their mutator */

struct overwrites {
    struct analyzer *analyzer;
    const struct trial_case *tcase;
    const struct trial *trial;
    json_t *final; /* the result of the trial */
    struct trial_record record;
    size_t n_checked;
};

/* Have the lists on the way to the value the same length in both objects? Else an index
 * stands for another element. */
static bool has_same_lists(json_t *a, json_t *b, const char *path) {
    for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/')) {
        const struct fx_text above = {path, (size_t)(at - path)};
        json_t *left = fx_pointer_view(a, above);
        json_t *right = fx_pointer_view(b, above);
        if (json_is_array(left) && json_array_size(left) != json_array_size(right)) {
            return false;
        }
    }
    return true;
}

static bool has_same_value(json_t *a, json_t *b, const char *path) {
    const struct fx_text pointer = fx_text_of(path);
    const json_t *left = fx_pointer_view(a, pointer);
    const json_t *right = fx_pointer_view(b, pointer);
    return left == right || (left != NULL && right != NULL && fx_equal(left, right));
}

/* The first later step of another dialect that changes the value; NULL: none. */
static const struct trial_step *find_later(const struct overwrites *overwrites,
                                           size_t step, const char *path) {
    struct fx_mutator *const *mutators = overwrites->analyzer->snapshot->mutators;
    const struct trial_record *record = &overwrites->record;
    const unsigned rank = mutators[record->steps[step].mutator]->rank;
    for (size_t i = step + 1; i < record->n_steps; i++) {
        const struct trial_step *later = &record->steps[i];
        if (mutators[later->mutator]->rank != rank &&
            has_same_lists(later->before, later->after, path) &&
            !has_same_value(later->before, later->after, path)) {
            return later;
        }
    }
    return NULL;
}

/* Is the result of the trial the same there without the mutator? */
static bool is_lost(const struct overwrites *overwrites, uint32_t mutator,
                    const char *path, bool *ret_lost, struct fx_err *err) {
    struct trial without = *overwrites->trial;
    uint32_t *order = calloc(without.n_order + 1, sizeof *order);
    if (order == NULL) {
        return fx_fail_nomem(err);
    }
    size_t n = 0;
    for (size_t i = 0; i < without.n_order; i++) {
        if (without.order[i] != mutator) {
            order[n++] = without.order[i];
        }
    }
    without.order = order;
    without.n_order = n;
    struct trial_outcome outcome;
    const bool ok = fx_trial_run(&without, overwrites->tcase->object, &outcome, err);
    if (ok) {
        *ret_lost = !outcome.exhausted && outcome.failed == TRIAL_NONE &&
                    has_same_lists(outcome.object, overwrites->final, path) &&
                    has_same_value(outcome.object, overwrites->final, path);
        fx_trial_finish(&outcome);
    }
    free(order);
    return ok;
}

static bool report(const struct overwrites *overwrites, const struct trial_step *step,
                   const struct trial_step *later, const char *path, struct fx_err *err) {
    struct fx_buf text = {0};
    const struct fx_text pointer = fx_text_of(path);
    fx_analyzer_print_id(&text, overwrites->analyzer, later->mutator);
    fx_buf_str(&text, " overwrites what ");
    fx_analyzer_print_id(&text, overwrites->analyzer, step->mutator);
    fx_buf_str(&text, " changes there; remove one of them, or let them match different "
                      "objects");
    const struct fx_analysis_finding finding = {
        .rule = FX_ANALYSIS_UNDO,
        .mutators = {step->mutator, later->mutator},
        .n_mutators = 2,
        .values = {fx_pointer_view(step->before, pointer),
                   fx_pointer_view(step->after, pointer),
                   fx_pointer_view(later->after, pointer)},
        .n_values = 3,
    };
    return fx_analyzer_report(overwrites->analyzer, overwrites->tcase, &finding, &text,
                              pointer, err);
}

static bool check_leaf(struct overwrites *overwrites, size_t at, const char *path,
                       struct fx_err *err) {
    const struct trial_step *step = &overwrites->record.steps[at];
    const struct trial_step *later = find_later(overwrites, at, path);
    bool lost = false;
    if (later == NULL || overwrites->n_checked == CHECKED_MAX ||
        fx_analyzer_has_undo(overwrites->analyzer, step->mutator, later->mutator)) {
        return true;
    }
    overwrites->n_checked++;
    return is_lost(overwrites, step->mutator, path, &lost, err) &&
           (!lost || report(overwrites, step, later, path, err));
}

static bool check_step(struct overwrites *overwrites, size_t at, struct fx_err *err) {
    const struct trial_step *step = &overwrites->record.steps[at];
    struct leaves leaves = {0};
    bool ok =
        fx_leaves_find(overwrites->analyzer, step->before, step->after, &leaves, err);
    for (size_t i = 0; ok && i < leaves.n_paths; i++) {
        ok = check_leaf(overwrites, at, leaves.paths[i], err);
    }
    fx_leaves_finish(&leaves);
    return ok;
}

bool fx_analyzer_check_overwrites(struct analyzer *analyzer,
                                  const struct trial_case *tcase,
                                  const struct trial *trial,
                                  const struct trial_outcome *outcome,
                                  struct fx_err *err) {
    struct overwrites overwrites = {
        .analyzer = analyzer, .tcase = tcase, .trial = trial, .final = outcome->object};
    bool ok =
        fx_trial_replay(trial, tcase->object, PASSES, NULL, &overwrites.record, err);
    for (size_t i = 0; ok && i + 1 < overwrites.record.n_steps; i++) {
        ok = check_step(&overwrites, i, err);
    }
    fx_trial_record_finish(&overwrites.record);
    return ok;
}
