/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_run.h - private: one run of the loop, which converge.c drives and,
 * where there is no fixed point, converge_cycle.c drives on.
 */
#ifndef FX_ENGINE_CONVERGE_RUN_H
#define FX_ENGINE_CONVERGE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/macros.h"
#include "engine/activity.h"
#include "engine/changes.h"
#include "engine/converge.h"
#include "engine/index_set.h"
#include "engine/mutator_stats.h"
#include "engine/object_view.h"
#include "engine/once.h"

/* What a trace has told of a mutator. */
struct last_report {
    bool told, matched, applied, changed, failed;
    const char *criterion;
    struct fx_text found;
};

/* The result of a candidate's last step, and when it ended. */
struct last_step {
    uint32_t when; /* engine/changes.h */
    bool was, applied, changed;
};

struct fx_passes;

struct converge {
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    struct fx_arena *arena;
    struct fx_trace *trace; /* or NULL */
    json_t **root;
    struct fx_outcome *outcome;

    struct fx_subject subject;       /* of *root as it is … */
    bool is_stale;                   /* … but for labels and annotations */
    struct fx_candidates candidates; /* for a subject at this place: */
    size_t n_acting;  /* the first so many of them; the others are validators */
    bool knows_place; /* the texts that follow are filled in */
    struct fx_text api_version, kind, namespace_; /* the arena's */

    bool may_conflict; /* some candidate may write anywhere, or one could earlier */
    bool plain;        /* no step is skipped */
    struct last_step *last_steps; /* of each candidate, the arena's; or NULL: plain */
    size_t cap_last_steps;
    struct fx_changes changes;

    struct fx_index_set applied_now;  /* in this pass */
    struct fx_index_set applied_ever; /* in passes that changed something */
    struct fx_index_set done;      /* rules that are not reinvoked and had their step, and
                                      those that are skipped */
    struct fx_index_set in_tier;   /* of the tier under way, those that matched; where
                                    * there may be such tiers */
    const struct fx_mutator *tier; /* one of it, or NULL */
    struct fx_once once;
    const struct fx_object_view *view; /* of *root; NULL: as it is */
    json_t *kept;                      /* what restoring it needs */
    struct last_report *last_reports;  /* with a trace: what was last reported of each */
    struct fx_stats *stats;            /* or NULL: no stats are collected */
    uint32_t pass;
    bool lacks_inputs;     /* a rule needs an input that has to be fetched: this pass is
                            * the last */
    bool is_last_pass;     /* the last there may be: contenders are noted */
    bool has_changed;      /* a mutator of this pass has changed something, */
    bool has_differed;     /* which nobody undoes */
    bool once_has_changed; /* a once-rule of this pass has changed something */
    json_t *before; /* as the object was before the pass, counted; NULL: as it is, or
                     * it is not asked for any more */
    const struct fx_mutator *lasting; /* what it changed stays so to the end; or NULL */
    size_t cap_cycle, cap_skipped, cap_violations;
    struct fx_trace *cycle; /* or NULL: every change is recorded in it */
    struct fx_share {
        bool is_entered; /* the mutator under way is one with a share … */
        bool is_bounded; /* … which bounds the thread's budget */
        uint64_t left_ns, from_ns;
        struct fx_bound outer; /* of the budget, outside of the share */
    } share;
    struct fx_passes *passes; /* or NULL: the run is one of single passes over a list */
    /* Units spent before the loop, and before the current step. */
    uint64_t loop_from, step_from;
};

/* Another list of the arena's with room for one item more: the same one where it has it,
 * NULL without memory. */
void *fx_converge_grow(struct fx_arena *arena, void *items, size_t n_items,
                       size_t *cap_items, size_t size) FX_MUST_USE;

/* Notes what a mutator did to the object, which was `before`, for those who ask. */
bool fx_converge_record(struct converge *run, const struct fx_trace_step *step,
                        json_t *before, struct fx_err *err) FX_MUST_USE;

/* A match failed: fills in whose, and tells it in the words of the spec. */
bool fx_converge_fail_match(struct converge *run, uint32_t index, struct fx_err *err);

/* Fills in the subject's labels and annotations. */
void fx_converge_complete_subject(struct converge *run, const struct fx_mutator *mutator);

/* Is the object another kind of object than that of the candidates? */
bool fx_converge_has_new_identity(const struct converge *run);

/* converge_budget.c: begins to count, and sets what mutators with a share may take. */
void fx_converge_begin_spending(struct converge *run);

/* Pays for a look at so many mutators, which may come to nothing more. */
bool fx_converge_spend_candidates(struct converge *run, size_t n,
                                  struct fx_err *err) FX_MUST_USE;

/* Before a mutator is asked or applied: enters or leaves the share, and notes whose turn
 * it is for the thread that watches this one. */
void fx_converge_enter_share(struct converge *run, uint32_t index);
void fx_converge_leave_share(struct converge *run);

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

/* It failed: where its budget was exceeded, fills in whether that was the review's or the
 * share's, which is a failure of its own. Always false. */
bool fx_converge_fail_step(struct converge *run, uint32_t index, struct fx_err *err);

/* converge_ignore.c: may the failure be ignored and the mutator be skipped? */
bool fx_converge_may_skip(const struct converge *run, const struct fx_mutator *mutator,
                          const struct fx_err *err);

/* Skips the mutator from here on: the object becomes `before` again (NULL: it did not
 * change), `err` becomes the reason in the outcome. FX_EINPUT is noted in the run. */
bool fx_converge_skip_failed(struct converge *run, struct fx_trace_step *step,
                             json_t *before, struct fx_err *err) FX_MUST_USE;

/* Notes what went wrong in a validator that refused all the same, with fewer words. */
bool fx_converge_note_partial(struct converge *run, const struct fx_trace_step *step,
                              const struct fx_err *why) FX_MUST_USE;

/* converge_tier.c: has the mutator, one of those that are asked together, matched? For
 * the first one of its tier, all of them are asked. */
bool fx_converge_match_tier(struct converge *run, size_t at, bool *ret_matched,
                            struct fx_err *err) FX_MUST_USE;

/* After a turn: ends the tier under way where the next candidate, at *at, is not of it.
 * Who wants an object that has become another one is found then, and *at is the place to
 * go on from. */
bool fx_converge_end_tier(struct converge *run, size_t *at,
                          struct fx_err *err) FX_MUST_USE;

/* converge_view.c: sets the view of the object; NULL: none. */
bool fx_converge_set_view(struct converge *run, const struct fx_object_view *view,
                          struct fx_err *err) FX_MUST_USE;

/* converge_late.c: where it is traced, tells of the once-rules that match the object as
 * it is now, and were asked when they did not. */
bool fx_converge_find_late(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* converge_validate.c: runs the validators on the object as it is now. */
bool fx_converge_validate(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* Finds who may want the object as it is now. */
bool fx_converge_find_candidates(struct converge *run, struct fx_err *err) FX_MUST_USE;

/* The step of every candidate. fx_converge_end_pass() drops what a pass keeps. */
bool fx_converge_pass(struct converge *run, struct fx_err *err) FX_MUST_USE;
void fx_converge_end_pass(struct converge *run);

/* Steps that are skipped (converge_skip.c): no candidate has had one yet, and the object
 * is unchanged. False without memory. */
bool fx_converge_make_last_steps(struct converge *run) FX_MUST_USE;
bool fx_converge_make_changes(struct converge *run) FX_MUST_USE;

/* Skips the step of the candidate at this position, if it would have the result of its
 * last step. */
bool fx_converge_skip_unchanged(struct converge *run, size_t at);

/* Notes the result of its step. */
void fx_converge_note_step(struct converge *run, size_t at,
                           const struct fx_effect *effect);

/* passes.c, of a run of single passes: takes a step for a match, and fails without one;
 * and notes what a mutator that matched has done to the object, which was `before`. */
bool fx_passes_spend(struct fx_passes *passes, struct fx_err *err) FX_MUST_USE;
bool fx_passes_note_applied(struct fx_passes *passes, const struct fx_trace_step *step,
                            json_t *before, struct fx_err *err) FX_MUST_USE;

/* There is no fixed point: sees what they cycle over, on a copy, and tells the outcome.
 * What fails here is left untold. */
void fx_converge_report_cycle(struct converge *run);

#endif
