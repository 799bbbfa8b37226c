/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/copy.c - copies of nodes, for macros that use an argument twice. The depth
 * is that of what was parsed.
 */
#include "location/cel/parser.h"

static struct fx_cel_node *copy_optional(struct cel_parser *parser,
                                         const struct fx_cel_node *node) {
    return node == NULL ? NULL : fx_cel_copy(parser, node);
}

static struct cel_nodes copy_all(struct cel_parser *parser,
                                 struct fx_cel_node *const *items, size_t n) {
    struct cel_nodes copies = {0};
    for (size_t i = 0; i < n && !parser->stopped; i++) {
        const struct cel_operand copy = {.node = fx_cel_copy(parser, items[i])};
        fx_cel_add_node(parser, &copies, copy, false);
    }
    return copies;
}

static void copy_entries(struct cel_parser *parser, struct fx_cel_node *copy) {
    const struct fx_cel_entry *from = copy->map.entries;
    struct fx_cel_entry *to = fx_arena_alloc(parser->arena, copy->map.n * sizeof *to);
    if (to == NULL) {
        fx_cel_stop_without_memory(parser);
        copy->map.n = 0;
        return;
    }
    for (size_t i = 0; i < copy->map.n; i++) {
        to[i] = from[i];
        to[i].key = copy_optional(parser, from[i].key);
        to[i].value = copy_optional(parser, from[i].value);
    }
    copy->map.entries = to;
}

/* The variables of a copied fold are its own, but have the same numbers: the two are not
 * within each other. */
static struct fx_cel_local *copy_local(struct cel_parser *parser,
                                       const struct fx_cel_local *local) {
    if (local == NULL) {
        return NULL;
    }
    struct fx_cel_local *copy = fx_arena_alloc(parser->arena, sizeof *copy);
    if (copy == NULL) {
        fx_cel_stop_without_memory(parser);
        return NULL;
    }
    *copy = *local;
    return copy;
}

static void copy_fold(struct cel_parser *parser, struct fx_cel_node *copy) {
    copy->fold.item = copy_local(parser, copy->fold.item);
    copy->fold.item2 = copy_local(parser, copy->fold.item2);
    copy->fold.result_so_far = copy_local(parser, copy->fold.result_so_far);
    copy->fold.range = copy_optional(parser, copy->fold.range);
    copy->fold.start = copy_optional(parser, copy->fold.start);
    copy->fold.condition = copy_optional(parser, copy->fold.condition);
    copy->fold.step = copy_optional(parser, copy->fold.step);
    copy->fold.result = copy_optional(parser, copy->fold.result);
}

struct fx_cel_node *fx_cel_copy(struct cel_parser *parser,
                                const struct fx_cel_node *node) {
    struct fx_cel_node *copy = fx_cel_new_node(parser, node->type, node->at);
    if (parser->stopped) {
        return copy;
    }
    *copy = *node;
    switch (node->type) {
    case FX_CEL_NODE_LITERAL:
    case FX_CEL_NODE_NAME: break;
    case FX_CEL_NODE_SELECT:
        copy->select.operand = fx_cel_copy(parser, node->select.operand);
        break;
    case FX_CEL_NODE_CALL:
        copy->call.target = copy_optional(parser, node->call.target);
        copy->call.args = copy_all(parser, node->call.args, node->call.n_args).items;
        break;
    case FX_CEL_NODE_LIST:
        copy->list.items = copy_all(parser, node->list.items, node->list.n).items;
        break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: copy_entries(parser, copy); break;
    case FX_CEL_NODE_FOLD: copy_fold(parser, copy); break;
    }
    return copy;
}
