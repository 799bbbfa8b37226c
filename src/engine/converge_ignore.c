/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_ignore.c - failures that are ignored: the mutator is skipped from there
 * on, and the outcome says so.
 */
#include "engine/converge_run.h"

bool fx_converge_may_skip(const struct converge *run, const struct fx_mutator *mutator,
                          const struct fx_err *err) {
    return (mutator->run.ignores_failure || err->code == FX_EINPUT) &&
           run->passes == NULL && !fx_err_is_ours(err);
}

/* Notes the reason in the outcome; NULL without memory. */
static const char *note(struct converge *run, const struct fx_trace_step *step,
                        bool fails, const struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    struct fx_skipped_mutator *drops =
        fx_converge_grow(run->arena, outcome->skipped, outcome->n_skipped,
                         &run->cap_skipped, sizeof *drops);
    const char *words = fx_arena_copy(run->arena, fx_text_of(err->msg));
    if (drops == NULL || words == NULL) {
        return NULL;
    }
    outcome->skipped = drops;
    drops[outcome->n_skipped++] = (struct fx_skipped_mutator){
        .mutator = step->mutator,
        .pass = step->pass,
        .fails = fails,
        .message = words,
    };
    return words;
}

/* A step that ended before its mutation has no stats yet. */
static bool note_stats(struct converge *run, uint32_t index) {
    if (run->stats == NULL) {
        return true;
    }
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, index);
    if (entry != NULL) {
        entry->failed = true;
        entry->skipped = true;
    }
    return entry != NULL;
}

/* `before` holds the object, so the mutator has written to copies only. */
bool fx_converge_skip_failed(struct converge *run, struct fx_trace_step *step,
                             json_t *before, struct fx_err *err) {
    if (before != NULL && before != *run->root) {
        json_decref(*run->root);
        *run->root = json_incref(before);
    }
    step->effect = (struct fx_effect){.applied = false};
    if (err->code == FX_EINPUT) {
        run->lacks_inputs = true; /* the other rules of the pass may ask for more */
        fx_err_reset(err);
        return true;
    }
    step->failure = note(run, step, true, err);
    fx_index_set_add(&run->done, step->mutator);
    if (step->failure == NULL || !note_stats(run, step->mutator)) {
        return fx_fail_nomem(err);
    }
    fx_err_reset(err);
    return fx_converge_record(run, step, *run->root, err);
}

bool fx_converge_note_partial(struct converge *run, const struct fx_trace_step *step,
                              const struct fx_err *why) {
    return note(run, step, false, why) != NULL;
}
