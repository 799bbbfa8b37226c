/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_turns.c - the changes of a cycle, field by field, each field's shortest
 * turn.
 */
#include "engine/converge_turns.h"

#include <stdlib.h>

#include "value/equal.h"

/* By path; the same field as it happened, which the pass alone does not tell: of one pass
 * the place in the trace decides. */
static int by_path(const void *left, const void *right) {
    const struct fx_trace_change *const *a = left;
    const struct fx_trace_change *const *b = right;
    const int order = fx_text_compare((*a)->path, (*b)->path);
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* The changes, sorted; NULL without memory. */
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
    qsort(order, n, sizeof *order, by_path);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = *order[i];
    }
    return sorted;
}

static bool is_same(const struct fx_trace_change *a, const struct fx_trace_change *b) {
    return a->mutator == b->mutator && fx_equal(a->from, b->from) &&
           fx_equal(a->to, b->to);
}

/* How many of the changes fall into the first `passes`. */
static size_t count_until(const struct fx_cycle_field *turn, uint32_t passes) {
    size_t n = 0;
    while (n < turn->n_changes && turn->changes[n].pass <= passes) {
        n++;
    }
    return n;
}

/* Do the changes of the first `passes` make up all of them, over and over? */
static bool repeats(const struct fx_cycle_field *turn, uint32_t passes) {
    const size_t n = count_until(turn, passes);
    if (n == 0 || turn->n_changes != n * (turn->period / passes)) {
        return false;
    }
    for (size_t i = n; i < turn->n_changes; i++) {
        const struct fx_trace_change *now = &turn->changes[i];
        const struct fx_trace_change *before = &turn->changes[i - n];
        if (now->pass != before->pass + passes || !is_same(now, before)) {
            return false;
        }
    }
    return true;
}

static void shorten(struct fx_cycle_field *turn) {
    for (uint32_t passes = 1; passes < turn->period; passes++) {
        if (turn->period % passes == 0 && repeats(turn, passes)) {
            turn->n_changes = count_until(turn, passes);
            turn->period = passes;
            return;
        }
    }
}

/* Within a pass it changes and is put back: others cycle, not those who write here. */
static bool rests(const struct fx_cycle_field *turn) {
    return turn->period <= 1 &&
           fx_equal(turn->changes[0].from, turn->changes[turn->n_changes - 1].to);
}

/* Shortens each, and leaves out those at rest; returns how many are left. */
static size_t shorten_all(struct fx_cycle_field *turns, size_t n_turns) {
    size_t n = 0;
    for (size_t i = 0; i < n_turns; i++) {
        shorten(&turns[i]);
        if (!rests(&turns[i])) {
            turns[n++] = turns[i];
        }
    }
    return n;
}

static int by_length(const void *left, const void *right) {
    const struct fx_cycle_field *a = left;
    const struct fx_cycle_field *b = right;
    if (a->n_changes != b->n_changes) {
        return a->n_changes < b->n_changes ? -1 : 1;
    }
    return fx_text_compare(a->path, b->path);
}

bool fx_turns_find(const struct fx_trace *trace, uint32_t period, struct fx_arena *arena,
                   struct fx_cycle_field **ret_turns, size_t *ret_n_turns) {
    const struct fx_trace_change *sorted = sort_changes(trace, arena);
    struct fx_cycle_field *turns =
        fx_arena_alloc(arena, trace->n_changes * sizeof *turns);
    if (sorted == NULL || turns == NULL) {
        return false;
    }
    size_t n_turns = 0;
    for (size_t i = 0; i < trace->n_changes; i++) {
        if (i == 0 || !fx_text_equal(sorted[i].path, sorted[i - 1].path)) {
            turns[n_turns++] = (struct fx_cycle_field){
                .path = sorted[i].path, .period = period, .changes = &sorted[i]};
        }
        turns[n_turns - 1].n_changes++;
    }
    n_turns = shorten_all(turns, n_turns);
    qsort(turns, n_turns, sizeof *turns, by_length);
    *ret_turns = turns;
    *ret_n_turns = n_turns;
    return true;
}
