/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge.h - the loop: every mutator, in order, again and again, until a whole
 * pass leaves the object as it was (design section 5, spec section 5).
 */
#ifndef FX_ENGINE_CONVERGE_H
#define FX_ENGINE_CONVERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/request.h"
#include "engine/snapshot.h"
#include "engine/trace.h"

/* At most so many passes are told of (fx_outcome.passes). */
#define FX_REPORTED_PASSES 100u

/* One field that finds no rest: what is done to it, again and again. */
struct fx_cycle_field {
    struct fx_text path; /* JSON Pointer */
    uint32_t
        period; /* passes until it begins anew; 0: never seen to (a list that grows) */
    /* One turn of it, in order; `pass` counts from 1. The nodes are the outcome's. */
    const struct fx_trace_change *changes;
    size_t n_changes;
};

/* How one mutator fared in a review, all passes together. */
struct fx_mutator_stats {
    uint32_t mutator;
    bool matched, applied, changed; /* in some pass */
    bool violated;                  /* it is a validator, and found a violation */
    bool failed;                    /* its match or mutation did: FX_EMUTATE, … */
    bool skipped;                   /* … or, which fails nothing else, a drop */
    bool overspent; /* the review ended at its deadline in its turn, which had taken more
                     * than half of what the loop had spent */
    /* Its own time. That of its match is only in it where the mutator before it in the
     * pass matched, too: the clock is not read for those that do not. */
    uint64_t ns;
};

/* What came of it. Texts and lists are the arena's. */
struct fx_outcome {
    bool mutated;        /* the object differs from what came in */
    uint32_t iterations; /* passes run, the last quiet one included */
    /* The mutators that applied in a pass that changed something, ascending indices in
     * the snapshot. */
    uint32_t *applied;
    size_t n_applied;
    /* Where the request wants them: for each of the first FX_REPORTED_PASSES passes those
     * that applied in it, ascending; the last pass, which changed nothing, included. */
    struct fx_pass {
        uint32_t *applied;
        size_t n_applied;
    } *passes;
    size_t n_passes;
    /* Where the request wants them: those that matched or failed, ascending. Also after a
     * failure. */
    struct fx_mutator_stats *stats;
    size_t n_stats;
    /* With the stats: the time that mutators with a share took, their matches included,
     * and one of them. */
    uint64_t share_ns;
    uint32_t share_mutator;
    /* Those who failed and were left out from there on (fx_mutator.run.ignores_failure),
     * in order: an object is what it would be without them. Also validators, whose
     * `fails` is false where they did validator, but with fewer words. */
    struct fx_skipped_mutator {
        uint32_t mutator, pass;
        bool fails;
        const char *message;
    } *skipped;
    size_t n_skipped;
    /* What validators found, in order. Also after a denial. */
    struct fx_violation {
        uint32_t mutator;
        enum fx_action action; /* FX_ACTION_DENY, FX_ACTION_WARN or FX_ACTION_AUDIT */
        struct fx_text entry;  /* the message of the validator; one that does not deny is
                                * cut at FX_LIMIT_VIOLATION_BYTES */
    } *violations;
    size_t n_violations;
    struct fx_text denial; /* the message of all that deny, not cut; empty: allowed */
    /* The mutator whose match or mutation failed, borrowed from the snapshot; or NULL. */
    const struct fx_mutator *failed;
    /* Where there is no fixed point: those that changed something in the last pass, in
     * order, and for each the first field it changed (JSON Pointer). */
    struct fx_cycle_mutator {
        uint32_t mutator;
        struct fx_text path;
    } *cycle;
    size_t n_cycle;
    /* And what they cycle over, told from start to end: shortest first. None where time
     * or memory did not reach, or where the cycle did not go on. */
    struct fx_cycle_field *cycle_fields;
    size_t n_cycle_fields;

    struct fx_trace record; /* private: holds the nodes of the turns */
};

/* Drops the nodes that it holds. NULL, zeroed ones are fine. */
void fx_outcome_finish(struct fx_outcome *outcome);

/*
 * Mutates *root to its fixed point. *root is one reference: it is replaced as needed, and
 * trees that share nodes with it are not touched. `trace` may be NULL.
 *
 * Errors, with the words of spec section 5: FX_EMUTATE (a match or a mutation failed),
 * FX_ENOCONVERGE (ret_outcome->cycle tells the contenders, ->turns the cycle),
 * FX_EDENIED (validators deny what came of it; ->denial has the whole message), FX_EINPUT
 * (rules need inputs that request->inputs now wants: fetch them and begin again from the
 * incoming object), FX_EDEADLINE (the thread's budget is exceeded: base/budget.h),
 * FX_ENOMEM. After an
 * error *root is a tree to be dropped; the outcome is to be finished in any case.
 */
bool fx_converge(const struct fx_snapshot *snapshot, const struct fx_request *request,
                 struct fx_arena *arena, struct fx_trace *trace, json_t **root,
                 struct fx_outcome *ret_outcome, struct fx_err *err) FX_MUST_USE;

#endif
