/* SPDX-License-Identifier: Apache-2.0
 *
 * eval.c - the value of a node.
 */
#include "location/cel/eval.h"

#include "base/budget.h"

const struct fx_cel_value *fx_cel_eval_variable(struct fx_cel_run *run,
                                                const struct fx_cel_node *node) {
    const struct fx_cel_local *local = node->name.local;
    struct fx_cel_value *value = local != NULL ? &run->locals[local->number]
                                               : &run->variables[node->name.variable];
    if (value->kind == FX_CEL_UNSET) {
        struct fx_cel_value computed;
        if (local != NULL) {
            fx_cel_eval_node(run, local->start, &computed);
        } else if (run->resolve != NULL) {
            computed = run->resolve(run, node->name.variable);
        } else {
            computed = fx_cel_fail(run, "no such attribute(s): %.*s",
                                   FX_TEXT_ARG(node->name.name));
        }
        *value = computed;
    }
    return value;
}

static void eval_name(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret) {
    if (node->name.type != NULL) {
        *ret = fx_cel_make_type(node->name.type);
        return;
    }
    const struct fx_cel_value *value = fx_cel_eval_variable(run, node);
    if (value->kind == FX_CEL_OPTIONAL && value->inner != NULL &&
        value->inner->kind == FX_CEL_OPTIONAL) {
        fx_cel_eval_attribute(run, node, ret);
        return;
    }
    run->cost += 1;
    *ret = *value;
}

static void eval_any(struct fx_cel_run *run, const struct fx_cel_node *node,
                     struct fx_cel_value *ret) {
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: *ret = node->literal; return;
    case FX_CEL_NODE_NAME: eval_name(run, node, ret); return;
    case FX_CEL_NODE_SELECT: fx_cel_eval_attribute(run, node, ret); return;
    case FX_CEL_NODE_CALL: fx_cel_eval_call(run, node, ret); return;
    case FX_CEL_NODE_LIST: fx_cel_eval_list(run, node, ret); return;
    case FX_CEL_NODE_MAP: fx_cel_eval_map(run, node, ret); return;
    case FX_CEL_NODE_STRUCT: fx_cel_eval_struct(run, node, ret); return;
    case FX_CEL_NODE_FOLD: fx_cel_eval_fold(run, node, ret); return;
    }
}

void fx_cel_eval_node(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret) {
    if (!fx_spend(1)) {
        *ret = fx_cel_exceeded(run);
        return;
    }
    eval_any(run, node, ret);
    if (run->cost > run->cost_limit && !fx_cel_is_fatal(ret)) {
        *ret = fx_cel_over_cost(run);
    }
}
