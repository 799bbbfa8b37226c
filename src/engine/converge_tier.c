/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_tier.c - mutators that are asked together: all of a tier on the object
 * as it is before any of them is applied.
 */
#include "engine/converge_run.h"

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

static bool ask(struct converge *run, uint32_t index, struct fx_err *err) {
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
    if (step.verdict.matched) {
        fx_index_set_add(&run->in_tier, index);
        return true;
    }
    return fx_converge_record(run, &step, *run->root, err);
}

/* Fares are noted in the order of a pass, which begins anew with the first turn of the
 * tier. */
static bool ask_all(struct converge *run, size_t at, struct fx_err *err) {
    const size_t place = run->stats == NULL ? 0 : run->stats->at;
    for (; at < run->n_acting; at++) {
        const uint32_t index = run->candidates.indices[at];
        if (!is_of_tier(run->snapshot->mutators[index], run->tier)) {
            break;
        }
        if (!fx_index_set_has(&run->done, index) && !ask(run, index, err)) {
            return false;
        }
    }
    if (run->stats != NULL) {
        run->stats->at = place;
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
        if (!ask_all(run, at, err)) {
            return false;
        }
    }
    *ret_matched = fx_index_set_has(&run->in_tier, index);
    return true;
}

static const struct fx_mutator *candidate(const struct converge *run, size_t at) {
    return run->snapshot->mutators[run->candidates.indices[at]];
}

/* Those of the tier that want the object only now were not asked with it. */
bool fx_converge_end_tier(struct converge *run, size_t *at, struct fx_err *err) {
    const struct fx_mutator *tier = run->tier;
    const uint32_t last = run->candidates.indices[*at - 1];
    if (*at < run->n_acting && is_of_tier(candidate(run, *at), tier)) {
        return true;
    }
    run->tier = NULL;
    if (!run->knows_place || !fx_converge_has_new_identity(run)) {
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
