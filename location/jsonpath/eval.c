/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/eval.c - an expression's nodes, each by its type.
 */
#include "location/jsonpath/value.h"

static bool eval_list(struct run *run, const struct node *node,
                      const struct value *current, struct value *ret_value) {
    struct value_list *list = fx_jsonpath_alloc(run, sizeof *list);
    if (list == NULL) {
        return false;
    }
    for (const struct node *entry = fx_jsonpath_first(run, node); entry != NULL;
         entry = fx_jsonpath_next(run, entry)) {
        struct value value;
        if (!fx_jsonpath_eval_node(run, entry, current, &value) ||
            !fx_jsonpath_append(run, list, &value)) {
            return false;
        }
    }
    *ret_value = (struct value){.kind = VALUE_LIST, .as.list = list};
    return true;
}

/* ---- variables ------------------------------------------------------------------------
 */

/* The index that a variable's key is: decimal digits (a sign is harmless). */
static bool read_index(struct fx_text text, size_t count, size_t *ret_index) {
    size_t index = 0;
    const size_t start = text.len > 1 && text.data[0] == '+' ? 1 : 0;
    for (size_t i = start; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || index >= count) {
            return false;
        }
        index = index * 10 + (size_t)(text.data[i] - '0');
    }
    *ret_index = index;
    return text.len > 0 && index < count;
}

/* Below a map what is missing is null. */
static bool look_up(struct run *run, const struct node *node, struct fx_text key,
                    struct value *value) {
    size_t count = 0;
    size_t index = 0;
    if (fx_jsonpath_is_map(value)) {
        if (!fx_jsonpath_map_find(run, value, key, value)) {
            *value = fx_jsonpath_of_node(json_null());
        }
        return !run->is_over;
    }
    if (fx_jsonpath_is_list(value, &count) && read_index(key, count, &index)) {
        *value = fx_jsonpath_list_at(value, index);
        return true;
    }
    return FX_JSONPATH_FAIL(run, node,
                            "there is no `%.*s` in %s: a name without `$.` is one of the "
                            "object's own fields",
                            FX_TEXT_ARG(key), fx_jsonpath_type_name(value));
}

static bool eval_variable(struct run *run, const struct node *node,
                          const struct value *current, struct value *ret_value) {
    *ret_value = fx_jsonpath_of_node(run->root);
    bool ok = look_up(run, node, node->as.text, ret_value);
    for (const struct node *key = fx_jsonpath_first(run, node); ok && key != NULL;
         key = fx_jsonpath_next(run, key)) {
        struct value name;
        struct fx_text text;
        ok = fx_jsonpath_eval_node(run, key, current, &name) &&
             fx_jsonpath_text(run, &name, &text) && look_up(run, key, text, ret_value);
    }
    return ok;
}

/* ---- calls, operators, choices
 * --------------------------------------------------------- */

static bool fail_call(struct run *run, const struct node *node) {
    return run->quiet == 0 &&
           fx_jsonpath_check_call(run->program, node, FX_EMUTATE, run->err);
}

static bool eval_call(struct run *run, const struct node *node,
                      const struct value *current, struct value *ret_value) {
    const struct node *argument = fx_jsonpath_first(run, node);
    if (argument == NULL || argument->next != 0) {
        return fail_call(run, node);
    }
    struct value value;
    return fx_jsonpath_eval_node(run, argument, current, &value) &&
           fx_jsonpath_call(run, node, &value, ret_value);
}

/* Null and false, which `??` and `? :` look for; undefined is not among them. */
static bool is_nothing(const struct value *value) {
    bool truth = true;
    return fx_jsonpath_is_null(value) || (fx_jsonpath_as_bool(value, &truth) && !truth);
}

/* Does the left operand decide alone? Then it is the result. */
static bool decides(enum operator_id id, const struct value *left) {
    bool truth = false;
    switch ((int)id) {
    case OPERATOR_AND: return fx_jsonpath_as_bool(left, &truth) && !truth;
    case OPERATOR_OR: return fx_jsonpath_as_bool(left, &truth) && truth;
    case OPERATOR_COALESCE: return !is_nothing(left);
    default: return false;
    }
}

static bool eval_infix(struct run *run, const struct node *node,
                       const struct value *current, struct value *ret_value) {
    const struct node *first = fx_jsonpath_child(run, node);
    struct value left;
    struct value right;
    if (!fx_jsonpath_eval_node(run, first, current, &left)) {
        return false;
    }
    if (decides((enum operator_id)node->id, &left)) {
        *ret_value = left;
        return true;
    }
    return fx_jsonpath_eval_node(run, fx_jsonpath_sibling(run, first), current, &right) &&
           fx_jsonpath_operate(run, node, &left, &right, ret_value);
}

static bool eval_prefix(struct run *run, const struct node *node,
                        const struct value *current, struct value *ret_value) {
    struct value operand;
    return fx_jsonpath_eval_node(run, fx_jsonpath_child(run, node), current, &operand) &&
           fx_jsonpath_prefix(run, node, &operand, ret_value);
}

static bool eval_if(struct run *run, const struct node *node, const struct value *current,
                    struct value *ret_value) {
    const struct node *condition = fx_jsonpath_child(run, node);
    struct value value;
    if (!fx_jsonpath_eval_node(run, condition, current, &value)) {
        return false;
    }
    const struct node *branch = fx_jsonpath_sibling(run, condition);
    if (is_nothing(&value)) {
        branch = fx_jsonpath_sibling(run, branch);
    }
    if (branch->type == NODE_NONE) {
        *ret_value = fx_jsonpath_of_node(json_null());
        return true;
    }
    return fx_jsonpath_eval_node(run, branch, current, ret_value);
}

static bool eval_compound(struct run *run, const struct node *node,
                          const struct value *current, struct value *ret_value) {
    switch (node->type) {
    case NODE_PATH: return fx_jsonpath_eval_path(run, node, current, ret_value);
    case NODE_INFIX: return eval_infix(run, node, current, ret_value);
    case NODE_PREFIX: return eval_prefix(run, node, current, ret_value);
    case NODE_IF: return eval_if(run, node, current, ret_value);
    case NODE_CALL: return eval_call(run, node, current, ret_value);
    case NODE_LIST: return eval_list(run, node, current, ret_value);
    case NODE_OBJECT: return fx_jsonpath_eval_object(run, node, current, ret_value);
    case NODE_VARIABLE: return eval_variable(run, node, current, ret_value);
    case NODE_PLACEHOLDER: return fx_jsonpath_eval_placeholder(run, node, ret_value);
    default: return fail_call(run, node);
    }
}

bool fx_jsonpath_eval_node(struct run *run, const struct node *node,
                           const struct value *current, struct value *ret_value) {
    switch (node->type) {
    case NODE_NUMBER: *ret_value = fx_jsonpath_of_number(node->as.number); return true;
    case NODE_INTEGER:
        *ret_value =
            (struct value){.kind = VALUE_INTEGER, .as.integer = node->as.integer};
        return true;
    case NODE_TEXT:
        *ret_value = (struct value){.kind = VALUE_TEXT, .as.text = node->as.text};
        return true;
    case NODE_BOOL: *ret_value = fx_jsonpath_of_bool(node->as.truth); return true;
    default: break;
    }
    if (!fx_jsonpath_spend(run, 1) || !fx_jsonpath_enter(run)) {
        return false;
    }
    const bool ok = eval_compound(run, node, current, ret_value);
    fx_jsonpath_leave(run);
    return ok;
}
