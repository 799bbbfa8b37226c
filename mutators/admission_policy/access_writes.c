/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/access_writes.c - the fields that an ApplyConfiguration may
 * write: those of the literals in its expression, with all branches of conditionals.
 *
 * An expression is at most FX_LIMIT_CEL_DEPTH levels deep, and a variable uses only those
 * before it, so recursion is bounded.
 */
#include <stddef.h>

#include "base/budget.h"
#include "location/cel/ast.h"
#include "mutators/admission_policy/access.h"

/* ---- paths ------------------------------------------------------------------------- */

static bool is_same_step(const struct fx_path_step *a, const struct fx_path_step *b) {
    return a->type == b->type && fx_text_equal(a->name, b->name);
}

static bool is_declared(const struct map_writing *writing, bool writes) {
    const struct fx_access *access = writing->access;
    bool found = false;
    for (size_t i = 0; !found && i < access->n_paths; i++) {
        const struct fx_access_path *path = &access->paths[i];
        const struct fx_path_step *steps = fx_access_steps(access, path);
        found = path->writes == writes && path->n_steps == writing->n_steps;
        for (size_t k = 0; found && k < path->n_steps; k++) {
            found = is_same_step(&steps[k], &writing->steps[k]);
        }
        (void)fx_spend(1);
    }
    return found;
}

void fx_map_write_here(struct map_writing *writing, bool writes) {
    const bool is_written = writes && !writing->only_reads;
    if (writing->n_steps == 0 || writing->n_paths == MAP_MOST_PATHS) {
        writing->is_anywhere = true;
        return;
    }
    if (is_declared(writing, is_written)) {
        return;
    }
    writing->n_paths++;
    if (is_written) {
        fx_access_write(writing->access, FX_ACCESS_UNTYPED, false);
    } else {
        fx_access_read(writing->access);
    }
    for (size_t i = 0; i < writing->n_steps; i++) {
        fx_access_step(writing->access, writing->steps[i]);
    }
}

bool fx_map_push_step(struct map_writing *writing, struct fx_path_step step) {
    if (writing->n_steps == MAP_MOST_STEPS) {
        return false;
    }
    writing->steps[writing->n_steps++] = step;
    return true;
}

bool fx_map_follow_node(struct map_writing *writing) {
    (void)fx_spend(1);
    writing->is_anywhere = writing->is_anywhere || writing->n_nodes == MAP_MOST_NODES;
    writing->n_nodes++;
    return !writing->is_anywhere;
}

/* ---- nodes ------------------------------------------------------------------------- */

bool fx_map_is_global_call(const struct fx_cel_node *node, const char *function,
                           size_t n_args) {
    return node->type == FX_CEL_NODE_CALL && node->call.target == NULL &&
           node->call.n_args == n_args && fx_text_is(node->call.function, function);
}

bool fx_map_is_method(const struct fx_cel_node *node, const char *method) {
    return node->type == FX_CEL_NODE_CALL && node->call.target != NULL &&
           fx_text_is(node->call.function, method);
}

const struct fx_cel_node *fx_map_followed_variable(const struct map_policy *policy,
                                                   const struct fx_cel_node *node) {
    const struct fx_cel_node *of =
        node->type == FX_CEL_NODE_SELECT ? node->select.operand : NULL;
    if (of == NULL || node->select.is_test || of->type != FX_CEL_NODE_NAME ||
        of->name.local != NULL || of->name.type != NULL ||
        of->name.variable != MAP_SLOT_VARIABLES) {
        return NULL;
    }
    for (size_t i = 0; i < policy->n_variables; i++) {
        if (fx_text_is(node->select.field, policy->variables[i].name)) {
            return fx_cel_program_root(policy->variables[i].expression.program);
        }
    }
    return NULL;
}

/* The step is `test ? list + [item] : list`, or without the test. */
const struct fx_cel_node *fx_map_made_item(const struct fx_cel_node *node) {
    if (node->type != FX_CEL_NODE_FOLD || node->fold.macro != FX_CEL_MACRO_MAP) {
        return NULL;
    }
    const struct fx_cel_node *step = node->fold.step;
    step = fx_map_is_global_call(step, "_?_:_", 3) ? step->call.args[1] : step;
    if (!fx_map_is_global_call(step, "_+_", 2) ||
        step->call.args[1]->type != FX_CEL_NODE_LIST || step->call.args[1]->list.n != 1) {
        return NULL;
    }
    return step->call.args[1]->list.items[0];
}

/* Is it a list whose elements are those of both arguments? */
static bool is_joined(const struct fx_cel_node *node) {
    return fx_map_is_global_call(node, "_+_", 2) && node->checked != NULL &&
           node->checked->kind == FX_CEL_TYPE_LIST;
}

/* ---- values ------------------------------------------------------------------------ */

static void write_value(struct map_writing *writing, const struct fx_cel_node *node);

/* Declares what the value writes one step further. */
static void write_below(struct map_writing *writing, struct fx_path_step step,
                        const struct fx_cel_node *value) {
    if (!fx_map_push_step(writing, step)) {
        fx_map_write_here(writing, true);
        return;
    }
    write_value(writing, value);
    writing->n_steps--;
}

/* The member with the key; one that is no text may be any. */
static struct fx_path_step step_of_key(const struct fx_cel_value *key) {
    return key->kind == FX_CEL_STRING ? (struct fx_path_step){.name = key->text}
                                      : (struct fx_path_step){.type = FX_PATH_ANY};
}

/* The member of an entry; one with a computed key may be any. */
static struct fx_path_step step_of(const struct fx_cel_node *node,
                                   const struct fx_cel_entry *entry) {
    const struct fx_cel_value computed = {.kind = FX_CEL_NULL};
    if (node->type == FX_CEL_NODE_STRUCT) {
        return (struct fx_path_step){.name = entry->field};
    }
    return step_of_key(entry->key->type == FX_CEL_NODE_LITERAL ? &entry->key->literal
                                                               : &computed);
}

/* A constant; maps that are constants are written by their members. */
static void write_constant(struct map_writing *writing,
                           const struct fx_cel_value *value) {
    if (!fx_map_follow_node(writing)) {
        return;
    }
    if (value->kind != FX_CEL_MAP || value->map->n == 0) {
        fx_map_write_here(writing, true);
        return;
    }
    for (size_t i = 0; i < value->map->n; i++) {
        const struct fx_cel_map_entry *entry = &value->map->entries[i];
        if (!fx_map_push_step(writing, step_of_key(&entry->key))) {
            fx_map_write_here(writing, true);
            return;
        }
        write_constant(writing, &entry->value);
        writing->n_steps--;
    }
}

/* An empty one is written if there is none yet. */
static void write_entries(struct map_writing *writing, const struct fx_cel_node *node) {
    if (node->map.n == 0 && writing->n_steps > 0) {
        fx_map_write_here(writing, true);
    }
    for (size_t i = 0; i < node->map.n; i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        write_below(writing, step_of(node, entry), entry->value);
    }
}

static void write_items(struct map_writing *writing, const struct fx_cel_node *node) {
    if (node->list.n == 0) {
        fx_map_write_here(writing, true);
    }
    for (size_t i = 0; i < node->list.n; i++) {
        write_below(writing, (struct fx_path_step){.type = FX_PATH_ANY},
                    node->list.items[i]);
    }
}

/* The value is that of one of the arguments, from number `first` on. */
static void write_arguments(struct map_writing *writing, const struct fx_cel_node *node,
                            size_t first) {
    if (node->call.target != NULL) {
        write_value(writing, node->call.target);
    }
    for (size_t i = first; i < node->call.n_args; i++) {
        write_value(writing, node->call.args[i]);
    }
}

/* Is it an Object{…}, and no message of another package? */
static bool is_object(const struct fx_cel_node *node) {
    struct fx_text name = node->map.name;
    name = fx_text_rest(name, fx_text_first(name) == '.' ? 1 : 0);
    return fx_text_equal(fx_text_cut(&name, '.'), FX_TEXT("Object"));
}

/* A value that is computed in another way is written as it is; so is optional.none(),
 * which becomes null. */
static void write_computed(struct map_writing *writing, const struct fx_cel_node *node) {
    const struct fx_cel_node *variable = fx_map_followed_variable(writing->policy, node);
    const struct fx_cel_node *item = fx_map_made_item(node);
    if (variable != NULL) {
        write_value(writing, variable);
    } else if (item != NULL) {
        write_below(writing, (struct fx_path_step){.type = FX_PATH_ANY}, item);
    } else if (fx_map_is_global_call(node, "_?_:_", 3)) {
        write_arguments(writing, node, 1);
    } else if (is_joined(node) || fx_map_is_global_call(node, "optional.of", 1) ||
               fx_map_is_global_call(node, "dyn", 1) ||
               fx_map_is_method(node, "orValue") || fx_map_is_method(node, "or")) {
        write_arguments(writing, node, 0);
    } else {
        fx_map_write_here(writing, true);
    }
}

static void write_value(struct map_writing *writing, const struct fx_cel_node *node) {
    if (!fx_map_follow_node(writing)) {
        return;
    }
    if (node->type == FX_CEL_NODE_LITERAL) {
        write_constant(writing, &node->literal);
    } else if (node->type == FX_CEL_NODE_MAP ||
               (node->type == FX_CEL_NODE_STRUCT && is_object(node))) {
        write_entries(writing, node);
    } else if (node->type == FX_CEL_NODE_LIST) {
        write_items(writing, node);
    } else if (node->type == FX_CEL_NODE_FOLD && node->fold.macro == FX_CEL_MACRO_BIND) {
        write_value(writing, node->fold.result);
    } else {
        write_computed(writing, node);
    }
}

void fx_map_write_configuration(struct map_writing *writing,
                                const struct fx_cel_node *node) {
    writing->n_steps = 0;
    write_value(writing, node);
}
