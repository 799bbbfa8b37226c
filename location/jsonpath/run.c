/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/run.c - one evaluation's memory, bounds and failures.
 */
#include <string.h>

#include "base/limits.h"
#include "location/jsonpath/value.h"

#define UNITS_OF_RUN 4u

void fx_jsonpath_run_init(struct run *run, const struct fx_jsonpath *program,
                          json_t *root, void *block, struct fx_err *err) {
    *run = (struct run){
        .program = program,
        .root = root,
        .err = err,
        .outer = fx_budget_narrow(FX_LIMIT_JSONPATH_STEPS, 0),
    };
    fx_arena_init_within(&run->arena, FX_LIMIT_JSONPATH_MEMORY, block, RUN_BLOCK_BYTES);
    (void)fx_spend(UNITS_OF_RUN); /* where that is too much, the first step says so */
}

void fx_jsonpath_run_finish(struct run *run) {
    for (size_t i = 0; i < run->n_patterns; i++) {
        fx_regex_destroy(run->patterns[i].regex);
    }
    fx_arena_finish(&run->arena);
    (void)fx_budget_widen(run->outer);
}

bool fx_jsonpath_fail_exceeded(struct run *run) {
    run->is_over = true;
    if (fx_budget_exceeded() == FX_EXCEEDED_TIME ||
        fx_thread_budget.bound.units == run->outer.units) {
        return fx_fail_exceeded(run->err);
    }
    return fx_fail(run->err, FX_ELIMIT, "expression takes more than %u steps",
                   FX_LIMIT_JSONPATH_STEPS);
}

bool fx_jsonpath_enter(struct run *run) {
    if (run->frames >= FX_LIMIT_JSONPATH_FRAMES) {
        run->is_over = true;
        return fx_fail(run->err, FX_ELIMIT,
                       "expression and object together are too deep: more than %u levels",
                       FX_LIMIT_JSONPATH_FRAMES);
    }
    run->frames++;
    return true;
}

void *fx_jsonpath_alloc(struct run *run, size_t bytes) {
    void *piece = fx_arena_alloc(&run->arena, bytes);
    if (piece == NULL) {
        run->is_over = true;
        if (bytes > run->arena.max - run->arena.total) {
            (void)fx_fail(run->err, FX_ELIMIT, "expression takes more than %u MiB",
                          FX_LIMIT_JSONPATH_MEMORY >> 20);
        } else {
            (void)fx_fail_nomem(run->err);
        }
    }
    return piece;
}

bool fx_jsonpath_grow(struct run *run, void *items, size_t *cap, size_t size) {
    const size_t more = *cap == 0 ? 8 : *cap * 2;
    void *grown = fx_jsonpath_alloc(run, more * size);
    if (grown == NULL) {
        return false;
    }
    void *old = NULL;
    memcpy(&old, items, sizeof old); /* `items` points to a pointer of any type */
    if (*cap > 0) {
        memcpy(grown, old, *cap * size);
    }
    memcpy(items, &grown, sizeof grown);
    *cap = more;
    return true;
}
