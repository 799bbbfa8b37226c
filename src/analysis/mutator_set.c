/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/mutator_set.c - runs several mutators on one object.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "base/hash.h"
#include "base/vec.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/pointer.h"
#include "value/tree.h"

/* ---- mutators that undo each other ----------------------------------------------- */

#define CHANGES_MAX      256u /* the most changes of one cycle that are checked */
#define FIELDS_OF_A_STEP 8u   /* the most fields of one change that are checked */

/* One field that one step changed. */
struct undo_change {
    size_t step;
    char *path;
    bool is_reported;
};

struct undo_changes {
    struct undo_change *items;
    size_t n_items, cap_items;
};

struct undo {
    struct analyzer *analyzer;
    const struct trial_case *tcase;
    struct trial_record record;
    struct undo_changes changes;
    bool settles;
};

static void undo_finish(struct undo *undo) {
    for (size_t i = 0; i < undo->changes.n_items; i++) {
        free(undo->changes.items[i].path);
    }
    free(undo->changes.items);
    fx_trial_record_finish(&undo->record);
}

static bool add_change(struct undo_changes *changes, size_t step, struct fx_text path,
                       struct fx_err *err) {
    if (!FX_VEC_GROW(changes->items, changes->n_items, changes->cap_items)) {
        return fx_fail_nomem(err);
    }
    struct undo_change change = {.step = step, .path = fx_text_dup(path)};
    if (change.path == NULL) {
        return fx_fail_nomem(err);
    }
    changes->items[changes->n_items++] = change;
    return true;
}

static bool list_changes(struct undo *undo, struct fx_err *err) {
    const struct trial_record *record = &undo->record;
    for (size_t i = 0; i < record->n_steps && undo->changes.n_items < CHANGES_MAX; i++) {
        struct fx_patch patch;
        if (!fx_analyzer_diff(undo->analyzer, record->steps[i].before,
                              record->steps[i].after, &patch, err)) {
            return false;
        }
        for (size_t k = 0; k < patch.n_ops && k < FIELDS_OF_A_STEP; k++) {
            if (!add_change(&undo->changes, i, patch.ops[k].path, err)) {
                return false;
            }
        }
    }
    return true;
}

static bool are_related(const char *a, const char *b) {
    return fx_analyzer_path_begins(a, b) || fx_analyzer_path_begins(b, a);
}

/* The shortest path among the changes that equals or contains the path of the change:
 * that field shows all changes within it. */
static const char *field_around(const struct undo_changes *changes, size_t at) {
    const char *path = changes->items[at].path;
    for (size_t i = at + 1; i < changes->n_items; i++) {
        if (fx_analyzer_path_begins(changes->items[i].path, path)) {
            path = changes->items[i].path;
        }
    }
    return path;
}

static void add_mutator(struct fx_analysis_finding *finding, uint32_t mutator) {
    for (size_t i = 0; i < finding->n_mutators; i++) {
        if (finding->mutators[i] == mutator) {
            return;
        }
    }
    if (finding->n_mutators < FX_ANALYSIS_MUTATORS) {
        finding->mutators[finding->n_mutators++] = mutator;
    }
}

static void add_value(struct fx_analysis_finding *finding, json_t *object) {
    if (finding->n_values < FX_ANALYSIS_VALUES) {
        finding->values[finding->n_values++] =
            fx_pointer_view(object, fx_text_of(finding->path));
    }
}

/* Adds to the finding all changes of the field in order, with their values. */
static void gather(struct undo *undo, size_t at, struct fx_analysis_finding *finding) {
    size_t last = SIZE_MAX;
    for (size_t i = at; i < undo->changes.n_items; i++) {
        struct undo_change *change = &undo->changes.items[i];
        if (!are_related(finding->path, change->path)) {
            continue;
        }
        change->is_reported = true;
        if (change->step == last) {
            continue;
        }
        const struct trial_step *step = &undo->record.steps[change->step];
        if (last == SIZE_MAX) {
            add_value(finding, step->before);
        }
        last = change->step;
        add_mutator(finding, step->mutator);
        add_value(finding, step->after);
    }
}

/* "Assign/a, Assign/b and Assign/c" */
static void print_ids(struct fx_buf *buf, const struct analyzer *analyzer,
                      const struct fx_analysis_finding *finding) {
    for (size_t i = 0; i < finding->n_mutators; i++) {
        const bool last = i + 1 == finding->n_mutators;
        fx_buf_str(buf, i == 0 ? "" : last ? " and " : ", ");
        fx_analyzer_print_id(buf, analyzer, finding->mutators[i]);
    }
}

static bool report_undo(struct undo *undo, struct fx_analysis_finding *finding,
                        struct fx_err *err) {
    struct fx_buf text = {0};
    print_ids(&text, undo->analyzer, finding);
    if (finding->n_mutators == 1) {
        finding->rule = FX_ANALYSIS_IDEMPOTENCE;
        fx_buf_str(&text, " changes its own result in each pass and never converges: "
                          "such an object is refused");
    } else if (undo->settles) {
        fx_buf_str(&text, " undo each other in every pass; the last one decides");
    } else {
        fx_buf_str(&text,
                   " undo each other and never converge: such an object is refused");
    }
    return fx_analyzer_report(undo->analyzer, undo->tcase, finding, &text,
                              fx_text_of(finding->path), err);
}

/* Cuts the index off the path of a plain list element: its changes are reported as
 * changes of the list. */
static void lift(const struct undo *undo, size_t at, char *path) {
    char *last = strrchr(path, '/');
    if (last == NULL || last[1] == '\0' ||
        last[1 + strspn(last + 1, "0123456789")] != '\0') {
        return;
    }
    const struct trial_step *step = &undo->record.steps[undo->changes.items[at].step];
    const struct fx_text element = fx_text_of(path);
    const struct fx_text list = {path, (size_t)(last - path)};
    if (json_is_array(fx_pointer_view(step->before, list)) &&
        !json_is_object(fx_pointer_view(step->before, element)) &&
        !json_is_object(fx_pointer_view(step->after, element))) {
        *last = '\0';
    }
}

static bool report_field(struct undo *undo, size_t at, struct fx_err *err) {
    char *path = fx_text_dup(fx_text_of(field_around(&undo->changes, at)));
    if (path == NULL) {
        return fx_fail_nomem(err);
    }
    lift(undo, at, path);
    struct fx_analysis_finding finding = {.rule = FX_ANALYSIS_UNDO, .path = path};
    gather(undo, at, &finding);
    /* Only one mutator changes the field, so the cause is a change of another field. */
    for (size_t i = 0; finding.n_mutators == 1 && i < undo->record.n_steps; i++) {
        add_mutator(&finding, undo->record.steps[i].mutator);
    }
    const bool ok = report_undo(undo, &finding, err);
    free(path);
    return ok;
}

/* Reports the mutators that undo each other in the cycle of the outcome, in which a later
 * change undoes each change. The mutators that change one field are one finding. */
static bool check_undo(struct analyzer *analyzer, const struct trial_case *tcase,
                       const struct trial *trial, const struct trial_outcome *outcome,
                       struct fx_err *err) {
    struct undo undo = {
        .analyzer = analyzer, .tcase = tcase, .settles = outcome->settled};
    bool ok = fx_trial_replay(trial, outcome->cycle_start, outcome->n_cycle_passes,
                              outcome->done, &undo.record, err) &&
              list_changes(&undo, err);
    for (size_t i = 0; ok && i < undo.changes.n_items; i++) {
        ok = undo.changes.items[i].is_reported || report_field(&undo, i, err);
    }
    undo_finish(&undo);
    return ok;
}

/* The mutators that run on one object, without those already reported. */
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

/* *ret_alone: the mutator also fails alone. On an object made by the analysis this is not
 * a finding, as the object may be the cause. */
static bool fails_alone(const struct mutator_set *set, uint32_t failed, bool *ret_alone,
                        struct fx_err *err) {
    const struct trial trial = fx_analyzer_trial(set->analyzer, set->tcase, &failed, 1);
    struct trial_outcome outcome;
    if (!fx_trial_run(&trial, set->tcase->object, &outcome, err)) {
        return false;
    }
    *ret_alone = outcome.failed != TRIAL_NONE;
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
    const struct fx_analysis_finding finding = {
        .rule = FX_ANALYSIS_FAILURE, .mutators = {outcome->failed}, .n_mutators = 1};
    struct fx_buf text = {0};
    fx_analyzer_print_id(&text, set->analyzer, outcome->failed);
    fx_buf_printf(&text, " fails: %s", outcome->failure.msg);
    return fx_analyzer_report(set->analyzer, set->tcase, &finding, &text, FX_TEXT(""),
                              err);
}

/* Runs the set. If a mutator fails, reports and removes it, and runs the others again. */
static bool run_set(struct mutator_set *set, struct trial_outcome *ret_outcome,
                    struct fx_err *err) {
    for (;;) {
        const struct trial trial = trial_of(set);
        if (!fx_trial_run(&trial, set->tcase->object, ret_outcome, err)) {
            return false;
        }
        if (ret_outcome->failed == TRIAL_NONE) {
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
    const struct fx_text path = patch.n_ops > 0 ? patch.ops[0].path : FX_TEXT("");
    const struct fx_analysis_finding finding = {
        .rule = once ? FX_ANALYSIS_REINVOCATION : FX_ANALYSIS_IDEMPOTENCE,
        .mutators = {step->mutator},
        .n_mutators = 1,
        .values = {fx_pointer_view(step->before, path),
                   fx_pointer_view(step->after, path)},
        .n_values = 2,
    };
    return fx_analyzer_report(analyzer, set->tcase, &finding, &text, path, err);
}

/* Reports the first mutator that acts again, as it may be the cause of the others; and
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

static bool report_failing_again(const struct mutator_set *set,
                                 const struct trial_outcome *second, struct fx_err *err) {
    const struct fx_analysis_finding finding = {
        .rule = FX_ANALYSIS_FAILURE, .mutators = {second->failed}, .n_mutators = 1};
    struct fx_buf text = {0};
    fx_analyzer_print_id(&text, set->analyzer, second->failed);
    fx_buf_printf(&text, " fails when it runs again on the result: %s",
                  second->failure.msg);
    return fx_analyzer_report(set->analyzer, set->tcase, &finding, &text, FX_TEXT(""),
                              err);
}

/* Runs the set on the result. Reports a mutator that fails (*ret_failed), otherwise those
 * that act again. */
static bool run_second(const struct mutator_set *set, json_t *result,
                       uint32_t *ret_failed, struct fx_err *err) {
    const struct trial trial = trial_of(set);
    struct trial_outcome second;
    if (!fx_trial_run(&trial, result, &second, err)) {
        return false;
    }
    bool ok = true;
    *ret_failed = second.failed;
    if (second.failed != TRIAL_NONE) {
        ok = report_failing_again(set, &second, err);
    } else if (!second.exhausted && !fx_equal(result, second.object)) {
        struct trial_record record = {0};
        ok = fx_trial_replay(&trial, result, 1, NULL, &record, err) &&
             report_again(set, &record, err);
        fx_trial_record_finish(&record);
    }
    fx_trial_finish(&second);
    return ok;
}

/* Runs the set again on the result of the first run. If a mutator fails, reports it, and
 * runs the others. */
static bool run_again(const struct mutator_set *set, const struct trial_outcome *first,
                      struct fx_err *err) {
    struct mutator_set again = *set;
    uint32_t failed = TRIAL_NONE;
    again.order = calloc(set->n_order + 1, sizeof *again.order);
    if (again.order == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < set->n_order; i++) {
        again.order[i] = set->order[i];
    }
    bool ok = true;
    do {
        ok = run_second(&again, first->object, &failed, err);
        if (ok && failed != TRIAL_NONE) {
            remove_mutator(&again, failed);
        }
    } while (ok && failed != TRIAL_NONE);
    free(again.order);
    return ok;
}

/* ---- the whole set --------------------------------------------------------------- */

/* Reports the mutators that undo each other, and removes them (except the first if the
 * passes settle). */
static bool remove_undoing(struct mutator_set *set, const struct trial_outcome *outcome,
                           struct fx_err *err) {
    const struct trial trial = trial_of(set);
    struct trial_record record = {0};
    bool ok = check_undo(set->analyzer, set->tcase, &trial, outcome, err) &&
              fx_trial_replay(&trial, outcome->cycle_start, outcome->n_cycle_passes,
                              outcome->done, &record, err);
    const size_t n_before = set->n_order;
    for (size_t i = 0; ok && i < record.n_steps; i++) {
        if (record.steps[i].mutator != record.steps[0].mutator || !outcome->settled) {
            remove_mutator(set, record.steps[i].mutator);
        }
    }
    if (set->n_order == n_before) { /* nothing was removed: stop */
        set->n_order = 0;
    }
    fx_trial_record_finish(&record);
    return ok;
}

static bool check_overwrites(const struct mutator_set *set,
                             const struct trial_outcome *outcome, struct fx_err *err) {
    const struct trial trial = trial_of(set);
    return fx_analyzer_check_overwrites(set->analyzer, set->tcase, &trial, outcome, err);
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
        ok = (!outcome.settled || check_overwrites(set, &outcome, err)) &&
             remove_undoing(set, &outcome, err);
        *ret_again = true;
    } else if (outcome.object != set->tcase->object) {
        const struct trial trial = trial_of(set);
        ok = run_again(set, &outcome, err) && check_overwrites(set, &outcome, err) &&
             fx_analyzer_check_order(set->analyzer, set->tcase, &trial, &outcome, err);
    }
    fx_trial_finish(&outcome);
    return ok;
}

/* 64 bits are enough for a few thousand lists. */
static uint64_t hash_order(const uint32_t *order, size_t n_order) {
    return fx_hash_bytes(FX_HASH_START, order, n_order * sizeof *order);
}

/* Records that the mutators are run on the object. *ret_new: they were not run on it
 * before. */
static bool note_trial(struct analyzer *analyzer, const struct trial_case *tcase,
                       const uint32_t *order, size_t n_order, bool *ret_new,
                       struct fx_err *err) {
    struct fx_buf key = {0};
    fx_buf_printf(&key, "%d %d %zu %016" PRIx64 " ", (int)tcase->request.operation,
                  (int)tcase->request.source, n_order, hash_order(order, n_order));
    fx_json_write(&key, tcase->object, FX_JSON_COMPACT);
    const struct fx_text text = fx_buf_view(&key);
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
