/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/nodes.c - the tree of fields, and the list elements they follow.
 *
 * Invariant: list elements that have a field and are not gone have the index at
 * which they stand in the object as replayed so far.
 */
#include "explain/nodes.h"

#include "explain/names.h"
#include "value/pointer.h"
#include "value/tree.h"

static struct fx_field *add(struct fx_fields *fields, struct fx_field *parent,
                            struct fx_text name) {
    struct fx_field *field = fx_arena_alloc(&fields->arena, sizeof *field);
    const char *copy = name.data == NULL ? NULL : fx_arena_copy(&fields->arena, name);
    if (field == NULL || (name.data != NULL && copy == NULL)) {
        return NULL;
    }
    field->parent = parent;
    field->name = (struct fx_text){copy, name.len};
    if (parent->last == NULL) {
        parent->first = field;
    } else {
        parent->last->next = field;
    }
    parent->last = field;
    return field;
}

struct fx_field *fx_field_child(struct fx_fields *fields, struct fx_field *parent,
                                struct fx_text name) {
    for (struct fx_field *field = parent->first; field != NULL; field = field->next) {
        if (field->element == NULL && fx_text_equal(field->name, name)) {
            return field;
        }
    }
    return add(fields, parent, name);
}

/* ---- elements -------------------------------------------------------------------- */

static bool is_at(const struct fx_field *field, size_t index) {
    return field->element != NULL && !field->is_gone && field->index == index;
}

static struct fx_field *add_element(struct fx_fields *fields, struct fx_field *list,
                                    size_t index, json_t *value) {
    struct fx_field *field = add(fields, list, fx_element_name(value));
    if (field != NULL) {
        field->index = index;
        field->element = json_incref(value);
    }
    return field;
}

static struct fx_field *element_at(struct fx_fields *fields, struct fx_field *list,
                                   size_t index, json_t *value) {
    for (struct fx_field *field = list->first; field != NULL; field = field->next) {
        if (is_at(field, index)) {
            return field;
        }
    }
    return add_element(fields, list, index, value);
}

/* Elements from `index` on move by one. */
static void shift(struct fx_field *list, size_t index, int by) {
    for (struct fx_field *field = list->first; field != NULL; field = field->next) {
        if (field->element != NULL && !field->is_gone && field->index >= index) {
            field->index = by > 0 ? field->index + 1 : field->index - 1;
        }
    }
}

/* A new element: perhaps one of that name that was there before. */
static struct fx_field *enter(struct fx_fields *fields, struct fx_field *list,
                              size_t index, json_t *value) {
    const struct fx_text name = fx_element_name(value);
    shift(list, index, 1);
    for (struct fx_field *field = list->first; field != NULL; field = field->next) {
        if (field->is_gone && name.data != NULL && fx_text_equal(field->name, name)) {
            field->is_gone = false;
            field->index = index;
            return field;
        }
    }
    return add_element(fields, list, index, value);
}

void fx_field_leave(struct fx_field *element) {
    element->is_gone = true;
    shift(element->parent, element->index + 1, -1);
}

/* ---- from a pointer to a field --------------------------------------------------- */

/* Where the walk along a pointer is. */
struct walk {
    struct fx_fields *fields;
    const struct fx_trace_change *change;
    struct fx_field *field;
    json_t *node;    /* its value; NULL behind the end */
    bool is_element; /* the step led to an element */
    bool is_done;    /* the change is the list's */
};

/* Is it an element that is not tracked on its own? Then the change is that of its list.
 */
static bool is_plain(const json_t *node) {
    return node != NULL && !json_is_object(node);
}

static struct fx_field *step_element(struct walk *walk, size_t index, bool is_last) {
    const struct fx_trace_change *change = walk->change;
    json_t *value = json_array_get(walk->node, index);
    walk->is_element = true;
    if (is_last && (is_plain(change->from) || is_plain(change->to))) {
        walk->is_done = true;
        walk->is_element = false;
        return walk->field;
    }
    if (is_last && change->from == NULL) {
        return enter(walk->fields, walk->field, index, change->to);
    }
    walk->node = value;
    return value == NULL ? walk->field
                         : element_at(walk->fields, walk->field, index, value);
}

static struct fx_field *step(struct walk *walk, struct fx_text token, bool is_last) {
    size_t index = 0;
    if (json_is_array(walk->node) && fx_pointer_index(token, &index)) {
        return step_element(walk, index, is_last);
    }
    walk->node = fx_tree_view_text(walk->node, token);
    walk->is_element = false;
    return fx_field_child(walk->fields, walk->field, token);
}

struct fx_field *fx_field_of_change(struct fx_fields *fields,
                                    const struct fx_trace_change *change,
                                    bool *ret_is_element) {
    struct walk walk = {.fields = fields,
                        .change = change,
                        .field = fields->root,
                        .node = fields->object};
    struct fx_text rest = change->path;
    struct fx_buf token = {0};
    while (walk.field != NULL && !walk.is_done && rest.len > 0 &&
           fx_pointer_next(&rest, &token)) {
        const struct fx_text text = {token.data, token.len};
        walk.field = step(&walk, text, rest.len == 0);
    }
    const bool has_memory = !token.failed;
    fx_buf_finish(&token);
    *ret_is_element = walk.is_element;
    return has_memory ? walk.field : NULL;
}

/* ---- values ---------------------------------------------------------------------- */

/* Is it the element at the index? One without a name is what stands there. */
static bool stands_at(const struct fx_field *field, const json_t *list, size_t index) {
    const json_t *element = json_array_get(list, index);
    return element != NULL && (field->name.data == NULL ||
                               fx_text_equal(fx_element_name(element), field->name));
}

/* Where the element is in the list; its length where it is not there. */
static size_t look_for(const struct fx_field *field, const json_t *list) {
    if (stands_at(field, list, field->index)) {
        return field->index;
    }
    const size_t end = json_array_size(list);
    for (size_t i = 0; field->name.data != NULL && i < end; i++) {
        if (stands_at(field, list, i)) {
            return i;
        }
    }
    return end;
}

json_t *fx_field_follow(struct fx_field *field, json_t *parent) {
    if (field->element == NULL) {
        return fx_tree_view_text(parent, field->name);
    }
    const size_t index = look_for(field, parent);
    field->is_gone = index >= json_array_size(parent);
    if (!field->is_gone) {
        field->index = index;
    }
    return json_array_get(parent, index);
}

json_t *fx_field_view_in(const struct fx_field *field, const struct fx_field *above,
                         json_t *value) {
    if (field == above) {
        return value;
    }
    json_t *parent = fx_field_view_in(field->parent, above, value);
    return field->element == NULL ? fx_tree_view_text(parent, field->name)
                                  : json_array_get(parent, look_for(field, parent));
}

json_t *fx_field_view(const struct fx_field *field, json_t *object) {
    if (field->parent == NULL) {
        return object;
    }
    json_t *parent = fx_field_view(field->parent, object);
    if (field->element == NULL) {
        return fx_tree_view_text(parent, field->name);
    }
    return field->is_gone ? NULL : json_array_get(parent, field->index);
}
