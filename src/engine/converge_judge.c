/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_judge.c - after the last pass: those who change nothing, and may refuse
 * what came of it.
 */
#include "base/buf.h"
#include "engine/converge_run.h"
#include "engine/converge_words.h"

/* Keeps the entry of one who refuses. */
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

/* How it fared is noted, where that is asked for. */
static bool note_fare(struct run *run, uint32_t index) {
    if (run->fares == NULL) {
        return true;
    }
    struct fx_fare *fare = fx_fares_begin_turn(run->fares, index);
    if (fare != NULL) {
        fare->matched = true;
        fare->applied = true;
        fare->denied = true;
        fx_fares_end_turn(run->fares, fare);
    }
    return fare != NULL;
}

/* Has it judge, and notes what it says. */
static bool hear(struct run *run, struct fx_trace_step *step, struct fx_err *err) {
    const struct fx_mutator *judge = run->snapshot->mutators[step->mutator];
    struct fx_err note = FX_ERR_INIT;
    struct fx_buf entry;
    fx_buf_init(&entry, 0);
    bool ok = judge->ops->judge(judge, run->request, *run->root, &entry, &note, err);
    if (ok) {
        ok = (keep(run, step->mutator, &entry) && note_fare(run, step->mutator) &&
              (note.code == FX_OK || fx_run_note_less(run, step, &note))) ||
             fx_fail_nomem(err);
        step->effect.applied = true;
    }
    fx_buf_finish(&entry);
    return ok;
}

/* The judge's turn. */
static bool ask(struct run *run, uint32_t index, struct fx_err *err) {
    const struct fx_mutator *judge = run->snapshot->mutators[index];
    struct fx_trace_step step = {.mutator = index, .pass = run->outcome->iterations};
    fx_run_begin_turn(run, index);
    bool ok = judge->ops->match(judge, run->request, &run->subject, &step.verdict, err);
    if (ok && step.verdict.matched) {
        ok = hear(run, &step, err);
    }
    if (ok) {
        return fx_run_record(run, &step, *run->root, err);
    }
    (void)fx_run_fail_turn(run, index, err);
    return fx_run_may_drop(run, judge, err) ? fx_run_drop(run, &step, *run->root, err)
                                            : fx_run_fail_match(run, index, err);
}

/* "…: a,b", and where judges of another kind refuse it too: "; …: c". */
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

bool fx_run_judge(struct run *run, struct fx_err *err) {
    fx_subject_read(*run->root, &run->subject);
    run->is_stale = false;
    if (run->fares != NULL) {
        fx_fares_begin(run->fares);
    }
    const size_t n_judges = run->candidates.n_indices - run->n_acting;
    if (!fx_run_spend_looks(run, n_judges, err)) {
        return false;
    }
    for (size_t at = run->n_acting; at < run->candidates.n_indices; at++) {
        const uint32_t index = run->candidates.indices[at];
        const struct fx_mutator *judge = run->snapshot->mutators[index];
        if ((judge->ops->guise != run->guise &&
             !fx_run_dress(run, judge->ops->guise, err))) {
            return false;
        }
        fx_run_complete_subject(run, judge);
        if (!ask(run, index, err)) {
            return false;
        }
    }
    if (run->guise != NULL && !fx_run_dress(run, NULL, err)) {
        return false;
    }
    return run->outcome->n_refusals == 0 || deny(run, err);
}
