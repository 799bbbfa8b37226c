/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/company.c - several mutators together on one object.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study.h"
#include "base/hash.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/pointer.h"
#include "value/tree.h"

/* Those that are tried, less those that were found out. */
struct company {
    struct study *study;
    const struct situation *situation;
    uint32_t *order;
    size_t n_order;
};

static struct trial trial_of(const struct company *company) {
    return fx_study_trial(company->study, company->situation, company->order,
                          company->n_order);
}

static void leave_out(struct company *company, uint32_t mutator) {
    size_t kept = 0;
    for (size_t i = 0; i < company->n_order; i++) {
        if (company->order[i] != mutator) {
            company->order[kept++] = company->order[i];
        }
    }
    company->n_order = kept;
}

/* A mutator that fails on an object of our making may not be at fault, unless it fails
 * only on what the others left. *ret_alone: it fails alone as well. */
static bool fails_alone(const struct company *company, uint32_t failed, bool *ret_alone,
                        struct fx_err *err) {
    const struct trial trial =
        fx_study_trial(company->study, company->situation, &failed, 1);
    struct trial_outcome outcome;
    if (!fx_trial_run(&trial, company->situation->object, &outcome, err)) {
        return false;
    }
    *ret_alone = outcome.failed != TRIAL_NOBODY;
    fx_trial_finish(&outcome);
    return true;
}

static bool tell_failure(const struct company *company,
                         const struct trial_outcome *outcome, struct fx_err *err) {
    bool is_ours = false;
    if (company->situation->origin == FX_ANALYSIS_MADE &&
        !fails_alone(company, outcome->failed, &is_ours, err)) {
        return false;
    }
    if (is_ours) {
        return true;
    }
    struct fx_analysis_finding finding = {
        .rule = FX_ANALYSIS_FAILURE, .mutators = {outcome->failed}, .n_mutators = 1};
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_study_print_id(&text, company->study, outcome->failed);
    fx_buf_printf(&text, " fails: %s", outcome->failure.msg);
    char none[] = "";
    finding.text = text.data;
    finding.path = none;
    const bool ok =
        text.failed ? fx_fail_nomem(err)
                    : fx_study_tell(company->study, company->situation, &finding, err);
    fx_buf_finish(&text);
    return ok;
}

/* Runs the company, less whoever fails. */
static bool run(struct company *company, struct trial_outcome *ret_outcome,
                struct fx_err *err) {
    for (;;) {
        const struct trial trial = trial_of(company);
        if (!fx_trial_run(&trial, company->situation->object, ret_outcome, err)) {
            return false;
        }
        if (ret_outcome->failed == TRIAL_NOBODY) {
            return true;
        }
        const uint32_t failed = ret_outcome->failed;
        const bool ok = tell_failure(company, ret_outcome, err);
        fx_trial_finish(ret_outcome);
        if (!ok) {
            return false;
        }
        leave_out(company, failed);
    }
}

/* ---- a second run ---------------------------------------------------------------- */

static void print_second(struct fx_buf *text, const struct study *study,
                         uint32_t mutator) {
    if (study->snapshot->mutators[mutator]->once) {
        fx_study_print_id(text, study, mutator);
        fx_buf_str(text, " changes the result when it is asked once more, as the API "
                         "server does after other webhooks; let its match rule out "
                         "what it has done");
    } else {
        fx_buf_str(text, "a second run changes the result of the first: ");
        fx_study_print_id(text, study, mutator);
        fx_buf_str(text, " acts again");
    }
}

static bool tell_second(const struct company *company, const struct lap_step *step,
                        struct fx_err *err) {
    struct study *study = company->study;
    struct fx_patch patch;
    if (!fx_study_diff(study, step->before, step->after, &patch, err)) {
        return false;
    }
    const bool once = study->snapshot->mutators[step->mutator]->once;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    print_second(&text, study, step->mutator);
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
        ok = fx_study_tell(study, company->situation, &finding, err);
    } else {
        (void)fx_fail_nomem(err);
    }
    free(path);
    fx_buf_finish(&text);
    return ok;
}

/* Of those who act again the first: the others may only follow. But once-rules act each
 * by itself. */
static bool tell_again(const struct company *company, const struct lap *lap,
                       struct fx_err *err) {
    struct fx_mutator *const *mutators = company->study->snapshot->mutators;
    bool ok = true;
    for (size_t i = 0; ok && i < lap->n_steps; i++) {
        const bool once = mutators[lap->steps[i].mutator]->once;
        ok = (i > 0 && !once) || tell_second(company, &lap->steps[i], err);
    }
    return ok;
}

/* What the first run left is the input of the second. */
static bool run_again(const struct company *company, const struct trial_outcome *first,
                      struct fx_err *err) {
    const struct trial trial = trial_of(company);
    struct trial_outcome second;
    if (!fx_trial_run(&trial, first->object, &second, err)) {
        return false;
    }
    bool ok = true;
    if (!second.exhausted && second.failed == TRIAL_NOBODY &&
        !fx_equal(first->object, second.object)) {
        struct lap lap = {0};
        ok = fx_trial_record(&trial, first->object, 1, NULL, &lap, err) &&
             tell_again(company, &lap, err);
        fx_lap_finish(&lap);
    }
    fx_trial_finish(&second);
    return ok;
}

/* ---- all of it ------------------------------------------------------------------- */

/* Those who undo each other are told, and leave but for the first; nothing more is to be
 * learned of them. */
static bool part_fighters(struct company *company, const struct trial_outcome *outcome,
                          struct fx_err *err) {
    const struct trial trial = trial_of(company);
    struct lap lap = {0};
    bool ok = fx_study_undo(company->study, company->situation, &trial, outcome, err) &&
              fx_trial_record(&trial, outcome->lap_start, outcome->n_lap_passes,
                              outcome->done, &lap, err);
    const size_t n_before = company->n_order;
    for (size_t i = 0; ok && i < lap.n_steps; i++) {
        if (lap.steps[i].mutator != lap.steps[0].mutator || !outcome->settled) {
            leave_out(company, lap.steps[i].mutator);
        }
    }
    if (company->n_order == n_before) { /* nobody left: it must end */
        company->n_order = 0;
    }
    fx_lap_finish(&lap);
    return ok;
}

static bool look(struct company *company, bool *ret_again, struct fx_err *err) {
    struct trial_outcome outcome;
    *ret_again = false;
    if (!run(company, &outcome, err)) {
        return false;
    }
    bool ok = true;
    if (outcome.exhausted) {
        company->study->result->n_left_out++;
    } else if (outcome.lap_start != NULL) {
        ok = part_fighters(company, &outcome, err);
        *ret_again = true;
    } else if (outcome.object != company->situation->object) {
        const struct trial trial = trial_of(company);
        ok = run_again(company, &outcome, err) &&
             fx_study_order(company->study, company->situation, &trial, &outcome, err);
    }
    fx_trial_finish(&outcome);
    return ok;
}

/* 64 bits will do for a few thousand lists. */
static uint64_t hash_order(const uint32_t *order, size_t n_order) {
    return fx_hash_bytes(FX_HASH_START, order, n_order * sizeof *order);
}

/* Notes what is about to be tried. *ret_new: it was not yet. */
static bool note_trial(struct study *study, const struct situation *situation,
                       const uint32_t *order, size_t n_order, bool *ret_new,
                       struct fx_err *err) {
    struct fx_buf key;
    fx_buf_init(&key, 0);
    fx_buf_printf(&key, "%d %d %zu %016" PRIx64 " ", (int)situation->request.operation,
                  (int)situation->request.source, n_order, hash_order(order, n_order));
    fx_json_write(&key, situation->object, FX_JSON_COMPACT);
    const struct fx_text text = {key.data, key.len};
    bool ok = !key.failed;
    *ret_new = ok && fx_tree_view_text(study->tried, text) == NULL;
    if (*ret_new) {
        ok = fx_tree_set_take(study->tried, text, json_true());
    }
    fx_buf_finish(&key);
    return ok || fx_fail_nomem(err);
}

static bool try_once(struct study *study, const struct situation *situation,
                     const uint32_t *order, size_t n_order, struct fx_err *err) {
    struct company company = {
        .study = study,
        .situation = situation,
        .order = calloc(n_order + 1, sizeof *company.order),
        .n_order = n_order,
    };
    if (company.order == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < n_order; i++) {
        company.order[i] = order[i];
    }
    bool ok = true;
    bool again = true;
    while (ok && again && company.n_order > 0) {
        ok = look(&company, &again, err);
    }
    free(company.order);
    return ok;
}

bool fx_study_company(struct study *study, const struct situation *situation,
                      const uint32_t *order, size_t n_order, struct fx_err *err) {
    bool is_new = false;
    return note_trial(study, situation, order, n_order, &is_new, err) &&
           (!is_new || try_once(study, situation, order, n_order, err));
}
