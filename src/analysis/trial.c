/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/trial.c - runs passes over a list of mutators, until one changes nothing or an
 * earlier object repeats.
 */
#include "analysis/analyzer.h"

#include <stdlib.h>

#include "base/vec.h"
#include "engine/passes.h"
#include "value/equal.h"

#define RECORD_STEPS_MAX 4096u /* the most steps recorded of one trial */

void fx_trial_finish(struct trial_outcome *outcome) {
    json_decref(outcome->object);
    json_decref(outcome->cycle_start);
    free(outcome->done);
    *outcome = (struct trial_outcome){0};
}

void fx_trial_record_finish(struct trial_record *record) {
    for (size_t i = 0; i < record->n_steps; i++) {
        json_decref(record->steps[i].before);
        json_decref(record->steps[i].after);
    }
    free(record->steps);
    *record = (struct trial_record){0};
}

static struct fx_passes_input input_of(const struct trial *trial) {
    fx_arena_reset(trial->arena);
    return (struct fx_passes_input){
        .snapshot = trial->snapshot,
        .request = trial->request,
        .order = trial->order,
        .n_order = trial->n_order,
        .steps_left = trial->steps_left,
        .arena = trial->arena,
    };
}

/* ---- run ------------------------------------------------------------------------- */

static void set_cycle(struct trial_outcome *outcome, json_t *start, size_t n_passes) {
    outcome->cycle_start = json_incref(start);
    outcome->n_cycle_passes = n_passes;
}

/* An object that later passes are compared with; replaced at each power of two, so that a
 * cycle of any length is noticed within twice its length (Brent). */
struct trial_mark {
    json_t *object; /* counted */
    size_t age, power;
};

static void move_mark(struct trial_mark *mark, json_t *object, size_t power) {
    json_decref(mark->object);
    *mark = (struct trial_mark){json_incref(object), 0, power};
}

/* Evaluates a pass that changed `before` to `after`. Returns whether another pass is
 * needed. */
static bool needs_another(struct trial_outcome *outcome,
                          const struct fx_pass_result *pass, json_t *before,
                          json_t *after, struct trial_mark *mark) {
    if (!pass->changed || (!pass->once_changed && fx_equal(before, after))) {
        outcome->settled = true;
        /* A cycle cannot be replayed with mutators that run only if others have run. */
        if (pass->changed && !pass->again_changed) {
            set_cycle(outcome, before, 1);
        }
        return false;
    }
    mark->age++;
    if (pass->once_applied) { /* the object cannot repeat */
        move_mark(mark, after, 1);
    } else if (fx_equal(mark->object, after)) {
        set_cycle(outcome, mark->object, mark->age);
        return false;
    } else if (mark->age == mark->power) {
        move_mark(mark, after, mark->power * 2);
    }
    return true;
}

static void note_failure(const struct trial *trial, struct trial_outcome *outcome,
                         const struct fx_pass_result *pass) {
    for (size_t i = 0; i < trial->n_order; i++) {
        if (trial->snapshot->mutators[trial->order[i]] == pass->failed) {
            outcome->failed = trial->order[i];
            outcome->failure = pass->failure;
        }
    }
}

static bool run_passes(const struct trial *trial, struct fx_passes *passes,
                       struct trial_outcome *outcome, struct fx_err *err) {
    struct trial_mark mark = {json_incref(fx_passes_object(passes)), 0, 1};
    const size_t n_passes = fx_passes_most(passes);
    bool ok = true;
    bool goes_on = true;
    for (size_t n = 1; ok && goes_on && n <= n_passes; n++) {
        struct fx_pass_result pass;
        json_t *before = json_incref(fx_passes_object(passes));
        ok = fx_passes_run(passes, &pass, err);
        goes_on = ok && !pass.exhausted && pass.failed == NULL &&
                  needs_another(outcome, &pass, before, fx_passes_object(passes), &mark);
        if (ok) {
            outcome->exhausted = pass.exhausted;
            note_failure(trial, outcome, &pass);
        }
        if (goes_on && n == n_passes) {
            set_cycle(outcome, before, 1);
        }
        json_decref(before);
    }
    json_decref(mark.object);
    return ok;
}

bool fx_trial_run(const struct trial *trial, json_t *object,
                  struct trial_outcome *ret_outcome, struct fx_err *err) {
    const struct fx_passes_input input = input_of(trial);
    struct fx_passes *passes = fx_passes_open(&input, object);
    *ret_outcome = (struct trial_outcome){
        .failed = TRIAL_NONE,
        .done = calloc(trial->n_order + 1, sizeof *ret_outcome->done),
    };
    bool ok = passes != NULL && ret_outcome->done != NULL;
    ok = ok ? run_passes(trial, passes, ret_outcome, err) : fx_fail_nomem(err);
    if (ok) {
        ret_outcome->object = json_incref(fx_passes_object(passes));
        for (size_t i = 0; i < trial->n_order; i++) {
            ret_outcome->done[i] = fx_passes_is_done(passes, trial->order[i]);
        }
    } else {
        fx_trial_finish(ret_outcome);
    }
    fx_passes_close(passes);
    return ok;
}

/* ---- replay ---------------------------------------------------------------------- */

static bool note_step(void *user, uint32_t mutator, json_t *before, json_t *after,
                      struct fx_err *err) {
    struct trial_record *record = user;
    if (record->n_steps == RECORD_STEPS_MAX) {
        return true;
    }
    if (!FX_VEC_GROW(record->steps, record->n_steps, record->cap_steps)) {
        return fx_fail_nomem(err);
    }
    record->steps[record->n_steps++] =
        (struct trial_step){mutator, json_incref(before), json_incref(after)};
    return true;
}

bool fx_trial_replay(const struct trial *trial, json_t *start, size_t n_passes,
                     const bool *done, struct trial_record *ret_record,
                     struct fx_err *err) {
    struct fx_passes_input input = input_of(trial);
    input.changed = note_step;
    input.user = ret_record;
    struct fx_passes *passes = fx_passes_open(&input, start);
    if (passes == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; done != NULL && i < trial->n_order; i++) {
        if (done[i]) {
            fx_passes_set_done(passes, trial->order[i]);
        }
    }
    struct fx_pass_result pass = {.changed = false};
    bool ok = true;
    for (size_t n = 0; ok && n < n_passes && !pass.exhausted && pass.failed == NULL;
         n++) {
        ok = fx_passes_run(passes, &pass, err);
    }
    fx_passes_close(passes);
    return ok;
}
