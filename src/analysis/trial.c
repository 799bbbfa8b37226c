/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/trial.c - passes over a list of mutators.
 */
#include "analysis/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "engine/once.h"
#include "value/equal.h"

#define LAP_STEPS_MAX 4096u /* noted of one lap */

struct run {
    const struct trial *trial;
    json_t *root; /* counted */
    struct fx_subject subject;
    bool *done;
    bool has_changed;      /* in this pass */
    bool has_taken_once;   /* likewise: a once-rule had its turn, and … */
    bool has_once_changed; /* … has changed something */
    struct fx_once once;
    struct lap *lap; /* or NULL */
    struct trial_outcome *outcome;
};

void fx_trial_finish(struct trial_outcome *outcome) {
    json_decref(outcome->object);
    json_decref(outcome->lap_start);
    free(outcome->done);
    *outcome = (struct trial_outcome){0};
}

void fx_lap_finish(struct lap *lap) {
    for (size_t i = 0; i < lap->n_steps; i++) {
        json_decref(lap->steps[i].before);
        json_decref(lap->steps[i].after);
    }
    free(lap->steps);
    *lap = (struct lap){0};
}

/* A failure of the policy is an outcome, one of our own is ours. */
static bool note_failure(struct run *run, uint32_t index, struct fx_err *err) {
    if (fx_err_is_ours(err)) {
        return false;
    }
    run->outcome->failed = index;
    run->outcome->failure = *err;
    return true;
}

static bool note_step(struct run *run, uint32_t index, json_t *before,
                      struct fx_err *err) {
    struct lap *lap = run->lap;
    if (lap->n_steps == LAP_STEPS_MAX) {
        return true;
    }
    if (!FX_VEC_GROW(lap->steps, lap->n_steps, lap->cap_steps)) {
        return fx_fail_nomem(err);
    }
    lap->steps[lap->n_steps++] =
        (struct lap_step){index, json_incref(before), json_incref(run->root)};
    return true;
}

static bool apply(struct run *run, size_t at, struct fx_err *err) {
    const uint32_t index = run->trial->order[at];
    const struct fx_mutator *mutator = run->trial->snapshot->mutators[index];
    json_t *before = run->lap != NULL ? json_incref(run->root) : NULL;
    struct fx_effect effect = {.applied = false};
    bool ok = mutator->ops->apply(mutator, run->trial->request, &run->root, &effect, err);
    if (!ok) {
        ok = note_failure(run, index, err);
    } else if (effect.changed) {
        run->has_changed = true;
        run->has_once_changed = run->has_once_changed || mutator->once;
        fx_once_note_change(&run->once, mutator);
        fx_subject_read(run->root, &run->subject);
        ok = run->lap == NULL || note_step(run, index, before, err);
    }
    json_decref(before);
    if (mutator->once) {
        run->done[at] = true;
        run->has_taken_once = true;
    }
    return ok;
}

static bool take_turn(struct run *run, size_t at, struct fx_err *err) {
    const uint32_t index = run->trial->order[at];
    const struct fx_mutator *mutator = run->trial->snapshot->mutators[index];
    if (run->done[at] || (mutator->once && !fx_once_is_asked(&run->once, mutator))) {
        return true;
    }
    if (*run->trial->steps_left == 0) {
        run->outcome->exhausted = true;
        return true;
    }
    --*run->trial->steps_left;
    struct fx_verdict verdict = {.matched = false};
    if (!mutator->ops->match(mutator, run->trial->request, &run->subject, &verdict,
                             err)) {
        return note_failure(run, index, err);
    }
    return !verdict.matched || apply(run, at, err);
}

static bool is_over(const struct run *run) {
    return run->outcome->exhausted || run->outcome->failed != TRIAL_NOBODY;
}

/* The caller holds the object as it was before the pass: see engine/converge.c. */
static bool run_pass(struct run *run, struct fx_err *err) {
    run->has_changed = false;
    run->has_taken_once = false;
    run->has_once_changed = false;
    fx_once_begin_pass(&run->once);
    fx_subject_read(run->root, &run->subject);
    for (size_t at = 0; at < run->trial->n_order && !is_over(run); at++) {
        if (!take_turn(run, at, err)) {
            return false;
        }
    }
    return true;
}

static void set_lap(struct run *run, json_t *start, size_t n_passes) {
    run->outcome->lap_start = json_incref(start);
    run->outcome->n_lap_passes = n_passes;
}

/* A place on the way that later passes are compared with; moved on at each power of two,
 * so that a cycle of any length is noticed within twice its length (Brent). */
struct mark {
    json_t *object; /* counted */
    size_t age, power;
};

static void move_mark(struct mark *mark, json_t *object, size_t power) {
    json_decref(mark->object);
    *mark = (struct mark){json_incref(object), 0, power};
}

/* Looks at what a pass made of `before`. Gives whether another one is needed. */
static bool look(struct run *run, json_t *before, struct mark *mark) {
    if (is_over(run)) {
        return false;
    }
    if (!run->has_changed || (!run->has_once_changed && fx_equal(before, run->root))) {
        run->outcome->settled = true;
        if (run->has_changed) {
            set_lap(run, before, 1);
        }
        return false;
    }
    mark->age++;
    if (run->has_taken_once) { /* it will not come round to this again */
        move_mark(mark, run->root, 1);
    } else if (fx_equal(mark->object, run->root)) {
        set_lap(run, mark->object, mark->age);
        return false;
    } else if (mark->age == mark->power) {
        move_mark(mark, run->root, mark->power * 2);
    }
    return true;
}

static bool run_passes(struct run *run, struct fx_err *err) {
    struct mark mark = {json_incref(run->root), 0, 1};
    const size_t n_passes = run->trial->n_order + 1;
    bool ok = true;
    bool goes_on = true;
    for (size_t pass = 1; ok && goes_on && pass <= n_passes; pass++) {
        json_t *before = json_incref(run->root);
        ok = run_pass(run, err);
        goes_on = ok && look(run, before, &mark);
        if (goes_on && pass == n_passes) {
            set_lap(run, before, 1);
        }
        json_decref(before);
    }
    json_decref(mark.object);
    return ok;
}

bool fx_trial_run(const struct trial *trial, json_t *object,
                  struct trial_outcome *ret_outcome, struct fx_err *err) {
    *ret_outcome = (struct trial_outcome){.failed = TRIAL_NOBODY};
    ret_outcome->done = calloc(trial->n_order + 1, sizeof *ret_outcome->done);
    if (ret_outcome->done == NULL) {
        return fx_fail_nomem(err);
    }
    struct run run = {
        .trial = trial,
        .root = json_incref(object),
        .done = ret_outcome->done,
        .outcome = ret_outcome,
    };
    const bool ok = run_passes(&run, err);
    ret_outcome->object = run.root;
    if (!ok) {
        fx_trial_finish(ret_outcome);
    }
    return ok;
}

bool fx_trial_record(const struct trial *trial, json_t *start, size_t n_passes,
                     const bool *done, struct lap *ret_lap, struct fx_err *err) {
    struct trial_outcome outcome = {.failed = TRIAL_NOBODY};
    struct run run = {
        .trial = trial,
        .root = json_incref(start),
        .done = calloc(trial->n_order + 1, sizeof *run.done),
        .lap = ret_lap,
        .outcome = &outcome,
    };
    bool ok = run.done != NULL || fx_fail_nomem(err);
    if (ok && done != NULL) {
        memcpy(run.done, done, trial->n_order * sizeof *done);
    }
    for (size_t pass = 0; ok && pass < n_passes && !is_over(&run); pass++) {
        json_t *before = json_incref(run.root);
        ok = run_pass(&run, err);
        json_decref(before);
    }
    free(run.done);
    json_decref(run.root);
    return ok;
}
