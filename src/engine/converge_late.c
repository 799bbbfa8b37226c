/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_late.c - once-rules that would match what came of it all. They were
 * asked when they did not, and nobody has changed anything since that they are asked
 * again for: who looks at the result, and wonders, is told.
 */
#include "engine/converge_run.h"

/* Does it match now? A match that fails does not. */
static bool ask(struct converge *run, uint32_t index, bool *ret_matches,
                struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    struct fx_verdict verdict = {.matched = false};
    if (mutator->ops->view != run->view &&
        !fx_converge_set_view(run, mutator->ops->view, err)) {
        return false;
    }
    fx_converge_complete_subject(run, mutator);
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

static bool tell(struct converge *run, uint32_t index, struct fx_err *err) {
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
            fx_index_set_has(&run->done, index)) {
            continue;
        }
        if (!ask(run, index, &matches, err) || (matches && !tell(run, index, err))) {
            return false;
        }
    }
    return run->view == NULL || fx_converge_set_view(run, NULL, err);
}
