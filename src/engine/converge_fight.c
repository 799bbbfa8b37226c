/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_fight.c - goes on where there is no fixed point, to see what it is that
 * mutators fight over.
 */
#include "base/clock.h"
#include "engine/converge_run.h"
#include "engine/converge_turns.h"
#include "value/equal.h"

/* What a look at the fight may cost. Passes may double the object each time; the span
 * ends that. */
#define FIGHT_PASSES 64u
#define FIGHT_NS     UINT64_C(100000000)

/* One pass more, though there will be no rest. Each may take twice as long as the last.
 */
static bool run_on(struct run *run) {
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_run_pass(run, &err);
    fx_run_end_pass(run);
    return ok;
}

/* Goes on until the object is again what it was at some pass, and says how many passes
 * that took; 0 where it does not come back. The pass to compare with is moved on after
 * spans that double, so that any way into the cycle is left behind. False where there is
 * no going on. */
static bool find_period(struct run *run, uint32_t *ret_period) {
    json_t *anchor = json_incref(*run->root);
    uint32_t span = 1;
    uint32_t since = 0;
    bool ok = true;
    *ret_period = 0;
    for (unsigned n = 0; ok && n < FIGHT_PASSES && *ret_period == 0; n++) {
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
static bool go_back(struct run *run, json_t *root) {
    struct fx_err err = FX_ERR_INIT;
    json_decref(*run->root);
    *run->root = json_incref(root);
    fx_subject_read(root, &run->subject);
    run->is_stale = false;
    return fx_run_find_candidates(run, &err);
}

/* One turn of the fight, or where it has none, the first pass after `root`. */
static bool record_fight(struct run *run, uint32_t period, json_t *root) {
    bool ok = period > 0 || go_back(run, root);
    fx_trace_init(run->fight, run->arena);
    for (run->pass = 1; ok && run->pass <= (period == 0 ? 1 : period); run->pass++) {
        ok = run_on(run);
    }
    return ok;
}

void fx_run_tell_fight(struct run *run) {
    struct fx_outcome *outcome = run->outcome;
    fx_run_leave_share(run);
    const struct fx_bound outer = fx_budget_narrow(0, fx_clock_ns() + FIGHT_NS);
    json_t **const root = run->root;
    json_t *copy = json_incref(*root);
    const size_t n_drops = outcome->n_drops;
    uint32_t period = 0;
    run->root = &copy;
    run->trace = NULL;
    run->fares = NULL;
    run->plain = true; /* the object is set back and forth: it is not worth the notes */
    run->lasts = NULL;
    run->is_last_pass = false;
    if (find_period(run, &period)) {
        run->fight = &outcome->record;
        if (!record_fight(run, period, *root) ||
            !fx_turns_find(&outcome->record, period, run->arena, &outcome->turns,
                           &outcome->n_turns)) {
            outcome->n_turns = 0;
        }
    }
    fx_run_leave_share(run);
    (void)fx_budget_widen(outer);
    outcome->n_drops = n_drops;
    outcome->failed = NULL; /* nobody, as far as the review went */
    run->root = root;
    json_decref(copy);
}
