/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_wanted.c - reading --field, and comparing places with it.
 */
#include "cli/explain_wanted.h"

#include <stdlib.h>

#include "base/vec.h"
#include "value/pointer.h"

/* One of both: the step of a location, or the token of a pointer. */
struct part {
    const struct fx_location_step *step;
    char *token; /* its own */
    size_t token_len;
};

struct fx_wanted {
    struct fx_location *location; /* or NULL */
    struct part *parts;
    size_t n_parts, cap_parts;
};

void fx_wanted_destroy(struct fx_wanted *wanted) {
    if (wanted == NULL) {
        return;
    }
    for (size_t i = 0; i < wanted->n_parts; i++) {
        free(wanted->parts[i].token);
    }
    free(wanted->parts);
    fx_location_destroy(wanted->location);
    free(wanted);
}

/* ---- reading --------------------------------------------------------------------- */

static bool push(struct fx_wanted *wanted, struct part part, struct fx_err *err) {
    if (!FX_VEC_GROW(wanted->parts, wanted->n_parts, wanted->cap_parts)) {
        free(part.token);
        return fx_fail_nomem(err);
    }
    wanted->parts[wanted->n_parts++] = part;
    return true;
}

static bool read_tokens(struct fx_wanted *wanted, struct fx_text rest,
                        struct fx_buf *token, struct fx_err *err) {
    while (rest.len > 0) {
        if (!fx_pointer_next(&rest, token)) {
            return token->failed ? fx_fail_nomem(err)
                                 : fx_fail(err, FX_ESYNTAX,
                                           "not a JSON pointer: `~` stands only in `~0` "
                                           "and `~1`");
        }
        struct part part = {.token_len = token->len};
        part.token = fx_buf_steal(token);
        if (part.token == NULL) {
            return fx_fail_nomem(err);
        }
        if (!push(wanted, part, err)) {
            return false;
        }
    }
    return true;
}

static bool read_pointer(struct fx_wanted *wanted, struct fx_text text,
                         struct fx_err *err) {
    struct fx_buf token;
    fx_buf_init(&token, 0);
    const bool ok = read_tokens(wanted, text, &token, err);
    fx_buf_finish(&token);
    return ok;
}

/* The length of `[`, what is between, `]`, where that is a number or a star; else 0. */
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

/* Where the quoted name that begins the text ends. */
static size_t quoted_length(struct fx_text text) {
    size_t at = 1;
    while (at < text.len && text.data[at] != text.data[0]) {
        at += text.data[at] == '\\' ? 2 : 1;
    }
    return at < text.len ? at + 1 : text.len;
}

/* Locations know no numbers of elements: `[0]` becomes `["": 0]`, the element whose
 * nameless key is 0, and `[*]` likewise. */
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

static bool read_location(struct fx_wanted *wanted, struct fx_text text,
                          struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    rewrite_numbers(&buf, text);
    const struct fx_text rewritten = {buf.data, buf.len};
    bool ok = (!buf.failed || fx_fail_nomem(err)) &&
              fx_location_parse(rewritten, FX_LOCATION_EXTENDED, &wanted->location, err);
    fx_buf_finish(&buf);
    for (size_t i = 0; ok && i < wanted->location->n_steps; i++) {
        ok = push(wanted, (struct part){.step = &wanted->location->steps[i]}, err);
    }
    return ok;
}

bool fx_wanted_parse(struct fx_text text, struct fx_wanted **ret_wanted,
                     struct fx_err *err) {
    struct fx_wanted *wanted = calloc(1, sizeof *wanted);
    if (wanted == NULL) {
        return fx_fail_nomem(err);
    }
    const bool is_pointer = text.len > 0 && text.data[0] == '/';
    if (fx_text_starts(text, FX_TEXT(".")) && text.len > 1) {
        text.data++; /* as kubectl writes it: `.spec.x` */
        text.len--;
    }
    if (!(is_pointer ? read_pointer(wanted, text, err)
                     : read_location(wanted, text, err))) {
        fx_wanted_destroy(wanted);
        return false;
    }
    *ret_wanted = wanted;
    return true;
}

/* ---- comparing ------------------------------------------------------------------- */

static struct fx_text token_of(const struct part *part) {
    return (struct fx_text){part->token, part->token_len};
}

static bool token_is_index(const struct part *part, size_t index) {
    size_t number = 0;
    return fx_pointer_index(token_of(part), &number) && number == index;
}

static bool step_is_element(const struct fx_location_step *step,
                            const struct fx_field *field) {
    if (step->type != FX_LOCATION_LIST) {
        return false;
    }
    if (step->name.len == 0 && !step->glob) {
        return json_integer_value(step->value) == (json_int_t)field->index;
    }
    return fx_location_step_names(step, field->element);
}

static bool is_field(const struct part *part, const struct fx_field *field) {
    if (field->element != NULL) {
        return part->step == NULL ? token_is_index(part, field->index)
                                  : step_is_element(part->step, field);
    }
    const struct fx_text name = part->step == NULL ? token_of(part) : part->step->name;
    return (part->step == NULL || part->step->type == FX_LOCATION_OBJECT) &&
           fx_text_equal(name, field->name);
}

static size_t depth_of(const struct fx_field *field) {
    size_t depth = 0;
    for (; field->parent != NULL; field = field->parent) {
        depth++;
    }
    return depth;
}

bool fx_wanted_has(const struct fx_wanted *wanted, const struct fx_field *field) {
    for (size_t depth = depth_of(field); depth > 0; depth--) {
        if (depth <= wanted->n_parts && !is_field(&wanted->parts[depth - 1], field)) {
            return false;
        }
        field = field->parent;
    }
    return true;
}

/* Two steps into lists meet unless they name different elements for certain. */
static bool lists_meet(const struct fx_location_step *a,
                       const struct fx_location_step *b) {
    return a->type == b->type &&
           (a->glob || b->glob || !fx_text_equal(a->name, b->name) ||
            json_equal(a->value, b->value));
}

static bool part_meets(const struct part *part, const struct fx_location_step *step) {
    size_t index = 0;
    if (part->step == NULL && step->type == FX_LOCATION_LIST) {
        return fx_pointer_index(token_of(part), &index);
    }
    if (step->type == FX_LOCATION_LIST) {
        return lists_meet(part->step, step);
    }
    const struct fx_text name = part->step == NULL ? token_of(part) : part->step->name;
    return (part->step == NULL || part->step->type == FX_LOCATION_OBJECT) &&
           fx_text_equal(name, step->name);
}

bool fx_wanted_meets(const struct fx_wanted *wanted, const struct fx_location *location) {
    for (size_t i = 0; i < wanted->n_parts && i < location->n_steps; i++) {
        if (!part_meets(&wanted->parts[i], &location->steps[i])) {
            return false;
        }
    }
    return true;
}

static bool part_meets_token(const struct part *part, struct fx_text token) {
    size_t index = 0;
    if (fx_text_is(token, "*")) {
        return true;
    }
    if (part->step != NULL && part->step->type == FX_LOCATION_LIST) {
        return fx_pointer_index(token, &index);
    }
    return fx_text_equal(part->step == NULL ? token_of(part) : part->step->name, token);
}

bool fx_wanted_meets_pointer(const struct fx_wanted *wanted, struct fx_text pointer) {
    struct fx_buf token;
    fx_buf_init(&token, 0);
    bool meets = true;
    for (size_t i = 0; meets && i < wanted->n_parts && pointer.len > 0; i++) {
        meets =
            fx_pointer_next(&pointer, &token) &&
            part_meets_token(&wanted->parts[i], (struct fx_text){token.data, token.len});
    }
    fx_buf_finish(&token);
    return meets;
}
