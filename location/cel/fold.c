/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.c - walks the expression in the order in which the original plans it, so that the
 * first of several faults is the same.
 */
#include "location/cel/fold.h"

#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/eval.h"
#include "location/cel/messages.h"

static bool is_constant(const struct fx_cel_node *node) {
    return node->type == FX_CEL_NODE_LITERAL;
}

bool fx_cel_fold_constant(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    struct fx_cel_run run = {
        .arena = folding->arena, .cost_limit = UINT64_MAX, .err = folding->err};
    struct fx_cel_value value;
    fx_cel_eval_node(&run, node, &value);
    if (fx_cel_is_fatal(&value)) {
        return false;
    }
    if (fx_cel_is_error(value)) {
        fx_cel_faults_add(folding->faults, FX_CEL_NOWHERE, "%s", value.error);
        return false;
    }
    if (value.kind == FX_CEL_STRING) {
        value.runes = (uint32_t)fx_cel_count_runes(value);
    }
    node->type = FX_CEL_NODE_LITERAL;
    node->literal = value;
    return true;
}

/* The name of a type is a constant. Other names whose values are types, and the types of
 * mutations, are refused (measured). */
static bool fold_name(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    const struct fx_cel_type *type = node->name.type;
    const bool is_known = type != NULL && type->kind != FX_CEL_TYPE_STRUCT;
    const bool is_type = type != NULL || (node->checked != NULL &&
                                          node->checked->kind == FX_CEL_TYPE_TYPE);
    if (is_type && !is_known) {
        fx_cel_faults_add(folding->faults, FX_CEL_NOWHERE,
                          "reference to undefined type: %.*s",
                          FX_TEXT_ARG(node->name.name));
        return false;
    }
    return !is_known || folding->is_plain || fx_cel_fold_constant(folding, node);
}

/* Is the static type that of Object{…}, whose fields are not declared? */
static bool is_object(const struct fx_cel_node *node) {
    return node->checked != NULL && node->checked->kind == FX_CEL_TYPE_STRUCT &&
           node->checked->fields == NULL;
}

static bool fold_select(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    node->how = is_object(node->select.operand) ? FX_CEL_HOW_FIELD : FX_CEL_HOW_PLAIN;
    return fx_cel_fold(folding, node->select.operand);
}

static bool fold_list(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    bool all_constant = !folding->is_plain;
    for (size_t i = 0; i < node->list.n; i++) {
        if (!fx_cel_fold(folding, node->list.items[i])) {
            return false;
        }
        all_constant = all_constant && is_constant(node->list.items[i]);
    }
    return !all_constant || fx_cel_fold_constant(folding, node);
}

static bool fold_map(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    bool all_constant = !folding->is_plain;
    for (size_t i = 0; i < node->map.n; i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        if (!fx_cel_fold(folding, entry->key) || !fx_cel_fold(folding, entry->value)) {
            return false;
        }
        all_constant =
            all_constant && is_constant(entry->key) && is_constant(entry->value);
    }
    return !all_constant || fx_cel_fold_constant(folding, node);
}

/* The type of a struct that has not been checked: one of this name. */
static bool set_struct_type(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    if (fx_text_is(node->map.name, fx_cel_json_patch.name)) {
        node->checked = &fx_cel_json_patch;
        return true;
    }
    struct fx_cel_type *type = fx_arena_alloc(folding->arena, sizeof *type);
    const char *name = fx_arena_copy(folding->arena, node->map.name);
    if (type == NULL || name == NULL) {
        return fx_fail_nomem(folding->err);
    }
    type->kind = FX_CEL_TYPE_STRUCT;
    type->name = name;
    node->checked = type;
    return true;
}

static bool fold_struct(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    for (size_t i = 0; i < node->map.n; i++) {
        if (!fx_cel_fold(folding, node->map.entries[i].value)) {
            return false;
        }
    }
    return (node->checked != NULL && node->checked->kind == FX_CEL_TYPE_STRUCT) ||
           fx_cel_message_find(node->map.name) != NULL || set_struct_type(folding, node);
}

/* Is it `accumulator + [element]`, with the accumulator of this fold? */
static bool is_append(const struct fx_cel_node *fold, const struct fx_cel_node *step) {
    if (step->type != FX_CEL_NODE_CALL || !fx_text_is(step->call.function, "_+_") ||
        fx_cel_count_arguments(step) != 2) {
        return false;
    }
    const struct fx_cel_node *left = fx_cel_argument(step, 0);
    const struct fx_cel_node *right = fx_cel_argument(step, 1);
    return left->type == FX_CEL_NODE_NAME &&
           left->name.local == fold->fold.result_so_far &&
           ((right->type == FX_CEL_NODE_LIST && right->list.n == 1 &&
             right->list.is_optional == NULL) ||
            (right->type == FX_CEL_NODE_LITERAL && right->literal.kind == FX_CEL_LIST &&
             fx_cel_list_size(right->literal) == 1));
}

/* The step of map() and filter() changes the accumulator, which nothing else sees. */
static void set_append(const struct fx_cel_node *fold) {
    struct fx_cel_node *step = fold->fold.step;
    if (step->type == FX_CEL_NODE_CALL && step->how == FX_CEL_HOW_CONDITIONAL) {
        step = fx_cel_argument(step, 1);
    }
    if ((fold->fold.macro == FX_CEL_MACRO_MAP ||
         fold->fold.macro == FX_CEL_MACRO_FILTER) &&
        is_append(fold, step)) {
        step->how = FX_CEL_HOW_APPEND;
    }
}

static void number(struct fx_cel_folding *folding, struct fx_cel_local *local) {
    if (local != NULL) {
        local->number = folding->n_locals++;
    }
}

static bool fold_fold(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    number(folding, node->fold.item);
    number(folding, node->fold.item2);
    number(folding, node->fold.result_so_far);
    if (node->fold.macro == FX_CEL_MACRO_BIND) {
        node->fold.result_so_far->start = node->fold.start;
    }
    if (!fx_cel_fold(folding, node->fold.range) ||
        !fx_cel_fold(folding, node->fold.start) ||
        !fx_cel_fold(folding, node->fold.condition) ||
        !fx_cel_fold(folding, node->fold.step) ||
        !fx_cel_fold(folding, node->fold.result)) {
        return false;
    }
    if (!folding->is_plain) {
        set_append(node);
    }
    return true;
}

static bool fold_arguments(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    for (size_t i = 0; i < fx_cel_count_arguments(node); i++) {
        if (!fx_cel_fold(folding, fx_cel_argument(node, i))) {
            return false;
        }
    }
    return fx_cel_fold_call(folding, node);
}

static bool fold_node(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: break;
    case FX_CEL_NODE_NAME: return fold_name(folding, node);
    case FX_CEL_NODE_SELECT: return fold_select(folding, node);
    case FX_CEL_NODE_CALL: return fold_arguments(folding, node);
    case FX_CEL_NODE_LIST: return fold_list(folding, node);
    case FX_CEL_NODE_MAP: return fold_map(folding, node);
    case FX_CEL_NODE_STRUCT: return fold_struct(folding, node);
    case FX_CEL_NODE_FOLD: return fold_fold(folding, node);
    }
    if (node->literal.kind == FX_CEL_STRING) {
        node->literal.runes = (uint32_t)fx_cel_count_runes(node->literal);
    }
    return true;
}

bool fx_cel_fold(struct fx_cel_folding *folding, struct fx_cel_node *node) {
    if (node->is_ready) { /* macros repeat a part of the expression */
        return true;
    }
    if (!fx_spend(1)) {
        return fx_fail_exceeded(folding->err);
    }
    if (folding->depth >= FX_LIMIT_CEL_DEPTH) {
        return fx_fail(folding->err, FX_ELIMIT, "expression is nested too deeply");
    }
    node->is_ready = true;
    folding->depth++;
    const bool ok = fold_node(folding, node);
    folding->depth--;
    return ok;
}
