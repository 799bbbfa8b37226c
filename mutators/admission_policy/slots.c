/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/slots.c - which variables of the environment an expression
 * reads.
 */
#include "base/budget.h"
#include "mutators/admission_policy/rule.h"

static unsigned slots_of_nodes(struct fx_cel_node *const *nodes, size_t n) {
    unsigned slots = 0;
    for (size_t i = 0; i < n; i++) {
        slots |= fx_map_slots_of(nodes[i]);
    }
    return slots;
}

static unsigned slots_of_entries(const struct fx_cel_node *node) {
    unsigned slots = 0;
    for (size_t i = 0; i < node->map.n; i++) {
        slots |= fx_map_slots_of(node->map.entries[i].key) |
                 fx_map_slots_of(node->map.entries[i].value);
    }
    return slots;
}

static unsigned slot_of_name(const struct fx_cel_node *node) {
    const bool is_variable = node->name.local == NULL && node->name.type == NULL &&
                             node->name.variable < MAP_SLOTS;
    return is_variable ? 1u << node->name.variable : 0;
}

/* The depth of an expression is limited (FX_LIMIT_CEL_DEPTH). */
unsigned fx_map_slots_of(const struct fx_cel_node *root) {
    if (root == NULL) {
        return 0;
    }
    (void)fx_spend(1);
    switch (root->type) {
    case FX_CEL_NODE_LITERAL: return 0;
    case FX_CEL_NODE_NAME: return slot_of_name(root);
    case FX_CEL_NODE_SELECT: return fx_map_slots_of(root->select.operand);
    case FX_CEL_NODE_CALL:
        return fx_map_slots_of(root->call.target) |
               slots_of_nodes(root->call.args, root->call.n_args);
    case FX_CEL_NODE_LIST: return slots_of_nodes(root->list.items, root->list.n);
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: return slots_of_entries(root);
    case FX_CEL_NODE_FOLD: break;
    }
    return fx_map_slots_of(root->fold.range) | fx_map_slots_of(root->fold.start) |
           fx_map_slots_of(root->fold.condition) | fx_map_slots_of(root->fold.step) |
           fx_map_slots_of(root->fold.result);
}
