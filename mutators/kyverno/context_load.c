/* SPDX-License-Identifier: Apache-2.0
 *
 * context_load.c - evaluates entries of a context when a query mentions them.
 */
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "context_internal.h"
#include "value/json.h"

/* ---- what a query mentions -----------------------------------------------------------
 */

static bool is_word(char c) {
    return fx_is_letter(c) || fx_is_digit(c) || c == '_';
}

/* Is there an end of a word between two characters? */
static bool is_boundary(char before, char after) {
    return is_word(before) != is_word(after);
}

/* The last character of a text; NUL if it is empty. */
static char at_end(struct fx_text text) {
    return fx_text_first(fx_text_rest(text, text.len == 0 ? 0 : text.len - 1));
}

/* Does the name stand at this position: not after a dot, a letter or a digit, and with an
 * end of a word after it? */
static bool stands_at(struct fx_text query, size_t at, struct fx_text name) {
    const char before = at_end((struct fx_text){query.data, at});
    const char after = fx_text_first(fx_text_rest(query, at + name.len));
    return before != '.' && !fx_is_letter(before) && !fx_is_digit(before) &&
           is_boundary(name.data[name.len - 1], after);
}

static bool mentions(struct fx_text query, struct fx_text name) {
    for (size_t at = 0; at + name.len <= query.len; at++) {
        const char *found =
            memchr(query.data + at, name.data[0], query.len - name.len - at + 1);
        if (found == NULL) {
            return false;
        }
        at = (size_t)(found - query.data);
        if (memcmp(found, name.data, name.len) == 0 && stands_at(query, at, name)) {
            return true;
        }
    }
    return false;
}

/* ---- which entries another one sees --------------------------------------------------
 */

/* Is the name declared before the entry at `end`, or by that entry? */
static bool is_declared(const struct kyverno_context_entries *entries,
                        struct fx_text name, size_t end) {
    size_t i = 0;
    while (i <= end && !fx_text_equal(entries->items[i].name, name)) {
        i++;
    }
    return i <= end;
}

bool fx_kyverno_entry_is_visible(const struct kyverno_context *context,
                                 const struct kyverno_frame *frame, size_t index) {
    const struct kyverno_loading *loading = context->loading;
    if (loading == NULL) {
        return true;
    }
    if (frame != loading->frame) {
        return frame->level < loading->frame->level;
    }
    return index < loading->index ||
           (index > loading->index &&
            !is_declared(frame->entries, frame->entries->items[index].name,
                         loading->index));
}

void fx_kyverno_note_level(struct kyverno_context *context, unsigned level) {
    for (struct kyverno_loading *of = context->loading; of != NULL; of = of->outer) {
        of->level = level > of->level ? level : of->level;
    }
}

/* ---- evaluation ----------------------------------------------------------------------
 */

/* Counts the value as JSON against the limit of the context. */
static bool count_bytes(struct kyverno_context *context, const json_t *value,
                        size_t *ret_bytes, struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, context->bytes_left + 1);
    fx_json_write(&buf, value, FX_JSON_COMPACT);
    *ret_bytes = buf.len;
    const bool failed = buf.failed && !buf.full;
    const bool is_full = buf.full || buf.len > context->bytes_left;
    fx_buf_finish(&buf);
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    return failed    ? fx_fail_nomem(err)
           : is_full ? fx_fail(err, FX_EMUTATE,
                               "the values of `context` have more than %u bytes",
                               FX_LIMIT_CONTEXT_BYTES)
                     : true;
}

/* Evaluates an entry. What it reads is evaluated first, so this calls itself, but no
 * entry twice. */
static bool load(struct kyverno_context *context, struct kyverno_frame *frame, size_t i,
                 struct fx_err *err) {
    struct kyverno_entry_state *state = &frame->states[i];
    struct kyverno_loading loading = {
        .outer = context->loading, .frame = frame, .index = i, .level = frame->level};
    const bool was_query = context->is_query;
    json_t *value = NULL;
    state->is_begun = true;
    context->loading = &loading;
    context->is_query = false;
    const bool ok = fx_kyverno_entry_eval(context, frame->entries,
                                          &frame->entries->items[i], &value, err) &&
                    count_bytes(context, value, &state->bytes, err);
    context->loading = loading.outer;
    context->is_query = was_query;
    state->is_begun = ok;
    if (!ok) {
        json_decref(value);
        return false;
    }
    state->value = value;
    state->level = loading.level;
    context->bytes_left -= state->bytes;
    return true;
}

static bool load_of_frame(struct kyverno_context *context, struct kyverno_frame *frame,
                          struct fx_text query, struct fx_err *err) {
    const struct kyverno_context_entries *entries = frame->entries;
    bool ok = true;
    for (size_t i = 0; ok && entries != NULL && i < entries->n; i++) {
        if (!fx_spend(1 + query.len / FX_BUDGET_BYTES)) {
            return fx_fail_exceeded(err);
        }
        if (!frame->states[i].is_begun &&
            fx_kyverno_entry_is_visible(context, frame, i) &&
            mentions(query, entries->items[i].name)) {
            ok = load(context, frame, i, err);
        }
    }
    return ok;
}

/* The frames around this one first. */
static bool load_up_to(struct kyverno_context *context, struct kyverno_frame *frame,
                       struct fx_text query, struct fx_err *err) {
    return (frame->above == NULL || load_up_to(context, frame->above, query, err)) &&
           load_of_frame(context, frame, query, err);
}

bool fx_kyverno_load_mentioned(struct kyverno_context *context, struct fx_text query,
                               struct fx_err *err) {
    return load_up_to(context, context->top, query, err);
}

void fx_kyverno_frame_forget(struct kyverno_context *context, struct kyverno_frame *frame,
                             unsigned level) {
    for (size_t i = 0; frame->entries != NULL && i < frame->entries->n; i++) {
        struct kyverno_entry_state *state = &frame->states[i];
        if (state->value != NULL && state->level >= level) {
            json_decref(state->value);
            context->bytes_left += state->bytes;
            *state = (struct kyverno_entry_state){.value = NULL};
        }
    }
}
