/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/cause_value.c - walks an expression along a location: from
 * the literal of an object to its field, from that of a list to its element, into the
 * branch of a conditional that was taken, into the expression of a variable. Where it can
 * go no further, everything that the node reads counts.
 */
#include "base/budget.h"
#include "mutators/admission_policy/access.h"
#include "mutators/admission_policy/cause.h"
#include "value/equal.h"
#include "value/pointer.h"
#include "value/tree.h"

/* The position of a walk. */
struct place {
    const struct map_location *location;
    size_t depth;        /* tokens that are behind it */
    const json_t *value; /* what the object has here after the mutation; or NULL */
};

static void walk(struct map_reads *reads, const struct place *place,
                 const struct fx_cel_node *node);

static bool is_at_end(const struct place *place) {
    return place->depth == place->location->n_tokens;
}

static struct fx_text next_token(const struct place *place) {
    return place->location->tokens[place->depth];
}

static struct place step(const struct place *place) {
    return (struct place){
        .location = place->location,
        .depth = place->depth + 1,
        .value = fx_pointer_child(place->value, next_token(place)),
    };
}

/* ---- objects ----------------------------------------------------------------------- */

static void walk_struct(struct map_reads *reads, const struct place *place,
                        const struct fx_cel_node *node) {
    for (size_t i = 0; i < node->map.n; i++) {
        if (fx_text_equal(node->map.entries[i].field, next_token(place))) {
            const struct place next = step(place);
            walk(reads, &next, node->map.entries[i].value);
        }
    }
}

/* An entry whose key cannot be computed may be the one. */
static void walk_map(struct map_reads *reads, const struct place *place,
                     const struct fx_cel_node *node) {
    for (size_t i = 0; i < node->map.n; i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        const json_t *key = fx_map_reads_value(reads, entry->key);
        if (key == NULL || fx_text_equal(fx_tree_text(key), next_token(place))) {
            const struct place next = step(place);
            walk(reads, &next, entry->value);
            fx_map_reads_collect(reads, entry->key);
        }
    }
}

/* ---- lists ------------------------------------------------------------------------- */

static bool may_be_member(struct map_reads *reads, struct fx_text key,
                          const struct fx_cel_node *node, const json_t *element) {
    const json_t *given = fx_map_reads_value(reads, node);
    const json_t *member = fx_tree_view_text(element, key);
    return !json_is_string(given) || member == NULL || fx_equal(given, member);
}

bool fx_map_may_make(struct map_reads *reads, const struct fx_cel_node *node,
                     const json_t *element) {
    bool may = true;
    if (node->type != FX_CEL_NODE_STRUCT && node->type != FX_CEL_NODE_MAP) {
        const json_t *value = fx_map_reads_value(reads, node);
        return value == NULL || json_is_object(value) || fx_equal(value, element);
    }
    for (size_t i = 0; may && i < node->map.n && fx_spend(1); i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        const json_t *key =
            entry->key == NULL ? NULL : fx_map_reads_value(reads, entry->key);
        may = may_be_member(reads, entry->key == NULL ? entry->field : fx_tree_text(key),
                            entry->value, element);
    }
    return may;
}

static void walk_list(struct map_reads *reads, const struct place *place,
                      const struct fx_cel_node *node) {
    const struct place next = step(place);
    for (size_t i = 0; i < node->list.n; i++) {
        if (next.value == NULL ||
            fx_map_may_make(reads, node->list.items[i], next.value)) {
            walk(reads, &next, node->list.items[i]);
        }
    }
}

/* ---- loops ------------------------------------------------------------------------- */

/* The condition of map() with one; NULL: there is none. */
static const struct fx_cel_node *loop_condition(const struct fx_cel_node *fold) {
    const struct fx_cel_node *step = fold->fold.step;
    return fx_map_is_global_call(step, "_?_:_", 3) ? step->call.args[0] : NULL;
}

/* The index of the item for which map() made this element; SIZE_MAX if there is none. */
static size_t find_item(struct map_reads *reads, const struct fx_cel_node *fold,
                        const struct map_read_range *range,
                        const struct fx_cel_node *node, const json_t *element) {
    const size_t n = json_array_size(range->items);
    for (size_t i = 0; element != NULL && i < n && fx_spend(1); i++) {
        struct map_read_binding binding;
        fx_map_reads_bind(reads, fold, range, i, &binding);
        const bool is_it = fx_map_may_make(reads, node, element);
        fx_map_reads_unbind(reads, &binding);
        if (is_it) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void walk_bind(struct map_reads *reads, const struct place *place,
                      const struct fx_cel_node *fold) {
    struct map_read_local local;
    fx_map_reads_bind_target(reads, fold, &local);
    walk(reads, place, fold->fold.result);
    reads->locals = local.outer;
}

/* The range decides which elements there are, not what is in them. */
static void walk_loop(struct map_reads *reads, const struct place *place,
                      const struct fx_cel_node *fold) {
    const struct fx_cel_node *element = fx_map_made_item(fold);
    if (fold->fold.macro == FX_CEL_MACRO_FILTER) {
        walk(reads, place, fold->fold.range);
        return;
    }
    if (fold->fold.macro == FX_CEL_MACRO_BIND) {
        walk_bind(reads, place, fold);
        return;
    }
    if (element == NULL) {
        fx_map_reads_collect(reads, fold);
        return;
    }
    const struct map_read_range range = fx_map_reads_range(reads, fold);
    const struct place next = step(place);
    struct map_read_binding binding;
    const size_t index = find_item(reads, fold, &range, element, next.value);
    fx_map_reads_bind(reads, fold, &range, index, &binding);
    walk(reads, &next, element);
    fx_map_reads_collect(reads, loop_condition(fold));
    fx_map_reads_unbind(reads, &binding);
    if (index == SIZE_MAX) {
        fx_map_reads_collect(reads, fold->fold.range);
    }
}

/* ---- calls ------------------------------------------------------------------------- */

static void walk_conditional(struct map_reads *reads, const struct place *place,
                             const struct fx_cel_node *node) {
    const struct fx_cel_node *branch = fx_map_reads_branch(reads, node);
    if (branch != NULL) {
        walk(reads, place, branch);
    } else {
        walk(reads, place, node->call.args[1]);
        walk(reads, place, node->call.args[2]);
    }
    fx_map_reads_collect(reads, node->call.args[0]);
}

/* The default counts only if the target has no value. */
static void walk_default(struct map_reads *reads, const struct place *place,
                         const struct fx_cel_node *node) {
    if (fx_map_reads_value(reads, node->call.target) != NULL) {
        walk(reads, place, node->call.target);
    } else {
        walk(reads, place, node->call.args[0]);
        fx_map_reads_collect(reads, node->call.target);
    }
}

/* Calls whose result has the parts of their arguments. */
static void walk_call(struct map_reads *reads, const struct place *place,
                      const struct fx_cel_node *node) {
    if (fx_map_is_global_call(node, "_?_:_", 3)) {
        walk_conditional(reads, place, node);
    } else if (fx_map_is_global_call(node, "_+_", 2)) {
        walk(reads, place, node->call.args[0]);
        walk(reads, place, node->call.args[1]);
    } else if (fx_map_is_global_call(node, "optional.of", 1)) {
        walk(reads, place, node->call.args[0]);
    } else if (fx_map_is_method(node, "orValue")) {
        walk_default(reads, place, node);
    } else {
        fx_map_reads_collect(reads, node);
    }
}

/* ---- the walk ---------------------------------------------------------------------- */

static void walk_variable(struct map_reads *reads, const struct fx_cel_node *root,
                          void *user) {
    const struct place *place = user;
    walk(reads, place, root);
}

static void walk_attribute(struct map_reads *reads, const struct place *place,
                           const struct fx_cel_node *node) {
    struct place copy = *place;
    if (!fx_map_reads_enter_variable(reads, node, walk_variable, &copy)) {
        fx_map_reads_collect(reads, node);
    }
}

/* The depth of an expression is limited (FX_LIMIT_CEL_DEPTH). */
static void walk(struct map_reads *reads, const struct place *place,
                 const struct fx_cel_node *node) {
    if (reads->failed || !fx_spend(1)) {
        return;
    }
    if (is_at_end(place)) {
        fx_map_reads_collect(reads, node);
        return;
    }
    switch (node->type) {
    case FX_CEL_NODE_STRUCT: walk_struct(reads, place, node); break;
    case FX_CEL_NODE_MAP: walk_map(reads, place, node); break;
    case FX_CEL_NODE_LIST: walk_list(reads, place, node); break;
    case FX_CEL_NODE_FOLD: walk_loop(reads, place, node); break;
    case FX_CEL_NODE_CALL: walk_call(reads, place, node); break;
    case FX_CEL_NODE_SELECT: walk_attribute(reads, place, node); break;
    case FX_CEL_NODE_NAME: fx_map_reads_collect(reads, node); break;
    case FX_CEL_NODE_LITERAL: break;
    }
}

void fx_map_trace_value(struct map_reads *reads, const struct map_location *location,
                        const struct fx_cel_node *node, size_t depth,
                        const json_t *value) {
    const struct place place = {location, depth, value};
    walk(reads, &place, node);
}

void fx_map_trace_configuration(struct map_reads *reads,
                                const struct map_location *location) {
    fx_map_trace_value(reads, location, fx_cel_program_root(reads->expression->program),
                       0, location->after);
}
