/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/mutator_set.c - runs several mutators together on one object.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "base/hash.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/pointer.h"
#include "value/tree.h"

/* The mutators that are run together, without those already reported. */
struct mutator_set {
    struct analyzer *analyzer;
    const struct trial_case *tcase;
    uint32_t *order;
    size_t n_order;
};

static struct trial trial_of(const struct mutator_set *set) {
    return fx_analyzer_trial(set->analyzer, set->tcase, set->order, set->n_order);
}

static void remove_mutator(struct mutator_set *set, uint32_t mutator) {
    size_t kept = 0;
    for (size_t i = 0; i < set->n_order; i++) {
        if (set->order[i] != mutator) {
            set->order[kept++] = set->order[i];
        }
    }
    set->n_order = kept;
}

/* *ret_alone: the mutator fails alone, too. On an object made by the analysis that is no
 * finding, as the object may be at fault. */
static bool fails_alone(const struct mutator_set *set, uint32_t failed, bool *ret_alone,
                        struct fx_err *err) {
    const struct trial trial = fx_analyzer_trial(set->analyzer, set->tcase, &failed, 1);
    struct trial_outcome outcome;
    if (!fx_trial_run(&trial, set->tcase->object, &outcome, err)) {
        return false;
    }
    *ret_alone = outcome.failed != TRIAL_NOBODY;
    fx_trial_finish(&outcome);
    return true;
}

static bool report_failure(const struct mutator_set *set,
                           const struct trial_outcome *outcome, struct fx_err *err) {
    bool is_ours = false;
    if (set->tcase->origin == FX_ANALYSIS_MADE &&
        !fails_alone(set, outcome->failed, &is_ours, err)) {
        return false;
    }
    if (is_ours) {
        return true;
    }
    struct fx_analysis_finding finding = {
        .rule = FX_ANALYSIS_FAILURE, .mutators = {outcome->failed}, .n_mutators = 1};
    struct fx_buf text = {0};
    fx_analyzer_print_id(&text, set->analyzer, outcome->failed);
    fx_buf_printf(&text, " fails: %s", outcome->failure.msg);
    char none[] = "";
    finding.text = text.data;
    finding.path = none;
    const bool ok = text.failed
                        ? fx_fail_nomem(err)
                        : fx_analyzer_report(set->analyzer, set->tcase, &finding, err);
    fx_buf_finish(&text);
    return ok;
}

/* Runs the set; a mutator that fails is reported and removed, and the rest run again. */
static bool run_set(struct mutator_set *set, struct trial_outcome *ret_outcome,
                    struct fx_err *err) {
    for (;;) {
        const struct trial trial = trial_of(set);
        if (!fx_trial_run(&trial, set->tcase->object, ret_outcome, err)) {
            return false;
        }
        if (ret_outcome->failed == TRIAL_NOBODY) {
            return true;
        }
        const uint32_t failed = ret_outcome->failed;
        const bool ok = report_failure(set, ret_outcome, err);
        fx_trial_finish(ret_outcome);
        if (!ok) {
            return false;
        }
        remove_mutator(set, failed);
    }
}

/* ---- a second run ---------------------------------------------------------------- */

static void print_second(struct fx_buf *text, const struct analyzer *analyzer,
                         uint32_t mutator) {
    if (analyzer->snapshot->mutators[mutator]->run.once) {
        fx_analyzer_print_id(text, analyzer, mutator);
        fx_buf_str(text,
                   " changes its result when it runs again; the API server may call the "
                   "webhook again, so let its match exclude objects that it has changed");
    } else {
        fx_buf_str(text, "a second run changes the result of the first: ");
        fx_analyzer_print_id(text, analyzer, mutator);
        fx_buf_str(text, " acts again");
    }
}

static bool report_second(const struct mutator_set *set, const struct trial_step *step,
                          struct fx_err *err) {
    struct analyzer *analyzer = set->analyzer;
    struct fx_patch patch;
    if (!fx_analyzer_diff(analyzer, step->before, step->after, &patch, err)) {
        return false;
    }
    const bool once = analyzer->snapshot->mutators[step->mutator]->run.once;
    struct fx_buf text = {0};
    print_second(&text, analyzer, step->mutator);
    char *path = fx_text_dup(patch.n_ops > 0 ? patch.ops[0].path : FX_TEXT(""));
    bool ok = path != NULL && !text.failed;
    if (ok) {
        const struct fx_analysis_finding finding = {
            .rule = once ? FX_ANALYSIS_REINVOCATION : FX_ANALYSIS_IDEMPOTENCE,
            .mutators = {step->mutator},
            .n_mutators = 1,
            .text = text.data,
            .path = path,
            .values = {fx_pointer_view(step->before, fx_text_of(path)),
                       fx_pointer_view(step->after, fx_text_of(path))},
            .n_values = 2,
        };
        ok = fx_analyzer_report(analyzer, set->tcase, &finding, err);
    } else {
        (void)fx_fail_nomem(err);
    }
    free(path);
    fx_buf_finish(&text);
    return ok;
}

/* Reports the first mutator that acts again, as the others may only follow from it; and
 * every mutator that is not reinvoked within a review. */
static bool report_again(const struct mutator_set *set, const struct trial_record *record,
                         struct fx_err *err) {
    struct fx_mutator *const *mutators = set->analyzer->snapshot->mutators;
    bool ok = true;
    for (size_t i = 0; ok && i < record->n_steps; i++) {
        const bool once = mutators[record->steps[i].mutator]->run.once;
        ok = (i > 0 && !once) || report_second(set, &record->steps[i], err);
    }
    return ok;
}

/* Runs the set again on the result of the first run. */
static bool run_again(const struct mutator_set *set, const struct trial_outcome *first,
                      struct fx_err *err) {
    const struct trial trial = trial_of(set);
    struct trial_outcome second;
    if (!fx_trial_run(&trial, first->object, &second, err)) {
        return false;
    }
    bool ok = true;
    if (!second.exhausted && second.failed == TRIAL_NOBODY &&
        !fx_equal(first->object, second.object)) {
        struct trial_record record = {0};
        ok = fx_trial_replay(&trial, first->object, 1, NULL, &record, err) &&
             report_again(set, &record, err);
        fx_trial_record_finish(&record);
    }
    fx_trial_finish(&second);
    return ok;
}

/* ---- all of it ------------------------------------------------------------------- */

/* Reports the mutators that undo each other, and removes them; the first one stays if the
 * passes settle. */
static bool remove_undoing(struct mutator_set *set, const struct trial_outcome *outcome,
                           struct fx_err *err) {
    const struct trial trial = trial_of(set);
    struct trial_record record = {0};
    bool ok = fx_analyzer_check_undo(set->analyzer, set->tcase, &trial, outcome, err) &&
              fx_trial_replay(&trial, outcome->cycle_start, outcome->n_cycle_passes,
                              outcome->done, &record, err);
    const size_t n_before = set->n_order;
    for (size_t i = 0; ok && i < record.n_steps; i++) {
        if (record.steps[i].mutator != record.steps[0].mutator || !outcome->settled) {
            remove_mutator(set, record.steps[i].mutator);
        }
    }
    if (set->n_order == n_before) { /* nothing was removed: end */
        set->n_order = 0;
    }
    fx_trial_record_finish(&record);
    return ok;
}

static bool try_set(struct mutator_set *set, bool *ret_again, struct fx_err *err) {
    struct trial_outcome outcome;
    *ret_again = false;
    if (!run_set(set, &outcome, err)) {
        return false;
    }
    bool ok = true;
    if (outcome.exhausted) {
        set->analyzer->result->n_skipped++;
    } else if (outcome.cycle_start != NULL) {
        ok = remove_undoing(set, &outcome, err);
        *ret_again = true;
    } else if (outcome.object != set->tcase->object) {
        const struct trial trial = trial_of(set);
        ok = run_again(set, &outcome, err) &&
             fx_analyzer_check_order(set->analyzer, set->tcase, &trial, &outcome, err);
    }
    fx_trial_finish(&outcome);
    return ok;
}

/* 64 bits are enough for a few thousand lists. */
static uint64_t hash_order(const uint32_t *order, size_t n_order) {
    return fx_hash_bytes(FX_HASH_START, order, n_order * sizeof *order);
}

/* Notes that the mutators are run on the object. *ret_new: they were not yet. */
static bool note_trial(struct analyzer *analyzer, const struct trial_case *tcase,
                       const uint32_t *order, size_t n_order, bool *ret_new,
                       struct fx_err *err) {
    struct fx_buf key = {0};
    fx_buf_printf(&key, "%d %d %zu %016" PRIx64 " ", (int)tcase->request.operation,
                  (int)tcase->request.source, n_order, hash_order(order, n_order));
    fx_json_write(&key, tcase->object, FX_JSON_COMPACT);
    const struct fx_text text = {key.data, key.len};
    bool ok = !key.failed;
    *ret_new = ok && fx_tree_view_text(analyzer->tried, text) == NULL;
    if (*ret_new) {
        ok = fx_tree_set_take(analyzer->tried, text, json_true());
    }
    fx_buf_finish(&key);
    return ok || fx_fail_nomem(err);
}

static bool try_once(struct analyzer *analyzer, const struct trial_case *tcase,
                     const uint32_t *order, size_t n_order, struct fx_err *err) {
    struct mutator_set set = {
        .analyzer = analyzer,
        .tcase = tcase,
        .order = calloc(n_order + 1, sizeof *set.order),
        .n_order = n_order,
    };
    if (set.order == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < n_order; i++) {
        set.order[i] = order[i];
    }
    bool ok = true;
    bool again = true;
    while (ok && again && set.n_order > 0) {
        ok = try_set(&set, &again, err);
    }
    free(set.order);
    return ok;
}

bool fx_analyzer_try_set(struct analyzer *analyzer, const struct trial_case *tcase,
                         const uint32_t *order, size_t n_order, struct fx_err *err) {
    bool is_new = false;
    return note_trial(analyzer, tcase, order, n_order, &is_new, err) &&
           (!is_new || try_once(analyzer, tcase, order, n_order, err));
}
