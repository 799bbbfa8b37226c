/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/fields.c - the tree of fields. Replays a trace, change by change: finds the
 * field of each change, adds a step to each field that it changes, and moves fields with
 * their list elements.
 *
 * Invariant: the field of a list element that is not gone has the element's index in the
 * object as replayed so far.
 */
#include "explain/report.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"
#include "explain/causes.h"
#include "explain/names.h"
#include "value/equal.h"
#include "value/patch.h"
#include "value/pointer.h"
#include "value/tree.h"

/* ---- the tree -------------------------------------------------------------------- */

static struct fx_explain_field *add_field(struct fx_explain_fields *fields,
                                          struct fx_explain_field *parent,
                                          struct fx_text name) {
    struct fx_explain_field *field = fx_arena_alloc(&fields->arena, sizeof *field);
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

/* Finds or adds the member `name` below the field. NULL without memory. */
static struct fx_explain_field *child_of(struct fx_explain_fields *fields,
                                         struct fx_explain_field *parent,
                                         struct fx_text name) {
    for (struct fx_explain_field *field = parent->first; field != NULL;
         field = field->next) {
        if (field->element == NULL && fx_text_equal(field->name, name)) {
            return field;
        }
    }
    return add_field(fields, parent, name);
}

/* ---- elements -------------------------------------------------------------------- */

static bool is_at(const struct fx_explain_field *field, size_t index) {
    return field->element != NULL && !field->is_gone && field->index == index;
}

static struct fx_explain_field *add_element(struct fx_explain_fields *fields,
                                            struct fx_explain_field *list, size_t index,
                                            json_t *value) {
    struct fx_explain_field *field = add_field(fields, list, fx_element_name(value));
    if (field != NULL) {
        field->index = index;
        field->element = json_incref(value);
    }
    return field;
}

static struct fx_explain_field *element_at(struct fx_explain_fields *fields,
                                           struct fx_explain_field *list, size_t index,
                                           json_t *value) {
    for (struct fx_explain_field *field = list->first; field != NULL;
         field = field->next) {
        if (is_at(field, index)) {
            return field;
        }
    }
    return add_element(fields, list, index, value);
}

/* Moves the elements from `index` on by one. */
static void shift(struct fx_explain_field *list, size_t index, int by) {
    for (struct fx_explain_field *field = list->first; field != NULL;
         field = field->next) {
        if (field->element != NULL && !field->is_gone && field->index >= index) {
            field->index = by > 0 ? field->index + 1 : field->index - 1;
        }
    }
}

/* Adds a list element. If a removed element had the same name, takes its field. */
static struct fx_explain_field *enter(struct fx_explain_fields *fields,
                                      struct fx_explain_field *list, size_t index,
                                      json_t *value) {
    const struct fx_text name = fx_element_name(value);
    shift(list, index, 1);
    for (struct fx_explain_field *field = list->first; field != NULL;
         field = field->next) {
        if (field->is_gone && name.data != NULL && fx_text_equal(field->name, name)) {
            field->is_gone = false;
            field->index = index;
            return field;
        }
    }
    return add_element(fields, list, index, value);
}

/* Marks the list element as removed, and moves the elements after it back. */
static void leave(struct fx_explain_field *element) {
    element->is_gone = true;
    shift(element->parent, element->index + 1, -1);
}

/* ---- from a pointer to a field --------------------------------------------------- */

/* The state of a walk along a pointer. */
struct change_walk {
    struct fx_explain_fields *fields;
    const struct fx_trace_change *change;
    struct fx_explain_field *field;
    json_t *node;    /* its value; NULL past the end of the list */
    bool is_element; /* the step led to an element */
    bool is_done;    /* the change counts as one of the list */
};

/* Is it an element without a field of its own? Its changes count as changes of the
 * list. */
static bool is_plain(const json_t *node) {
    return node != NULL && !json_is_object(node);
}

static struct fx_explain_field *step_element(struct change_walk *walk, size_t index,
                                             bool is_last) {
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

static struct fx_explain_field *step_into(struct change_walk *walk, struct fx_text token,
                                          bool is_last) {
    size_t index = 0;
    if (json_is_array(walk->node) && fx_pointer_index(token, &index)) {
        return step_element(walk, index, is_last);
    }
    walk->node = fx_tree_view_text(walk->node, token);
    walk->is_element = false;
    return child_of(walk->fields, walk->field, token);
}

/* Finds or adds the field of a change that is not yet applied: the field that it names,
 * or the list if it adds or removes an element that is not an object. Moves the elements
 * after a new element. *ret_is_element: the field is a list element, and the change adds,
 * removes or replaces it. NULL without memory. */
static struct fx_explain_field *field_of_change(struct fx_explain_fields *fields,
                                                const struct fx_trace_change *change,
                                                bool *ret_is_element) {
    struct change_walk walk = {.fields = fields,
                               .change = change,
                               .field = fields->root,
                               .node = fields->object};
    struct fx_text rest = change->path;
    struct fx_buf token = {0};
    while (walk.field != NULL && !walk.is_done && rest.len > 0 &&
           fx_pointer_next(&rest, &token)) {
        const struct fx_text text = fx_buf_view(&token);
        walk.field = step_into(&walk, text, rest.len == 0);
    }
    const bool has_memory = !token.failed;
    fx_buf_finish(&token);
    *ret_is_element = walk.is_element;
    return has_memory ? walk.field : NULL;
}

/* ---- values ---------------------------------------------------------------------- */

/* Is the field's element at the index? For an element without a name, true if there is
 * any element. */
static bool stands_at(const struct fx_explain_field *field, const json_t *list,
                      size_t index) {
    const json_t *element = json_array_get(list, index);
    return element != NULL && (field->name.data == NULL ||
                               fx_text_equal(fx_element_name(element), field->name));
}

/* The index of the field's element in the list; the length of the list if it is
 * absent. */
static size_t look_for(const struct fx_explain_field *field, const json_t *list) {
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

/* The value of the field if its parent has the value `parent`. Updates the index of a
 * list element. */
static json_t *follow(struct fx_explain_field *field, json_t *parent) {
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

/* The value of the field when `above`, a field above it, had the given value. */
static json_t *view_in(const struct fx_explain_field *field,
                       const struct fx_explain_field *above, json_t *value) {
    if (field == above) {
        return value;
    }
    json_t *parent = view_in(field->parent, above, value);
    return field->element == NULL ? fx_tree_view_text(parent, field->name)
                                  : json_array_get(parent, look_for(field, parent));
}

/* The value of the field in the object; NULL if it is absent. */
static json_t *view(const struct fx_explain_field *field, json_t *object) {
    if (field->parent == NULL) {
        return object;
    }
    json_t *parent = view(field->parent, object);
    if (field->element == NULL) {
        return fx_tree_view_text(parent, field->name);
    }
    return field->is_gone ? NULL : json_array_get(parent, field->index);
}

/* ---- the steps of one field ------------------------------------------------------ */

static json_t *last_value(const struct fx_explain_field *field) {
    return field->n_steps > 0 ? field->steps[field->n_steps - 1].value : field->initial;
}

/* Drops the last step if its value is that of the step before it. */
static void drop_void_step(struct fx_explain_field *field) {
    const struct fx_explain_field_step last = field->steps[field->n_steps - 1];
    field->n_steps--;
    if (fx_equal(last_value(field), last.value)) {
        json_decref(last.value);
    } else {
        field->n_steps++;
    }
}

/* Adds a step: the change sets the field to `value`. Changes by the same mutator in the
 * same pass are one step. */
static bool add_step(struct fx_arena *arena, struct fx_explain_field *field,
                     const struct fx_trace_change *change, json_t *value) {
    if (fx_equal(last_value(field), value)) {
        return true;
    }
    struct fx_explain_field_step *last =
        field->n_steps > 0 ? &field->steps[field->n_steps - 1] : NULL;
    if (last != NULL && last->mutator == change->mutator && last->pass == change->pass &&
        last->undoes == change->undoes) {
        json_decref(last->value);
        last->value = json_incref(value);
        const bool ok = fx_explain_causes_add(arena, last, change);
        drop_void_step(field);
        return ok;
    }
    if (!FX_VEC_GROW(field->steps, field->n_steps, field->cap_steps)) {
        return false;
    }
    last = &field->steps[field->n_steps++];
    *last = (struct fx_explain_field_step){.mutator = change->mutator,
                                           .pass = change->pass,
                                           .undoes = change->undoes,
                                           .value = json_incref(value)};
    return fx_explain_causes_add(arena, last, change);
}

/* Copies those steps of `above` that also changed the field. */
static bool inherit(struct fx_arena *arena, struct fx_explain_field *field,
                    const struct fx_explain_field *above) {
    field->initial = json_incref(view_in(field, above, above->initial));
    for (size_t i = 0; i < above->n_steps; i++) {
        const struct fx_explain_field_step *step = &above->steps[i];
        const struct fx_trace_change change = {
            .mutator = step->mutator, .pass = step->pass, .undoes = step->undoes};
        const size_t n_before = field->n_steps;
        if (!add_step(arena, field, &change, view_in(field, above, step->value)) ||
            (field->n_steps > n_before &&
             !fx_explain_causes_copy(arena, &field->steps[n_before], step->causes))) {
            return false;
        }
    }
    return true;
}

/* Begins to report a field with the present value `value`. A new element without a name
 * has no steps from before. */
static bool begin_field(struct fx_arena *arena, struct fx_explain_field *field,
                        json_t *value) {
    if (field->is_reported) {
        return true;
    }
    field->is_reported = true;
    const struct fx_explain_field *above = field->parent;
    while (above != NULL && !above->is_reported) {
        above = above->parent;
    }
    const bool is_nameless = field->element != NULL && field->name.data == NULL;
    if (above != NULL && (value != NULL || !is_nameless)) {
        return inherit(arena, field, above);
    }
    field->initial = json_incref(value);
    return true;
}

/* ---- the replay ------------------------------------------------------------------ */

struct replay {
    struct fx_explain_fields *fields;
    const struct fx_trace_change *change;
    struct fx_err *err;
};

/* Adds a step to the field, which now has this value, and to all fields below it. */
static bool note_value(const struct replay *replay, struct fx_explain_field *field,
                       json_t *value) {
    if (field->is_reported &&
        !add_step(&replay->fields->arena, field, replay->change, value)) {
        return fx_fail_nomem(replay->err);
    }
    for (struct fx_explain_field *below = field->first; below != NULL;
         below = below->next) {
        if (!note_value(replay, below, follow(below, value))) {
            return false;
        }
    }
    return true;
}

static bool apply_change(const struct replay *replay) {
    const struct fx_trace_change *change = replay->change;
    struct fx_patch_op op = {
        .kind = change->to == NULL     ? FX_PATCH_REMOVE
                : change->from == NULL ? FX_PATCH_ADD
                                       : FX_PATCH_REPLACE,
        .path = change->path,
        .value = change->to,
    };
    const struct fx_patch patch = {&replay->fields->arena, &op, 1, 1};
    if (fx_patch_apply(&patch, &replay->fields->object, replay->err)) {
        return true;
    }
    if (replay->err->code != FX_ENOMEM) {
        replay->err->code = FX_EINTERNAL;
    }
    return fx_err_prefix(replay->err, "the trace is not that of the object: ");
}

/* If the change adds or removes an object with a single member, it is about that member:
 * returns the member's field. */
static struct fx_explain_field *narrow(struct replay *replay,
                                       struct fx_explain_field *field) {
    const struct fx_trace_change *change = replay->change;
    json_t *value = change->from == NULL ? change->to : change->from;
    const bool is_whole = change->from == NULL || change->to == NULL;
    while (field != NULL && is_whole && !field->is_reported && json_is_object(value) &&
           json_object_size(value) == 1) {
        void *iter = fx_node_first(value);
        const struct fx_text name = fx_node_key(iter);
        value = json_object_iter_value(iter);
        field = child_of(replay->fields, field, name);
    }
    return field;
}

static bool replay_change(struct replay *replay, const struct fx_trace_change *change) {
    struct fx_explain_fields *fields = replay->fields;
    bool is_element = false;
    replay->change = change;
    struct fx_explain_field *field = field_of_change(fields, change, &is_element);
    if (field != NULL && !is_element) {
        field = narrow(replay, field);
    }
    const bool is_new = is_element && change->from == NULL;
    if (field == NULL || !begin_field(&fields->arena, field,
                                      is_new ? NULL : view(field, fields->object))) {
        return fx_fail_nomem(replay->err);
    }
    if (!apply_change(replay)) {
        return false;
    }
    if (is_element && change->to == NULL) {
        leave(field);
    }
    return note_value(replay, field, view(field, fields->object));
}

/* Does the change replace a list element by one with another name? (If an object replaces
 * another object, only the changed members are reported.) */
static bool is_exchange(const struct fx_trace_change *change) {
    return json_is_object(change->from) && json_is_object(change->to) &&
           !fx_text_equal(fx_element_name(change->from), fx_element_name(change->to));
}

static bool replay_any(struct replay *replay, const struct fx_trace_change *change) {
    if (!is_exchange(change)) {
        return replay_change(replay, change);
    }
    struct fx_trace_change leaving = *change;
    struct fx_trace_change coming = *change;
    leaving.to = NULL;
    coming.from = NULL;
    const bool ok = replay_change(replay, &leaving) && replay_change(replay, &coming);
    replay->change = NULL;
    return ok;
}

/* ---- the list -------------------------------------------------------------------- */

static bool list_fields(struct fx_explain_fields *fields,
                        struct fx_explain_field *field) {
    if (field->n_steps > 0) {
        if (!FX_VEC_GROW(fields->items, fields->n_items, fields->cap_items)) {
            return false;
        }
        fields->items[fields->n_items++] = field;
    }
    for (struct fx_explain_field *below = field->first; below != NULL;
         below = below->next) {
        if (!list_fields(fields, below)) {
            return false;
        }
    }
    return true;
}

bool fx_explain_fields_make(const struct fx_trace *trace, json_t *object,
                            struct fx_explain_fields *ret_fields, struct fx_err *err) {
    struct fx_explain_fields *fields = ret_fields;
    fx_arena_init(&fields->arena, FX_LIMIT_ARENA_BYTES);
    fields->object = json_incref(object);
    fields->root = fx_arena_alloc(&fields->arena, sizeof *fields->root);
    if (fields->root == NULL) {
        return fx_fail_nomem(err);
    }
    struct replay replay = {.fields = fields, .err = err};
    for (size_t i = 0; i < trace->n_changes; i++) {
        if (!replay_any(&replay, &trace->changes[i])) {
            return false;
        }
    }
    return list_fields(fields, fields->root) || fx_fail_nomem(err);
}

static void finish_field(struct fx_explain_field *field) {
    for (struct fx_explain_field *below = field->first; below != NULL;
         below = below->next) {
        finish_field(below);
    }
    for (size_t i = 0; i < field->n_steps; i++) {
        json_decref(field->steps[i].value);
    }
    free(field->steps);
    json_decref(field->initial);
    json_decref(field->element);
}

void fx_explain_fields_finish(struct fx_explain_fields *fields) {
    if (fields == NULL) {
        return;
    }
    if (fields->root != NULL) {
        finish_field(fields->root);
    }
    free(fields->items);
    json_decref(fields->object);
    fx_arena_finish(&fields->arena);
    *fields = (struct fx_explain_fields){0};
}

bool fx_explain_field_differs(const struct fx_explain_field *field) {
    return !fx_equal(field->initial, last_value(field));
}

void fx_explain_field_print_path(struct fx_buf *buf,
                                 const struct fx_explain_field *field) {
    if (field->parent == NULL) {
        return;
    }
    fx_explain_field_print_path(buf, field->parent);
    if (field->element != NULL) {
        fx_print_element(buf, field->name, field->index);
    } else {
        fx_print_member(buf, field->name);
    }
}

void fx_explain_field_print_pointer(struct fx_buf *buf,
                                    const struct fx_explain_field *field) {
    if (field->parent == NULL) {
        return;
    }
    fx_explain_field_print_pointer(buf, field->parent);
    if (field->element != NULL) {
        fx_pointer_push_index(buf, field->index);
    } else {
        fx_pointer_push(buf, field->name);
    }
}
