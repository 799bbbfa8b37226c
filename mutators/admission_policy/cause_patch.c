/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/cause_patch.c - finds the operations of a JSON Patch that
 * wrote a location: those whose path leads to it, to a part of it, or to something around
 * it.
 */
#include "base/budget.h"
#include "mutators/admission_policy/access.h"
#include "mutators/admission_policy/cause.h"
#include "value/pointer.h"
#include "value/tree.h"

static void walk(struct map_reads *reads, const struct fx_cel_node *node, void *user);

/* ---- one operation ----------------------------------------------------------------- */

static const struct fx_cel_node *field_of(const struct fx_cel_node *operation,
                                          const char *name) {
    for (size_t i = 0; i < operation->map.n; i++) {
        if (fx_text_is(operation->map.entries[i].field, name)) {
            return operation->map.entries[i].value;
        }
    }
    return NULL;
}

static struct fx_text text_of(struct map_reads *reads,
                              const struct fx_cel_node *operation, const char *name) {
    const struct fx_cel_node *node = field_of(operation, name);
    return node == NULL ? (struct fx_text){0}
                        : fx_tree_text(fx_map_reads_value(reads, node));
}

static bool may_be_token(const struct map_location *location, struct fx_text given,
                         struct fx_text token) {
    size_t a = 0;
    size_t b = 0;
    return fx_text_equal(given, token) ||
           (fx_pointer_index(token, &b) &&
            (fx_text_is(given, "-") ||
             (location->is_loose && fx_pointer_index(given, &a))));
}

/* Compares the path of an operation with the location. *ret_depth is the number of tokens
 * that both have; *ret_is_within: the path leads into the location. */
static bool may_lead_to(struct fx_text path, const struct map_location *location,
                        size_t *ret_depth, bool *ret_is_within) {
    struct fx_buf token = {0};
    size_t depth = 0;
    bool may = path.data != NULL;
    while (may && depth < location->n_tokens && fx_pointer_next(&path, &token)) {
        may = may_be_token(location, fx_buf_view(&token), location->tokens[depth]);
        depth += may;
    }
    fx_buf_finish(&token);
    *ret_depth = depth;
    *ret_is_within = may && path.len > 0;
    return may;
}

static json_t *view_after(const struct map_location *location, size_t depth) {
    json_t *node = location->after;
    for (size_t i = 0; node != NULL && i < depth; i++) {
        node = fx_pointer_child(node, location->tokens[i]);
    }
    return node;
}

/* Adds the field that `move` or `copy` takes its value from. */
static void add_source(struct map_reads *reads, struct fx_text from) {
    struct fx_buf value;
    fx_buf_init(&value, 0);
    if (fx_map_reads_hides(reads)) {
        fx_buf_str(&value, FX_MAP_NOT_SHOWN);
    } else {
        fx_map_print_value(&value, fx_pointer_view(reads->activation->object, from));
    }
    if (value.failed) {
        reads->failed = true;
    } else {
        (void)fx_map_reads_add(reads, from, fx_buf_view(&value));
    }
    fx_buf_finish(&value);
}

static void walk_operation(struct map_reads *reads, struct map_location *location,
                           const struct fx_cel_node *operation) {
    const struct fx_text op = text_of(reads, operation, "op");
    const struct fx_text from = text_of(reads, operation, "from");
    const struct fx_cel_node *value = field_of(operation, "value");
    size_t depth = 0;
    bool is_within = false;
    if (fx_text_is(op, "test") ||
        !may_lead_to(text_of(reads, operation, "path"), location, &depth, &is_within)) {
        return;
    }
    json_t *after = is_within ? NULL : view_after(location, depth);
    if (value != NULL && json_is_object(after) && !fx_map_may_make(reads, value, after)) {
        return;
    }
    location->is_found = true;
    if (from.len > 0) {
        add_source(reads, from);
        fx_map_reads_collect(reads, field_of(operation, "from"));
    } else if (value == NULL) {
        fx_map_reads_collect(reads, field_of(operation, "path"));
    } else if (is_within) {
        fx_map_reads_collect(reads, value);
    } else {
        fx_map_trace_value(reads, location, value, depth, after);
    }
}

/* ---- lists of operations ----------------------------------------------------------- */

static void walk_bind(struct map_reads *reads, struct map_location *location,
                      const struct fx_cel_node *fold) {
    struct map_read_local local;
    fx_map_reads_bind_target(reads, fold, &local);
    walk(reads, fold->fold.result, location);
    reads->locals = local.outer;
}

/* The operations of a loop, for each of its items. */
static void walk_loop(struct map_reads *reads, struct map_location *location,
                      const struct fx_cel_node *fold) {
    if (fold->fold.macro == FX_CEL_MACRO_BIND) {
        walk_bind(reads, location, fold);
        return;
    }
    const struct fx_cel_node *element = fx_map_made_item(fold);
    const struct map_read_range range = fx_map_reads_range(reads, fold);
    const size_t n = json_array_size(range.items);
    for (size_t i = 0; element != NULL && i < n && fx_spend(1); i++) {
        struct map_read_binding binding;
        fx_map_reads_bind(reads, fold, &range, i, &binding);
        if (element->type == FX_CEL_NODE_STRUCT) {
            walk_operation(reads, location, element);
        }
        fx_map_reads_unbind(reads, &binding);
    }
}

static void walk_call(struct map_reads *reads, const struct fx_cel_node *node,
                      struct map_location *location) {
    const struct fx_cel_node *branch =
        fx_map_is_global_call(node, "_?_:_", 3) ? fx_map_reads_branch(reads, node) : NULL;
    if (branch != NULL) {
        walk(reads, branch, location);
        return;
    }
    if (node->call.target != NULL) {
        walk(reads, node->call.target, location);
    }
    for (size_t i = 0; i < node->call.n_args; i++) {
        walk(reads, node->call.args[i], location);
    }
}

/* The depth of an expression is limited (FX_LIMIT_CEL_DEPTH). */
static void walk(struct map_reads *reads, const struct fx_cel_node *node, void *user) {
    struct map_location *location = user;
    if (reads->failed || !fx_spend(1)) {
        return;
    }
    switch (node->type) {
    case FX_CEL_NODE_STRUCT: walk_operation(reads, location, node); break;
    case FX_CEL_NODE_LIST:
        for (size_t i = 0; i < node->list.n; i++) {
            walk(reads, node->list.items[i], location);
        }
        break;
    case FX_CEL_NODE_CALL: walk_call(reads, node, location); break;
    case FX_CEL_NODE_FOLD: walk_loop(reads, location, node); break;
    case FX_CEL_NODE_SELECT:
        (void)fx_map_reads_enter_variable(reads, node, walk, location);
        break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_NAME:
    case FX_CEL_NODE_LITERAL: break;
    }
}

void fx_map_trace_patch(struct map_reads *reads, struct map_location *location) {
    walk(reads, fx_cel_program_root(reads->expression->program), location);
    if (!location->is_found) {
        location->is_loose = true;
        walk(reads, fx_cel_program_root(reads->expression->program), location);
    }
}
