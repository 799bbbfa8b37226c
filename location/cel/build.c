/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/build.c - makes the nodes of an expression.
 */
#include <string.h>

#include "base/budget.h"
#include "location/cel/parser.h"

struct fx_cel_node *fx_cel_new_node(struct cel_parser *parser, enum fx_cel_node_type type,
                                    uint32_t at) {
    struct fx_cel_node *node = &parser->spare;
    if (parser->stopped) {
        memset(node, 0, sizeof *node);
    } else if (parser->n_nodes++ >= FX_CEL_MOST_NODES) {
        fx_cel_stop_at_limit(parser, "expression is too large: its macros expand to more "
                                     "than 262144 nodes");
    } else if (!fx_spend(1)) {
        fx_cel_stop_over_budget(parser);
    } else {
        node = fx_arena_alloc(parser->arena, sizeof *node);
        if (node == NULL) {
            fx_cel_stop_without_memory(parser);
            node = &parser->spare;
        }
    }
    node->type = type;
    node->at = at;
    return node;
}

struct fx_cel_node *fx_cel_new_literal(struct cel_parser *parser, uint32_t at,
                                       struct fx_cel_value value) {
    struct fx_cel_node *node = fx_cel_new_node(parser, FX_CEL_NODE_LITERAL, at);
    node->literal = value;
    return node;
}

struct fx_cel_node *fx_cel_new_unknown(struct cel_parser *parser, uint32_t at) {
    return fx_cel_new_literal(parser, at, (struct fx_cel_value){.kind = FX_CEL_UNSET});
}

struct fx_cel_node *fx_cel_refuse(struct cel_parser *parser, uint32_t at,
                                  const char *message) {
    if (!parser->stopped) {
        fx_cel_faults_add(parser->faults, at, "%s", message);
    }
    return fx_cel_new_unknown(parser, at);
}

struct fx_cel_node *fx_cel_new_name(struct cel_parser *parser, uint32_t at,
                                    struct fx_text name) {
    struct fx_cel_node *node = fx_cel_new_node(parser, FX_CEL_NODE_NAME, at);
    node->name.name = name;
    return node;
}

struct fx_cel_node *fx_cel_new_list_node(struct cel_parser *parser, uint32_t at,
                                         const struct cel_nodes *items) {
    struct fx_cel_node *node = fx_cel_new_node(parser, FX_CEL_NODE_LIST, at);
    node->list.items = items->items;
    node->list.is_optional = items->any_optional ? items->is_optional : NULL;
    node->list.n = items->n;
    return node;
}

struct fx_cel_node *fx_cel_new_call(struct cel_parser *parser, uint32_t at,
                                    struct fx_text function, struct fx_cel_node *target,
                                    const struct cel_nodes *args) {
    struct fx_cel_node *node = fx_cel_new_node(parser, FX_CEL_NODE_CALL, at);
    node->call.function = function;
    node->call.target = target;
    node->call.args = args->items;
    node->call.n_args = args->n;
    return node;
}

struct fx_cel_node *fx_cel_new_call_of(struct cel_parser *parser, uint32_t at,
                                       const char *function, size_t n, ...) {
    struct cel_nodes args = {0};
    va_list list;
    va_start(list, n);
    for (size_t i = 0; i < n; i++) {
        const struct cel_operand arg = {.node = va_arg(list, struct fx_cel_node *)};
        fx_cel_add_node(parser, &args, arg, false);
    }
    va_end(list);
    return fx_cel_new_call(parser, at, fx_text_of(function), NULL, &args);
}

void fx_cel_add_node(struct cel_parser *parser, struct cel_nodes *nodes,
                     struct cel_operand operand, bool is_optional) {
    if (parser->stopped) {
        return;
    }
    if (!FX_ARENA_GROW(parser->arena, nodes->items, nodes->n, nodes->cap) ||
        (nodes->has_flags &&
         !FX_ARENA_GROW(parser->arena, nodes->is_optional, nodes->n, nodes->cap_flags))) {
        fx_cel_stop_without_memory(parser);
        return;
    }
    if (nodes->has_flags) {
        nodes->is_optional[nodes->n] = is_optional;
        nodes->any_optional |= is_optional;
    }
    nodes->items[nodes->n++] = operand.node;
    nodes->height = operand.height > nodes->height ? operand.height : nodes->height;
}

struct cel_operand fx_cel_limit_height(struct cel_parser *parser,
                                       struct cel_operand operand) {
    if (operand.height > FX_CEL_MOST_DEPTH) {
        fx_cel_stop_at_limit(parser, "max recursion depth exceeded");
    }
    return operand;
}
