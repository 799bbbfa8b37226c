/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_cycle.c - if there is no fixed point, runs further passes on a copy to
 * find the fields that mutators change repeatedly, and the shortest cycle of each.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "engine/converge_run.h"
#include "value/equal.h"

/* Bounds for the cost of finding the cycle. Each pass may double the object, so the time
 * is bounded, too. */
#define CYCLE_PASSES 64u
#define CYCLE_NS     UINT64_C(100000000)

/* ---- further passes --------------------------------------------------------------- */

static bool run_pass(struct converge *run) {
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_converge_pass(run, &err);
    fx_converge_end_pass(run);
    return ok;
}

/* Runs passes until the object equals the object of an earlier pass, and returns the
 * number of passes between them; 0 if it never does. The earlier object is replaced after
 * 1, 2, 4, … passes, so that a sequence of passes before the cycle does not matter. False
 * if a pass fails. */
static bool find_period(struct converge *run, uint32_t *ret_period) {
    json_t *anchor = json_incref(*run->root);
    uint32_t span = 1;
    uint32_t since = 0;
    bool ok = true;
    *ret_period = 0;
    run->pass = 0;
    for (unsigned n = 0; ok && n < CYCLE_PASSES && *ret_period == 0; n++) {
        ok = run_pass(run);
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

static bool restore(struct converge *run, json_t *root) {
    struct fx_err err = FX_ERR_INIT;
    json_decref(*run->root);
    *run->root = json_incref(root);
    fx_subject_read(root, &run->subject);
    run->is_stale = false;
    return fx_converge_find_candidates(run, &err);
}

/* Records one cycle of the object; if there is no cycle, the first pass after `root`. */
static bool record_cycle(struct converge *run, uint32_t period, json_t *root) {
    bool ok = period > 0 || restore(run, root);
    fx_trace_init(run->cycle, run->arena);
    for (run->pass = 1; ok && run->pass <= (period == 0 ? 1 : period); run->pass++) {
        ok = run_pass(run);
    }
    return ok;
}

/* ---- the cycle of each field ------------------------------------------------------ */

/* Compares by path. Changes of one field stay in the order of the trace. */
static int compare_paths(const void *left, const void *right) {
    const struct fx_trace_change *const *a = left;
    const struct fx_trace_change *const *b = right;
    const int order = fx_text_compare((*a)->path, (*b)->path);
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* Returns the changes, sorted; NULL without memory. */
static struct fx_trace_change *sort_changes(const struct fx_trace *trace,
                                            struct fx_arena *arena) {
    const size_t n = trace->n_changes;
    const struct fx_trace_change **order = fx_arena_alloc(arena, n * sizeof *order);
    struct fx_trace_change *sorted = fx_arena_alloc(arena, n * sizeof *sorted);
    if (order == NULL || sorted == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        order[i] = &trace->changes[i];
    }
    qsort(order, n, sizeof *order, compare_paths);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = *order[i];
    }
    return sorted;
}

static bool is_same(const struct fx_trace_change *a, const struct fx_trace_change *b) {
    return a->mutator == b->mutator && fx_equal(a->from, b->from) &&
           fx_equal(a->to, b->to);
}

/* Returns how many of the changes are in the first `passes`. */
static size_t count_until(const struct fx_cycle_field *field, uint32_t passes) {
    size_t n = 0;
    while (n < field->n_changes && field->changes[n].pass <= passes) {
        n++;
    }
    return n;
}

/* Do all changes repeat those of the first `passes`? */
static bool repeats(const struct fx_cycle_field *field, uint32_t passes) {
    const size_t n = count_until(field, passes);
    if (n == 0 || field->n_changes != n * (field->period / passes)) {
        return false;
    }
    for (size_t i = n; i < field->n_changes; i++) {
        const struct fx_trace_change *now = &field->changes[i];
        const struct fx_trace_change *before = &field->changes[i - n];
        if (now->pass != before->pass + passes || !is_same(now, before)) {
            return false;
        }
    }
    return true;
}

static void shorten(struct fx_cycle_field *field) {
    for (uint32_t passes = 1; passes < field->period; passes++) {
        if (field->period % passes == 0 && repeats(field, passes)) {
            field->n_changes = count_until(field, passes);
            field->period = passes;
            return;
        }
    }
}

/* Is the field changed and restored within each pass? Then it is not part of the
 * cycle. */
static bool is_stable(const struct fx_cycle_field *field) {
    return field->period <= 1 &&
           fx_equal(field->changes[0].from, field->changes[field->n_changes - 1].to);
}

/* Shortens the cycle of each field, and removes stable fields. Returns how many are
 * left. */
static size_t shorten_all(struct fx_cycle_field *fields, size_t n_fields) {
    size_t n = 0;
    for (size_t i = 0; i < n_fields; i++) {
        shorten(&fields[i]);
        if (!is_stable(&fields[i])) {
            fields[n++] = fields[i];
        }
    }
    return n;
}

/* The shortest cycle comes first, then the order is by path. */
static int compare_fields(const void *left, const void *right) {
    const struct fx_cycle_field *a = left;
    const struct fx_cycle_field *b = right;
    if (a->n_changes != b->n_changes) {
        return a->n_changes < b->n_changes ? -1 : 1;
    }
    return fx_text_compare(a->path, b->path);
}

/* Sorts by field the changes of one cycle of the object, which has `period` passes. If
 * `period` is 0, no cycle was found, and the changes are those of one pass. False without
 * memory. */
static bool find_fields(const struct fx_trace *trace, uint32_t period,
                        struct fx_arena *arena, struct fx_outcome *outcome) {
    const struct fx_trace_change *sorted = sort_changes(trace, arena);
    struct fx_cycle_field *fields =
        fx_arena_alloc(arena, trace->n_changes * sizeof *fields);
    if (sorted == NULL || fields == NULL) {
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < trace->n_changes; i++) {
        if (i == 0 || !fx_text_equal(sorted[i].path, sorted[i - 1].path)) {
            fields[n++] = (struct fx_cycle_field){
                .path = sorted[i].path, .period = period, .changes = &sorted[i]};
        }
        fields[n - 1].n_changes++;
    }
    n = shorten_all(fields, n);
    qsort(fields, n, sizeof *fields, compare_fields);
    outcome->cycle_fields = fields;
    outcome->n_cycle_fields = n;
    return true;
}

/* ---- the report ------------------------------------------------------------------- */

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
    run->plain = true; /* the object is restored, so what was noted of it is wrong */
    run->last_steps = NULL;
    if (find_period(run, &period)) {
        run->cycle = &outcome->record;
        if (record_cycle(run, period, *root)) {
            (void)find_fields(&outcome->record, period, run->arena, outcome);
        }
    }
    fx_converge_leave_share(run);
    (void)fx_budget_widen(outer);
    outcome->n_skipped = n_skipped;
    outcome->failed = NULL; /* no mutator failed in the review itself */
    run->root = root;
    json_decref(copy);
}
