/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_lenient.c - mutators that fail for themselves alone: they are left out,
 * and that is told.
 */
#include "engine/converge_run.h"

bool fx_run_may_drop(const struct run *run, const struct fx_mutator *mutator,
                     const struct fx_err *err) {
    return mutator->lenient && run->passes == NULL && !fx_err_is_ours(err);
}

/* Tells why; NULL without memory. */
static const char *note(struct run *run, const struct fx_trace_step *step, bool fails,
                        const struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    struct fx_drop *drops = fx_run_grow(run->arena, outcome->drops, outcome->n_drops,
                                        &run->cap_drops, sizeof *drops);
    const char *words = fx_arena_copy(run->arena, fx_text_of(err->msg));
    if (drops == NULL || words == NULL) {
        return NULL;
    }
    outcome->drops = drops;
    drops[outcome->n_drops++] = (struct fx_drop){
        .mutator = step->mutator,
        .pass = step->pass,
        .fails = fails,
        .words = words,
    };
    return words;
}

/* A turn that did not come to its mutation has no fare yet. */
static bool note_fare(struct run *run, uint32_t index) {
    if (run->fares == NULL) {
        return true;
    }
    struct fx_fare *fare = fx_fares_begin_turn(run->fares, index);
    if (fare != NULL) {
        fare->failed = true;
        fare->left_out = true;
    }
    return fare != NULL;
}

/* The object is held by `before`, so that whatever was written was written to copies. */
bool fx_run_drop(struct run *run, struct fx_trace_step *step, json_t *before,
                 struct fx_err *err) {
    if (before != NULL && before != *run->root) {
        json_decref(*run->root);
        *run->root = json_incref(before);
    }
    step->effect = (struct fx_effect){.applied = false};
    step->failure = note(run, step, true, err);
    fx_index_set_add(&run->done, step->mutator);
    if (step->failure == NULL || !note_fare(run, step->mutator)) {
        return fx_fail_nomem(err);
    }
    fx_err_reset(err);
    return fx_run_record(run, step, *run->root, err);
}

bool fx_run_note_less(struct run *run, const struct fx_trace_step *step,
                      const struct fx_err *why) {
    return note(run, step, false, why) != NULL;
}
