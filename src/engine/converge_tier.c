/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_tier.c - mutators with run options: `match_first` (all of a tier are
 * matched on the object as it is before any of them is applied), and `once` (they are not
 * reinvoked).
 */
#include <string.h>

#include "engine/converge_run.h"

/* ---- match first ------------------------------------------------------------------ */

static bool is_of_tier(const struct fx_mutator *mutator, const struct fx_mutator *tier) {
    return mutator->run.match_first && mutator->rank == tier->rank &&
           mutator->tier == tier->tier;
}

static bool begin_tier(struct converge *run, const struct fx_mutator *tier) {
    run->tier = tier;
    if (run->in_tier.words == NULL) {
        return fx_index_set_init(&run->in_tier, run->arena, run->snapshot->n_mutators);
    }
    fx_index_set_clear(&run->in_tier);
    return true;
}

/* Matches all mutators of the tier. Stats are collected in the order of a pass, which
 * then begins again with the first step of the tier. */
static bool match_all(struct converge *run, size_t at, struct fx_err *err) {
    const size_t stats_at = run->stats == NULL ? 0 : run->stats->at;
    for (; at < run->n_acting; at++) {
        const uint32_t index = run->candidates.indices[at];
        struct fx_trace_step step = {.mutator = index, .pass = run->pass};
        if (!is_of_tier(run->snapshot->mutators[index], run->tier)) {
            break;
        }
        if (fx_converge_is_done(run, index)) {
            continue;
        }
        if (!fx_converge_match(run, &step, err)) {
            return false;
        }
        if (step.verdict.matched) {
            fx_index_set_add(&run->in_tier, index);
        }
    }
    if (run->stats != NULL) {
        run->stats->at = stats_at;
        fx_stats_skip(run->stats);
    }
    return true;
}

bool fx_converge_match_tier(struct converge *run, size_t at, bool *ret_matched,
                            struct fx_err *err) {
    const uint32_t index = run->candidates.indices[at];
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    if (run->tier == NULL || !is_of_tier(mutator, run->tier)) {
        if (!begin_tier(run, mutator)) {
            return fx_fail_nomem(err);
        }
        if (!match_all(run, at, err)) {
            return false;
        }
    }
    *ret_matched = fx_index_set_has(&run->in_tier, index);
    return true;
}

static const struct fx_mutator *candidate(const struct converge *run, size_t at) {
    return run->snapshot->mutators[run->candidates.indices[at]];
}

/* Mutators of the tier that became candidates later were not matched with it. */
bool fx_converge_end_tier(struct converge *run, size_t *at, struct fx_err *err) {
    const struct fx_mutator *tier = run->tier;
    const uint32_t last = run->candidates.indices[*at - 1];
    if (*at < run->n_acting && is_of_tier(candidate(run, *at), tier)) {
        return true;
    }
    run->tier = NULL;
    if (!run->identity.is_known || !fx_converge_has_new_identity(run)) {
        return true;
    }
    if (!fx_converge_find_candidates(run, err)) {
        return false;
    }
    *at = 0;
    while (*at < run->n_acting && (run->candidates.indices[*at] <= last ||
                                   is_of_tier(candidate(run, *at), tier))) {
        ++*at;
    }
    return true;
}

/* ---- not reinvoked ---------------------------------------------------------------- */

/* A dialect whose mutators are not reinvoked has one pass, as in its original. Mutators
 * that have not been applied are invoked again if others have changed the object since,
 * because they may match now. */

void fx_converge_begin_ranks(struct converge *run) {
    run->n_begun++;
    memcpy(run->last_pass, run->this_pass, sizeof run->this_pass);
    memset(run->this_pass, 0, sizeof run->this_pass);
}

/* Has another mutator changed the object since the steps of the rank in the last pass?
 * Those are the changes by others after these steps in that pass, and before them in this
 * pass. */
bool fx_converge_may_invoke(const struct converge *run,
                            const struct fx_mutator *mutator) {
    const unsigned own = mutator->rank;
    if (run->n_begun == 1) {
        return true;
    }
    uint32_t n = run->last_pass[own].by_reinvoked + run->this_pass[own].by_reinvoked;
    for (unsigned rank = 0; rank < own; rank++) {
        n += run->this_pass[rank].all;
    }
    for (unsigned rank = own + 1; rank < FX_RANKS; rank++) {
        n += run->last_pass[rank].all;
    }
    return n > 0;
}

bool fx_converge_may_reinvoke(const struct converge *run,
                              const struct fx_mutator *mutator) {
    const unsigned own = mutator->rank;
    uint32_t n = run->n_begun == 2 ? run->last_pass[own].n_applied : 0;
    for (unsigned rank = 0; rank < FX_RANKS; rank++) {
        n += rank == own ? 0 : (rank < own ? run->this_pass : run->last_pass)[rank].all;
    }
    return n > 0;
}

bool fx_converge_is_done(const struct converge *run, uint32_t index) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    const bool was_run = fx_index_set_has(&run->done, index);
    if (mutator->run.once && was_run && mutator->run.again) {
        return !fx_converge_may_reinvoke(run, mutator);
    }
    return ((mutator->run.once || mutator->run.ignores_failure) && was_run) ||
           (mutator->run.once && !fx_converge_may_invoke(run, mutator));
}

/* Does the mutator match now? A match that fails counts as no match. */
static bool match_now(struct converge *run, uint32_t index, bool *ret_matches,
                      struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    struct fx_verdict verdict = {.matched = false};
    if (!fx_converge_show(run, mutator, err)) {
        return false;
    }
    fx_converge_begin_step(run, index);
    if (!mutator->ops->match(mutator, run->request, &run->subject, &verdict, err)) {
        if (fx_err_is_ours(err)) {
            return false;
        }
        fx_err_reset(err);
        verdict.matched = false;
    }
    *ret_matches = verdict.matched;
    return true;
}

static bool report_late(struct converge *run, uint32_t index, struct fx_err *err) {
    const struct fx_trace_step step = {
        .mutator = index,
        .pass = run->outcome->iterations,
        .verdict.matched = true,
        .is_late = true,
    };
    return fx_trace_record(run->trace, &step, *run->root, *run->root) ||
           fx_fail_nomem(err);
}

bool fx_converge_find_late(struct converge *run, struct fx_err *err) {
    if (run->trace == NULL) {
        return true;
    }
    fx_subject_read(*run->root, &run->subject);
    run->is_stale = false;
    for (size_t at = 0; at < run->n_acting; at++) {
        const uint32_t index = run->candidates.indices[at];
        bool matches = false;
        if (!run->snapshot->mutators[index]->run.once ||
            fx_index_set_has(&run->done, index) ||
            fx_index_set_has(&run->unmatched, index)) {
            continue;
        }
        if (!match_now(run, index, &matches, err) ||
            (matches && !report_late(run, index, err))) {
            return false;
        }
    }
    return run->view == NULL || fx_converge_set_view(run, NULL, err);
}
