/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge.c - passes over the mutators until one does not change the object.
 */
#include "engine/converge.h"

#include <assert.h>

#include "engine/converge_run.h"
#include "engine/input.h"
#include "engine/request_memo.h"
#include "value/equal.h"

/* ---- candidates ------------------------------------------------------------------- */

/* Removes the candidates that the path of the request does not select. */
static void drop_unselected(struct converge *run) {
    const struct fx_rule_choice *choice = run->request->choice;
    struct fx_candidates *candidates = &run->candidates;
    size_t n = 0;
    for (size_t i = 0; choice != NULL && i < candidates->n_indices; i++) {
        const uint32_t index = candidates->indices[i];
        if (choice->selects(run->snapshot->mutators[index], choice->argument)) {
            candidates->indices[n++] = index;
        }
    }
    candidates->n_indices = choice == NULL ? candidates->n_indices : n;
}

/* Validators come last, if there are any. */
static size_t count_acting(const struct converge *run) {
    size_t n = run->candidates.n_indices;
    while (n > 0 && run->candidates.indices[n - 1] >= run->snapshot->n_acting) {
        n--;
    }
    return n;
}

/* May a candidate undo what another one did? If none may, the object keeps its type and
 * names, so that no other mutators become candidates. */
static bool may_write_anywhere(const struct converge *run) {
    size_t i = 0;
    while (i < run->n_acting &&
           !fx_mutator_writes_anywhere(
               run->snapshot->mutators[run->candidates.indices[i]])) {
        i++;
    }
    return i < run->n_acting;
}

/* With a trace, all mutators are candidates, because it also has those that the index
 * leaves out. The index needs the namespace, so it is not used if policies count in every
 * namespace. */
bool fx_converge_find_candidates(struct converge *run, struct fx_err *err) {
    const bool ok = run->trace != NULL || run->request->everywhere
                        ? fx_snapshot_all(run->snapshot, &run->candidates, err)
                        : fx_snapshot_candidates(run->snapshot, run->request,
                                                 &run->subject, &run->candidates, err);
    drop_unselected(run);
    run->identity.is_known = false;
    run->n_acting = count_acting(run);
    run->may_conflict =
        run->may_conflict || (run->snapshot->may_conflict && may_write_anywhere(run));
    return ok && (fx_converge_make_last_steps(run) || fx_fail_nomem(err));
}

bool fx_converge_has_new_identity(const struct converge *run) {
    const struct fx_subject *subject = &run->subject;
    const struct identity *identity = &run->identity;
    return run->passes == NULL &&
           (!fx_text_equal(identity->api_version, subject->api_version) ||
            !fx_text_equal(identity->kind, subject->kind) ||
            !fx_text_equal(identity->namespace_,
                           fx_subject_namespace(subject, run->request)));
}

/* ---- passes ----------------------------------------------------------------------- */

/* Has the pass left the object as it was before? This is also true if mutators undid each
 * other's changes in the pass: then the object from before the pass is restored. It is
 * not true if one of these mutators is not reinvoked, because what it undid may come
 * back. (One that has `run.again` is: the next pass would be the same as this one.) */
static bool has_settled(struct converge *run) {
    if (!run->has_changed) {
        return true;
    }
    if (run->has_differed || run->has_changed_once ||
        !fx_equal(run->before, *run->root)) {
        return false;
    }
    json_decref(*run->root);
    *run->root = json_incref(run->before);
    return true;
}

/* Lists the mutators that applied in this pass, if the request asks for that. */
static bool report_pass(struct converge *run, struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    if (!run->request->reports_passes || outcome->n_passes == FX_REPORTED_PASSES) {
        return true;
    }
    if (outcome->passes == NULL) {
        const size_t most = fx_converge_most_passes(run);
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

/* Invariant: the object from before a pass, if it is kept, and the object after the pass
 * share all nodes that the pass did not write. So comparing them costs only what changed,
 * and nothing if a change of the pass is known to stay. If it never settles, *ret_settled
 * stays false. */
static bool run_passes(struct converge *run, bool *ret_settled, struct fx_err *err) {
    const size_t n_passes = fx_converge_most_passes(run);
    for (run->pass = 1; run->pass <= n_passes && !*ret_settled; run->pass++) {
        run->outcome->iterations = run->pass;
        const bool ok = fx_converge_pass(run, err) && report_pass(run, err);
        *ret_settled = ok && has_settled(run);
        fx_converge_end_pass(run);
        if (!ok || run->lacks_inputs) {
            return false;
        }
        if (run->failures.n_items > 0 && !fx_converge_deny_failures(run, err)) {
            return false;
        }
        if (!*ret_settled) {
            fx_index_set_unite(&run->applied_ever, &run->applied_now);
        }
    }
    return true;
}

/* Fails because inputs are missing. With them the result of the pass, including a failure
 * of another mutator, may be different. Always false. */
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
        (void)fx_converge_fail_cycle(run, err);
        fx_converge_report_cycle(run);
        run->lacks_inputs = false; /* of passes that only the report of a cycle needs */
        return false;
    }
    outcome->n_cycle = 0; /* noted in a last pass that settled */
    return fx_index_set_list(&run->applied_ever, run->arena, &outcome->applied,
                             &outcome->n_applied) ||
           fx_fail_nomem(err);
}

/* ---- the whole loop --------------------------------------------------------------- */

bool fx_converge_make_sets(struct converge *run) {
    const size_t n = run->snapshot->n_mutators;
    return fx_index_set_init(&run->applied_now, run->arena, n) &&
           fx_index_set_init(&run->applied_ever, run->arena, n) &&
           (run->trace == NULL || fx_index_set_init(&run->unmatched, run->arena, n)) &&
           fx_index_set_init(&run->done, run->arena, n);
}

static bool make_notes(struct converge *run) {
    if (run->trace != NULL) {
        const size_t n = run->snapshot->n_mutators + 1;
        run->last_reports = fx_arena_alloc(run->arena, n * sizeof *run->last_reports);
    }
    return (run->trace == NULL || run->last_reports != NULL) &&
           fx_converge_make_sets(run);
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
    struct fx_request with_failures = *request;
    struct fx_request_memo memo = {.has_resource = false};
    struct fx_stats stats = {.arena = arena};
    struct converge run = {
        .snapshot = snapshot,
        .request = &with_failures,
        .failures.arena = arena,
        .arena = arena,
        .trace = trace,
        .root = root,
        .outcome = ret_outcome,
        .plain = request->plain,
        .stats = request->collects_stats ? &stats : NULL,
    };
    with_failures.failures = &run.failures;
    with_failures.memo = &memo;
    with_failures.incoming = *root;
    json_t *original = json_incref(*root);
    fx_subject_read(*root, &run.subject);
    fx_converge_begin_spending(&run);
    fx_activity_begin_loop(request->activity, run.subject.group, run.subject.kind);
    bool ok = (make_notes(&run) || fx_fail_nomem(err)) &&
              fx_converge_find_candidates(&run, err) &&
              (fx_converge_make_changes(&run) || fx_fail_nomem(err)) &&
              settle(&run, err) && fx_converge_find_late(&run, err) &&
              fx_converge_validate(&run, err);
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
