/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_validate.c - after the last pass: validators, which change nothing and
 * may refuse the object.
 */
#include "base/buf.h"
#include "engine/converge_run.h"
#include "engine/converge_words.h"

/* Keeps the entry of a validator that refuses. */
static bool keep(struct run *run, uint32_t index, const struct fx_buf *entry) {
    struct fx_outcome *outcome = run->outcome;
    struct fx_refusal *refusals =
        fx_run_grow(run->arena, outcome->refusals, outcome->n_refusals,
                    &run->cap_refusals, sizeof *refusals);
    const char *copy = entry->failed ? NULL
                                     : fx_arena_copy(run->arena, (struct fx_text){
                                                                     entry->data,
                                                                     entry->len,
                                                                 });
    if (refusals == NULL || copy == NULL) {
        return false;
    }
    outcome->refusals = refusals;
    refusals[outcome->n_refusals++] = (struct fx_refusal){index, {copy, entry->len}};
    return true;
}

/* Collects the stats of a refusal, if the request wants them. */
static bool note_stats(struct run *run, uint32_t index) {
    if (run->stats == NULL) {
        return true;
    }
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, index);
    if (entry != NULL) {
        entry->matched = true;
        entry->applied = true;
        entry->denied = true;
        fx_stats_end_step(run->stats, entry);
    }
    return entry != NULL;
}

/* Runs a validator that matched, and notes its refusal. */
static bool hear(struct run *run, struct fx_trace_step *step, struct fx_err *err) {
    const struct fx_mutator *validator = run->snapshot->mutators[step->mutator];
    struct fx_err note = FX_ERR_INIT;
    struct fx_buf entry;
    fx_buf_init(&entry, 0);
    bool ok =
        validator->ops->validate(validator, run->request, *run->root, &entry, &note, err);
    if (ok) {
        ok = (keep(run, step->mutator, &entry) && note_stats(run, step->mutator) &&
              (note.code == FX_OK || fx_run_note_partial(run, step, &note))) ||
             fx_fail_nomem(err);
        step->effect.applied = true;
    }
    fx_buf_finish(&entry);
    return ok;
}

/* The step of a validator. */
static bool ask(struct run *run, uint32_t index, struct fx_err *err) {
    const struct fx_mutator *validator = run->snapshot->mutators[index];
    struct fx_trace_step step = {.mutator = index, .pass = run->outcome->iterations};
    fx_run_begin_step(run, index);
    bool ok =
        validator->ops->match(validator, run->request, &run->subject, &step.verdict, err);
    if (ok && step.verdict.matched) {
        ok = hear(run, &step, err);
    }
    if (ok) {
        return fx_run_record(run, &step, *run->root, err);
    }
    (void)fx_run_fail_step(run, index, err);
    return fx_run_may_skip(run, validator, err)
               ? fx_run_skip_failed(run, &step, *run->root, err)
               : fx_run_fail_match(run, index, err);
}

/* "…: a,b", and where validators of another kind refuse it too: "; …: c". */
static void print_denial(const struct run *run, struct fx_buf *words) {
    const struct fx_denial *last = NULL;
    for (size_t i = 0; i < run->outcome->n_refusals; i++) {
        const struct fx_refusal *refusal = &run->outcome->refusals[i];
        const struct fx_denial *denial =
            run->snapshot->mutators[refusal->mutator]->ops->denial;
        if (last == NULL || denial != last) {
            fx_buf_str(words, last == NULL ? "" : "; ");
            fx_buf_str(words, denial->begin);
        } else {
            fx_buf_str(words, denial->between);
        }
        fx_buf_text(words, refusal->entry);
        last = denial;
    }
}

static bool deny(struct run *run, struct fx_err *err) {
    struct fx_buf words;
    fx_buf_init(&words, 0);
    print_denial(run, &words);
    const struct fx_text whole = {words.data, words.len};
    const char *copy = words.failed ? NULL : fx_arena_copy(run->arena, whole);
    if (copy == NULL) {
        (void)fx_fail_nomem(err);
    } else {
        run->outcome->denial = (struct fx_text){copy, words.len};
        (void)fx_fail(err, FX_EDENIED, "%s", copy);
    }
    fx_buf_finish(&words);
    return false;
}

bool fx_run_validate(struct run *run, struct fx_err *err) {
    fx_subject_read(*run->root, &run->subject);
    run->is_stale = false;
    if (run->stats != NULL) {
        fx_stats_begin(run->stats);
    }
    const size_t n_validators = run->candidates.n_indices - run->n_acting;
    if (!fx_run_spend_looks(run, n_validators, err)) {
        return false;
    }
    for (size_t at = run->n_acting; at < run->candidates.n_indices; at++) {
        const uint32_t index = run->candidates.indices[at];
        const struct fx_mutator *validator = run->snapshot->mutators[index];
        if ((validator->ops->view != run->view &&
             !fx_run_set_view(run, validator->ops->view, err))) {
            return false;
        }
        fx_run_complete_subject(run, validator);
        if (!ask(run, index, err)) {
            return false;
        }
    }
    if (run->view != NULL && !fx_run_set_view(run, NULL, err)) {
        return false;
    }
    return run->outcome->n_refusals == 0 || deny(run, err);
}
