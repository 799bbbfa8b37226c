/* SPDX-License-Identifier: Apache-2.0
 *
 * context.c - the frames of a context, and the scope of its queries.
 */
#include "context.h"

#include "base/limits.h"
#include "context_internal.h"
#include "value/tree.h"

/* ---- names: the innermost frame first, and in a frame the entry declared last ---------
 */

/* Finds the value of an entry of the frame. */
static bool find_entry(struct kyverno_context *context, const struct kyverno_frame *frame,
                       struct fx_text name, json_t **ret_value) {
    for (size_t i = frame->entries == NULL ? 0 : frame->entries->n; i-- > 0;) {
        const struct kyverno_entry_state *state = &frame->states[i];
        if (state->value != NULL && fx_text_equal(frame->entries->items[i].name, name) &&
            fx_kyverno_entry_is_visible(context, frame, i)) {
            fx_kyverno_note_level(context, state->level);
            *ret_value = json_incref(state->value);
            return true;
        }
    }
    return false;
}

static bool find(void *user, struct fx_text name, json_t **ret_value,
                 struct fx_err *err) {
    struct kyverno_context *context = user;
    for (const struct kyverno_frame *frame = context->top; frame != NULL;
         frame = frame->above) {
        if (find_entry(context, frame, name, ret_value)) {
            return true;
        }
        if (!fx_kyverno_find_element(frame, name, ret_value, err)) {
            return false;
        }
        if (*ret_value != NULL) {
            fx_kyverno_note_level(context, frame->level);
            return true;
        }
    }
    return fx_kyverno_find_name(context, name, ret_value, err);
}

/* Sets the names of the frame in an object, after those of the frames around it. */
static bool add_frame(struct kyverno_context *context, const struct kyverno_frame *frame,
                      json_t *object, struct fx_err *err) {
    bool ok = (frame->above == NULL || add_frame(context, frame->above, object, err)) &&
              fx_kyverno_add_element(frame, object, err);
    for (size_t i = 0; ok && frame->entries != NULL && i < frame->entries->n; i++) {
        json_t *value = frame->states[i].value;
        if (value != NULL && fx_kyverno_entry_is_visible(context, frame, i)) {
            ok = fx_tree_set_take(object, frame->entries->items[i].name,
                                  json_incref(value)) ||
                 fx_fail_nomem(err);
        }
    }
    return ok;
}

static bool find_all(void *user, json_t **ret_object, struct fx_err *err) {
    struct kyverno_context *context = user;
    json_t *object = json_object();
    const bool ok = (object != NULL || fx_fail_nomem(err)) &&
                    fx_kyverno_add_names(context, object, err) &&
                    add_frame(context, context->top, object, err);
    fx_kyverno_note_level(context, context->top->level);
    *ret_object = fx_tree_keep_if(ok, object);
    return ok;
}

static bool begin(void *user, struct fx_text query, struct fx_err *err) {
    return fx_kyverno_load_mentioned(user, query, err);
}

/* ---- frames --------------------------------------------------------------------------
 */

static bool init_frame(struct kyverno_frame *frame,
                       const struct kyverno_context_entries *entries,
                       struct fx_arena *arena, struct fx_err *err) {
    *frame = (struct kyverno_frame){.entries = entries};
    if (entries == NULL) {
        return true;
    }
    frame->states = fx_arena_alloc(arena, entries->n * sizeof *frame->states);
    return frame->states != NULL || fx_fail_nomem(err);
}

bool fx_kyverno_frame_push(struct kyverno_context *context, struct kyverno_frame *frame,
                           const struct kyverno_context_entries *entries,
                           struct fx_err *err) {
    if (!init_frame(frame, entries, context->arena, err)) {
        return false;
    }
    frame->above = context->top;
    frame->level = context->top->level + 1;
    context->top = frame;
    return true;
}

/* Drops all values that depend on the frame on top. */
static void forget_top(struct kyverno_context *context) {
    const unsigned level = context->top->level;
    for (struct kyverno_frame *frame = context->top; frame != NULL;
         frame = frame->above) {
        fx_kyverno_frame_forget(context, frame, level);
    }
}

void fx_kyverno_frame_set_element(struct kyverno_context *context, json_t *element,
                                  size_t index) {
    struct kyverno_frame *frame = context->top;
    forget_top(context);
    json_incref(element);
    json_decref(frame->element);
    frame->element = element;
    frame->index = index;
}

void fx_kyverno_frame_pop(struct kyverno_context *context) {
    struct kyverno_frame *frame = context->top;
    forget_top(context);
    json_decref(frame->element);
    frame->element = NULL;
    context->top = frame->above;
}

/* ---- contexts ------------------------------------------------------------------------
 */

bool fx_kyverno_context_init(struct kyverno_context *context,
                             const struct fx_request *request,
                             const struct kyverno_context_entries *entries,
                             struct fx_arena *arena, struct fx_err *err) {
    *context = (struct kyverno_context){
        .request = request,
        .arena = arena,
        .bytes_left = FX_LIMIT_CONTEXT_BYTES,
        .scope = {.find = find, .all = find_all, .begin = begin, .context = context},
    };
    context->top = &context->rule;
    return init_frame(&context->rule, entries, arena, err);
}

static void drop(json_t **value) {
    json_decref(*value);
    *value = NULL;
}

static void release_object(struct kyverno_context *context) {
    drop(&context->object);
    drop(&context->request_value);
    drop(&context->variable_value);
}

void fx_kyverno_context_finish(struct kyverno_context *context) {
    release_object(context);
    drop(&context->target);
    fx_kyverno_frame_forget(context, &context->rule, 0);
    json_decref(context->images);
}

void fx_kyverno_context_set_object(struct kyverno_context *context, json_t *object) {
    json_incref(object);
    release_object(context);
    context->object = object;
}

void fx_kyverno_context_set_target(struct kyverno_context *context, json_t *target) {
    json_incref(target);
    drop(&context->target);
    context->target = target;
    context->has_target = true;
}

void fx_kyverno_context_set_mutated(struct kyverno_context *context, json_t *object) {
    if (context->has_target) {
        fx_kyverno_context_set_target(context, object);
    } else {
        fx_kyverno_context_set_object(context, object);
    }
}

void fx_kyverno_context_release_mutated(struct kyverno_context *context) {
    if (context->has_target) {
        drop(&context->target);
    } else {
        release_object(context);
    }
}

bool fx_kyverno_context_query(struct kyverno_context *context,
                              const struct fx_jmespath *query, json_t **ret_value,
                              struct fx_err *err) {
    const bool before = context->is_query;
    context->is_query = true;
    const enum fx_jmespath_outcome outcome =
        fx_jmespath_search(query, NULL, &context->scope, ret_value, err);
    context->is_query = before;
    if (outcome != FX_JMESPATH_VALUE && err->code == FX_EINVALID) {
        err->code = FX_EMUTATE;
        (void)fx_err_prefix(err, "JMESPath query failed: ");
    }
    return outcome == FX_JMESPATH_VALUE;
}
