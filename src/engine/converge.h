/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge.h - the loop: passes over all mutators, in order, until a pass does
 * not change the object (design section 5, spec section 5). Then the validators run once.
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

/* The most passes that fx_outcome.passes lists. */
#define FX_REPORTED_PASSES 100u

/* A field that mutators change repeatedly. */
struct fx_cycle_field {
    struct fx_text path; /* JSON Pointer */
    uint32_t period;     /* passes until the field repeats; 0 if it was not seen to repeat
                          * (such as a growing list) */
    /* The changes of one period, in order. `pass` counts from 1. The nodes belong to the
     * outcome. */
    const struct fx_trace_change *changes;
    size_t n_changes;
};

/* What one mutator did in all passes of a review. */
struct fx_mutator_stats {
    uint32_t mutator;
    bool matched, applied, changed; /* in at least one pass */
    bool violated;                  /* it is a validator that found a violation */
    bool failed;                    /* its match or mutation failed (FX_EMUTATE) */
    bool skipped;   /* it failed and was skipped, because its failure is ignored */
    bool overspent; /* the review exceeded its deadline in a step of this mutator, and the
                     * step took more than half of what the loop has spent */
    /* The time spent in it. The time of its match counts only if the mutator before it in
     * the pass matched, too, because the clock is not read for mutators that do not
     * match. */
    uint64_t ns;
};

/* The result. Mutators are indices in the snapshot. Texts and lists are in the arena. */
struct fx_outcome {
    bool mutated;        /* the object differs from the given one */
    uint32_t iterations; /* passes, including the last one, which changes nothing */
    /* The mutators that applied in a pass that changed something, ascending. */
    uint32_t *applied;
    size_t n_applied;
    /* If fx_request.reports_passes is set: for each of the first FX_REPORTED_PASSES
     * passes, including the last one, the mutators that applied, ascending. */
    struct fx_pass {
        uint32_t *applied;
        size_t n_applied;
    } *passes;
    size_t n_passes;
    /* If fx_request.collects_stats is set: the mutators that matched or failed,
     * ascending. They are also set after a failure. */
    struct fx_mutator_stats *stats;
    size_t n_stats;
    /* If stats are collected: the time spent in mutators with `has_share`, including
     * their matches, and one of these mutators. */
    uint64_t share_ns;
    uint32_t share_mutator;
    /* The mutators that failed and were then skipped (fx_run_options.ignores_failure), in
     * order. The result is the same as without them. The list also has validators that
     * could make only a part of the message of their violation; for these `fails` is not
     * set. */
    struct fx_skipped_mutator {
        uint32_t mutator, pass;
        bool fails;
        bool is_reported;    /* the mutator has reported the failure, and went on
                              * (engine/failures.h) */
        struct fx_text part; /* then: the part of the policy that failed, or empty */
        const char *message; /* the reason */
    } *skipped;
    size_t n_skipped;
    /* The violations that validators found, in order. They are also set after a
     * denial. */
    struct fx_violation {
        uint32_t mutator;
        unsigned code;      /* of a mutator that failed (engine/failures.h): the HTTP code
                             * and … */
        const char *reason; /* … the reason of the status; else 0 and NULL */
        struct fx_text part;   /* … and the part of its policy that failed, or empty */
        enum fx_action action; /* FX_ACTION_DENY, FX_ACTION_WARN or FX_ACTION_AUDIT */
        struct fx_text entry;  /* the message of the validator; one that does not deny is
                                * cut at FX_LIMIT_VIOLATION_BYTES */
    } *violations;
    size_t n_violations;
    /* The rules for existing objects that matched (FX_ACTION_EXISTING), in order. They
     * are also set after a denial, and then have no effect. */
    uint32_t *triggered;
    size_t n_triggered;
    struct fx_text denial;     /* the whole message of all that deny; empty if allowed */
    unsigned denial_code;      /* the HTTP code of the denial */
    const char *denial_reason; /* its reason; NULL: the message */
    /* The mutator whose match or mutation failed, borrowed from the snapshot; or NULL. */
    const struct fx_mutator *failed;
    /* If there is no fixed point: the mutators that changed something in the last pass,
     * in order, and the first field that each of them changed (JSON Pointer). */
    struct fx_cycle_mutator {
        uint32_t mutator;
        struct fx_text path;
    } *cycle;
    size_t n_cycle;
    /* The fields that these mutators change in a cycle, those with the shortest cycle
     * first. There are none if time or memory ran out, or if a further pass failed. */
    struct fx_cycle_field *cycle_fields;
    size_t n_cycle_fields;

    struct fx_trace record; /* private: has the nodes of cycle_fields */
};

/* Drops the nodes of an outcome. NULL and zeroed outcomes are fine. */
void fx_outcome_finish(struct fx_outcome *outcome);

/*
 * Mutates *root to its fixed point, and validates it. *root is one reference: it is
 * replaced if needed, and trees that share nodes with it do not change. `trace` is NULL
 * if nothing shall be recorded.
 *
 * Errors, with the messages of spec section 5: FX_EMUTATE (a match or a mutation failed),
 * FX_ENOCONVERGE (ret_outcome->cycle has the mutators, ->cycle_fields the fields),
 * FX_EDENIED (validators deny the result, or a failed mutator does; ->denial has the
 * whole message), FX_EINPUT (mutators need inputs that request->inputs now has as wanted:
 * fetch them, and begin again with the incoming object), FX_EDEADLINE (the thread's
 * budget is exceeded: base/budget.h), FX_ENOMEM. After an error the caller drops *root.
 * The caller finishes the outcome in any case.
 */
bool fx_converge(const struct fx_snapshot *snapshot, const struct fx_request *request,
                 struct fx_arena *arena, struct fx_trace *trace, json_t **root,
                 struct fx_outcome *ret_outcome, struct fx_err *err) FX_MUST_USE;

#endif
