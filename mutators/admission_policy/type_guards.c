/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_guards.c - walks over expressions with the knowledge
 * whether a part is guarded.
 */
#include "mutators/admission_policy/type_guards.h"

#include "base/budget.h"
#include "base/limits.h"

/* A walk: `visit` is called for each node. */
struct map_guard_walk {
    void (*visit)(struct map_guard_walk *walk, const struct fx_cel_node *node,
                  bool guarded);
    unsigned depth;
    uint32_t at;  /* of fx_map_is_guarded() */
    bool is_free; /* something at this position is not guarded */
    bool *needed; /* of fx_map_find_needed() */
    const struct map_policy *policy;
};

static void walk(struct map_guard_walk *of, const struct fx_cel_node *node, bool guarded);

static bool is_call(const struct fx_cel_node *node, const char *function) {
    return node->type == FX_CEL_NODE_CALL && fx_text_is(node->call.function, function);
}

/* Is the value of the node optional, so that its fields may be absent? */
static bool is_optional(const struct fx_cel_node *node) {
    return node->checked != NULL && node->checked->kind == FX_CEL_TYPE_OPTIONAL;
}

/* Is the argument evaluated only if the value of another operand asks for it? */
static bool is_argument_guarded(const struct fx_cel_node *call, size_t i) {
    return is_call(call, "_&&_") || is_call(call, "_||_") ||
           (is_call(call, "_?_:_") && i > 0) || is_call(call, "or") ||
           is_call(call, "orValue");
}

static void walk_call(struct map_guard_walk *of, const struct fx_cel_node *node,
                      bool guarded) {
    of->visit(of, node, guarded || is_call(node, "_?._"));
    if (node->call.target != NULL) {
        walk(of, node->call.target, guarded);
    }
    for (size_t i = 0; i < node->call.n_args; i++) {
        walk(of, node->call.args[i], guarded || is_argument_guarded(node, i));
    }
}

static void walk_entries(struct map_guard_walk *of, const struct fx_cel_node *node,
                         bool guarded) {
    for (size_t i = 0; i < node->map.n; i++) {
        if (node->type == FX_CEL_NODE_MAP) {
            walk(of, node->map.entries[i].key, guarded);
        }
        walk(of, node->map.entries[i].value, guarded);
    }
}

/* The step of all() and exists() is `@result && condition`: the condition is evaluated
 * for the first element in any case. */
static void walk_step(struct map_guard_walk *of, const struct fx_cel_node *fold,
                      bool guarded) {
    const struct fx_cel_node *step = fold->fold.step;
    const bool is_logic =
        fold->fold.macro == FX_CEL_MACRO_ALL || fold->fold.macro == FX_CEL_MACRO_EXISTS;
    if (!is_logic || step->type != FX_CEL_NODE_CALL) {
        walk(of, step, guarded);
        return;
    }
    for (size_t i = 0; i < step->call.n_args; i++) {
        walk(of, step->call.args[i], guarded);
    }
}

static void walk_fold(struct map_guard_walk *of, const struct fx_cel_node *node,
                      bool guarded) {
    walk(of, node->fold.range, guarded);
    walk(of, node->fold.start, guarded);
    walk(of, node->fold.condition, guarded);
    walk_step(of, node, guarded);
    walk(of, node->fold.result, guarded);
}

static void walk_by_type(struct map_guard_walk *of, const struct fx_cel_node *node,
                         bool guarded) {
    switch (node->type) {
    case FX_CEL_NODE_LITERAL:
    case FX_CEL_NODE_NAME: of->visit(of, node, guarded); break;
    case FX_CEL_NODE_SELECT:
        of->visit(of, node,
                  guarded || node->select.is_test || is_optional(node->select.operand));
        walk(of, node->select.operand, guarded);
        break;
    case FX_CEL_NODE_CALL: walk_call(of, node, guarded); break;
    case FX_CEL_NODE_LIST:
        for (size_t i = 0; i < node->list.n; i++) {
            walk(of, node->list.items[i], guarded);
        }
        break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: walk_entries(of, node, guarded); break;
    case FX_CEL_NODE_FOLD: walk_fold(of, node, guarded); break;
    }
}

static void walk(struct map_guard_walk *of, const struct fx_cel_node *node,
                 bool guarded) {
    if (of->depth < FX_LIMIT_CEL_DEPTH && fx_spend(1)) {
        of->depth++;
        walk_by_type(of, node, guarded);
        of->depth--;
    }
}

/* ---- one position ------------------------------------------------------------------ */

static void visit_position(struct map_guard_walk *of, const struct fx_cel_node *node,
                           bool guarded) {
    of->is_free = of->is_free || (node->at == of->at && !guarded);
}

bool fx_map_is_guarded(const struct fx_cel_program *program, uint32_t at) {
    struct map_guard_walk of = {.visit = visit_position, .at = at};
    walk(&of, fx_cel_program_root(program), false);
    return !of.is_free;
}

/* ---- variables --------------------------------------------------------------------- */

/* Marks the variable that the node reads. */
static void visit_variable(struct map_guard_walk *of, const struct fx_cel_node *node,
                           bool guarded) {
    if (guarded || node->type != FX_CEL_NODE_SELECT ||
        node->select.operand->type != FX_CEL_NODE_NAME ||
        node->select.operand->name.local != NULL ||
        node->select.operand->name.variable != MAP_SLOT_VARIABLES) {
        return;
    }
    for (size_t i = 0; i < of->policy->n_variables && fx_spend(1); i++) {
        if (fx_text_is(node->select.field, of->policy->variables[i].name)) {
            of->needed[i] = true;
        }
    }
}

/* A variable sees only those before it, so one pass from the last to the first is
 * enough. */
void fx_map_find_needed(const struct map_policy *policy, bool *ret_needed) {
    struct map_guard_walk of = {
        .visit = visit_variable, .needed = ret_needed, .policy = policy};
    for (size_t i = 0; i < policy->n_mutations; i++) {
        walk(&of, fx_cel_program_root(policy->mutations[i].expression.program), false);
    }
    for (size_t i = policy->n_variables; i > 0; i--) {
        if (ret_needed[i - 1]) {
            walk(&of, fx_cel_program_root(policy->variables[i - 1].expression.program),
                 false);
        }
    }
}
