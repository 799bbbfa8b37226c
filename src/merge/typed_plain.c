/* SPDX-License-Identifier: Apache-2.0
 *
 * typed_plain.c - merges a plain configuration into an object in place: one walk checks
 * all of it and collects what changes; only then is the object written.
 *
 * The depth of a configuration is limited, so recursion is.
 */
#include "base/budget.h"
#include "merge/typed_internal.h"
#include "value/equal.h"
#include "value/tree.h"

/* An object or list of the live object that the configuration is merged with. */
struct plain_place {
    struct plain_place *above; /* NULL: the root */
    struct fx_text key;        /* in the object above */
    size_t index;              /* in the list above */
    bool is_element;           /* its place is `index` of a list */
    bool is_own;               /* no other tree shares `node` any more */
    json_t *node;
};

/* A member that gets another value. */
struct plain_write {
    struct plain_write *next;
    struct plain_place *place;
    struct fx_text key;
    json_t *value; /* borrowed from the configuration */
};

struct plain_walk {
    struct fx_arena *arena;
    struct plain_write *first, **end;
    bool failed; /* no memory, or the budget is exceeded */
};

/* The member of an object of the configuration that is looked at. `place` is that of the
 * object; NULL within a value that is new as a whole, which is written at its top. */
struct plain_member {
    struct fx_schema schema;
    struct plain_place *place;
    struct fx_text key;
    json_t *live, *value; /* `live` NULL: the live object does not have the member */
};

/* ---- writes ------------------------------------------------------------------------ */

static bool plain_fail(struct plain_walk *walk) {
    walk->failed = true;
    return false;
}

/* The place of an object or list of the live object. NULL without memory. */
static struct plain_place *add_place(struct plain_walk *walk, struct plain_place *above,
                                     json_t *node) {
    struct plain_place *place = fx_arena_alloc(walk->arena, sizeof *place);
    if (place == NULL) {
        walk->failed = true;
        return NULL;
    }
    *place = (struct plain_place){.above = above, .node = node};
    return place;
}

static bool add_write(struct plain_walk *walk, const struct plain_member *member) {
    if (member->place == NULL) {
        return true;
    }
    struct plain_write *write = fx_arena_alloc(walk->arena, sizeof *write);
    if (write == NULL) {
        return plain_fail(walk);
    }
    *write = (struct plain_write){
        .place = member->place, .key = member->key, .value = member->value};
    *walk->end = write;
    walk->end = &write->next;
    return true;
}

/* Makes the node of a place writable, and those above it. NULL without memory. */
static json_t *own_place(struct plain_place *place, json_t **root) {
    if (place->is_own) {
        return place->node;
    }
    json_t *above = place->above == NULL ? NULL : own_place(place->above, root);
    if (place->above == NULL) {
        place->node = fx_tree_own_root(root);
    } else if (above != NULL) {
        place->node = place->is_element ? fx_tree_own_index(above, place->index)
                                        : fx_tree_own_key(above, place->key);
    }
    place->is_own = place->above == NULL || above != NULL;
    return place->is_own ? place->node : NULL;
}

static bool write_each(const struct plain_walk *walk, json_t **root) {
    for (struct plain_write *write = walk->first; write != NULL; write = write->next) {
        json_t *object = own_place(write->place, root);
        if (object == NULL ||
            !fx_tree_set_take(object, write->key, json_incref(write->value))) {
            return false;
        }
    }
    return true;
}

/* A shared root that is replaced by a copy comes back if memory runs out. */
static bool write_all(const struct plain_walk *walk, json_t **root) {
    json_t *kept = fx_tree_is_unshared(*root) ? NULL : json_incref(*root);
    const bool ok = write_each(walk, root);
    if (!ok && kept != NULL) {
        json_decref(*root);
        *root = json_incref(kept);
    }
    json_decref(kept);
    return ok;
}

/* ---- scalars ----------------------------------------------------------------------- */

static bool is_text(const json_t *node) {
    return json_is_string(node) && fx_typed_foreign_type(node) == NULL;
}

/* Is the value a scalar of exactly this type? */
static bool fits_scalar(const struct fx_schema_node *type, const json_t *value) {
    switch ((enum fx_schema_type)type->type) {
    case FX_SCHEMA_STRING: return is_text(value);
    case FX_SCHEMA_NUMBER: return json_is_integer(value);
    case FX_SCHEMA_BOOL: return json_is_boolean(value);
    case FX_SCHEMA_ANY:
    case FX_SCHEMA_SCALAR:
        return is_text(value) || json_is_integer(value) || json_is_boolean(value);
    case FX_SCHEMA_STRUCT:
    case FX_SCHEMA_MAP:
    case FX_SCHEMA_LIST: break;
    }
    return false;
}

/* Has the value the form in which an API server would write it? */
static bool is_usual_form(const struct fx_schema_node *type, const json_t *value) {
    switch ((enum fx_schema_format)type->format) {
    case FX_SCHEMA_NO_FORMAT:
    case FX_SCHEMA_INT64:
    case FX_SCHEMA_DOUBLE: return true;
    case FX_SCHEMA_INT32:
        return json_integer_value(value) >= INT32_MIN &&
               json_integer_value(value) <= INT32_MAX;
    case FX_SCHEMA_BYTES:
    case FX_SCHEMA_QUANTITY:
    case FX_SCHEMA_INT_OR_STRING:
    case FX_SCHEMA_OPTIONAL_INT_OR_STRING:
    case FX_SCHEMA_DATE_TIME: break;
    }
    return false;
}

static bool walk_scalar(struct plain_walk *walk, const struct plain_member *member) {
    const struct fx_schema_node *type = fx_schema_node(member->schema);
    if (!fits_scalar(type, member->value) ||
        (member->live != NULL && !fits_scalar(type, member->live))) {
        return false;
    }
    if (member->live != NULL && fx_equal(member->live, member->value)) {
        return true;
    }
    return is_usual_form(type, member->value) && add_write(walk, member);
}

/* ---- objects and lists ------------------------------------------------------------- */

static bool walk_value(struct plain_walk *walk, const struct plain_member *member);

/* May the value be an object whose members are merged? Values of an unknown type with a
 * format are scalars. */
static bool is_map(const struct fx_schema_node *type) {
    return !type->is_atomic && type->format == FX_SCHEMA_NO_FORMAT &&
           (type->type == FX_SCHEMA_STRUCT || type->type == FX_SCHEMA_MAP ||
            type->type == FX_SCHEMA_ANY);
}

/* The members of an object. `live` NULL: the object is new; then `place` is NULL. */
static bool walk_members(struct plain_walk *walk, struct fx_schema schema,
                         struct plain_place *place, const json_t *live,
                         const json_t *patch) {
    for (void *iter = fx_node_first(patch); iter != NULL;
         iter = fx_node_next(patch, iter)) {
        struct plain_member member = {.place = place, .key = fx_node_key(iter)};
        member.schema = fx_typed_member(schema, member.key);
        member.live = live == NULL ? NULL : fx_tree_view_text(live, member.key);
        member.value = json_object_iter_value(iter);
        if (member.schema.set == NULL || !walk_value(walk, &member)) {
            return false;
        }
    }
    return true;
}

static bool walk_object(struct plain_walk *walk, const struct plain_member *member) {
    if (!is_map(fx_schema_node(member->schema))) {
        return false;
    }
    if (member->live == NULL) {
        return walk_members(walk, member->schema, NULL, NULL, member->value) &&
               add_write(walk, member);
    }
    if (!json_is_object(member->live)) {
        return false;
    }
    struct plain_place *place = add_place(walk, member->place, member->live);
    if (place == NULL) {
        return false;
    }
    place->key = member->key;
    return walk_members(walk, member->schema, place, member->live, member->value);
}

/* Numbers the items of both lists by their keys. NULL if one has no key, if two live
 * items have the same one, or if the walk failed. */
static const size_t *number_items(struct plain_walk *walk,
                                  const struct plain_member *member) {
    const size_t n_live = json_array_size(member->live);
    const size_t n = n_live + json_array_size(member->value);
    size_t *numbers = fx_arena_alloc(walk->arena, (n + 1) * sizeof *numbers);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = i < n_live ? json_array_get(member->live, i)
                                        : json_array_get(member->value, i - n_live);
        if (!fx_typed_has_key(member->schema, item)) {
            return NULL;
        }
    }
    if (numbers == NULL || !fx_typed_number_items(member->schema, member->live,
                                                  member->value, walk->arena, numbers)) {
        walk->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < n_live; i++) {
        if (numbers[i] != i) {
            return NULL;
        }
    }
    return numbers;
}

/* A list is plain if each of its items is merged with a live one, and both lists have
 * these in the same order: then the live list keeps its items and its order. */
static bool walk_list(struct plain_walk *walk, const struct plain_member *member) {
    const struct fx_schema_node *type = fx_schema_node(member->schema);
    const struct fx_schema element = fx_typed_element(member->schema);
    if (type->type != FX_SCHEMA_LIST || type->is_atomic || type->is_set || type->n == 0 ||
        !json_is_array(member->live) || !is_map(fx_schema_node(element))) {
        return false;
    }
    const size_t n_live = json_array_size(member->live);
    const size_t *numbers = number_items(walk, member);
    struct plain_place *list = add_place(walk, member->place, member->live);
    if (numbers == NULL || list == NULL) {
        return false;
    }
    list->key = member->key;
    size_t next = 0;
    for (size_t i = 0; i < json_array_size(member->value); i++) {
        const size_t at = numbers[n_live + i];
        json_t *live = json_array_get(member->live, at);
        struct plain_place *place =
            at < next || at >= n_live ? NULL : add_place(walk, list, live);
        if (place == NULL || !fx_spend(6)) {
            return false;
        }
        place->index = at;
        place->is_element = true;
        next = at + 1;
        if (!walk_members(walk, element, place, live, json_array_get(member->value, i))) {
            return false;
        }
    }
    return true;
}

static bool walk_value(struct plain_walk *walk, const struct plain_member *member) {
    if (!fx_spend(6)) {
        return plain_fail(walk);
    }
    return json_is_object(member->value)  ? walk_object(walk, member)
           : json_is_array(member->value) ? walk_list(walk, member)
                                          : walk_scalar(walk, member);
}

/* ---- the whole --------------------------------------------------------------------- */

enum fx_typed_plain fx_typed_merge_plain(struct fx_schema schema, json_t **root,
                                         const json_t *patch, struct fx_arena *arena,
                                         struct fx_err *err) {
    struct plain_walk walk = {.arena = arena};
    struct plain_place place = {.node = *root};
    walk.end = &walk.first;
    const bool is_plain = is_map(fx_schema_node(schema)) && json_is_object(*root) &&
                          json_is_object(patch) &&
                          walk_members(&walk, schema, &place, *root, patch);
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        (void)fx_fail_exceeded(err);
        return FX_TYPED_FAILED;
    }
    if (walk.failed || (is_plain && !write_all(&walk, root))) {
        (void)fx_fail_nomem(err);
        return FX_TYPED_FAILED;
    }
    return !is_plain            ? FX_TYPED_NOT_PLAIN
           : walk.first == NULL ? FX_TYPED_SAME
                                : FX_TYPED_CHANGED;
}
