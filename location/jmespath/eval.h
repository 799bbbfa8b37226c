/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/eval.h - private: one evaluation.
 *
 * A subject of NULL is the root of a scope, whose members are looked up one by one. Every
 * other value is a node. An evaluation gives a new reference, or FX_JMESPATH_NOT_FOUND,
 * or an error in run->err.
 */
#ifndef FX_LOCATION_JMESPATH_EVAL_H
#define FX_LOCATION_JMESPATH_EVAL_H

#include "base/budget.h"
#include "location/jmespath/program.h"

struct fx_jmespath_run {
    const struct fx_jmespath_scope *scope;
    json_t *all; /* the root of the scope as an object, counted; NULL before it is read */
    struct fx_arena arena;
    const struct fx_jmespath_node *missing; /* the field that was not found last */
    struct fx_bound outer;                  /* the bound of the budget before the run */
    struct fx_err *err;
};

/* Fails with the error in run->err, which `ok` tells; FX_JMESPATH_VALUE if it is true. */
static inline enum fx_jmespath_outcome fx_jmespath_outcome_of(bool ok) {
    return ok ? FX_JMESPATH_VALUE : FX_JMESPATH_ERROR;
}

/* Spends units; false with an error if the budget is exceeded. */
bool fx_jmespath_spend(struct fx_jmespath_run *run, size_t units) FX_MUST_USE;

/* Evaluates a node. */
enum fx_jmespath_outcome fx_jmespath_eval(struct fx_jmespath_run *run,
                                          const struct fx_jmespath_node *node,
                                          json_t *subject,
                                          json_t **ret_value) FX_MUST_USE;

/* The same, with null for a missing key. False with an error. */
bool fx_jmespath_eval_or_null(struct fx_jmespath_run *run,
                              const struct fx_jmespath_node *node, json_t *subject,
                              json_t **ret_value) FX_MUST_USE;

/* Is the value true: neither null, false, "", [] nor {}? */
bool fx_jmespath_is_true(const json_t *value);

/* Compares two numbers by value: negative, 0, positive. */
int fx_jmespath_compare_numbers(const json_t *a, const json_t *b);

/* Gives the value, which is consumed; fails if it is NULL. */
enum fx_jmespath_outcome fx_jmespath_eval_take(struct fx_jmespath_run *run, json_t *value,
                                               json_t **ret_value) FX_MUST_USE;

/* Evaluators of nodes, each for the types that eval.c passes to it. */
#define QUERY_EVALUATOR(name)                                                           \
    enum fx_jmespath_outcome name(struct fx_jmespath_run *run,                          \
                                  const struct fx_jmespath_node *node, json_t *subject, \
                                  json_t **ret_value) FX_MUST_USE

QUERY_EVALUATOR(fx_jmespath_eval_each);    /* eval_project.c */
QUERY_EVALUATOR(fx_jmespath_eval_values);  /* eval_project.c */
QUERY_EVALUATOR(fx_jmespath_eval_filter);  /* eval_project.c */
QUERY_EVALUATOR(fx_jmespath_eval_flatten); /* eval_project.c */
QUERY_EVALUATOR(fx_jmespath_eval_slice);   /* eval_project.c */
QUERY_EVALUATOR(fx_jmespath_eval_call);    /* eval_call.c */

/* ---- members.c --------------------------------------------------------------------- */

/* A member of an object, borrowed from it. */
struct query_member {
    struct fx_text key;
    json_t *value;
};

/* Lists the members of an object, sorted by key, in the arena. Spends for it. */
bool fx_jmespath_members(struct fx_arena *arena, const json_t *object,
                         struct query_member **ret_members, size_t *ret_n,
                         struct fx_err *err) FX_MUST_USE;

#endif
