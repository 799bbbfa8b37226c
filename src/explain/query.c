/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/query.c - parsing a query, and comparing fields with it.
 */
#include "explain/report.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/vec.h"
#include "location/gatekeeper/location.h"
#include "value/pointer.h"

struct fx_query {
    struct fx_arena arena;        /* for the tokens */
    struct fx_location *location; /* NULL: the query is a JSON pointer */
    struct fx_path_step *path;    /* borrows from both */
    size_t n_steps, cap_steps;
};

void fx_query_destroy(struct fx_query *query) {
    if (query != NULL) {
        fx_location_destroy(query->location);
        fx_arena_finish(&query->arena);
        free(query->path);
        free(query);
    }
}

/* ---- parsing --------------------------------------------------------------------- */

static bool push(struct fx_query *query, struct fx_path_step step, struct fx_err *err) {
    if (!FX_VEC_GROW(query->path, query->n_steps, query->cap_steps)) {
        return fx_fail_nomem(err);
    }
    query->path[query->n_steps++] = step;
    return true;
}

static bool push_token(struct fx_query *query, struct fx_text token, struct fx_err *err) {
    const char *copy = fx_arena_copy(&query->arena, token);
    return copy == NULL ? fx_fail_nomem(err)
                        : push(query,
                               (struct fx_path_step){.type = FX_PATH_TOKEN,
                                                     .name = {copy, token.len}},
                               err);
}

static bool parse_pointer(struct fx_query *query, struct fx_text rest,
                          struct fx_err *err) {
    struct fx_buf token = {0};
    bool ok = true;
    while (ok && rest.len > 0) {
        if (fx_pointer_next(&rest, &token)) {
            ok = push_token(query, fx_buf_view(&token), err);
        } else {
            ok = token.failed ? fx_fail_nomem(err)
                              : fx_fail(err, FX_ESYNTAX,
                                        "not a JSON pointer: `~` stands only in `~0` and "
                                        "`~1`");
        }
    }
    fx_buf_finish(&token);
    return ok;
}

/* The length of a leading `[number]` or `[*]`; else 0. */
static size_t number_length(struct fx_text text) {
    size_t at = 1;
    while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9') {
        at++;
    }
    if (at == 1 && at < text.len && text.data[at] == '*') {
        at++;
    }
    return at > 1 && at < text.len && text.data[at] == ']' ? at + 1 : 0;
}

/* The length of the quoted name at the start of the text. */
static size_t quoted_length(struct fx_text text) {
    size_t at = 1;
    while (at < text.len && text.data[at] != text.data[0]) {
        at += text.data[at] == '\\' ? 2 : 1;
    }
    return at < text.len ? at + 1 : text.len;
}

/* Locations have no indices: writes `[0]` as `["": 0]`, the element whose key "" is 0,
 * and `[*]` likewise. */
static void rewrite_numbers(struct fx_buf *buf, struct fx_text text) {
    while (text.len > 0) {
        size_t taken = 1;
        const size_t number = *text.data == '[' ? number_length(text) : 0;
        if (number > 0) {
            fx_buf_str(buf, "[\"\":");
            fx_buf_add(buf, text.data + 1, number - 1);
            taken = number;
        } else {
            if (*text.data == '"' || *text.data == '\'') {
                taken = quoted_length(text);
            }
            fx_buf_add(buf, text.data, taken);
        }
        text = (struct fx_text){text.data + taken, text.len - taken};
    }
}

static struct fx_path_step path_step_of(const struct fx_location_step *step) {
    return (struct fx_path_step){
        .type = step->type == FX_LOCATION_OBJECT ? FX_PATH_MEMBER : FX_PATH_ELEMENT,
        .name = step->name,
        .value = step->glob ? NULL : step->value,
    };
}

static bool parse_location(struct fx_query *query, struct fx_text text,
                           struct fx_err *err) {
    struct fx_buf buf = {0};
    rewrite_numbers(&buf, text);
    const struct fx_text rewritten = fx_buf_view(&buf);
    bool ok = (!buf.failed || fx_fail_nomem(err)) &&
              fx_location_parse(rewritten, FX_LOCATION_EXTENDED, &query->location, err);
    fx_buf_finish(&buf);
    for (size_t i = 0; ok && i < query->location->n_steps; i++) {
        ok = push(query, path_step_of(&query->location->steps[i]), err);
    }
    return ok;
}

bool fx_query_parse(struct fx_text text, struct fx_query **ret_query,
                    struct fx_err *err) {
    struct fx_query *query = calloc(1, sizeof *query);
    if (query == NULL) {
        return fx_fail_nomem(err);
    }
    fx_arena_init(&query->arena, FX_LIMIT_ARENA_BYTES);
    const bool is_pointer = text.len > 0 && text.data[0] == '/';
    if (fx_text_starts(text, FX_TEXT(".")) && text.len > 1) {
        text.data++; /* kubectl writes `.spec.x` */
        text.len--;
    }
    if (!(is_pointer ? parse_pointer(query, text, err)
                     : parse_location(query, text, err))) {
        fx_query_destroy(query);
        return false;
    }
    *ret_query = query;
    return true;
}

/* ---- comparing ------------------------------------------------------------------- */

static bool token_is_index(struct fx_text token, size_t index) {
    size_t number = 0;
    return fx_pointer_index(token, &number) && number == index;
}

/* Does the step name this element? `[0]` is a key without a name, see
 * rewrite_numbers(). */
static bool step_is_element(const struct fx_location_step *step,
                            const struct fx_explain_field *field) {
    if (step->name.len == 0 && !step->glob) {
        return json_integer_value(step->value) == (json_int_t)field->index;
    }
    return fx_location_step_names(step, field->element);
}

static bool is_field(const struct fx_query *query, size_t at,
                     const struct fx_explain_field *field) {
    const struct fx_path_step *step = &query->path[at];
    if (field->element == NULL) {
        return step->type != FX_PATH_ELEMENT && fx_text_equal(step->name, field->name);
    }
    if (step->type == FX_PATH_TOKEN) {
        return token_is_index(step->name, field->index);
    }
    return step->type == FX_PATH_ELEMENT &&
           step_is_element(&query->location->steps[at], field);
}

static size_t depth_of(const struct fx_explain_field *field) {
    size_t depth = 0;
    for (; field->parent != NULL; field = field->parent) {
        depth++;
    }
    return depth;
}

bool fx_query_covers(const struct fx_query *query, const struct fx_explain_field *field) {
    for (size_t depth = depth_of(field); depth > 0; depth--) {
        if (depth <= query->n_steps && !is_field(query, depth - 1, field)) {
            return false;
        }
        field = field->parent;
    }
    return true;
}

const struct fx_path_step *fx_query_path(const struct fx_query *query,
                                         size_t *ret_n_steps) {
    *ret_n_steps = query->n_steps;
    return query->path;
}
