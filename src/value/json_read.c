/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_read.c - JSON text to jansson nodes in one pass. Texts of errors are those
 * of Go's encoding/json, whose scanner treats the end of the text as a blank: hence
 * "invalid character ' '" where a number or literal is cut short.
 *
 * What is not wanted is read by the same functions: `null`, a node that costs nothing,
 * stands for it.
 */
#include <stdio.h>

#include "base/limits.h"
#include "value/json.h"
#include "value/json_part.h"
#include "value/json_reader.h"
#include "value/number.h"
#include "value/tree.h"

static json_t *read_value(struct fx_json_reader *r);

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_space(struct fx_json_reader *r) {
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) {
        r->at++;
    }
}

/* The character as Go's encoding/json quotes it: '\n', '"', '\'', and a byte that is no
 * ASCII as the rune of that number. */
static void quote_character(struct fx_buf *buf, unsigned char c) {
    if (c == '\'' || c == '"') {
        fx_buf_str(buf, c == '"' ? "'\"'" : "'\\''");
        return;
    }
    char utf8[4];
    const size_t length = fx_text_encode_rune(c, utf8);
    fx_text_quote_go(buf, (struct fx_text){utf8, length});
    if (!buf->failed) {
        buf->data[0] = '\'';
        buf->data[buf->len - 1] = '\'';
    }
}

static bool fail_character(struct fx_json_reader *r, unsigned char c,
                           const char *context) {
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    quote_character(&quoted, c);
    if (quoted.failed) {
        (void)fx_fail_nomem(r->err);
    } else {
        (void)fx_fail_at(r->err, FX_ESYNTAX, (uint32_t)(r->at - r->start),
                         r->at < r->end ? 1 : 0, "invalid character %s %s", quoted.data,
                         context);
    }
    fx_buf_finish(&quoted);
    return false;
}

bool fx_json_fail_here(struct fx_json_reader *r, const char *context) {
    if (r->at == r->end) {
        return fx_fail_at(r->err, FX_ESYNTAX, (uint32_t)(r->at - r->start), 0,
                          "unexpected end of JSON input");
    }
    return fail_character(r, (unsigned char)*r->at, context);
}

bool fx_json_fail_inside(struct fx_json_reader *r, const char *context) {
    return fail_character(r, r->at < r->end ? (unsigned char)*r->at : ' ', context);
}

/* Moves the counted place on to `to`: each byte is counted once. */
static void count_to(struct fx_json_reader *r, const char *to) {
    for (; r->counted < to; r->counted++) {
        if (*r->counted == '\n') {
            r->line++;
            r->column = 1;
        } else if (((unsigned char)*r->counted & 0xC0) != 0x80) {
            r->column++;
        }
    }
}

/* What jansson's nodes take of memory on 64-bit glibc, about: an object has a table of
 * eight buckets from the start, an array eight places. */
static size_t cost_of(const json_t *node) {
    switch (json_typeof(node)) {
    case JSON_OBJECT: return 240;
    case JSON_ARRAY: return 136;
    case JSON_STRING: return 64 + json_string_length(node);
    case JSON_INTEGER:
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: break;
    }
    return 32;
}

#define COST_OF_KEY 80 /* and its bytes */

/* A few bytes of text can stand for a hundred times as much memory. */
static bool spend(struct fx_json_reader *r, size_t bytes) {
    if (bytes > r->memory) {
        return fx_fail_at(r->err, FX_ELIMIT, (uint32_t)(r->at - r->start), 0,
                          "too many values: they need more than %zu MiB of memory",
                          FX_LIMIT_JSON_MEMORY((size_t)(r->end - r->start)) >> 20);
    }
    r->memory -= bytes;
    return true;
}

/* Notes the new node, and where it was read. Passes NULL on; drops the node where there
 * is no memory for it. */
static json_t *mark(struct fx_json_reader *r, json_t *node, const char *where) {
    if (node == NULL) {
        (void)fx_fail_nomem(r->err);
        return NULL;
    }
    if (!spend(r, cost_of(node))) {
        json_decref(node);
        return NULL;
    }
    if (r->marks == NULL) {
        return node;
    }
    count_to(r, where);
    const struct fx_mark place = {
        .node = node,
        .off = (uint32_t)(where - r->start),
        .line = r->line,
        .column = r->column,
    };
    if (!fx_marks_add(r->marks, place)) {
        json_decref(node);
        (void)fx_fail_nomem(r->err);
        return NULL;
    }
    return node;
}

static json_t *read_string_node(struct fx_json_reader *r) {
    const char *where = r->at + 1;
    struct fx_json_span span = {0};
    if (!fx_json_read_string(r, &span)) {
        return NULL;
    }
    json_t *node = r->omits ? NULL : fx_tree_new_string(fx_json_span_text(r, span));
    fx_json_pop(r, span);
    return r->omits ? json_null() : mark(r, node, where);
}

static bool skip_digits(struct fx_json_reader *r, const char *context) {
    if (r->at == r->end || !is_digit(*r->at)) {
        return fx_json_fail_inside(r, context);
    }
    while (r->at < r->end && is_digit(*r->at)) {
        r->at++;
    }
    return true;
}

/* number := '-'? ( '0' | [1-9] digit* ) ( '.' digit+ )? ( [eE] [+-]? digit+ )? */
static bool skip_number(struct fx_json_reader *r) {
    if (*r->at == '-') {
        r->at++;
    }
    if (fx_json_peek(r) == '0') {
        r->at++;
    } else if (!skip_digits(r, "in numeric literal")) {
        return false;
    }
    if (fx_json_peek(r) == '.') {
        r->at++;
        if (!skip_digits(r, "after decimal point in numeric literal")) {
            return false;
        }
    }
    if (fx_json_peek(r) != 'e' && fx_json_peek(r) != 'E') {
        return true;
    }
    r->at++;
    if (fx_json_peek(r) == '+' || fx_json_peek(r) == '-') {
        r->at++;
    }
    return skip_digits(r, "in exponent of numeric literal");
}

static json_t *read_number(struct fx_json_reader *r) {
    const char *from = r->at;
    bool overflow = false;
    if (!skip_number(r)) {
        return NULL;
    }
    const struct fx_text text = {from, (size_t)(r->at - from)};
    json_t *node = fx_number_parse(text, &overflow);
    if (overflow) {
        const int shown = text.len < FX_ERR_TEXT ? (int)text.len : FX_ERR_TEXT;
        (void)fx_fail_at(
            r->err, FX_ESYNTAX, (uint32_t)(from - r->start), (uint32_t)text.len,
            "json: cannot unmarshal number %.*s into Go value of type float64", shown,
            text.data);
        return NULL;
    }
    if (r->omits) {
        json_decref(node);
        return json_null();
    }
    return mark(r, node, from);
}

static json_t *read_literal(struct fx_json_reader *r, const char *word, json_t *node) {
    for (size_t i = 0; word[i] != '\0'; i++, r->at++) {
        if (fx_json_peek(r) != word[i]) {
            char context[] = "in literal false (expecting 'x')";
            (void)snprintf(context, sizeof context, "in literal %s (expecting '%c')",
                           word, word[i]);
            (void)fx_json_fail_inside(r, context);
            return NULL;
        }
    }
    return node;
}

/* Opens an object or array: one level deeper, past the bracket. */
static bool enter(struct fx_json_reader *r) {
    if (r->depth == FX_LIMIT_JSON_DEPTH) {
        return fx_fail_at(r->err, FX_ELIMIT, (uint32_t)(r->at - r->start), 1,
                          "exceeded max depth");
    }
    r->depth++;
    r->at++;
    skip_space(r);
    return true;
}

/* Closes it where the bracket comes next. */
static bool leave(struct fx_json_reader *r, char bracket) {
    if (fx_json_peek(r) != bracket) {
        return false;
    }
    r->depth--;
    r->at++;
    return true;
}

static bool read_key(struct fx_json_reader *r, struct fx_json_span *ret_key) {
    if (fx_json_peek(r) != '"') {
        return fx_json_fail_here(r, "looking for beginning of object key string");
    }
    if (!fx_json_read_string(r, ret_key)) {
        return false;
    }
    skip_space(r);
    if (fx_json_peek(r) != ':') {
        return fx_json_fail_here(r, "after object key");
    }
    r->at++;
    return true;
}

/* The value of a member that is not wanted. The object says that it has lost it, unless
 * it is said already. */
static bool omit_member(struct fx_json_reader *r, json_t *object, const char *where) {
    r->omits = true;
    const json_t *value = read_value(r);
    r->omits = false;
    if (value == NULL) {
        return false;
    }
    return fx_tree_view_text(object, FX_JSON_PARTIAL_KEY) != NULL ||
           fx_tree_set_take(object, FX_JSON_PARTIAL_KEY,
                            json_integer((json_int_t)(where - r->start))) ||
           fx_fail_nomem(r->err);
}

static bool set_member(struct fx_json_reader *r, json_t *object,
                       struct fx_json_span key) {
    if (!spend(r, COST_OF_KEY + key.len)) {
        return false;
    }
    json_t *value = read_value(r);
    if (value == NULL) {
        return false;
    }
    return fx_tree_set_take(object, fx_json_span_text(r, key), value) ||
           fx_fail_nomem(r->err);
}

/* A member of an object of which a part is wanted. */
static bool sift_member(struct fx_json_reader *r, json_t *object,
                        struct fx_json_span key) {
    const struct fx_json_part *within = r->part;
    const struct fx_json_part *part =
        fx_json_part_find(within, fx_json_span_text(r, key));
    if (part == NULL ? within->omits_rest : part->is_omitted) {
        return omit_member(r, object, r->at);
    }
    const bool has_parts = part != NULL && (part->first != NULL || part->omits_rest);
    r->part = has_parts ? part : NULL;
    const bool ok = set_member(r, object, key);
    r->part = within;
    return ok;
}

/* member := string ':' value */
static bool read_member(struct fx_json_reader *r, json_t *object) {
    struct fx_json_span key = {0};
    bool ok = read_key(r, &key);
    if (ok && r->omits) {
        ok = read_value(r) != NULL;
    } else if (ok) {
        ok = r->part != NULL ? sift_member(r, object, key) : set_member(r, object, key);
    }
    if (ok) {
        fx_json_pop(r, key);
    }
    return ok;
}

/* object := '{' ( member ( ',' member )* )? '}' */
static bool read_members(struct fx_json_reader *r, json_t *object) {
    if (!enter(r)) {
        return false;
    }
    if (leave(r, '}')) {
        return true;
    }
    while (read_member(r, object)) {
        skip_space(r);
        if (leave(r, '}')) {
            return true;
        }
        if (fx_json_peek(r) != ',') {
            return fx_json_fail_here(r, "after object key:value pair");
        }
        r->at++;
        skip_space(r);
    }
    return false;
}

static bool read_element(struct fx_json_reader *r, json_t *array) {
    json_t *value = read_value(r);
    if (value == NULL) {
        return false;
    }
    return r->omits || fx_tree_append_take(array, value) || fx_fail_nomem(r->err);
}

/* array := '[' ( value ( ',' value )* )? ']' */
static bool read_elements(struct fx_json_reader *r, json_t *array) {
    if (!enter(r)) {
        return false;
    }
    if (leave(r, ']')) {
        return true;
    }
    while (read_element(r, array)) {
        skip_space(r);
        if (leave(r, ']')) {
            return true;
        }
        if (fx_json_peek(r) != ',') {
            return fx_json_fail_here(r, "after array element");
        }
        r->at++;
    }
    return false;
}

static json_t *read_object(struct fx_json_reader *r) {
    json_t *object = r->omits ? json_null() : mark(r, json_object(), r->at);
    if (object != NULL && !read_members(r, object)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *read_array(struct fx_json_reader *r) {
    json_t *array = r->omits ? json_null() : mark(r, json_array(), r->at);
    if (array != NULL && !read_elements(r, array)) {
        json_decref(array);
        return NULL;
    }
    return array;
}

static json_t *read_value(struct fx_json_reader *r) {
    skip_space(r);
    switch (fx_json_peek(r)) {
    case '{': return read_object(r);
    case '[': return read_array(r);
    case '"': return read_string_node(r);
    case 't': return read_literal(r, "true", json_true());
    case 'f': return read_literal(r, "false", json_false());
    case 'n': return read_literal(r, "null", json_null());
    default: break;
    }
    if (r->at < r->end && (*r->at == '-' || is_digit(*r->at))) {
        return read_number(r);
    }
    (void)fx_json_fail_here(r, "looking for beginning of value");
    return NULL;
}

static json_t *read_text(struct fx_json_reader *r) {
    json_t *value = read_value(r);
    if (value == NULL) {
        return NULL;
    }
    skip_space(r);
    if (r->at < r->end) {
        json_decref(value);
        (void)fx_json_fail_here(r, "after top-level value");
        return NULL;
    }
    return value;
}

json_t *fx_json_read(struct fx_text text, struct fx_marks *marks, struct fx_err *err) {
    return fx_json_read_part(text, NULL, marks, err);
}

json_t *fx_json_read_part(struct fx_text text, const struct fx_json_part *part,
                          struct fx_marks *marks, struct fx_err *err) {
    if (text.len > UINT32_MAX) {
        (void)fx_fail(err, FX_ELIMIT, "larger than %u bytes", UINT32_MAX);
        return NULL;
    }
    const char *start = text.data == NULL ? "" : text.data;
    const size_t n_marks = marks == NULL ? 0 : marks->n_items;
    struct fx_json_reader reader = {
        .start = start,
        .at = start,
        .end = start + text.len,
        .memory = FX_LIMIT_JSON_MEMORY(text.len),
        .part = part,
        .marks = marks,
        .counted = start,
        .line = 1,
        .column = 1,
        .err = err,
    };
    json_t *value = read_text(&reader);
    fx_buf_finish(&reader.scratch);
    if (value == NULL && marks != NULL) {
        marks->n_items = n_marks;
    }
    return value;
}
