/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_run.h - private: the state of the loop for one object. converge.c runs
 * the passes; converge_cycle.c runs further passes if there is no fixed point; passes.c
 * runs single passes for a caller.
 *
 *   converge.c           passes until one changes nothing; candidates
 *   converge_step.c      one pass: the step of each candidate, what it may spend, what it
 *                        reports; steps that are skipped
 *   converge_policy.c    rules that end or restore their policy
 *   converge_tier.c      mutators that are matched first, or are not reinvoked
 *   converge_validate.c  validators, after the last pass
 *   converge_error.c     steps that fail: their messages; mutators that are skipped
 *   converge_cycle.c     what mutators cycle over
 *   index_set.c, changes.c, mutator_stats.c   parts of the state
 */
#ifndef FX_ENGINE_CONVERGE_RUN_H
#define FX_ENGINE_CONVERGE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/macros.h"
#include "engine/access.h"
#include "engine/activity.h"
#include "engine/converge.h"
#include "engine/failures.h"
#include "engine/mutator.h"

/* ---- index_set.c ---- */

/* A set of mutators by their index in the snapshot, with a bit for each. Of ten thousand
 * mutators only few are members: clearing, uniting and listing cost only as much as there
 * are members. */
struct fx_index_set {
    uint64_t *words; /* in the arena */
    uint64_t *heads; /* a bit for each word that is not 0 */
    size_t n_heads;
};

/* Makes an empty set for indices below `n`. False without memory. */
bool fx_index_set_init(struct fx_index_set *set, struct fx_arena *arena,
                       size_t n) FX_MUST_USE;

bool fx_index_set_has(const struct fx_index_set *set, uint32_t index);
void fx_index_set_add(struct fx_index_set *set, uint32_t index);
void fx_index_set_remove(struct fx_index_set *set, uint32_t index);
void fx_index_set_clear(struct fx_index_set *set);

/* Adds all members of `more`, which is of the same size. */
void fx_index_set_unite(struct fx_index_set *set, const struct fx_index_set *more);

/* Lists the members, ascending, in the arena. False without memory. */
bool fx_index_set_list(const struct fx_index_set *set, struct fx_arena *arena,
                       uint32_t **ret_items, size_t *ret_n_items) FX_MUST_USE;

/* ---- changes.c ---- */

/* When a path was last changed: the type of its node, and anything within it. */
struct fx_change {
    uint32_t path; /* its hash; 0 if the slot is empty */
    uint32_t itself, within;
};

/* Which paths of the object a review has changed, and when. A step can be skipped if
 * nothing that its mutator reads has changed. Time is the number of changes so far. */
struct fx_changes {
    uint32_t now;
    uint32_t anywhere; /* the time of the last change that may concern every mutator */
    struct fx_change *slots; /* a hash table in the arena */
    size_t n_slots, n_used;
};

/* Makes an empty table with room for the changes of this many mutators. A change for
 * which there is no room counts as a change of everything. False without memory. */
bool fx_changes_init(struct fx_changes *changes, struct fx_arena *arena,
                     size_t n_mutators) FX_MUST_USE;

/* Notes a change at the end of the first `n_steps` steps of the written path. If there
 * are no steps, or `hashes` is NULL, the change may be anywhere. */
void fx_changes_add(struct fx_changes *changes, const struct fx_access_hashes *hashes,
                    size_t n_steps);

/* Has anything that a mutator with these hashes reads changed since `when`? */
bool fx_changes_concern(const struct fx_changes *changes,
                        const struct fx_access_hashes *hashes, uint32_t since);

/* ---- mutator_stats.c ---- */

/* Collects the struct fx_mutator_stats of a review. Only mutators that match cost
 * something: an entry in a short list, and a read of the clock. */
struct fx_stats {
    struct fx_arena *arena;
    struct fx_mutator_stats *items; /* in the arena, ascending */
    size_t n_items, cap_items;
    size_t at; /* in a pass: the mutators of the entries before this one have had their
                * step */
    uint64_t mark_ns; /* when the last step ended if it was timed; otherwise 0 */
};

/* Begins a pass. */
void fx_stats_begin_pass(struct fx_stats *stats);

/* Notes that the next mutator did not match, so its step is not timed. */
void fx_stats_skip(struct fx_stats *stats);

/* Begins the step of a mutator that matched, or whose match failed. Returns its entry for
 * the caller to fill in, valid until the next step. Mutators come in ascending order.
 * NULL without memory. */
struct fx_mutator_stats *fx_stats_begin_step(struct fx_stats *stats,
                                             uint32_t mutator) FX_MUST_USE;

/* Ends the step of that entry, and adds its time. */
void fx_stats_end_step(struct fx_stats *stats, struct fx_mutator_stats *entry);

/* ---- the state ---- */

/* The last step of a mutator in the trace. */
struct last_report {
    bool is_reported, matched, applied, changed, failed;
    const char *criterion;
    struct fx_text found;
};

/* The result of a candidate's last step, and when it ended. */
struct last_step {
    uint32_t when; /* struct fx_changes.now */
    bool was, applied, changed;
};

/* How often the mutators of a rank have changed the object in a pass: all of them, and
 * those that are reinvoked. */
struct rank_changes {
    uint32_t all, by_reinvoked;
    uint32_t n_applied; /* steps in which a mutator was applied */
};

struct fx_passes;

struct converge {
    /* The arguments of the loop; borrowed. */
    const struct fx_snapshot *snapshot;
    const struct fx_request *request; /* with `failures` */
    struct fx_failures failures;
    struct fx_arena *arena;
    struct fx_trace *trace; /* NULL if nothing is recorded */
    json_t **root;
    struct fx_outcome *outcome;
    struct fx_passes *passes; /* if the caller decides on each pass (passes.c); otherwise
                               * NULL */

    /* The current object. */
    struct fx_subject subject; /* of *root; labels and annotations only if not is_stale */
    bool is_stale;             /* labels and annotations must be read again */
    const struct fx_object_view *view; /* that *root shows, or NULL */
    json_t *kept;                      /* needed to restore the object after the view */

    /* The mutators that may match it. */
    struct fx_candidates candidates;
    size_t n_acting;   /* this many act; the others, after them, are validators */
    bool may_conflict; /* a candidate may write anywhere, or one earlier could */
    bool plain;        /* no step is skipped */
    /* The identity of the object for which the candidates were found. It becomes known
     * before a step that may change it. */
    struct identity {
        bool is_known;
        struct fx_text api_version, kind, namespace_; /* in the arena */
    } identity;

    /* Steps that are skipped. */
    struct last_step *last_steps; /* of each candidate, in the arena; NULL if `plain` */
    size_t cap_last_steps;
    struct fx_changes changes;

    /* Sets of mutators. */
    struct fx_index_set applied_now;  /* in this pass */
    struct fx_index_set applied_ever; /* in passes that changed something */
    /* With a trace: those whose last `apply` found that they do not match. */
    struct fx_index_set unmatched;
    struct fx_index_set done;    /* not reinvoked and already run, or skipped for good */
    struct fx_index_set in_tier; /* matched mutators of the current tier; made for the
                                  * first such tier */

    /* The current pass. */
    uint32_t pass;     /* from 1; 0 while a period is searched (converge_cycle.c) */
    uint32_t n_begun;  /* number of passes, including those of a cycle */
    bool records;      /* every step is recorded */
    bool lacks_inputs; /* an input has to be fetched, so this pass is the last one */
    bool has_changed;  /* a mutator has changed the object */
    bool has_differed; /* a mutator has changed it in a way that no other one undoes */
    bool has_changed_once; /* a mutator that is not reinvoked has changed the object */
    const struct fx_mutator *tier; /* a mutator of the current tier, or NULL */
    json_t *before; /* the object before the pass, counted; NULL if it is unchanged or no
                     * longer needed */
    /* The policy of the last step whose mutator has `restores_policy`. */
    struct policy_run {
        const struct fx_mutator *rule; /* one of its rules; NULL: there is none */
        json_t *before;  /* the object before its first step in this pass, counted */
        bool has_failed; /* a rule has failed in the current step */
    } policy;
    struct rank_changes last_pass[FX_RANKS], this_pass[FX_RANKS];

    /* The report. */
    const struct fx_mutator *lasting; /* a mutator whose change stays to the end, or
                                       * NULL */
    struct last_report *last_reports; /* with a trace: by index */
    struct fx_stats *stats;           /* NULL if no stats are collected */
    struct fx_trace *cycle; /* records every change; NULL if none are recorded */
    size_t cap_cycle, cap_skipped, cap_violations, cap_triggered;

    /* Spent units before the loop and before the current step; and the share of the time
     * for mutators with `has_share`. */
    uint64_t loop_from, step_from;
    struct share {
        bool is_entered; /* the current mutator has a share */
        bool is_bounded; /* the share bounds the thread's budget */
        uint64_t left_ns, from_ns;
        struct fx_bound outer; /* bound of the budget outside of the share */
    } share;
};

/* ---- converge.c ---- */

/* Makes the sets of mutators, all empty. False without memory. */
bool fx_converge_make_sets(struct converge *run) FX_MUST_USE;

/* Finds the mutators that may match the current object. */
bool fx_converge_find_candidates(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* May other mutators than `candidates` match the object now? Needs
 * `identity.is_known`. */
bool fx_converge_has_new_identity(const struct converge *run);

/* ---- converge_step.c ---- */

/* Begins to count what mutators spend, and sets what those with a share may spend. */
void fx_converge_begin_spending(struct converge *run);

/* Spends the cost of considering `n` mutators. */
bool fx_converge_spend_candidates(struct converge *run, size_t n,
                                  struct fx_err *err) FX_MUST_USE;
void fx_converge_enter_share(struct converge *run, uint32_t index);
void fx_converge_leave_share(struct converge *run);

/* Is called before a mutator is matched or applied. Enters or leaves the share, and
 * publishes the mutator for the thread that watches this one. */
static inline void fx_converge_begin_step(struct converge *run, uint32_t index) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    fx_activity_set_step(run->request->activity, mutator);
    if (mutator->has_share && !run->share.is_entered) {
        fx_converge_enter_share(run, index);
    } else if (!mutator->has_share && run->share.is_entered) {
        fx_converge_leave_share(run);
    }
    run->step_from = fx_budget_spent();
}

/* Sets the view of the object; `view` is NULL for none. */
bool fx_converge_set_view(struct converge *run, const struct fx_object_view *view,
                          struct fx_err *err) FX_MUST_USE;

/* Shows the object in the view of the mutator, with labels and annotations. */
bool fx_converge_show(struct converge *run, const struct fx_mutator *mutator,
                      struct fx_err *err) FX_MUST_USE;

/* Begins the step, and matches. If a mutator does not match, or fails and its failure is
 * ignored, the step is recorded, and step->verdict.matched is false. */
bool fx_converge_match(struct converge *run, struct fx_trace_step *step,
                       struct fx_err *err) FX_MUST_USE;

/* Runs the step of every candidate. fx_converge_end_pass() drops what a pass keeps. */
bool fx_converge_pass(struct converge *run, struct fx_err *err) FX_MUST_USE;
void fx_converge_end_pass(struct converge *run);

/* Sets the state for candidates that have had no step yet, and an unchanged object. False
 * without memory. */
bool fx_converge_make_last_steps(struct converge *run) FX_MUST_USE;
bool fx_converge_make_changes(struct converge *run) FX_MUST_USE;

/* Records what a mutator did to the object, which was `before`, in the trace, the passes
 * and the cycle. */
bool fx_converge_record(struct converge *run, const struct fx_trace_step *step,
                        json_t *before, struct fx_err *err) FX_MUST_USE;

/* The most passes of the loop. n mutators settle within n + 1 passes or never; one that
 * is run again may change the object in two passes, whatever it finds. */
static inline size_t fx_converge_most_passes(const struct converge *run) {
    return run->snapshot->n_mutators + 1 + run->snapshot->runs_again;
}

/* Is this the last possible pass? Then the mutators that change something do not
 * settle. */
static inline bool fx_converge_is_last_pass(const struct converge *run) {
    return run->pass >= fx_converge_most_passes(run) && run->cycle == NULL;
}

/* ---- converge_tier.c ---- */

/* Did the mutator, which has `match_first`, match? For the first mutator of a tier, the
 * whole tier is matched. */
bool fx_converge_match_tier(struct converge *run, size_t at, bool *ret_matched,
                            struct fx_err *err) FX_MUST_USE;

/* Is called after a step. Ends the current tier if the next candidate, at *at, is not in
 * it. If the object has a new identity, finds new candidates, and sets *at to the
 * position from which to go on. */
bool fx_converge_end_tier(struct converge *run, size_t *at,
                          struct fx_err *err) FX_MUST_USE;

/* Count changes by rank, for mutators that are not reinvoked. They are called when a pass
 * begins, when a mutator has changed the object, and to ask whether a mutator that is not
 * reinvoked may have a step in this pass. */
void fx_converge_begin_ranks(struct converge *run);
bool fx_converge_may_invoke(const struct converge *run, const struct fx_mutator *mutator);

/* May a mutator that was applied, and has `run.again`, have another step in this pass? */
bool fx_converge_may_reinvoke(const struct converge *run,
                              const struct fx_mutator *mutator);

/* Has the mutator had all steps that it may have, or all of this pass? */
bool fx_converge_is_done(const struct converge *run, uint32_t index);

static inline void fx_converge_count_change(struct converge *run,
                                            const struct fx_mutator *mutator) {
    run->this_pass[mutator->rank].all++;
    run->this_pass[mutator->rank].by_reinvoked += mutator->run.once ? 0 : 1;
}

/* With a trace: reports the mutators that are not reinvoked and match the result, but did
 * not match in their step. */
bool fx_converge_find_late(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* ---- converge_policy.c ---- */

/* Is called before the step of a mutator with `restores_policy`: keeps the object if the
 * step is the first one of its policy in this pass. */
void fx_converge_enter_policy(struct converge *run, const struct fx_mutator *mutator);

/* No rule of this policy is applied any more in this review. */
void fx_converge_end_policy(struct converge *run, uint32_t index);

/* Is called after a step in which a mutator with `restores_policy` failed: restores the
 * object, and ends the policy. Sets the effect if the object differs. */
bool fx_converge_restore_policy(struct converge *run, uint32_t index,
                                struct fx_effect *effect, struct fx_err *err) FX_MUST_USE;

/* Drops what is kept of the policy. */
void fx_converge_leave_policy(struct converge *run);

/* ---- converge_validate.c ---- */

/* Runs the validators on the current object. */
bool fx_converge_validate(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* Ends the review if a mutator has reported a failure that denies the request; adds the
 * other failures to the outcome. */
bool fx_converge_deny_failures(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* ---- converge_error.c ---- */

/* Handle a step that failed in the match (fail_match) or in the mutation (fail_apply;
 * `before` is the object before it, or NULL). If the failure is ignored, they skip the
 * mutator from now on, restore the object, and return true. Otherwise they set the
 * message of the spec, fill in outcome->failed, and return false. */
bool fx_converge_fail_match(struct converge *run, struct fx_trace_step *step,
                            struct fx_err *err) FX_MUST_USE;
bool fx_converge_fail_apply(struct converge *run, struct fx_trace_step *step,
                            json_t *before, struct fx_err *err) FX_MUST_USE;

/* Adds the reason why a validator could make only a part of its message. False without
 * memory. */
bool fx_converge_note_partial(struct converge *run, const struct fx_trace_step *step,
                              const struct fx_err *why) FX_MUST_USE;

/* Adds a reported failure that is ignored to the outcome. False without memory. */
bool fx_converge_add_skipped(struct converge *run,
                             const struct fx_failure *failure) FX_MUST_USE;

/* Fails with FX_ENOCONVERGE, because there is no fixed point. Always false. */
bool fx_converge_fail_cycle(const struct converge *run, struct fx_err *err);

/* ---- converge_cycle.c ---- */

/* Is called if there is no fixed point. Finds the fields that mutators change in a cycle,
 * on a copy, and reports them in the outcome. If that fails, nothing is reported. */
void fx_converge_report_cycle(struct converge *run);

/* ---- passes.c, if the caller decides on each pass ---- */

/* Takes one of the caller's steps for a match. */
bool fx_passes_spend(struct fx_passes *passes, struct fx_err *err) FX_MUST_USE;

/* Notes what a mutator has done to the object, which was `before`. */
bool fx_passes_note_applied(struct fx_passes *passes, const struct fx_trace_step *step,
                            json_t *before, struct fx_err *err) FX_MUST_USE;

#endif
