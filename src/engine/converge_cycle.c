/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_cycle.c - where there is no fixed point: runs further passes on a copy,
 * to find the fields that mutators change in turn.
 */
#include "base/clock.h"
#include "engine/converge_run.h"
#include "engine/converge_turns.h"
#include "value/equal.h"

/* The cost of finding the cycle is bounded. Each pass may double the object; the time
 * bound ends that. */
#define CYCLE_PASSES 64u
#define CYCLE_NS     UINT64_C(100000000)

/* One more pass. It may take twice as long as the last one.
 */
static bool run_on(struct converge *run) {
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_converge_pass(run, &err);
    fx_converge_end_pass(run);
    return ok;
}

/* Goes on until the object is again what it was at some pass, and says how many passes
 * that took; 0 where it does not come back. The pass to compare with is moved on after
 * spans that double, so that any way into the cycle is left behind. False where there is
 * no going on. */
static bool find_period(struct converge *run, uint32_t *ret_period) {
    json_t *anchor = json_incref(*run->root);
    uint32_t span = 1;
    uint32_t since = 0;
    bool ok = true;
    *ret_period = 0;
    for (unsigned n = 0; ok && n < CYCLE_PASSES && *ret_period == 0; n++) {
        ok = run_on(run);
        since++;
        if (ok && fx_equal(anchor, *run->root)) {
            *ret_period = since;
        } else if (since == span) {
            json_decref(anchor);
            anchor = json_incref(*run->root);
            span *= 2;
            since = 0;
        }
    }
    json_decref(anchor);
    return ok;
}

/* Sets the object back to what it was. */
static bool go_back(struct converge *run, json_t *root) {
    struct fx_err err = FX_ERR_INIT;
    json_decref(*run->root);
    *run->root = json_incref(root);
    fx_subject_read(root, &run->subject);
    run->is_stale = false;
    return fx_converge_find_candidates(run, &err);
}

/* One turn of the cycle, or where it has none, the first pass after `root`. */
static bool record_cycle(struct converge *run, uint32_t period, json_t *root) {
    bool ok = period > 0 || go_back(run, root);
    fx_trace_init(run->cycle, run->arena);
    for (run->pass = 1; ok && run->pass <= (period == 0 ? 1 : period); run->pass++) {
        ok = run_on(run);
    }
    return ok;
}

void fx_converge_report_cycle(struct converge *run) {
    struct fx_outcome *outcome = run->outcome;
    fx_converge_leave_share(run);
    const struct fx_bound outer = fx_budget_narrow(0, fx_clock_ns() + CYCLE_NS);
    json_t **const root = run->root;
    json_t *copy = json_incref(*root);
    const size_t n_skipped = outcome->n_skipped;
    uint32_t period = 0;
    run->root = &copy;
    run->trace = NULL;
    run->stats = NULL;
    run->plain = true; /* the object is set back and forth: it is not worth the notes */
    run->last_steps = NULL;
    run->is_last_pass = false;
    if (find_period(run, &period)) {
        run->cycle = &outcome->record;
        if (!record_cycle(run, period, *root) ||
            !fx_turns_find(&outcome->record, period, run->arena, &outcome->cycle_fields,
                           &outcome->n_cycle_fields)) {
            outcome->n_cycle_fields = 0;
        }
    }
    fx_converge_leave_share(run);
    (void)fx_budget_widen(outer);
    outcome->n_skipped = n_skipped;
    outcome->failed = NULL; /* nobody, as far as the review went */
    run->root = root;
    json_decref(copy);
}
