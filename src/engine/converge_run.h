/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_run.h - private: the state of the loop for one object. converge.c runs
 * the passes; converge_cycle.c runs further ones if there is no fixed point; passes.c
 * runs single ones for a caller.
 *
 *   converge.c           passes until one changes nothing; candidates
 *   converge_step.c      one pass: the step of each candidate, what it may spend, what it
 *                        reports; steps that are skipped
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
#include "engine/mutator.h"

/* ---- index_set.c ---- */

/* A set of mutators by their index in the snapshot, with a bit for each. Of ten thousand
 * mutators few are members: clearing, joining and listing cost as much as there are
 * members. */
struct fx_index_set {
    uint64_t *words; /* the arena's */
    uint64_t *heads; /* a bit for each word that is not 0 */
    size_t n_heads;
};

/* Makes an empty set for indices below `n`. False without memory. */
bool fx_index_set_init(struct fx_index_set *set, struct fx_arena *arena,
                       size_t n) FX_MUST_USE;

bool fx_index_set_has(const struct fx_index_set *set, uint32_t index);
void fx_index_set_add(struct fx_index_set *set, uint32_t index);
void fx_index_set_clear(struct fx_index_set *set);

/* Adds all members of `more`, which is of the same size. */
void fx_index_set_unite(struct fx_index_set *set, const struct fx_index_set *more);

/* Lists the members, ascending, in the arena. False without memory. */
bool fx_index_set_list(const struct fx_index_set *set, struct fx_arena *arena,
                       uint32_t **ret_items, size_t *ret_n_items) FX_MUST_USE;

/* ---- changes.c ---- */

/* When a path was last changed: the type of its node, and anything in it. */
struct fx_change {
    uint32_t path; /* its hash; 0: none */
    uint32_t itself, within;
};

/* Which paths of the object a review has changed, and when, so that a step can be skipped
 * if nothing that its mutator reads has changed. Time is the number of changes so far. */
struct fx_changes {
    uint32_t now;
    uint32_t anywhere;       /* the last change that may concern every mutator */
    struct fx_change *slots; /* the arena's; a hash table */
    size_t n_slots, n_used;
};

/* Makes an empty table with room for the changes of so many mutators. A change that finds
 * no room counts as a change of everything. False without memory. */
bool fx_changes_init(struct fx_changes *changes, struct fx_arena *arena,
                     size_t n_mutators) FX_MUST_USE;

/* Notes a change at the end of the first `n_steps` steps of the written path. 0 steps, or
 * `hashes` NULL: a change anywhere. */
void fx_changes_add(struct fx_changes *changes, const struct fx_access_hashes *hashes,
                    size_t n_steps);

/* Has anything changed since then that a mutator with these hashes reads? */
bool fx_changes_concern(const struct fx_changes *changes,
                        const struct fx_access_hashes *hashes, uint32_t since);

/* ---- mutator_stats.c ---- */

/* Collects the struct fx_mutator_stats of a review. Only mutators that match cost
 * anything: an entry of a short list, and a read of the clock. */
struct fx_stats {
    struct fx_arena *arena;
    struct fx_mutator_stats *items; /* the arena's; ascending */
    size_t n_items, cap_items;
    size_t at;        /* in a pass: the mutators of the entries before had their step */
    uint64_t mark_ns; /* when the last step ended, if it was timed; else 0 */
};

/* A pass begins. */
void fx_stats_begin_pass(struct fx_stats *stats);

/* The next mutator did not match: its step is not timed. */
void fx_stats_skip(struct fx_stats *stats);

/* A mutator matched, or its match failed. Returns its entry for the caller to fill in,
 * valid until the next step. Mutators come in ascending order. NULL without memory. */
struct fx_mutator_stats *fx_stats_begin_step(struct fx_stats *stats,
                                             uint32_t mutator) FX_MUST_USE;

/* The step of that entry ends: adds its time. */
void fx_stats_end_step(struct fx_stats *stats, struct fx_mutator_stats *entry);

/* ---- the state ---- */

/* The last step of a mutator that the trace has. */
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
};

struct fx_passes;

struct converge {
    /* What the loop is given; borrowed. */
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    struct fx_arena *arena;
    struct fx_trace *trace; /* or NULL */
    json_t **root;
    struct fx_outcome *outcome;
    struct fx_passes *passes; /* the caller decides on each pass (passes.c); else NULL */

    /* The object as it is now. */
    struct fx_subject subject;         /* of *root, but for labels and annotations if … */
    bool is_stale;                     /* … this is set */
    const struct fx_object_view *view; /* of *root; NULL: as it is */
    json_t *kept;                      /* what restoring the object needs */

    /* The mutators that may want it. */
    struct fx_candidates candidates;
    size_t n_acting;   /* the first so many of them; the others are validators */
    bool may_conflict; /* some candidate may write anywhere, or one could earlier */
    bool plain;        /* no step is skipped */
    /* For which object they were found; known before a step that may change it. */
    struct identity {
        bool is_known;
        struct fx_text api_version, kind, namespace_; /* the arena's */
    } identity;

    /* Steps that are skipped (converge_skip.c). */
    struct last_step *last_steps; /* of each candidate, the arena's; NULL: plain */
    size_t cap_last_steps;
    struct fx_changes changes;

    /* Sets of mutators. */
    struct fx_index_set applied_now;  /* in this pass */
    struct fx_index_set applied_ever; /* in passes that changed something */
    struct fx_index_set done; /* not reinvoked and had their step, or skipped for good */
    struct fx_index_set in_tier; /* those of the current tier that matched; made for the
                                  * first such tier */

    /* The current pass. */
    uint32_t pass;         /* from 1; 0: while a period is searched (converge_cycle.c) */
    uint32_t n_begun;      /* passes, those of a cycle, too */
    bool records;          /* every step is recorded */
    bool lacks_inputs;     /* an input has to be fetched: this pass is the last */
    bool has_changed;      /* a mutator has changed the object, … */
    bool has_differed;     /* … in a way that no other mutator undoes */
    bool has_changed_once; /* one that is not reinvoked has changed the object */
    const struct fx_mutator *tier; /* one of the tier that was matched first; or NULL */
    json_t *before; /* the object before the pass, counted; NULL: it is unchanged, or is
                     * not needed any more */
    struct rank_changes last_pass[FX_RANKS], this_pass[FX_RANKS];

    /* What it reports. */
    const struct fx_mutator *lasting; /* what it changed stays so to the end; or NULL */
    struct last_report *last_reports; /* with a trace: by index */
    struct fx_stats *stats;           /* or NULL: no stats are collected */
    struct fx_trace *cycle;           /* or NULL: every change is recorded in it */
    size_t cap_cycle, cap_skipped, cap_violations;

    /* What it spends: units before the loop, and before the current step; and the share
     * of the time for mutators with `has_share`. */
    uint64_t loop_from, step_from;
    struct share {
        bool is_entered; /* the current mutator is one with a share, … */
        bool is_bounded; /* … which bounds the thread's budget */
        uint64_t left_ns, from_ns;
        struct fx_bound outer; /* of the budget, outside of the share */
    } share;
};

/* ---- converge.c ---- */

/* Makes the sets of mutators, all empty. False without memory. */
bool fx_converge_make_sets(struct converge *run) FX_MUST_USE;

/* Finds the mutators that may want the object as it is now. */
bool fx_converge_find_candidates(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* May the object be one that other mutators want than `candidates`? Needs
 * `identity.is_known`. */
bool fx_converge_has_new_identity(const struct converge *run);

/* ---- converge_step.c ---- */

/* Begins to count what mutators spend, and sets what those with a share may take. */
void fx_converge_begin_spending(struct converge *run);

/* Spends what it costs to consider `n` mutators. */
bool fx_converge_spend_candidates(struct converge *run, size_t n,
                                  struct fx_err *err) FX_MUST_USE;
void fx_converge_enter_share(struct converge *run, uint32_t index);
void fx_converge_leave_share(struct converge *run);

/* Before a mutator is matched or applied: enters or leaves the share, and publishes the
 * mutator for the thread that watches this one. */
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

/* Sets the view of the object; NULL: none. */
bool fx_converge_set_view(struct converge *run, const struct fx_object_view *view,
                          struct fx_err *err) FX_MUST_USE;

/* Shows the object as the mutator wants it, with labels and annotations. */
bool fx_converge_show(struct converge *run, const struct fx_mutator *mutator,
                      struct fx_err *err) FX_MUST_USE;

/* Begins the step, and matches. A mutator that does not match, or whose failure is
 * ignored, is recorded; then step->verdict.matched is false. */
bool fx_converge_match(struct converge *run, struct fx_trace_step *step,
                       struct fx_err *err) FX_MUST_USE;

/* Runs the step of every candidate. fx_converge_end_pass() drops what a pass keeps. */
bool fx_converge_pass(struct converge *run, struct fx_err *err) FX_MUST_USE;
void fx_converge_end_pass(struct converge *run);

/* No candidate has had a step yet, and the object is unchanged. False without memory. */
bool fx_converge_make_last_steps(struct converge *run) FX_MUST_USE;
bool fx_converge_make_changes(struct converge *run) FX_MUST_USE;

/* Records what a mutator did to the object, which was `before`, in the trace, the passes
 * and the cycle. */
bool fx_converge_record(struct converge *run, const struct fx_trace_step *step,
                        json_t *before, struct fx_err *err) FX_MUST_USE;

/* Is this the last pass there may be? It has the mutators that do not settle. */
static inline bool fx_converge_is_last_pass(const struct converge *run) {
    return run->pass > run->snapshot->n_mutators && run->cycle == NULL;
}

/* ---- converge_tier.c ---- */

/* Did the mutator match, which is one with `match_first`? For the first one of its tier,
 * all of the tier are matched. */
bool fx_converge_match_tier(struct converge *run, size_t at, bool *ret_matched,
                            struct fx_err *err) FX_MUST_USE;

/* After a step: ends the current tier if the next candidate, at *at, is not of it. If the
 * object has a new identity, new candidates are found, and *at is the position to go on
 * from. */
bool fx_converge_end_tier(struct converge *run, size_t *at,
                          struct fx_err *err) FX_MUST_USE;

/* Counts changes by rank, for mutators that are not reinvoked: a pass begins; a mutator
 * has changed the object; may the mutator, which is not reinvoked, have a step in this
 * pass? */
void fx_converge_begin_ranks(struct converge *run);
bool fx_converge_may_invoke(const struct converge *run, const struct fx_mutator *mutator);

static inline void fx_converge_count_change(struct converge *run,
                                            const struct fx_mutator *mutator) {
    run->this_pass[mutator->rank].all++;
    run->this_pass[mutator->rank].by_reinvoked += mutator->run.once ? 0 : 1;
}

/* With a trace: reports the mutators that are not reinvoked and match the result, but did
 * not match when they had their step. */
bool fx_converge_find_late(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* ---- converge_validate.c ---- */

/* Runs the validators on the object as it is now. */
bool fx_converge_validate(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* ---- converge_error.c ---- */

/* The step failed in the match (fail_match) or in the mutation (fail_apply; `before` is
 * the object before it, or NULL). If the failure is ignored: skips the mutator from here
 * on, restores the object, returns true. Else sets the message of the spec, fills in
 * outcome->failed, returns false. */
bool fx_converge_fail_match(struct converge *run, struct fx_trace_step *step,
                            struct fx_err *err) FX_MUST_USE;
bool fx_converge_fail_apply(struct converge *run, struct fx_trace_step *step,
                            json_t *before, struct fx_err *err) FX_MUST_USE;

/* Adds the reason why a validator could not make all of its message. False without
 * memory. */
bool fx_converge_note_partial(struct converge *run, const struct fx_trace_step *step,
                              const struct fx_err *why) FX_MUST_USE;

/* There is no fixed point: FX_ENOCONVERGE. Always false. */
bool fx_converge_fail_cycle(const struct converge *run, struct fx_err *err);

/* ---- converge_cycle.c ---- */

/* There is no fixed point: finds what the mutators cycle over, on a copy, and reports it
 * in the outcome. If that fails, nothing is reported. */
void fx_converge_report_cycle(struct converge *run);

/* ---- passes.c, if the caller decides on each pass ---- */

/* Takes one of the caller's steps for a match. */
bool fx_passes_spend(struct fx_passes *passes, struct fx_err *err) FX_MUST_USE;

/* Notes what a mutator has done to the object, which was `before`. */
bool fx_passes_note_applied(struct fx_passes *passes, const struct fx_trace_step *step,
                            json_t *before, struct fx_err *err) FX_MUST_USE;

#endif
