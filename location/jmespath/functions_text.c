/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_text.c - Kyverno's functions that replace, split and cut
 * texts, as Go's package strings.
 */
#include "base/find.h"
#include "location/jmespath/functions.h"
#include "value/tree.h"

/* ---- replacing --------------------------------------------------------------------- */

#define ALL SIZE_MAX

struct replacement {
    struct fx_text old, by;
    size_t most; /* how many are replaced */
};

/* Replaces the empty text, which is before every rune and at the end. */
static bool replace_nothing(struct fx_buf *buf, struct fx_text text,
                            const struct replacement *r, struct fx_err *err) {
    for (size_t n = 0; n < r->most && !buf->failed; n++) {
        uint32_t rune = 0;
        if (!jmespath_spend_bytes(r->by.len, err)) {
            return false;
        }
        fx_buf_text(buf, r->by);
        if (text.len == 0) {
            return true;
        }
        const size_t len = fx_text_rune(text, &rune);
        fx_buf_add(buf, text.data, len);
        text = fx_text_rest(text, len);
    }
    fx_buf_text(buf, text);
    return true;
}

static bool replace_text(struct fx_buf *buf, struct fx_text text,
                         const struct replacement *r, struct fx_err *err) {
    for (size_t n = 0; n < r->most && !buf->failed; n++) {
        const size_t at = fx_text_find(text, r->old);
        if (at == FX_NOT_FOUND) {
            break;
        }
        if (!jmespath_spend_bytes(r->old.len + r->by.len, err)) {
            return false;
        }
        fx_buf_add(buf, text.data, at);
        fx_buf_text(buf, r->by);
        text = fx_text_rest(text, at + r->old.len);
    }
    fx_buf_text(buf, text);
    return true;
}

static bool replace(struct fx_text text, const struct replacement *r, json_t **ret_value,
                    struct fx_err *err) {
    struct fx_buf buf;
    jmespath_result_init(&buf);
    if (r->old.len == 0 ? replace_nothing(&buf, text, r, err)
                        : replace_text(&buf, text, r, err)) {
        return fx_jmespath_give_buf(&buf, ret_value, err);
    }
    fx_buf_finish(&buf);
    return false;
}

/* A negative number, cut to an integer, means all. */
static size_t count_of(double number) {
    return number <= -1 || number >= (double)UINT32_MAX ? ALL
           : number < 0                                 ? 0
                                                        : (size_t)number;
}

static bool call_replace(const struct fx_jmespath_call *call, json_t **ret_value,
                         struct fx_err *err) {
    const struct replacement r = {
        .old = jmespath_argument_text(call, 1),
        .by = jmespath_argument_text(call, 2),
        .most = call->n_args > 3 ? count_of(jmespath_argument_number(call, 3)) : ALL,
    };
    return replace(jmespath_argument_text(call, 0), &r, ret_value, err);
}

/* ---- trimming ---------------------------------------------------------------------- */

/* Is the rune at these bytes in the set? */
static bool is_in(struct fx_text set, struct fx_text rune) {
    (void)fx_spend(1 + set.len / FX_BUDGET_BYTES);
    return fx_text_find(set, rune) != FX_NOT_FOUND;
}

/* Returns the bytes of the first rune, or of the last one, of a text that is not empty.
 */
static struct fx_text first_rune(struct fx_text text) {
    uint32_t rune = 0;
    return (struct fx_text){text.data, fx_text_rune(text, &rune)};
}

static struct fx_text last_rune(struct fx_text text) {
    const size_t from = fx_text_rune_floor(text.data, text.len - 1);
    return fx_text_rest(text, from);
}

static bool call_trim(const struct fx_jmespath_call *call, json_t **ret_value,
                      struct fx_err *err) {
    struct fx_text text = jmespath_argument_text(call, 0);
    const struct fx_text set = jmespath_argument_text(call, 1);
    while (text.len > 0 && is_in(set, first_rune(text))) {
        text = fx_text_rest(text, first_rune(text).len);
    }
    while (text.len > 0 && is_in(set, last_rune(text))) {
        text.len -= last_rune(text).len;
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    return fx_jmespath_give_string(text, ret_value, err);
}

static bool call_trim_prefix(const struct fx_jmespath_call *call, json_t **ret_value,
                             struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    const struct fx_text prefix = jmespath_argument_text(call, 1);
    return fx_jmespath_give_string(
        fx_text_starts(text, prefix) ? fx_text_rest(text, prefix.len) : text, ret_value,
        err);
}

/* Returns the bytes of the first `most` runes. */
static size_t length_of_runes(struct fx_text text, size_t most) {
    size_t at = 0;
    for (size_t n = 0; n < most && at < text.len; n++) {
        uint32_t rune = 0;
        at += fx_text_rune(fx_text_rest(text, at), &rune);
    }
    return at;
}

static bool call_truncate(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    const double length = jmespath_argument_number(call, 1);
    const size_t most = length < 0                     ? 0
                        : length >= (double)UINT32_MAX ? SIZE_MAX
                                                       : (size_t)length;
    return jmespath_spend_bytes(text.len * 4, err) &&
           fx_jmespath_give_string(
               (struct fx_text){text.data, length_of_runes(text, most)}, ret_value, err);
}

/* ---- splitting --------------------------------------------------------------------- */

/* Removes the piece before the first separator, and the separator, from *text, and
 * returns the piece. Without a separator each rune is a piece. *ret_is_last is true if
 * nothing follows. */
static struct fx_text take_piece(struct fx_text *text, struct fx_text separator,
                                 bool *ret_is_last) {
    const struct fx_text rest = *text;
    if (separator.len == 0) {
        const struct fx_text piece = first_rune(rest);
        *text = fx_text_rest(rest, piece.len);
        *ret_is_last = text->len == 0;
        return piece;
    }
    const size_t at = fx_text_find(rest, separator);
    *ret_is_last = at == FX_NOT_FOUND;
    if (*ret_is_last) {
        return rest;
    }
    *text = fx_text_rest(rest, at + separator.len);
    return (struct fx_text){rest.data, at};
}

static bool add_pieces(json_t *list, struct fx_text text, struct fx_text separator,
                       struct fx_err *err) {
    bool is_last = text.len == 0 && separator.len == 0;
    while (!is_last) {
        const struct fx_text piece = take_piece(&text, separator, &is_last);
        if (!jmespath_spend_bytes(piece.len + separator.len, err) ||
            !jmespath_append_take(list, fx_tree_new_string(piece), err)) {
            return false;
        }
    }
    return true;
}

static bool call_split(const struct fx_jmespath_call *call, json_t **ret_value,
                       struct fx_err *err) {
    json_t *list = json_array();
    const bool ok = list == NULL ? fx_fail_nomem(err)
                                 : add_pieces(list, jmespath_argument_text(call, 0),
                                              jmespath_argument_text(call, 1), err);
    *ret_value = fx_tree_keep_if(ok, list);
    return ok;
}

const struct fx_jmespath_function fx_jmespath_text_functions[] = {
    FX_JMESPATH_ROW("replace", call_replace, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_NUMBER}),
    FX_JMESPATH_ROW("replace_all", call_replace, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("trim", call_trim, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("trim_prefix", call_trim_prefix, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("truncate", call_truncate, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_NUMBER}),
    FX_JMESPATH_ROW("split", call_split, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}),
    {.name = NULL},
};
