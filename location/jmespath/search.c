/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/search.c - one evaluation of a query: its memory, its limits, and its
 * value.
 */
#include <stdalign.h>

#include "base/limits.h"
#include "location/jmespath/eval.h"
#include "value/measure.h"

#define BLOCK_BYTES  512u /* memory of most evaluations, on the stack */
#define UNITS_OF_RUN 4u

static bool fail_steps(const struct fx_jmespath_run *run) {
    if (fx_budget_exceeded() == FX_EXCEEDED_TIME ||
        fx_thread_budget.bound.units == run->outer.units) {
        return fx_fail_exceeded(run->err);
    }
    return fx_fail(run->err, FX_ELIMIT, "query takes more than %u steps",
                   FX_LIMIT_JMESPATH_STEPS);
}

bool fx_jmespath_spend(struct fx_jmespath_run *run, size_t units) {
    return fx_spend(units) || fail_steps(run);
}

/* Is a value that the query made neither too deep nor too large? Nodes that it shares
 * count each time. */
static bool check_value(struct fx_jmespath_run *run, const json_t *value) {
    size_t nodes = FX_LIMIT_JMESPATH_VALUE_NODES;
    if (fx_tree_measure(value, FX_LIMIT_JSON_DEPTH, &nodes)) {
        return true;
    }
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING
               ? fail_steps(run)
               : fx_fail(run->err, FX_ELIMIT,
                         "the value of the query is more than %u levels deep, or has "
                         "more than %u nodes",
                         FX_LIMIT_JSON_DEPTH, FX_LIMIT_JMESPATH_VALUE_NODES);
}

static bool begin(const struct fx_jmespath_scope *scope, const struct fx_jmespath *query,
                  struct fx_err *err) {
    return scope->begin == NULL ||
           scope->begin(scope->context, fx_jmespath_text(query), err);
}

static enum fx_jmespath_outcome search(struct fx_jmespath_run *run,
                                       const struct fx_jmespath *query, json_t *root,
                                       json_t **ret_value) {
    const enum fx_jmespath_outcome outcome =
        fx_jmespath_spend(run, UNITS_OF_RUN)
            ? fx_jmespath_eval(run, query->root, root, ret_value)
            : FX_JMESPATH_ERROR;
    if (outcome == FX_JMESPATH_NOT_FOUND) {
        (void)fx_fail_at(run->err, FX_EINVALID, run->missing->off, run->missing->len,
                         "Unknown key \"%.*s\" in path",
                         FX_TEXT_ARG(run->missing->as.name));
    }
    return outcome != FX_JMESPATH_VALUE || !query->builds
               ? outcome
               : fx_jmespath_outcome_of(check_value(run, *ret_value));
}

enum fx_jmespath_outcome fx_jmespath_search(const struct fx_jmespath *query, json_t *root,
                                            const struct fx_jmespath_scope *scope,
                                            json_t **ret_value, struct fx_err *err) {
    *ret_value = NULL;
    if (root == NULL && !begin(scope, query, err)) {
        return FX_JMESPATH_ERROR;
    }
    alignas(max_align_t) char block[BLOCK_BYTES];
    struct fx_jmespath_run run = {
        .scope = scope,
        .err = err,
        .outer = fx_budget_narrow(FX_LIMIT_JMESPATH_STEPS, 0),
    };
    fx_arena_init_within(&run.arena, FX_LIMIT_JMESPATH_MEMORY, block, sizeof block);
    const enum fx_jmespath_outcome outcome = search(&run, query, root, ret_value);
    (void)fx_budget_widen(run.outer);
    fx_arena_finish(&run.arena);
    json_decref(run.all);
    if (outcome != FX_JMESPATH_VALUE) {
        json_decref(*ret_value);
        *ret_value = NULL;
    }
    return outcome;
}
