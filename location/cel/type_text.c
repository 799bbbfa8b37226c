/* SPDX-License-Identifier: Apache-2.0
 *
 * type_text.c - printing and parsing of types.
 */
#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/type.h"

/* A type that is being printed. */
struct type_printer {
    struct fx_buf *buf;
    size_t end; /* of the buffer; a type of types with the same two parameters, and so
                   on, would print as an endless text */
    bool has_long_names; /* null_type, google.protobuf.Timestamp; else null, timestamp */
};

const char *fx_cel_type_long_name(const struct fx_cel_type *type) {
    switch ((int)type->kind) {
    case FX_CEL_TYPE_NULL: return "null_type";
    case FX_CEL_TYPE_TIMESTAMP: return "google.protobuf.Timestamp";
    case FX_CEL_TYPE_DURATION: return "google.protobuf.Duration";
    default: return type->name;
    }
}

static void print_type(const struct type_printer *printer, const struct fx_cel_type *type,
                       unsigned nesting) {
    struct fx_buf *buf = printer->buf;
    if (buf->failed || buf->len >= printer->end || nesting == FX_LIMIT_CEL_TYPE_DEPTH ||
        !fx_spend(1)) {
        return;
    }
    if (type->id != 0) {
        fx_buf_str(buf, "_var");
        fx_buf_number(buf, type->id - 1);
        return;
    }
    fx_buf_str(buf, printer->has_long_names ? fx_cel_type_long_name(type) : type->name);
    if (type->params[0] == NULL) {
        return;
    }
    fx_buf_char(buf, '(');
    print_type(printer, type->params[0], nesting + 1);
    if (type->params[1] != NULL) {
        fx_buf_str(buf, ", ");
        print_type(printer, type->params[1], nesting + 1);
    }
    fx_buf_char(buf, ')');
}

void fx_cel_type_print(struct fx_buf *buf, const struct fx_cel_type *type) {
    print_type(&(struct type_printer){buf, buf->len + FX_LIMIT_CEL_TYPE_BYTES, false},
               type, 0);
}

void fx_cel_type_print_long(struct fx_buf *buf, const struct fx_cel_type *type) {
    print_type(&(struct type_printer){buf, buf->len + FX_LIMIT_CEL_TYPE_BYTES, true},
               type, 0);
}

/* ---- parsing ----------------------------------------------------------------------- */

static const struct fx_cel_type *const simple_types[] = {
    &fx_cel_dyn,    &fx_cel_null_type, &fx_cel_bool,  &fx_cel_int,      &fx_cel_uint,
    &fx_cel_double, &fx_cel_string,    &fx_cel_bytes, &fx_cel_duration, &fx_cel_timestamp,
};

static const struct fx_cel_type *find_simple(struct fx_text name) {
    for (size_t i = 0; i < FX_COUNT(simple_types); i++) {
        if (fx_text_is(name, simple_types[i]->name)) {
            return simple_types[i];
        }
    }
    return NULL;
}

static const struct fx_cel_type *parse_type(struct fx_arena *arena, struct fx_text *rest,
                                            unsigned nesting);

/* type := "list(" type ")" | "optional(" type ")" | … ; the text after the parenthesis.
 */
static const struct fx_cel_type *parse_parameters(struct fx_arena *arena,
                                                  struct fx_text name,
                                                  struct fx_text *rest,
                                                  unsigned nesting) {
    const struct fx_cel_type *params[2] = {parse_type(arena, rest, nesting + 1), NULL};
    if (params[0] != NULL && fx_text_take(rest, ',')) {
        while (fx_text_take(rest, ' ')) {
        }
        params[1] = parse_type(arena, rest, nesting + 1);
    }
    if (params[0] == NULL || !fx_text_take(rest, ')') ||
        fx_text_is(name, "map") != (params[1] != NULL)) {
        return NULL;
    }
    if (params[1] != NULL) {
        return fx_cel_map_of(arena, params[0], params[1]);
    }
    if (fx_text_is(name, "list")) {
        return fx_cel_list_of(arena, params[0]);
    }
    if (fx_text_is(name, "optional") || fx_text_is(name, "optional_type")) {
        return fx_cel_optional_of(arena, params[0]);
    }
    return fx_text_is(name, "type") ? fx_cel_type_of_type(arena, params[0]) : NULL;
}

/* type := name [ "(" type [ "," type ] ")" ] */
static const struct fx_cel_type *parse_type(struct fx_arena *arena, struct fx_text *rest,
                                            unsigned nesting) {
    size_t len = 0;
    while (len < rest->len && !fx_is_one_of(rest->data[len], "(), ")) {
        len++;
    }
    if (nesting == FX_LIMIT_CEL_TYPE_DEPTH || !fx_spend(1 + len / FX_BUDGET_BYTES)) {
        return NULL;
    }
    const struct fx_text name = {rest->data, len};
    *rest = fx_text_rest(*rest, len);
    return fx_text_take(rest, '(') ? parse_parameters(arena, name, rest, nesting)
                                   : find_simple(name);
}

const struct fx_cel_type *fx_cel_type_parse(struct fx_arena *arena, struct fx_text text) {
    struct fx_text rest = text;
    const struct fx_cel_type *type = parse_type(arena, &rest, 0);
    return rest.len == 0 ? type : NULL;
}
