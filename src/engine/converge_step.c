/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_step.c - one pass: the step of each candidate, what it may spend, and
 * what it reports. A step that would have the outcome of the last one is skipped.
 */
#include <string.h>

#include "base/clock.h"
#include "engine/converge_run.h"
#include "value/patch.h"

/* ---- what steps may spend --------------------------------------------------------- */

/* The cost of considering a mutator that is not run. */
#define UNITS_OF_CANDIDATE 4u

bool fx_converge_spend_candidates(struct converge *run, size_t n, struct fx_err *err) {
    return fx_spend(UNITS_OF_CANDIDATE * n) ||
           fx_fail(err, FX_EDEADLINE, "deadline exceeded in pass %u of the mutators",
                   run->pass);
}

void fx_converge_begin_spending(struct converge *run) {
    const uint64_t deadline = fx_thread_budget.bound.deadline_ns;
    const unsigned percent = run->request->share_percent;
    run->loop_from = fx_budget_spent();
    if (percent == 0 || percent >= 100 || deadline == 0) {
        return;
    }
    const uint64_t now = fx_clock_ns();
    run->share.is_bounded = true;
    run->share.left_ns = deadline > now ? (deadline - now) / 100 * percent : 0;
}

/* Must the time of mutators with a share be measured? */
static bool is_measured(const struct converge *run) {
    return run->share.is_bounded || run->stats != NULL;
}

void fx_converge_enter_share(struct converge *run, uint32_t index) {
    struct share *share = &run->share;
    share->is_entered = true;
    run->outcome->share_mutator = index;
    if (is_measured(run)) {
        share->from_ns = fx_clock_ns();
    }
    if (share->is_bounded) {
        share->outer = fx_budget_narrow(0, share->from_ns + share->left_ns);
    }
}

void fx_converge_leave_share(struct converge *run) {
    struct share *share = &run->share;
    if (!share->is_entered) {
        return;
    }
    share->is_entered = false;
    if (is_measured(run)) {
        const uint64_t taken = fx_clock_ns() - share->from_ns;
        share->left_ns -= taken < share->left_ns ? taken : share->left_ns;
        run->outcome->share_ns += taken;
    }
    if (share->is_bounded) {
        (void)fx_budget_widen(share->outer);
    }
}

/* ---- what a step sees ------------------------------------------------------------- */

/* The texts of the subject stay valid: a view does not change type and names. */
static void note_view(struct converge *run, const struct fx_object_view *view) {
    run->view = view;
    run->subject.object = *run->root;
    run->is_stale = true;
}

bool fx_converge_set_view(struct converge *run, const struct fx_object_view *view,
                          struct fx_err *err) {
    if (run->view != NULL) {
        const bool ok = run->view->restore(run->root, run->kept, err);
        json_decref(run->kept);
        run->kept = NULL;
        note_view(run, NULL);
        if (!ok) {
            return false;
        }
    }
    if (view != NULL) {
        if (!view->show(run->request, run->root, &run->kept, err)) {
            return false;
        }
        note_view(run, view);
    }
    return true;
}

/* Reads labels and annotations again if the mutator needs them. */
static void complete_subject(struct converge *run, const struct fx_mutator *mutator) {
    if (run->is_stale && (mutator->hashes == NULL || mutator->hashes->matches_metadata)) {
        fx_subject_refresh(*run->root, &run->subject);
        run->is_stale = false;
    }
}

bool fx_converge_show(struct converge *run, const struct fx_mutator *mutator,
                      struct fx_err *err) {
    if (mutator->ops->view != run->view &&
        !fx_converge_set_view(run, mutator->ops->view, err)) {
        return false;
    }
    complete_subject(run, mutator);
    return true;
}

/* ---- what a step reports ----------------------------------------------------------- */

/* Adds a mutator that changes something in the last possible pass. */
static bool add_cycle_mutator(struct converge *run, uint32_t index, json_t *before,
                              struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    if (!FX_ARENA_GROW(run->arena, outcome->cycle, outcome->n_cycle, run->cap_cycle)) {
        return fx_fail_nomem(err);
    }
    struct fx_patch patch;
    fx_patch_init(&patch, run->arena);
    if (!fx_patch_diff(&patch, before, *run->root, err)) {
        return false;
    }
    outcome->cycle[outcome->n_cycle++] = (struct fx_cycle_mutator){
        .mutator = index,
        .path = patch.n_ops > 0 ? patch.ops[0].path : FX_TEXT(""),
    };
    return true;
}

/* Does the step differ from the last one that was reported, or change something? A
 * mutator may have the same step in very many passes. */
static bool is_new(struct converge *run, const struct fx_trace_step *step) {
    const struct last_report now = {
        .is_reported = true,
        .matched = step->verdict.matched,
        .applied = step->effect.applied,
        .changed = step->effect.changed,
        .failed = step->failure != NULL,
        .criterion =
            step->verdict.matched ? step->effect.criterion : step->verdict.criterion,
        .found = step->found,
    };
    struct last_report *last = &run->last_reports[step->mutator];
    const bool same = last->is_reported && last->matched == now.matched &&
                      last->applied == now.applied && last->changed == now.changed &&
                      last->failed == now.failed && last->criterion == now.criterion &&
                      fx_text_equal(last->found, now.found);
    *last = now;
    return !same || now.changed;
}

/* Fills in what the object has instead, for a mutator that did not match. If it is the
 * same as before, that text is used again. */
static bool add_found(struct converge *run, struct fx_trace_step *step) {
    const struct fx_mutator *mutator = run->snapshot->mutators[step->mutator];
    const char *criterion = step->verdict.criterion;
    if (step->verdict.matched || step->failure != NULL || criterion == NULL ||
        mutator->ops->found == NULL) {
        return true;
    }
    struct fx_buf found;
    fx_buf_init(&found, 0);
    mutator->ops->found(mutator, run->request, &run->subject, criterion, &found);
    const struct fx_text text = fx_buf_view(&found);
    step->found = run->last_reports[step->mutator].found;
    bool ok = !found.failed;
    if (ok && !fx_text_equal(text, step->found)) {
        step->found = (struct fx_text){fx_arena_copy(run->arena, text), text.len};
        ok = step->found.data != NULL;
    }
    fx_buf_finish(&found);
    return ok;
}

/* Sets the causes of the changes from `first` on, which the step has made. */
static bool add_causes(struct converge *run, uint32_t index, json_t *before,
                       size_t first) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    struct fx_trace *trace = run->trace;
    return mutator->ops->causes == NULL || trace->n_changes == first ||
           mutator->ops->causes(mutator, run->request, before, trace->changes + first,
                                trace->n_changes - first, run->arena);
}

static bool record(struct converge *run, struct fx_trace_step step, json_t *before) {
    const size_t first = run->trace->n_changes;
    return add_found(run, &step) &&
           (!is_new(run, &step) ||
            (fx_trace_record(run->trace, &step, before, *run->root) &&
             add_causes(run, step.mutator, before, first)));
}

bool fx_converge_record(struct converge *run, const struct fx_trace_step *step,
                        json_t *before, struct fx_err *err) {
    if (run->trace != NULL && !record(run, *step, before)) {
        return fx_fail_nomem(err);
    }
    if (run->passes != NULL) {
        return fx_passes_note_applied(run->passes, step, before, err);
    }
    if (!step->effect.changed) {
        return true;
    }
    if (run->cycle != NULL && !fx_trace_record(run->cycle, step, before, *run->root)) {
        return fx_fail_nomem(err);
    }
    return !fx_converge_is_last_pass(run) ||
           add_cycle_mutator(run, step->mutator, before, err);
}

/* ---- skipped steps ----------------------------------------------------------------- */

bool fx_converge_make_last_steps(struct converge *run) {
    if (run->plain) {
        return true;
    }
    const size_t n = run->candidates.n_indices;
    if (run->last_steps != NULL && n <= run->cap_last_steps) {
        memset(run->last_steps, 0, n * sizeof *run->last_steps);
        return true;
    }
    run->cap_last_steps = n > 2 * run->cap_last_steps ? n : 2 * run->cap_last_steps;
    run->last_steps =
        fx_arena_alloc(run->arena, run->cap_last_steps * sizeof *run->last_steps);
    return run->last_steps != NULL;
}

bool fx_converge_make_changes(struct converge *run) {
    return run->plain ||
           fx_changes_init(&run->changes, run->arena, run->candidates.n_indices);
}

static const struct fx_mutator *candidate(const struct converge *run, size_t at) {
    return run->snapshot->mutators[run->candidates.indices[at]];
}

/* Would another step of the candidate have the outcome of its last one? It would if
 * nothing that the candidate reads has changed since. If that step changed the object,
 * the next one changes nothing, but whether it applies is not known, so it is not skipped
 * if passes are reported. */
static bool is_unchanged(const struct converge *run, size_t at) {
    const struct fx_mutator *mutator = candidate(run, at);
    const struct fx_access_hashes *hashes = mutator->hashes;
    const struct last_step *last = &run->last_steps[at];
    if (!last->was || hashes == NULL || mutator->run.once) {
        return false;
    }
    const bool is_reported = run->trace != NULL || run->request->reports_passes;
    return (!last->changed || (hashes->settles && !is_reported)) &&
           !fx_changes_concern(&run->changes, hashes, last->when);
}

/* Skips the step of the candidate at this position if it would have the result of its
 * last step. */
static bool skip_unchanged(struct converge *run, size_t at) {
    if (run->last_steps == NULL || !is_unchanged(run, at)) {
        return false;
    }
    run->last_steps[at].when = run->changes.now; /* as if it had run now */
    if (run->last_steps[at].applied) {
        fx_index_set_add(&run->applied_now, run->candidates.indices[at]);
    }
    if (run->stats != NULL) {
        fx_stats_skip(run->stats);
    }
    return true;
}

/* Notes the result of the candidate's step. */
static void note_step(struct converge *run, size_t at, const struct fx_effect *effect) {
    if (run->last_steps == NULL) {
        return;
    }
    if (effect->changed) {
        fx_changes_add(&run->changes, candidate(run, at)->hashes, effect->depth);
    }
    run->last_steps[at] = (struct last_step){
        .when = run->changes.now,
        .was = true,
        .applied = effect->applied && !effect->changed,
        .changed = effect->changed,
    };
}

/* ---- match and apply -------------------------------------------------------------- */

bool fx_converge_match(struct converge *run, struct fx_trace_step *step,
                       struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[step->mutator];
    fx_converge_begin_step(run, step->mutator);
    if (run->passes != NULL && !fx_passes_spend(run->passes, err)) {
        return false;
    }
    if (!mutator->ops->match(mutator, run->request, &run->subject, &step->verdict, err)) {
        return fx_converge_fail_match(run, step, err);
    }
    if (step->verdict.matched) {
        return true;
    }
    if (run->stats != NULL) {
        fx_stats_skip(run->stats);
    }
    return fx_converge_record(run, step, *run->root, err);
}

static bool apply_step(struct converge *run, struct fx_trace_step *step,
                       struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[step->mutator];
    const bool is_recorded =
        run->records ||
        ((mutator->run.ignores_failure || mutator->n_inputs > 0) && !mutator->restores);
    json_t *before = is_recorded ? json_incref(*run->root) : NULL;
    run->failures.mutator = step->mutator;
    run->failures.pass = step->pass;
    bool ok = mutator->ops->apply(mutator, run->request, run->root, &step->effect, err);
    if (ok && step->effect.unmatched) {
        step->verdict = (struct fx_verdict){false, step->effect.criterion};
        if (run->trace != NULL) {
            fx_index_set_add(&run->unmatched, step->mutator);
        }
    }
    if (!ok) {
        ok = fx_converge_fail_apply(run, step, before, err);
    } else if (is_recorded) {
        ok = fx_converge_record(run, step, before, err);
    }
    json_decref(before);
    if (mutator->run.once && !step->effect.unmatched) {
        fx_index_set_add(&run->done, step->mutator);
    }
    if (step->effect.applied) {
        fx_index_set_add(&run->applied_now, step->mutator);
        run->this_pass[mutator->rank].n_applied++;
    }
    return ok;
}

static bool apply_with_stats(struct converge *run, struct fx_trace_step *step,
                             struct fx_err *err) {
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, step->mutator);
    if (entry == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok = apply_step(run, step, err);
    entry->matched = entry->matched || step->verdict.matched;
    entry->applied = entry->applied || step->effect.applied;
    entry->changed = entry->changed || step->effect.changed;
    entry->failed = step->failure != NULL || (!ok && err->code == FX_EMUTATE);
    fx_stats_end_step(run->stats, entry);
    return ok;
}

/* Matches the candidate at this position, or takes the result of its tier, and applies it
 * if it matches. */
static bool run_candidate(struct converge *run, size_t at, struct fx_effect *ret_effect,
                          struct fx_err *err) {
    const uint32_t index = run->candidates.indices[at];
    struct fx_trace_step step = {.mutator = index, .pass = run->pass};
    if (!run->snapshot->is_simple && run->snapshot->mutators[index]->run.match_first) {
        if (!fx_converge_match_tier(run, at, &step.verdict.matched, err)) {
            return false;
        }
        if (step.verdict.matched) {
            fx_converge_begin_step(run, index);
        }
    } else if (!fx_converge_match(run, &step, err)) {
        return false;
    }
    if (!step.verdict.matched) {
        return true;
    }
    const bool ok = run->stats == NULL ? apply_step(run, &step, err)
                                       : apply_with_stats(run, &step, err);
    *ret_effect = step.effect;
    return ok;
}

/* ---- what follows from a change --------------------------------------------------- */

/* Does no other mutator write where this one writes? */
static bool writes_alone(const struct converge *run, uint32_t index) {
    return !run->plain && !run->may_conflict && run->snapshot->alone[index];
}

/* Keeps the object from before the pass as long as later steps may restore it. It is not
 * kept if the change of the mutator stays, because a second reference costs a copy. */
static void keep_before(struct converge *run, uint32_t index) {
    if (run->has_changed) {
        return;
    }
    if (writes_alone(run, index)) {
        fx_converge_end_pass(run);
    } else if (run->before == NULL) {
        run->before = json_incref(*run->root);
    }
}

/* Notes a change by a mutator that writes alone: only this mutator, in a later pass, can
 * undo it. */
static void note_difference(struct converge *run, uint32_t index) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    run->has_differed = true;
    fx_converge_end_pass(run);
    if (!fx_index_set_has(&run->applied_ever, index)) {
        run->lasting = mutator;
    } else if (run->lasting == mutator) {
        run->lasting = NULL;
    }
}

/* Notes the identity of the object, with its texts, before a step that may change it. */
static bool keep_identity(struct converge *run, const struct fx_mutator *mutator) {
    struct identity *identity = &run->identity;
    if (identity->is_known || !fx_mutator_writes_anywhere(mutator)) {
        return true;
    }
    const struct fx_text texts[] = {
        run->subject.api_version,
        run->subject.kind,
        fx_subject_namespace(&run->subject, run->request),
    };
    struct fx_text *const copies[] = {&identity->api_version, &identity->kind,
                                      &identity->namespace_};
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        *copies[i] = (struct fx_text){fx_arena_copy(run->arena, texts[i]), texts[i].len};
        if (copies[i]->data == NULL) {
            return false;
        }
    }
    identity->is_known = true;
    return true;
}

/* Is called after a change that may be anywhere: the texts of the subject are invalid,
 * and the object may have another identity, with other candidates. *at becomes the
 * position from which to go on. A tier ends first. */
static bool update_candidates(struct converge *run, size_t *at, struct fx_err *err) {
    const uint32_t index = run->candidates.indices[*at - 1];
    fx_subject_read(*run->root, &run->subject);
    run->is_stale = false;
    if (run->snapshot->mutators[index]->run.match_first ||
        !fx_converge_has_new_identity(run)) {
        return true;
    }
    if (!fx_converge_find_candidates(run, err)) {
        return false;
    }
    *at = 0;
    while (*at < run->n_acting && run->candidates.indices[*at] <= index) {
        ++*at;
    }
    return true;
}

/* Is called after a change that left the object's type and names as they were. */
static void keep_subject(struct converge *run, bool keeps_metadata) {
    run->subject.object = *run->root;
    run->is_stale = run->is_stale || !keeps_metadata;
}

/* The candidate before *at has changed the object. If its declared access says where it
 * writes, type and names are unchanged. */
static bool note_change(struct converge *run, size_t *at, const struct fx_effect *effect,
                        struct fx_err *err) {
    const uint32_t index = run->candidates.indices[*at - 1];
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    run->has_changed = true;
    if (!run->snapshot->is_simple) {
        fx_converge_count_change(run, mutator);
        run->has_changed_once =
            run->has_changed_once || (mutator->run.once && !mutator->run.again);
    }
    if (writes_alone(run, index)) {
        note_difference(run, index);
    }
    if (!fx_mutator_writes_anywhere(mutator)) {
        keep_subject(run, !mutator->hashes->writes_metadata);
        return true;
    }
    if (effect->keeps_names) {
        keep_subject(run, effect->keeps_metadata);
        return true;
    }
    return update_candidates(run, at, err);
}

/* ---- a pass ----------------------------------------------------------------------- */

/* Runs the step of the candidate before *at. */
static bool take_step(struct converge *run, size_t *at, struct fx_err *err) {
    const size_t own = *at - 1;
    const uint32_t index = run->candidates.indices[own];
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    const bool is_simple = run->snapshot->is_simple;
    if (skip_unchanged(run, own) || (!is_simple && fx_converge_is_done(run, index))) {
        return true;
    }
    keep_before(run, index);
    if (is_simple) {
        complete_subject(run, mutator);
    } else if (!fx_converge_show(run, mutator, err)) {
        return false;
    }
    if (!keep_identity(run, mutator)) {
        return fx_fail_nomem(err);
    }
    struct fx_effect effect = {.applied = false};
    if (mutator->run.restores_policy) {
        fx_converge_enter_policy(run, mutator);
    }
    if (!run_candidate(run, own, &effect, err) ||
        (run->policy.has_failed &&
         !fx_converge_restore_policy(run, index, &effect, err))) {
        return false;
    }
    if (effect.changed && mutator->run.ends_policy) {
        fx_converge_end_policy(run, index);
    }
    note_step(run, own, &effect);
    return !effect.changed || note_change(run, at, &effect, err);
}

void fx_converge_end_pass(struct converge *run) {
    json_decref(run->before);
    run->before = NULL;
    fx_converge_leave_policy(run);
}

/* A node that is copied because it is shared stays alive through its other reference, so
 * only a real write can invalidate the texts of the subject. */
bool fx_converge_pass(struct converge *run, struct fx_err *err) {
    fx_index_set_clear(&run->applied_now);
    run->has_changed = false;
    run->has_differed = false;
    run->has_changed_once = false;
    run->records = run->trace != NULL || run->passes != NULL || run->cycle != NULL ||
                   fx_converge_is_last_pass(run);
    run->tier = NULL;
    if (run->stats != NULL) {
        fx_stats_begin_pass(run->stats);
    }
    fx_converge_begin_ranks(run);
    size_t at = 0;
    if (!fx_converge_spend_candidates(run, run->n_acting, err)) {
        return false;
    }
    while (at < run->n_acting) {
        at++;
        if (!take_step(run, &at, err) ||
            (run->tier != NULL && !fx_converge_end_tier(run, &at, err))) {
            return false;
        }
    }
    return run->view == NULL || fx_converge_set_view(run, NULL, err);
}
