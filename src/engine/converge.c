/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge.c - passes over the mutators until one leaves the object as it was.
 */
#include "engine/converge.h"

#include <assert.h>
#include <string.h>

#include "engine/converge_run.h"
#include "engine/converge_words.h"
#include "engine/input.h"
#include "value/equal.h"

static bool make_notes(struct converge *run) {
    if (run->trace != NULL) {
        run->last_reports = fx_arena_alloc(run->arena, (run->snapshot->n_mutators + 1) *
                                                           sizeof *run->last_reports);
        if (run->last_reports == NULL) {
            return false;
        }
    }
    const size_t n = run->snapshot->n_mutators;
    return fx_index_set_init(&run->applied_now, run->arena, n) &&
           fx_index_set_init(&run->applied_ever, run->arena, n) &&
           fx_index_set_init(&run->done, run->arena, n);
}

void *fx_converge_grow(struct fx_arena *arena, void *items, size_t n_items,
                       size_t *cap_items, size_t size) {
    if (n_items < *cap_items) {
        return items;
    }
    const size_t bigger = *cap_items == 0 ? 8 : *cap_items * 2;
    void *moved = fx_arena_alloc(arena, bigger * size);
    if (moved != NULL) {
        if (n_items > 0) {
            memcpy(moved, items, n_items * size);
        }
        *cap_items = bigger;
    }
    return moved;
}

/* Judges come last, if there are any. */
static size_t count_acting(const struct converge *run) {
    size_t n = run->candidates.n_indices;
    while (n > 0 && run->candidates.indices[n - 1] >= run->snapshot->n_acting) {
        n--;
    }
    return n;
}

static bool keep_text(struct fx_arena *arena, struct fx_text text, struct fx_text *ret) {
    char *copy = fx_arena_copy(arena, text);
    if (copy == NULL) {
        return false;
    }
    *ret = (struct fx_text){copy, text.len};
    return true;
}

/* Is there one who may undo what any other did? Without one, the object stays what and
 * where it is, so that others never join. */
static bool may_write_anywhere(const struct converge *run) {
    size_t i = 0;
    while (i < run->n_acting &&
           !fx_mutator_writes_anywhere(
               run->snapshot->mutators[run->candidates.indices[i]])) {
        i++;
    }
    return i < run->n_acting;
}

/* Asks the index for the mutators of the subject's place. Who wants to see why a mutator
 * did not act is shown all of them: those left out would not match. Where all count
 * everywhere, the index, which looks at namespaces, does not know. */
bool fx_converge_find_candidates(struct converge *run, struct fx_err *err) {
    const bool ok = run->trace != NULL || run->request->everywhere
                        ? fx_snapshot_all(run->snapshot, &run->candidates, err)
                        : fx_snapshot_candidates(run->snapshot, run->request,
                                                 &run->subject, &run->candidates, err);
    run->knows_place = false;
    run->n_acting = count_acting(run);
    run->may_conflict =
        run->may_conflict || (run->snapshot->may_conflict && may_write_anywhere(run));
    return ok && (fx_converge_make_last_steps(run) || fx_fail_nomem(err));
}

/* Notes the place before one that may end its texts. */
static bool keep_place(struct converge *run, const struct fx_mutator *mutator) {
    const struct fx_subject *subject = &run->subject;
    if (run->knows_place || !fx_mutator_writes_anywhere(mutator)) {
        return true;
    }
    run->knows_place = keep_text(run->arena, subject->api_version, &run->api_version) &&
                       keep_text(run->arena, subject->kind, &run->kind) &&
                       keep_text(run->arena, fx_subject_namespace(subject, run->request),
                                 &run->namespace_);
    return run->knows_place;
}

bool fx_converge_has_new_identity(const struct converge *run) {
    const struct fx_subject *subject = &run->subject;
    return run->passes == NULL &&
           (!fx_text_equal(run->api_version, subject->api_version) ||
            !fx_text_equal(run->kind, subject->kind) ||
            !fx_text_equal(run->namespace_, fx_subject_namespace(subject, run->request)));
}

/* It failed: that is the end of the review, or of its part in it. */
static bool fail_apply(struct converge *run, struct fx_trace_step *step, json_t *before,
                       struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[step->mutator];
    (void)fx_converge_fail_step(run, step->mutator, err);
    if (fx_converge_may_skip(run, mutator, err)) {
        return fx_converge_skip_failed(run, step, before, err);
    }
    run->outcome->failed = mutator;
    if (run->passes != NULL) {
        return false;
    }
    return fx_converge_apply_error(run->request, mutator, *run->root, err);
}

/* Applies a mutator that matched. */
static bool apply(struct converge *run, struct fx_trace_step *step, struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[step->mutator];
    const bool is_recorded =
        run->trace != NULL || run->is_last_pass || run->cycle != NULL ||
        run->passes != NULL ||
        ((mutator->run.ignores_failure || mutator->n_inputs > 0) && !mutator->restores);
    json_t *before = is_recorded ? json_incref(*run->root) : NULL;
    bool ok = mutator->ops->apply(mutator, run->request, run->root, &step->effect, err);
    if (!ok) {
        ok = fail_apply(run, step, before, err);
    } else if (is_recorded) {
        ok = fx_converge_record(run, step, before, err);
    }
    json_decref(before);
    if (mutator->run.once) {
        fx_index_set_add(&run->done, step->mutator);
    }
    if (step->effect.applied) {
        fx_index_set_add(&run->applied_now, step->mutator);
    }
    return ok;
}

/* The same, and how it fared is noted. */
static bool apply_and_note(struct converge *run, struct fx_trace_step *step,
                           struct fx_err *err) {
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, step->mutator);
    if (entry == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok = apply(run, step, err);
    entry->matched = true;
    entry->applied = entry->applied || step->effect.applied;
    entry->changed = entry->changed || step->effect.changed;
    entry->failed = step->failure != NULL || (!ok && err->code == FX_EMUTATE);
    fx_stats_end_step(run->stats, entry);
    return ok;
}

/* Without memory it stays untold, as the review fails in any case. */
bool fx_converge_fail_match(struct converge *run, uint32_t index, struct fx_err *err) {
    run->outcome->failed = run->snapshot->mutators[index];
    if (run->passes != NULL) {
        return false;
    }
    struct fx_mutator_stats *entry =
        run->stats == NULL ? NULL : fx_stats_begin_step(run->stats, index);
    (void)fx_converge_match_error(run->outcome->failed, *run->root, err);
    if (entry != NULL) {
        entry->failed = err->code == FX_EMUTATE;
    }
    return false;
}

static bool apply_matched(struct converge *run, struct fx_trace_step *step,
                          struct fx_effect *ret_effect, struct fx_err *err) {
    const bool ok =
        run->stats == NULL ? apply(run, step, err) : apply_and_note(run, step, err);
    *ret_effect = step->effect;
    return ok;
}

/* One mutator's turn. */
static bool run_mutator(struct converge *run, uint32_t index,
                        struct fx_effect *ret_effect, struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    struct fx_trace_step step = {.mutator = index, .pass = run->pass};
    fx_converge_begin_step(run, index);
    if (run->passes != NULL && !fx_passes_spend(run->passes, err)) {
        return false;
    }
    if (!mutator->ops->match(mutator, run->request, &run->subject, &step.verdict, err)) {
        (void)fx_converge_fail_step(run, index, err);
        return fx_converge_may_skip(run, mutator, err)
                   ? fx_converge_skip_failed(run, &step, *run->root, err)
                   : fx_converge_fail_match(run, index, err);
    }
    if (!step.verdict.matched) {
        if (run->stats != NULL) {
            fx_stats_skip(run->stats);
        }
        return fx_converge_record(run, &step, *run->root, err);
    }
    return apply_matched(run, &step, ret_effect, err);
}

/* The turn of one that was asked with all of its tier. */
static bool run_of_tier(struct converge *run, size_t at, struct fx_effect *ret_effect,
                        struct fx_err *err) {
    struct fx_trace_step step = {
        .mutator = run->candidates.indices[at],
        .pass = run->pass,
        .verdict.matched = true,
    };
    bool matched = false;
    if (!fx_converge_match_tier(run, at, &matched, err)) {
        return false;
    }
    if (!matched) {
        return true;
    }
    fx_converge_begin_step(run, step.mutator);
    return apply_matched(run, &step, ret_effect, err);
}

/* After a write anywhere the texts of the subject are gone, and the object may be another
 * kind of object now, which other mutators want. *at becomes the place to go on from.
 * Those that were asked together come first. */
static bool follow_far(struct converge *run, size_t *at, struct fx_err *err) {
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

static bool writes_alone(const struct converge *run, uint32_t index) {
    return !run->plain && !run->may_conflict && run->snapshot->alone[index];
}

/* The object as it was before the pass is kept for as long as it may come to be that
 * again. Not for one who changes it for good: that nobody else holds it saves a copy. */
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

/* Nobody but itself, in a later pass, undoes the change. */
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

/* The same of the subject after a write that left the object's type and names alone. */
static void follow_near(struct converge *run, bool keeps_metadata) {
    run->subject.object = *run->root;
    run->is_stale = run->is_stale || !keeps_metadata;
}

/* After a write of the candidate before *at. A mutator whose declared access says where
 * it writes leaves the object's type and names alone. */
static bool follow(struct converge *run, size_t *at, const struct fx_effect *effect,
                   struct fx_err *err) {
    const uint32_t index = run->candidates.indices[*at - 1];
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    run->has_changed = true;
    if (!run->snapshot->is_simple) {
        fx_once_note_change(&run->once, mutator);
        run->once_has_changed = run->once_has_changed || mutator->run.once;
    }
    if (writes_alone(run, index)) {
        note_difference(run, index);
    }
    if (!fx_mutator_writes_anywhere(mutator)) {
        follow_near(run, !mutator->hashes->writes_metadata);
        return true;
    }
    if (effect->keeps_names) {
        follow_near(run, effect->keeps_metadata);
        return true;
    }
    return follow_far(run, at, err);
}

/* Completes the subject where the mutator asks for what is not read yet. */
void fx_converge_complete_subject(struct converge *run,
                                  const struct fx_mutator *mutator) {
    if (run->is_stale && (mutator->hashes == NULL || mutator->hashes->matches_metadata)) {
        fx_subject_refresh(*run->root, &run->subject);
        run->is_stale = false;
    }
}

/* Has it had all the turns it may have, or all of this pass? */
static bool is_done(const struct converge *run, const struct fx_mutator *mutator,
                    uint32_t index) {
    return ((mutator->run.once || mutator->run.ignores_failure) &&
            fx_index_set_has(&run->done, index)) ||
           (mutator->run.once && !fx_once_is_asked(&run->once, mutator));
}

/* The turn of the candidate before *at. */
static bool take_step(struct converge *run, size_t *at, struct fx_err *err) {
    const size_t own = *at - 1;
    const uint32_t index = run->candidates.indices[own];
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    const bool is_simple = run->snapshot->is_simple;
    if (fx_converge_skip_unchanged(run, own) ||
        (!is_simple && is_done(run, mutator, index))) {
        return true;
    }
    keep_before(run, index);
    if (!is_simple && mutator->ops->view != run->view &&
        !fx_converge_set_view(run, mutator->ops->view, err)) {
        return false;
    }
    fx_converge_complete_subject(run, mutator);
    if (!keep_place(run, mutator)) {
        return fx_fail_nomem(err);
    }
    struct fx_effect effect = {.applied = false};
    if (!is_simple && mutator->run.match_first ? !run_of_tier(run, own, &effect, err)
                                               : !run_mutator(run, index, &effect, err)) {
        return false;
    }
    fx_converge_note_step(run, own, &effect);
    return !effect.changed || follow(run, at, &effect, err);
}

void fx_converge_end_pass(struct converge *run) {
    json_decref(run->before);
    run->before = NULL;
}

/* A node that is copied because it is shared lives on in its other holder, or the object
 * itself, so that only a real write can end the texts of the subject. */
bool fx_converge_pass(struct converge *run, struct fx_err *err) {
    fx_index_set_clear(&run->applied_now);
    run->has_changed = false;
    run->has_differed = false;
    run->once_has_changed = false;
    if (run->stats != NULL) {
        fx_stats_begin_pass(run->stats);
    }
    run->tier = NULL;
    fx_once_begin_pass(&run->once);
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

/* Did the pass leave the object as it was? Mutators that undo each other within a pass
 * have settled too: then the object from before is put back. Not where one of them does
 * not come again: what it undid may come back. */
static bool has_settled(struct converge *run) {
    if (!run->has_changed) {
        return true;
    }
    if (run->has_differed || run->once_has_changed ||
        !fx_equal(run->before, *run->root)) {
        return false;
    }
    json_decref(*run->root);
    *run->root = json_incref(run->before);
    return true;
}

/* Notes who applied in this pass, where that is asked for. */
static bool tell_pass(struct converge *run, struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    if (!run->request->reports_passes || outcome->n_passes == FX_REPORTED_PASSES) {
        return true;
    }
    if (outcome->passes == NULL) {
        const size_t most = run->snapshot->n_mutators + 1;
        const size_t n = most < FX_REPORTED_PASSES ? most : FX_REPORTED_PASSES;
        outcome->passes = fx_arena_alloc(run->arena, n * sizeof *outcome->passes);
    }
    struct fx_pass pass = {0};
    if (outcome->passes == NULL || !fx_index_set_list(&run->applied_now, run->arena,
                                                      &pass.applied, &pass.n_applied)) {
        return fx_fail_nomem(err);
    }
    outcome->passes[outcome->n_passes++] = pass;
    return true;
}

/*
 * Invariant: the object from before a pass, where it is kept, and the one after it share
 * all that the pass did not write, so the test for "as it was" costs what changed, and
 * nothing where a change of the pass is known to last. n mutators settle within
 * n + 1 passes or not at all. *ret_settled stays false where they do not.
 */
static bool run_passes(struct converge *run, bool *ret_settled, struct fx_err *err) {
    const size_t n_passes = run->snapshot->n_mutators + 1;
    for (run->pass = 1; run->pass <= n_passes && !*ret_settled; run->pass++) {
        run->is_last_pass = run->pass == n_passes;
        run->outcome->iterations = run->pass;
        const bool ok = fx_converge_pass(run, err) && tell_pass(run, err);
        *ret_settled = ok && has_settled(run);
        fx_converge_end_pass(run);
        if (!ok || run->lacks_inputs) {
            return false;
        }
        if (!*ret_settled) {
            fx_index_set_unite(&run->applied_ever, &run->applied_now);
        }
    }
    return true;
}

/* What came of the pass, a failure of another rule included, may be different with the
 * inputs. Always false. */
static bool fail_inputs(const struct converge *run, struct fx_err *err) {
    if (fx_err_is_ours(err)) {
        return false;
    }
    run->request->inputs->n_rounds++;
    return fx_fail(err, FX_EINPUT, "inputs have to be fetched");
}

static bool settle(struct converge *run, struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    bool settled = run->request->only_validators;
    if (!run_passes(run, &settled, err)) {
        return false;
    }
    if (!settled) {
        (void)fx_converge_cycle_error(run->request, *run->root, err);
        fx_converge_report_cycle(run);
        run->lacks_inputs = false; /* of passes that only the report needs */
        return false;
    }
    outcome->n_cycle = 0; /* what was noted in a last pass that settled */
    return fx_index_set_list(&run->applied_ever, run->arena, &outcome->applied,
                             &outcome->n_applied) ||
           fx_fail_nomem(err);
}

void fx_outcome_finish(struct fx_outcome *outcome) {
    if (outcome != NULL) {
        fx_trace_finish(&outcome->record);
        outcome->n_cycle_fields = 0;
    }
}

/* NOLINTNEXTLINE(readability-function-size): all seven are needed by every caller. */
bool fx_converge(const struct fx_snapshot *snapshot, const struct fx_request *request,
                 struct fx_arena *arena, struct fx_trace *trace, json_t **root,
                 struct fx_outcome *ret_outcome, struct fx_err *err) {
    assert(snapshot != NULL && *root != NULL);
    *ret_outcome = (struct fx_outcome){0};
    struct fx_stats stats = {.arena = arena};
    struct converge run = {
        .snapshot = snapshot,
        .request = request,
        .arena = arena,
        .trace = trace,
        .root = root,
        .outcome = ret_outcome,
        .plain = request->plain,
        .stats = request->collects_stats ? &stats : NULL,
    };
    json_t *original = json_incref(*root);
    fx_subject_read(*root, &run.subject);
    fx_converge_begin_spending(&run);
    fx_activity_begin_loop(request->activity, run.subject.group, run.subject.kind);
    bool ok =
        (make_notes(&run) || fx_fail_nomem(err)) &&
        fx_converge_find_candidates(&run, err) &&
        (fx_converge_make_changes(&run) || fx_fail_nomem(err)) && settle(&run, err) &&
        fx_converge_find_late(&run, err) &&
        (run.n_acting == run.candidates.n_indices || fx_converge_validate(&run, err));
    if (run.lacks_inputs) {
        ok = fail_inputs(&run, err);
    }
    if (ok) {
        ret_outcome->mutated = ret_outcome->iterations > 1 &&
                               (run.lasting != NULL || !fx_equal(original, *root));
    }
    fx_converge_leave_share(&run);
    fx_activity_end_loop(request->activity);
    ret_outcome->stats = stats.items;
    ret_outcome->n_stats = stats.n_items;
    json_decref(run.kept);
    json_decref(original);
    fx_candidates_finish(&run.candidates);
    return ok;
}
