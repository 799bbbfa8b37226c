/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/standard_texts.c - functions of JMESPath that read or make texts.
 */
#include "base/budget.h"
#include "base/buf.h"
#include "base/find.h"
#include "base/limits.h"
#include "location/jmespath/standard.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

bool fx_jmespath_starts_with(const struct fx_jmespath_call *call, json_t **ret_value,
                             struct fx_err *err) {
    return fx_jmespath_give_boolean(
        fx_text_starts(fx_tree_text(call->args[0]), fx_tree_text(call->args[1])),
        ret_value, err);
}

bool fx_jmespath_ends_with(const struct fx_jmespath_call *call, json_t **ret_value,
                           struct fx_err *err) {
    return fx_jmespath_give_boolean(
        fx_text_ends(fx_tree_text(call->args[0]), fx_tree_text(call->args[1])), ret_value,
        err);
}

static bool list_contains(const json_t *list, const json_t *wanted) {
    for (size_t i = 0; i < json_array_size(list) && fx_spend(1); i++) {
        if (fx_equal(json_array_get(list, i), wanted)) {
            return true;
        }
    }
    return false;
}

/* A string contains no value that is not a string. */
bool fx_jmespath_contains(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    const json_t *in = call->args[0];
    const json_t *wanted = call->args[1];
    const bool contains =
        json_is_array(in)
            ? list_contains(in, wanted)
            : json_is_string(wanted) &&
                  fx_text_find(fx_tree_text(in), fx_tree_text(wanted)) != FX_NOT_FOUND;
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING
               ? fx_fail_exceeded(err)
               : fx_jmespath_give_boolean(contains, ret_value, err);
}

bool fx_jmespath_join(const struct fx_jmespath_call *call, json_t **ret_value,
                      struct fx_err *err) {
    const struct fx_text separator = fx_tree_text(call->args[0]);
    struct fx_buf buf;
    fx_buf_init(&buf, FX_LIMIT_JMESPATH_TEXT_BYTES);
    for (size_t i = 0; i < json_array_size(call->args[1]) && !buf.failed; i++) {
        const struct fx_text text = fx_tree_text(json_array_get(call->args[1], i));
        if (!fx_spend(1 + (separator.len + text.len) / FX_BUDGET_BYTES)) {
            fx_buf_finish(&buf);
            return fx_fail_exceeded(err);
        }
        fx_buf_text(&buf, i == 0 ? (struct fx_text){NULL, 0} : separator);
        fx_buf_text(&buf, text);
    }
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

/* Strings stay as they are; other values become JSON as Go writes it. */
bool fx_jmespath_to_string(const struct fx_jmespath_call *call, json_t **ret_value,
                           struct fx_err *err) {
    struct fx_buf buf;
    if (json_is_string(call->args[0])) {
        *ret_value = json_incref(call->args[0]);
        return true;
    }
    fx_buf_init(&buf, FX_LIMIT_JMESPATH_TEXT_BYTES);
    fx_json_write(&buf, call->args[0], FX_JSON_HTML | FX_JSON_SORT_KEYS);
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        fx_buf_finish(&buf);
        return fx_fail_exceeded(err);
    }
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

/* ---- runes ------------------------------------------------------------------------- */

#define BYTES_OF_A_UNIT 4u /* of a text that is read rune by rune */

static size_t count_runes(struct fx_text text) {
    size_t n = 0;
    for (size_t at = 0; at < text.len; n++) {
        uint32_t rune = 0;
        at += fx_text_rune(fx_text_rest(text, at), &rune);
    }
    return n;
}

bool fx_jmespath_length(const struct fx_jmespath_call *call, json_t **ret_value,
                        struct fx_err *err) {
    const json_t *value = call->args[0];
    const struct fx_text text = fx_tree_text(value);
    if (!fx_spend(text.len / BYTES_OF_A_UNIT)) {
        return fx_fail_exceeded(err);
    }
    const size_t length = json_is_string(value)
                              ? count_runes(text)
                              : json_array_size(value) + json_object_size(value);
    return fx_jmespath_give_take(json_integer((json_int_t)length), ret_value, err);
}

/* Reverses the runes of a text. */
static bool reverse_text(struct fx_arena *arena, struct fx_text text, json_t **ret_value,
                         struct fx_err *err) {
    char *reversed = fx_arena_alloc(arena, text.len);
    if (reversed == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        const size_t bytes = fx_text_rune(fx_text_rest(text, at), &rune);
        memcpy(reversed + text.len - at - bytes, text.data + at, bytes);
        at += bytes;
    }
    return fx_jmespath_give_take(fx_tree_new_string((struct fx_text){reversed, text.len}),
                                 ret_value, err);
}

static bool reverse_list(const json_t *list, json_t **ret_value, struct fx_err *err) {
    json_t *reversed = json_array();
    bool ok = reversed != NULL;
    for (size_t i = json_array_size(list); ok && i > 0; i--) {
        ok = fx_tree_append_take(reversed, json_incref(json_array_get(list, i - 1)));
    }
    return fx_jmespath_give_take(fx_tree_keep_if(ok, reversed), ret_value, err);
}

bool fx_jmespath_reverse(const struct fx_jmespath_call *call, json_t **ret_value,
                         struct fx_err *err) {
    const json_t *value = call->args[0];
    const struct fx_text text = fx_tree_text(value);
    if (!fx_spend(text.len / BYTES_OF_A_UNIT + json_array_size(value))) {
        return fx_fail_exceeded(err);
    }
    return json_is_array(value) ? reverse_list(value, ret_value, err)
                                : reverse_text(call->arena, text, ret_value, err);
}
