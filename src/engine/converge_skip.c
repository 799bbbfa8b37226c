/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_skip.c - skips steps whose outcome would be that of the mutator's last
 * step.
 */
#include <string.h>

#include "engine/converge_run.h"

bool fx_converge_make_last_steps(struct converge *run) {
    if (run->plain) {
        return true;
    }
    const size_t n = run->candidates.n_indices;
    if (run->last_steps != NULL && n <= run->cap_last_steps) {
        memset(run->last_steps, 0, n * sizeof *run->last_steps);
        return true;
    }
    run->cap_last_steps = n > 2 * run->cap_last_steps ? n : 2 * run->cap_last_steps;
    run->last_steps =
        fx_arena_alloc(run->arena, run->cap_last_steps * sizeof *run->last_steps);
    return run->last_steps != NULL;
}

bool fx_converge_make_changes(struct converge *run) {
    return run->plain ||
           fx_changes_init(&run->changes, run->arena, run->candidates.n_indices);
}

static const struct fx_mutator *candidate(const struct converge *run, size_t at) {
    return run->snapshot->mutators[run->candidates.indices[at]];
}

/* Would another step of the candidate have the outcome of its last one? It would if
 * nothing that the candidate reads has changed since. If that step changed the object,
 * the next one changes nothing, but whether it applies is not known: it is not skipped if
 * passes are reported. */
static bool is_unchanged(const struct converge *run, size_t at) {
    const struct fx_mutator *mutator = candidate(run, at);
    const struct fx_access_hashes *hashes = mutator->hashes;
    const struct last_step *last = &run->last_steps[at];
    if (!last->was || hashes == NULL || mutator->run.once) {
        return false;
    }
    const bool is_reported = run->trace != NULL || run->request->reports_passes;
    return (!last->changed || (hashes->settles && !is_reported)) &&
           !fx_changes_concern(&run->changes, hashes, last->when);
}

bool fx_converge_skip_unchanged(struct converge *run, size_t at) {
    if (run->last_steps == NULL || !is_unchanged(run, at)) {
        return false;
    }
    run->last_steps[at].when = run->changes.now; /* as if it had run now */
    if (run->last_steps[at].applied) {
        fx_index_set_add(&run->applied_now, run->candidates.indices[at]);
    }
    if (run->stats != NULL) {
        fx_stats_skip(run->stats);
    }
    return true;
}

void fx_converge_note_step(struct converge *run, size_t at,
                           const struct fx_effect *effect) {
    if (run->last_steps == NULL) {
        return;
    }
    if (effect->changed) {
        fx_changes_add(&run->changes, candidate(run, at)->hashes, effect->depth);
    }
    run->last_steps[at] = (struct last_step){
        .when = run->changes.now,
        .was = true,
        .applied = effect->applied && !effect->changed,
        .changed = effect->changed,
    };
}
