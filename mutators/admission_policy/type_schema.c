/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_schema.c - makes types of schemas.
 *
 * A schema may refer to itself, so each node that is an object, a map or a list has one
 * type, which is known before its parts are: nodes wait in a list until their parts are
 * filled in. There is no recursion.
 */
#include "mutators/admission_policy/type_schema.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

/* Lists of lists, maps of lists and so on, without an object between them: types that
 * refer to themselves in this way would have no end. */
#define MOST_NESTING 16u

/* The conversion of one set. */
struct map_type_maker {
    struct fx_arena *arena;
    const struct fx_schema_set *set;
    struct fx_cel_type **types; /* by node; NULL: not needed yet */
    uint32_t *waiting;          /* nodes whose parts are not filled in */
    size_t n_waiting;
    bool no_memory;
};

/* Is there an end, or an object, below the lists and maps of the node? */
static bool ends(const struct fx_schema_set *set, uint32_t node) {
    for (size_t i = 0; i < MOST_NESTING; i++) {
        const enum fx_schema_type type = (enum fx_schema_type)set->nodes[node].type;
        if (type != FX_SCHEMA_LIST && type != FX_SCHEMA_MAP) {
            return true;
        }
        node = set->nodes[node].element;
    }
    return false;
}

/* The type of a node that has no parts; NULL: it has. */
static const struct fx_cel_type *find_simple(const struct fx_schema_set *set,
                                             uint32_t index) {
    const struct fx_schema_node *node = &set->nodes[index];
    switch ((enum fx_schema_type)node->type) {
    case FX_SCHEMA_STRING:
    case FX_SCHEMA_SCALAR: return &fx_cel_string; /* a quantity, a date, an address */
    case FX_SCHEMA_BOOL: return &fx_cel_bool;
    case FX_SCHEMA_NUMBER:
        return node->format == FX_SCHEMA_INT32 || node->format == FX_SCHEMA_INT64
                   ? &fx_cel_int
                   : &fx_cel_dyn;
    case FX_SCHEMA_STRUCT: return node->allows_any ? &fx_cel_dyn : NULL;
    case FX_SCHEMA_MAP:
    case FX_SCHEMA_LIST: return ends(set, index) ? NULL : &fx_cel_dyn;
    case FX_SCHEMA_ANY: break;
    }
    return &fx_cel_dyn;
}

/* The type of a node, whose parts may be filled in later. */
static const struct fx_cel_type *type_of(struct map_type_maker *maker, uint32_t node) {
    const struct fx_cel_type *simple = find_simple(maker->set, node);
    if (simple != NULL) {
        return simple;
    }
    if (maker->types[node] == NULL) {
        struct fx_cel_type *type = fx_arena_alloc(maker->arena, sizeof *type);
        if (type == NULL) {
            maker->no_memory = true;
            return &fx_cel_dyn;
        }
        maker->types[node] = type;
        maker->waiting[maker->n_waiting++] = node;
    }
    return maker->types[node];
}

/* Makes the fields of an object; NULL without memory. */
static const struct fx_cel_field *make_fields(struct map_type_maker *maker,
                                              const struct fx_schema_node *node) {
    struct fx_cel_field *fields =
        fx_arena_alloc(maker->arena, ((size_t)node->n + 1) * sizeof *fields);
    maker->no_memory = maker->no_memory || fields == NULL;
    if (fields == NULL || !fx_spend(node->n)) {
        return NULL;
    }
    for (size_t i = 0; i < node->n; i++) {
        const struct fx_schema_field *field = &maker->set->fields[node->first + i];
        fields[i] = (struct fx_cel_field){.name = maker->set->texts + field->name,
                                          .type = type_of(maker, field->node)};
    }
    fields[node->n] = (struct fx_cel_field){.name = NULL};
    return fields;
}

static void fill(struct map_type_maker *maker, uint32_t index) {
    const struct fx_schema_node *node = &maker->set->nodes[index];
    struct fx_cel_type *type = maker->types[index];
    if (node->type == FX_SCHEMA_LIST) {
        *type = fx_cel_list_dyn;
        type->params[0] = type_of(maker, node->element);
        return;
    }
    *type = fx_cel_map_string_dyn;
    if (node->type == FX_SCHEMA_MAP) {
        type->params[1] = type_of(maker, node->element);
    } else {
        type->fields = make_fields(maker, node);
    }
}

bool fx_map_type_of_schema(struct fx_arena *arena, struct fx_schema schema,
                           const struct fx_cel_type **ret_type, struct fx_err *err) {
    struct map_type_maker maker = {.arena = arena, .set = schema.set};
    maker.types = calloc(schema.set->n_nodes, sizeof(struct fx_cel_type *));
    maker.waiting = calloc(schema.set->n_nodes, sizeof *maker.waiting);
    maker.no_memory = maker.types == NULL || maker.waiting == NULL;
    *ret_type = maker.no_memory ? NULL : type_of(&maker, schema.node);
    while (!maker.no_memory && maker.n_waiting > 0 && fx_spend(1)) {
        fill(&maker, maker.waiting[--maker.n_waiting]);
    }
    free(maker.types);
    free(maker.waiting);
    if (maker.no_memory) {
        return fx_fail_nomem(err);
    }
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING || fx_fail_exceeded(err);
}
