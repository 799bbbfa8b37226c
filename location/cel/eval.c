/* SPDX-License-Identifier: Apache-2.0
 *
 * eval.c - the value of a node.
 */
#include "location/cel/eval.h"

#include "base/budget.h"

struct fx_cel_value fx_cel_eval_name(struct fx_cel_run *run,
                                     const struct fx_cel_node *node) {
    if (node->name.type != NULL) {
        return fx_cel_make_type(node->name.type);
    }
    struct fx_cel_value *value = node->name.local != NULL
                                     ? &run->locals[node->name.local->number]
                                     : &run->variables[node->name.variable];
    if (value->kind == FX_CEL_UNSET) {
        const struct fx_cel_value computed =
            node->name.local != NULL ? fx_cel_eval_node(run, node->name.local->start)
                                     : run->resolve(run, node->name.variable);
        *value = computed;
    }
    return *value;
}

static struct fx_cel_value eval_unchecked(struct fx_cel_run *run,
                                          const struct fx_cel_node *node) {
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: return node->literal;
    case FX_CEL_NODE_NAME:
        run->cost += node->name.type == NULL;
        return fx_cel_eval_name(run, node);
    case FX_CEL_NODE_SELECT: return fx_cel_eval_attribute(run, node);
    case FX_CEL_NODE_CALL: return fx_cel_eval_call(run, node);
    case FX_CEL_NODE_LIST: return fx_cel_eval_list(run, node);
    case FX_CEL_NODE_MAP: return fx_cel_eval_map(run, node);
    case FX_CEL_NODE_STRUCT: return fx_cel_eval_struct(run, node);
    case FX_CEL_NODE_FOLD: break;
    }
    return fx_cel_eval_fold(run, node);
}

struct fx_cel_value fx_cel_eval_node(struct fx_cel_run *run,
                                     const struct fx_cel_node *node) {
    if (!fx_spend(1)) {
        return fx_cel_exceeded(run);
    }
    const struct fx_cel_value value = eval_unchecked(run, node);
    if (run->cost > run->cost_limit && !fx_cel_is_fatal(value)) {
        return fx_cel_over_cost(run);
    }
    return value;
}
