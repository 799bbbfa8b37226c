/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_record.c - what a step reports if that is wanted: its entry in the
 * trace, the mutator of a cycle, the changes of the cycle.
 */
#include "engine/converge_run.h"
#include "value/patch.h"

/* Adds a mutator that changes something in the last pass there may be. */
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

/* For a mutator that did not match: fills in what it found. If it found the same before,
 * that text is used again. */
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
    const struct fx_text text = {found.data, found.len};
    step->found = run->last_reports[step->mutator].found;
    bool ok = !found.failed;
    if (ok && !fx_text_equal(text, step->found)) {
        step->found = (struct fx_text){fx_arena_copy(run->arena, text), text.len};
        ok = step->found.data != NULL;
    }
    fx_buf_finish(&found);
    return ok;
}

static bool record(struct converge *run, struct fx_trace_step step, json_t *before) {
    return add_found(run, &step) &&
           (!is_new(run, &step) ||
            fx_trace_record(run->trace, &step, before, *run->root));
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
