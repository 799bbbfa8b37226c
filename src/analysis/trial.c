/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/trial.c - passes over a list of mutators.
 */
#include "analysis/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "engine/guise.h"
#include "engine/once.h"
#include "value/equal.h"

#define LAP_STEPS_MAX 4096u /* noted of one lap */

struct run {
    const struct trial *trial;
    json_t *root; /* counted */
    struct fx_subject subject;
    bool *done;
    bool *in_tier; /* by place: of the tier under way, those that matched */
    const struct fx_mutator *tier; /* one of it, or NULL */
    const struct fx_guise *guise;  /* that root wears, or NULL */
    json_t *kept;                  /* what is to be put back for it */
    bool has_changed;              /* in this pass */
    bool has_taken_once;           /* likewise: a once-rule had its turn, and … */
    bool has_once_changed;         /* … has changed something */
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

static bool is_over(const struct run *run) {
    return run->outcome->exhausted || run->outcome->failed != TRIAL_NOBODY;
}

static const struct fx_mutator *mutator_at(const struct run *run, size_t at) {
    return run->trial->snapshot->mutators[run->trial->order[at]];
}

static bool is_asked(const struct run *run, size_t at) {
    const struct fx_mutator *mutator = mutator_at(run, at);
    return !run->done[at] && (!mutator->once || fx_once_is_asked(&run->once, mutator));
}

/* Spends a step. *ret_matched: false, too, where there is none left, or it fails. */
static bool match(struct run *run, size_t at, bool *ret_matched, struct fx_err *err) {
    const struct fx_mutator *mutator = mutator_at(run, at);
    struct fx_verdict verdict = {.matched = false};
    *ret_matched = false;
    if (*run->trial->steps_left == 0) {
        run->outcome->exhausted = true;
        return true;
    }
    --*run->trial->steps_left;
    if (!mutator->ops->match(mutator, run->trial->request, &run->subject, &verdict,
                             err)) {
        return note_failure(run, run->trial->order[at], err);
    }
    *ret_matched = verdict.matched;
    return true;
}

/* Those of one tier are asked together: see engine/converge_tier.c. */
static bool is_of_tier(const struct run *run, size_t at) {
    const struct fx_mutator *mutator = mutator_at(run, at);
    return run->tier != NULL && mutator->together && mutator->rank == run->tier->rank &&
           mutator->tier == run->tier->tier;
}

static bool match_tier(struct run *run, size_t at, bool *ret_matched,
                       struct fx_err *err) {
    if (!is_of_tier(run, at)) {
        run->tier = mutator_at(run, at);
        for (size_t i = at;
             i < run->trial->n_order && is_of_tier(run, i) && !is_over(run); i++) {
            run->in_tier[i] = false;
            if (is_asked(run, i) && !match(run, i, &run->in_tier[i], err)) {
                return false;
            }
        }
    }
    *ret_matched = run->in_tier[at] && !is_over(run);
    return true;
}

/* Lets the object wear this guise, and no other; NULL: none. */
static bool dress(struct run *run, const struct fx_guise *guise, struct fx_err *err) {
    if (run->guise == guise) {
        return true;
    }
    bool ok = run->guise == NULL || run->guise->take_off(&run->root, run->kept, err);
    json_decref(run->kept);
    run->kept = NULL;
    run->guise = NULL;
    if (ok && guise != NULL) {
        ok = guise->put_on(run->trial->request, &run->root, &run->kept, err);
        run->guise = ok ? guise : NULL;
    }
    fx_subject_read(run->root, &run->subject);
    return ok;
}

static bool take_turn(struct run *run, size_t at, struct fx_err *err) {
    const struct fx_mutator *mutator = mutator_at(run, at);
    bool matched = false;
    if (!is_asked(run, at)) {
        return true;
    }
    if (!dress(run, mutator->ops->guise, err) ||
        !(mutator->together ? match_tier(run, at, &matched, err)
                            : match(run, at, &matched, err))) {
        return false;
    }
    return !matched || apply(run, at, err);
}

/* The caller holds the object as it was before the pass: see engine/converge.c. */
static bool run_pass(struct run *run, struct fx_err *err) {
    run->has_changed = false;
    run->has_taken_once = false;
    run->has_once_changed = false;
    fx_once_begin_pass(&run->once);
    fx_subject_read(run->root, &run->subject);
    run->tier = NULL;
    bool ok = true;
    for (size_t at = 0; ok && at < run->trial->n_order && !is_over(run); at++) {
        ok = take_turn(run, at, err);
    }
    return dress(run, NULL, err) && ok;
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

/* All but `done` is the run's own. */
static bool run_init(struct run *run, json_t *object, struct fx_err *err) {
    run->root = json_incref(object);
    run->done = calloc(run->trial->n_order + 1, sizeof *run->done);
    run->in_tier = calloc(run->trial->n_order + 1, sizeof *run->in_tier);
    return (run->done != NULL && run->in_tier != NULL) || fx_fail_nomem(err);
}

bool fx_trial_run(const struct trial *trial, json_t *object,
                  struct trial_outcome *ret_outcome, struct fx_err *err) {
    *ret_outcome = (struct trial_outcome){.failed = TRIAL_NOBODY};
    struct run run = {.trial = trial, .outcome = ret_outcome};
    bool ok = run_init(&run, object, err);
    ret_outcome->done = run.done;
    ok = ok && run_passes(&run, err);
    ret_outcome->object = run.root;
    free(run.in_tier);
    if (!ok) {
        fx_trial_finish(ret_outcome);
    }
    return ok;
}

bool fx_trial_record(const struct trial *trial, json_t *start, size_t n_passes,
                     const bool *done, struct lap *ret_lap, struct fx_err *err) {
    struct trial_outcome outcome = {.failed = TRIAL_NOBODY};
    struct run run = {.trial = trial, .lap = ret_lap, .outcome = &outcome};
    bool ok = run_init(&run, start, err);
    if (ok && done != NULL) {
        memcpy(run.done, done, trial->n_order * sizeof *done);
    }
    for (size_t pass = 0; ok && pass < n_passes && !is_over(&run); pass++) {
        json_t *before = json_incref(run.root);
        ok = run_pass(&run, err);
        json_decref(before);
    }
    free(run.done);
    free(run.in_tier);
    json_decref(run.root);
    return ok;
}
