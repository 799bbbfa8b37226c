/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/fields.c - replays a trace, change by change, and adds a step to each field
 * that it changes.
 */
#include "explain/fields.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"
#include "explain/names.h"
#include "explain/nodes.h"
#include "value/equal.h"
#include "value/patch.h"
#include "value/pointer.h"
#include "value/tree.h"

/* ---- the steps of one field ------------------------------------------------------ */

static json_t *last_value(const struct fx_field *field) {
    return field->n_steps > 0 ? field->steps[field->n_steps - 1].value : field->initial;
}

/* Drops the last step if it gives the value of the step before it. */
static void drop_void_step(struct fx_field *field) {
    const struct fx_field_step last = field->steps[field->n_steps - 1];
    field->n_steps--;
    if (fx_equal(last_value(field), last.value)) {
        json_decref(last.value);
    } else {
        field->n_steps++;
    }
}

/* Notes that the change made the field `value`; all changes of one step of a
 * mutator are one step here. */
static bool add_step(struct fx_field *field, const struct fx_trace_change *change,
                     json_t *value) {
    if (fx_equal(last_value(field), value)) {
        return true;
    }
    struct fx_field_step *last =
        field->n_steps > 0 ? &field->steps[field->n_steps - 1] : NULL;
    if (last != NULL && last->mutator == change->mutator && last->pass == change->pass) {
        json_decref(last->value);
        last->value = json_incref(value);
        drop_void_step(field);
        return true;
    }
    if (!FX_VEC_GROW(field->steps, field->n_steps, field->cap_steps)) {
        return false;
    }
    field->steps[field->n_steps++] =
        (struct fx_field_step){change->mutator, change->pass, json_incref(value)};
    return true;
}

/* Copies the steps of `above` that changed the field, too. */
static bool inherit(struct fx_field *field, const struct fx_field *above) {
    field->initial = json_incref(fx_field_view_in(field, above, above->initial));
    for (size_t i = 0; i < above->n_steps; i++) {
        const struct fx_field_step *step = &above->steps[i];
        const struct fx_trace_change change = {.mutator = step->mutator,
                                               .pass = step->pass};
        if (!add_step(field, &change, fx_field_view_in(field, above, step->value))) {
            return false;
        }
    }
    return true;
}

/* Begins to report a field, whose value is `value` now. A new element without a name
 * cannot have been there before. */
static bool begin_field(struct fx_field *field, json_t *value) {
    if (field->is_reported) {
        return true;
    }
    field->is_reported = true;
    const struct fx_field *above = field->parent;
    while (above != NULL && !above->is_reported) {
        above = above->parent;
    }
    const bool is_nameless = field->element != NULL && field->name.data == NULL;
    if (above != NULL && (value != NULL || !is_nameless)) {
        return inherit(field, above);
    }
    field->initial = json_incref(value);
    return true;
}

/* ---- the replay ------------------------------------------------------------------ */

struct replay {
    struct fx_fields *fields;
    const struct fx_trace_change *change;
    struct fx_err *err;
};

/* The field and all below it, now that it is `value`. */
static bool note(const struct replay *replay, struct fx_field *field, json_t *value) {
    if (field->is_reported && !add_step(field, replay->change, value)) {
        return fx_fail_nomem(replay->err);
    }
    for (struct fx_field *below = field->first; below != NULL; below = below->next) {
        if (!note(replay, below, fx_field_follow(below, value))) {
            return false;
        }
    }
    return true;
}

static bool apply(const struct replay *replay) {
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

/* An object that was made, or is taken away, with nothing in it but one member, is there
 * for the member's sake. */
static struct fx_field *narrow(struct replay *replay, struct fx_field *field) {
    const struct fx_trace_change *change = replay->change;
    json_t *value = change->from == NULL ? change->to : change->from;
    const bool is_whole = change->from == NULL || change->to == NULL;
    while (field != NULL && is_whole && !field->is_reported && json_is_object(value) &&
           json_object_size(value) == 1) {
        void *iter = json_object_iter(value);
        const struct fx_text name = {json_object_iter_key(iter),
                                     json_object_iter_key_len(iter)};
        value = json_object_iter_value(iter);
        field = fx_field_child(replay->fields, field, name);
    }
    return field;
}

static bool replay_change(struct replay *replay, const struct fx_trace_change *change) {
    struct fx_fields *fields = replay->fields;
    bool is_element = false;
    replay->change = change;
    struct fx_field *field = fx_field_of_change(fields, change, &is_element);
    if (field != NULL && !is_element) {
        field = narrow(replay, field);
    }
    const bool is_new = is_element && change->from == NULL;
    if (field == NULL ||
        !begin_field(field, is_new ? NULL : fx_field_view(field, fields->object))) {
        return fx_fail_nomem(replay->err);
    }
    if (!apply(replay)) {
        return false;
    }
    if (is_element && change->to == NULL) {
        fx_field_leave(field);
    }
    return note(replay, field, fx_field_view(field, fields->object));
}

/* Does an element make room for one of another name? (Members that are objects before and
 * after are told by what changed in them.) */
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

static bool list(struct fx_fields *fields, struct fx_field *field) {
    if (field->n_steps > 0) {
        if (!FX_VEC_GROW(fields->items, fields->n_items, fields->cap_items)) {
            return false;
        }
        fields->items[fields->n_items++] = field;
    }
    for (struct fx_field *below = field->first; below != NULL; below = below->next) {
        if (!list(fields, below)) {
            return false;
        }
    }
    return true;
}

bool fx_fields_make(const struct fx_trace *trace, json_t *object,
                    struct fx_fields *ret_fields, struct fx_err *err) {
    struct fx_fields *fields = ret_fields;
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
    return list(fields, fields->root) || fx_fail_nomem(err);
}

static void finish_field(struct fx_field *field) {
    for (struct fx_field *below = field->first; below != NULL; below = below->next) {
        finish_field(below);
    }
    for (size_t i = 0; i < field->n_steps; i++) {
        json_decref(field->steps[i].value);
    }
    free(field->steps);
    json_decref(field->initial);
    json_decref(field->element);
}

void fx_fields_finish(struct fx_fields *fields) {
    if (fields == NULL) {
        return;
    }
    if (fields->root != NULL) {
        finish_field(fields->root);
    }
    free(fields->items);
    json_decref(fields->object);
    fx_arena_finish(&fields->arena);
    *fields = (struct fx_fields){0};
}

bool fx_field_differs(const struct fx_field *field) {
    return !fx_equal(field->initial, last_value(field));
}

void fx_field_print_path(struct fx_buf *buf, const struct fx_field *field) {
    if (field->parent == NULL) {
        return;
    }
    fx_field_print_path(buf, field->parent);
    if (field->element != NULL) {
        fx_print_element(buf, field->name, field->index);
    } else {
        fx_print_member(buf, field->name);
    }
}

void fx_field_print_pointer(struct fx_buf *buf, const struct fx_field *field) {
    if (field->parent == NULL) {
        return;
    }
    fx_field_print_pointer(buf, field->parent);
    if (field->element != NULL) {
        fx_pointer_push_index(buf, field->index);
    } else {
        fx_pointer_push(buf, field->name);
    }
}
