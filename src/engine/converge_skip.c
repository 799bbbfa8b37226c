/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_skip.c - turns that are left out, since they would come out as the last
 * one did.
 */
#include <string.h>

#include "engine/converge_run.h"

bool fx_run_make_lasts(struct run *run) {
    if (run->plain) {
        return true;
    }
    const size_t n = run->candidates.n_indices;
    if (run->lasts != NULL && n <= run->cap_lasts) {
        memset(run->lasts, 0, n * sizeof *run->lasts);
        return true;
    }
    run->cap_lasts = n > 2 * run->cap_lasts ? n : 2 * run->cap_lasts;
    run->lasts = fx_arena_alloc(run->arena, run->cap_lasts * sizeof *run->lasts);
    return run->lasts != NULL;
}

bool fx_run_make_changes(struct run *run) {
    return run->plain ||
           fx_changes_init(&run->changes, run->arena, run->candidates.n_indices);
}

static const struct fx_mutator *candidate(const struct run *run, size_t at) {
    return run->snapshot->mutators[run->candidates.indices[at]];
}

/* Would another turn of the candidate come out as its last one did? Nothing that it looks
 * at has changed since. If it has itself changed something then, it finds its work done;
 * whether it would be told as applied nobody knows, so where passes are told of it has
 * one turn more. */
static bool can_rest(const struct run *run, size_t at) {
    const struct fx_mutator *mutator = candidate(run, at);
    const struct fx_footprint *footprint = mutator->footprint;
    const struct last_step *last = &run->lasts[at];
    if (!last->was || footprint == NULL || mutator->run.once) {
        return false;
    }
    const bool is_told = run->trace != NULL || run->request->tells_passes;
    return (!last->changed || (footprint->settles && !is_told)) &&
           !fx_changes_concern(&run->changes, footprint, last->when);
}

bool fx_run_skip_unchanged(struct run *run, size_t at) {
    if (run->lasts == NULL || !can_rest(run, at)) {
        return false;
    }
    run->lasts[at].when = run->changes.now; /* had it come again, it would be now */
    if (run->lasts[at].applied) {
        fx_index_set_add(&run->applied_now, run->candidates.indices[at]);
    }
    if (run->stats != NULL) {
        fx_stats_pass_over(run->stats);
    }
    return true;
}

void fx_run_note_step(struct run *run, size_t at, const struct fx_effect *effect) {
    if (run->lasts == NULL) {
        return;
    }
    if (effect->changed) {
        fx_changes_add(&run->changes, candidate(run, at)->footprint, effect->depth);
    }
    run->lasts[at] = (struct last_step){
        .when = run->changes.now,
        .was = true,
        .applied = effect->applied && !effect->changed,
        .changed = effect->changed,
    };
}
