/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/trial.h - private: some mutators on one object, in an order of our choice,
 * until nothing changes any more.
 *
 * It runs the passes of the engine (engine/passes.h), and tells whether they end with the
 * object at rest, with mutators that undo each other, or in a cycle, which it notices
 * when an earlier object comes again, not after the last pass.
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

#define TRIAL_NOBODY UINT32_MAX

/* What is tried; borrowed. */
struct trial {
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    const uint32_t *order; /* indices in the snapshot */
    size_t n_order;
    size_t *steps_left;     /* each match of a mutator takes one step */
    struct fx_arena *arena; /* scratch memory, reset by each trial */
};

struct trial_outcome {
    json_t *object; /* as it was left, counted */
    bool settled;   /* a pass left the object as it was */
    bool exhausted; /* there were no steps left: nothing is known */
    /* Where it is not at rest: the object from which so many passes lead to itself again
     * (or, without a cycle, the last pass). Counted; else NULL. */
    json_t *cycle_start;
    size_t n_cycle_passes;
    bool *done;      /* by place in the order: once-rules that had their turn */
    uint32_t failed; /* whose match or mutation failed, which ends the trial */
    struct fx_err failure;
};

void fx_trial_finish(struct trial_outcome *outcome); /* zeroed ones are fine */

/* Runs it on `object`, which stays as it is. Errors: FX_ENOMEM. */
bool fx_trial_run(const struct trial *trial, json_t *object,
                  struct trial_outcome *ret_outcome, struct fx_err *err) FX_MUST_USE;

/* What changed something, with the object before and after it, counted. */
struct trial_step {
    uint32_t mutator;
    json_t *before, *after;
};

struct trial_record {
    struct trial_step *steps;
    size_t n_steps, cap_steps;
};

void fx_trial_record_finish(struct trial_record *record); /* zeroed ones are fine */

/* Goes so many passes from `start` and notes each change. `done` (NULL: none) as in the
 * outcome. Errors: FX_ENOMEM. */
bool fx_trial_replay(const struct trial *trial, json_t *start, size_t n_passes,
                     const bool *done, struct trial_record *ret_record,
                     struct fx_err *err) FX_MUST_USE;

#endif
