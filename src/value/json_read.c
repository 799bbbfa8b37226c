/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_read.c - JSON text to jansson nodes in one pass.
 *
 * Values outside the wanted part are skipped (json_skip.c). If that fails, they are read
 * by the same functions as all others, so that errors are the same; json_null(), which
 * costs nothing, replaces their nodes.
 */
#include <assert.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/limits.h"
#include "value/json.h"
#include "value/json_internal.h"
#include "value/json_part.h"
#include "value/marks.h"
#include "value/number.h"
#include "value/tree.h"

/* ---- errors ------------------------------------------------------------------------ */

/* The messages are those of Go's encoding/json. Its scanner treats the end of the text as
 * a blank: hence "invalid character ' '" where a number or literal is cut short. */

/* Appends the character as Go's encoding/json quotes it: '\n', '"', '\''. A byte that is
 * not ASCII becomes the rune of that number. */
static void quote_character(struct fx_buf *buf, unsigned char c) {
    if (c == '\'' || c == '"') {
        fx_buf_str(buf, c == '"' ? "'\"'" : "'\\''");
        return;
    }
    char utf8[4];
    const size_t start = buf->len;
    const size_t length = fx_text_encode_rune(c, utf8);
    fx_text_quote_go(buf, (struct fx_text){utf8, length});
    if (!buf->failed) {
        buf->data[start] = '\'';
        buf->data[buf->len - 1] = '\'';
    }
}

static bool fail_character(struct fx_json_reader *r, unsigned char c,
                           const char *context) {
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_str(&message, "invalid character ");
    quote_character(&message, c);
    fx_buf_printf(&message, " %s", context);
    (void)fx_buf_fail(&message, r->err, FX_ESYNTAX);
    r->err->off = (uint32_t)(r->at - r->start);
    r->err->len = r->at < r->end ? 1 : 0;
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

/* ---- values ------------------------------------------------------------------------ */

static json_t *read_value(struct fx_json_reader *r);

static inline bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline void skip_space(struct fx_json_reader *r) {
    while (r->at < r->end && is_space(*r->at)) {
        r->at++;
    }
}

/* Skips blanks. Returns the first character of the next token, or -1 at the end. */
static inline int next_token(struct fx_json_reader *r) {
    const int c = fx_json_peek(r);
    if (c > ' ') {
        return c;
    }
    skip_space(r);
    return fx_json_peek(r);
}

/* Counts lines and columns up to `to`. Each byte is counted only once. */
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

/* Approximate memory of jansson's nodes on 64-bit glibc: an object begins with a table of
 * eight buckets, an array with room for eight elements. */
#define COST_OF_OBJECT 240
#define COST_OF_ARRAY  136
#define COST_OF_STRING 64 /* without its bytes */
#define COST_OF_NUMBER 32
#define COST_OF_KEY    80 /* without its bytes */

#define BYTES_OF_A_UNIT      64 /* bytes of memory, which takes time to allocate */
#define BYTES_OF_TEXT_A_UNIT 32
#define UNITS_OF_NUMBER      2

/* Spends memory. A text may need a hundred times its own size as memory. */
static bool spend_memory(struct fx_json_reader *r, size_t bytes) {
    if (!fx_spend(1 + bytes / BYTES_OF_A_UNIT)) {
        return fx_fail_exceeded(r->err);
    }
    if (bytes > r->memory) {
        return fx_fail_at(r->err, FX_ELIMIT, (uint32_t)(r->at - r->start), 0,
                          "too many values: they need more than %zu MiB of memory",
                          FX_LIMIT_JSON_MEMORY((size_t)(r->end - r->start)) >> 20);
    }
    r->memory -= bytes;
    return true;
}

static bool add_mark(struct fx_json_reader *r, const json_t *node, const char *where) {
    count_to(r, where);
    const struct fx_mark mark = {
        .node = node,
        .off = (uint32_t)(where - r->start),
        .line = r->line,
        .column = r->column,
    };
    return fx_marks_add(r->marks, mark) || fx_fail_nomem(r->err);
}

/* Overwrites an incomplete value before it is freed, because it may be part of a
 * Secret. */
static void drop_node(json_t *node) {
    fx_tree_wipe(node);
    json_decref(node);
}

/* Spends for the new node and adds its mark. Returns NULL if `node` is NULL, and, after
 * dropping it, if the limit of memory is exceeded. */
static json_t *note_node(struct fx_json_reader *r, json_t *node, size_t cost,
                         const char *where) {
    if (node == NULL) {
        (void)fx_fail_nomem(r->err);
        return NULL;
    }
    if (!spend_memory(r, cost) || (r->marks != NULL && !add_mark(r, node, where))) {
        drop_node(node);
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
    return r->omits ? json_null() : note_node(r, node, COST_OF_STRING + span.len, where);
}

static bool skip_digits(struct fx_json_reader *r, const char *context) {
    if (r->at == r->end || !fx_is_digit(*r->at)) {
        return fx_json_fail_inside(r, context);
    }
    while (r->at < r->end && fx_is_digit(*r->at)) {
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
    json_t *node = NULL;
    if (!fx_spend(UNITS_OF_NUMBER)) {
        (void)fx_fail_exceeded(r->err);
        return NULL;
    }
    if (!r->omits) {
        node = fx_number_parse(text, &overflow);
    } else if (fx_number_check(text, &overflow)) {
        node = json_null();
    }
    if (overflow) {
        const int shown = text.len < FX_ERR_TEXT ? (int)text.len : FX_ERR_TEXT;
        (void)fx_fail_at(
            r->err, FX_ESYNTAX, (uint32_t)(from - r->start), (uint32_t)text.len,
            "json: cannot unmarshal number %.*s into Go value of type float64", shown,
            text.data);
        return NULL;
    }
    return r->omits && node != NULL ? node : note_node(r, node, COST_OF_NUMBER, from);
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

/* Opens an object or array: skips the bracket, and goes one level deeper. */
static bool open_value(struct fx_json_reader *r) {
    if (r->depth == FX_LIMIT_JSON_DEPTH) {
        return fx_fail_at(r->err, FX_ELIMIT, (uint32_t)(r->at - r->start), 1,
                          "exceeded max depth");
    }
    r->depth++;
    r->at++;
    return true;
}

/* Closes an object or array if the bracket comes next. */
static inline bool close_value(struct fx_json_reader *r, char bracket) {
    if (next_token(r) != bracket) {
        return false;
    }
    r->depth--;
    r->at++;
    return true;
}

static bool read_key(struct fx_json_reader *r, struct fx_json_span *ret_key) {
    if (next_token(r) != '"') {
        return fx_json_fail_here(r, "looking for beginning of object key string");
    }
    if (!fx_json_read_string(r, ret_key)) {
        return false;
    }
    if (next_token(r) != ':') {
        return fx_json_fail_here(r, "after object key");
    }
    r->at++;
    return true;
}

/* Reads the value of a member, which comes next. */
typedef bool take_value(struct fx_json_reader *r, struct fx_json_span key, void *user);

/* object := '{' ( member ( ',' member )* )? '}', member := string ':' value */
static inline bool read_members(struct fx_json_reader *r, take_value *take, void *user) {
    if (!open_value(r)) {
        return false;
    }
    if (close_value(r, '}')) {
        return true;
    }
    struct fx_json_span key = {0};
    while (read_key(r, &key) && take(r, key, user)) {
        fx_json_pop(r, key);
        if (close_value(r, '}')) {
            return true;
        }
        if (fx_json_peek(r) != ',') {
            return fx_json_fail_here(r, "after object key:value pair");
        }
        r->at++;
    }
    return false;
}

bool fx_json_next_skip(struct fx_json_reader *r) {
    const char *end = fx_json_skip(r->at, r->last, FX_LIMIT_JSON_DEPTH - r->depth);
    if (end != NULL) {
        r->at = end;
        return true;
    }
    r->omits = true;
    const json_t *value = read_value(r);
    r->omits = false;
    return value != NULL;
}

/* The object that is being read, and its wanted part, which may be NULL. */
struct object {
    json_t *node;
    const struct fx_json_part *part;
    const char *lost; /* position of the first unwanted value; NULL if there is none */
};

static bool set_member(struct fx_json_reader *r, struct fx_json_span key, void *user) {
    struct object *object = user;
    if (r->omits) {
        return read_value(r) != NULL;
    }
    if (object->part != NULL) {
        const struct fx_json_part *part =
            fx_json_part_find(object->part, fx_json_span_text(r, key));
        if (part == NULL && object->part->omits_rest) {
            object->lost = object->lost == NULL ? r->at : object->lost;
            return fx_json_next_skip(r);
        }
        r->part = part != NULL && (part->omits_rest || part->first != NULL) ? part : NULL;
    }
    const bool in_list = r->in_list;
    r->in_list = false;
    json_t *value = spend_memory(r, COST_OF_KEY + key.len) ? read_value(r) : NULL;
    r->in_list = in_list;
    r->part = object->part;
    return value != NULL &&
           (fx_tree_set_take(object->node, fx_json_span_text(r, key), value) ||
            fx_fail_nomem(r->err));
}

/* Marks an object that has lost members. */
static bool set_lost(struct fx_json_reader *r, const struct object *object) {
    const json_int_t position = object->lost == NULL ? 0 : object->lost - r->start;
    return object->lost == NULL ||
           fx_tree_set_take(object->node, FX_JSON_PARTIAL_KEY, json_integer(position)) ||
           fx_fail_nomem(r->err);
}

/* Returns the wanted part of an object: the whole object if the part is for a list. */
static const struct fx_json_part *wanted_part(const struct fx_json_reader *r) {
    return r->part != NULL && r->part->is_list && !r->in_list ? NULL : r->part;
}

static json_t *read_object(struct fx_json_reader *r) {
    const struct fx_json_part *part = r->part;
    struct object object = {.part = wanted_part(r)};
    r->part = object.part;
    object.node =
        r->omits ? json_null() : note_node(r, json_object(), COST_OF_OBJECT, r->at);
    if (object.node != NULL &&
        (!read_members(r, set_member, &object) || !set_lost(r, &object))) {
        drop_node(object.node);
        return NULL;
    }
    r->part = part;
    return object.node;
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
    if (!open_value(r)) {
        return false;
    }
    if (close_value(r, ']')) {
        return true;
    }
    while (read_element(r, array)) {
        if (close_value(r, ']')) {
            return true;
        }
        if (fx_json_peek(r) != ',') {
            return fx_json_fail_here(r, "after array element");
        }
        r->at++;
    }
    return false;
}

static json_t *read_array(struct fx_json_reader *r) {
    json_t *array =
        r->omits ? json_null() : note_node(r, json_array(), COST_OF_ARRAY, r->at);
    const bool in_list = r->in_list;
    r->in_list = true;
    if (array != NULL && !read_elements(r, array)) {
        drop_node(array);
        return NULL;
    }
    r->in_list = in_list;
    return array;
}

static json_t *read_value(struct fx_json_reader *r) {
    switch (next_token(r)) {
    case '{': return read_object(r);
    case '[': return read_array(r);
    case '"': return read_string_node(r);
    case 't': return read_literal(r, "true", json_true());
    case 'f': return read_literal(r, "false", json_false());
    case 'n': return read_literal(r, "null", json_null());
    default: break;
    }
    if (r->at < r->end && (*r->at == '-' || fx_is_digit(*r->at))) {
        return read_number(r);
    }
    (void)fx_json_fail_here(r, "looking for beginning of value");
    return NULL;
}

/* ---- value by value --------------------------------------------------------------- */

bool fx_json_reader_init(struct fx_json_reader *r, struct fx_text text,
                         struct fx_err *err) {
    const char *start = text.data == NULL ? "" : text.data;
    const char *last = start + text.len;
    while (last > start && is_space(last[-1])) {
        last--;
    }
    *r = (struct fx_json_reader){
        .start = start,
        .at = start,
        .end = start + text.len,
        .last = last,
        .memory = FX_LIMIT_JSON_MEMORY(text.len),
        .counted = start,
        .line = 1,
        .column = 1,
        .err = err,
    };
    return text.len <= UINT32_MAX ||
           fx_fail(err, FX_ELIMIT, "larger than %u bytes", UINT32_MAX);
}

void fx_json_reader_finish(struct fx_json_reader *r) {
    fx_buf_finish(&r->scratch);
}

json_type fx_json_next_type(struct fx_json_reader *r) {
    switch (next_token(r)) {
    case '{': return JSON_OBJECT;
    case '[': return JSON_ARRAY;
    case '"': return JSON_STRING;
    case 't': return JSON_TRUE;
    case 'f': return JSON_FALSE;
    case '-': return JSON_REAL;
    default: break;
    }
    return r->at < r->end && fx_is_digit(*r->at) ? JSON_REAL : JSON_NULL;
}

json_t *fx_json_next(struct fx_json_reader *r, const struct fx_json_part *part) {
    r->part = part;
    r->in_list = false;
    json_t *value = read_value(r);
    r->part = NULL;
    return value;
}

bool fx_json_next_text(struct fx_json_reader *r, struct fx_arena *arena,
                       struct fx_text *ret_text) {
    struct fx_json_span span = {0};
    skip_space(r);
    assert(fx_json_peek(r) == '"');
    if (!fx_json_read_string(r, &span)) {
        return false;
    }
    const struct fx_text text = fx_json_span_text(r, span);
    const char *kept = span.data != NULL ? span.data : fx_arena_copy(arena, text);
    fx_json_pop(r, span);
    *ret_text = (struct fx_text){kept, span.len};
    return kept != NULL || fx_fail_nomem(r->err);
}

struct taker {
    fx_json_take_member *take;
    void *user;
};

static bool hand_over(struct fx_json_reader *r, struct fx_json_span key, void *user) {
    const struct taker *taker = user;
    return taker->take(taker->user, r, fx_json_span_text(r, key));
}

bool fx_json_next_members(struct fx_json_reader *r, fx_json_take_member *take,
                          void *user) {
    struct taker taker = {take, user};
    skip_space(r);
    assert(fx_json_peek(r) == '{');
    return read_members(r, hand_over, &taker);
}

bool fx_json_reader_end(struct fx_json_reader *r) {
    skip_space(r);
    return r->at == r->end || fx_json_fail_here(r, "after top-level value");
}

/* ---- the whole text --------------------------------------------------------------- */

json_t *fx_json_read(struct fx_text text, struct fx_marks *marks, struct fx_err *err) {
    return fx_json_read_part(text, NULL, marks, err);
}

json_t *fx_json_read_part(struct fx_text text, const struct fx_json_part *part,
                          struct fx_marks *marks, struct fx_err *err) {
    const size_t n_marks = marks == NULL ? 0 : marks->n_items;
    struct fx_json_reader reader;
    if (!fx_spend(text.len / BYTES_OF_TEXT_A_UNIT)) {
        (void)fx_fail_exceeded(err);
        return NULL;
    }
    if (!fx_json_reader_init(&reader, text, err)) {
        return NULL;
    }
    reader.marks = marks;
    json_t *value = fx_json_next(&reader, part);
    if (value != NULL && !fx_json_reader_end(&reader)) {
        drop_node(value);
        value = NULL;
    }
    fx_json_reader_finish(&reader);
    if (value == NULL && marks != NULL) {
        marks->n_items = n_marks;
    }
    return value;
}
