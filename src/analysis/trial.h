/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/trial.h - private: runs a list of mutators on one object, in any order,
 * until nothing changes any more.
 *
 * It runs the passes of the engine (engine/passes.h), and reports whether they end with
 * the object unchanged, with mutators that undo each other, or in a cycle, which it
 * notices when an earlier object comes again, not after the last pass.
 */
#ifndef FX_ANALYSIS_TRIAL_H
#define FX_ANALYSIS_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/request.h"
#include "engine/snapshot.h"

#define TRIAL_NONE UINT32_MAX /* no mutator failed */

/* What is run; everything is borrowed. */
struct trial {
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    const uint32_t *order; /* indices in the snapshot */
    size_t n_order;
    size_t *steps_left;     /* each match of a mutator takes one step */
    struct fx_arena *arena; /* scratch memory, reset by each trial */
};

struct trial_outcome {
    json_t *object; /* after the last pass, counted */
    bool settled;   /* a pass left the object as it was */
    bool exhausted; /* there were no steps left: nothing is known */
    /* If mutators undo each other: the object from which n_cycle_passes lead to the same
     * object again (without a known cycle: the object before the last pass). Counted;
     * else NULL. */
    json_t *cycle_start;
    size_t n_cycle_passes;
    bool *done;      /* by position in the order: not reinvoked, and was applied */
    uint32_t failed; /* the mutator whose failure ended the trial, or TRIAL_NONE */
    struct fx_err failure;
};

void fx_trial_finish(struct trial_outcome *outcome); /* zeroed ones are fine */

/* Runs the trial on `object`, which stays as it is. A failure of a mutator is an outcome,
 * no error. Errors: FX_ENOMEM. */
bool fx_trial_run(const struct trial *trial, json_t *object,
                  struct trial_outcome *ret_outcome, struct fx_err *err) FX_MUST_USE;

/* A change by one mutator: the object before and after it, counted. */
struct trial_step {
    uint32_t mutator;
    json_t *before, *after;
};

struct trial_record {
    struct trial_step *steps;
    size_t n_steps, cap_steps;
};

void fx_trial_record_finish(struct trial_record *record); /* zeroed ones are fine */

/* Runs n_passes on `start` and records each change. `done` is that of an outcome; NULL:
 * no mutator is done. Errors: FX_ENOMEM. */
bool fx_trial_replay(const struct trial *trial, json_t *start, size_t n_passes,
                     const bool *done, struct trial_record *ret_record,
                     struct fx_err *err) FX_MUST_USE;

#endif
