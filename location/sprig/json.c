/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/json.c - fromJson, toJson and similar functions: values as Go's
 * encoding/json writes them. A plain function hides an error that its `must` twin
 * reports.
 */
#include "location/sprig/functions.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "location/go/time.h"
#include "location/sprig/semver.h"
#include "value/json.h"
#include "value/number.h"
#include "value/tree.h"

enum json_layout {
    LAYOUT_COMPACT,  /* `<`, `>` and `&` as \u003c … */
    LAYOUT_INDENTED, /* the same, indented by two blanks a level */
    LAYOUT_RAW,      /* `<`, `>` and `&` unchanged */
};

/* ---- values as JSON ---------------------------------------------------------------- */

#define PRICE_OF_NUMBER   4 /* units */
#define PRICE_OF_OWN_TEXT 8

struct json_printer {
    struct template_run *run;
    struct fx_buf *out;
    enum json_layout layout;
};

static bool print_any(struct json_printer *p, const struct value *value, size_t depth);

/* True for U+2028 and U+2029, which Go always escapes. Both have three bytes in UTF-8. */
static bool is_separator(const char *at, const char *end) {
    return end - at >= 3 && memcmp(at, "\xE2\x80", 2) == 0 &&
           (at[2] == '\xA8' || at[2] == '\xA9');
}

static void add_raw_string(struct fx_buf *out, struct fx_text text) {
    struct fx_buf plain;
    fx_buf_init(&plain, out->max);
    fx_json_write_string(&plain, text, FX_JSON_COMPACT);
    if (plain.failed) {
        fx_buf_fail_as(out, &plain);
        fx_buf_finish(&plain);
        return;
    }
    const char *end = plain.data + plain.len;
    for (const char *at = plain.data; at < end;) {
        if (is_separator(at, end)) {
            fx_buf_str(out, at[2] == '\xA8' ? "\\u2028" : "\\u2029");
            at += 3;
        } else {
            fx_buf_char(out, *at++);
        }
    }
    fx_buf_finish(&plain);
}

static void print_string(struct json_printer *p, struct fx_text text) {
    if (p->layout == LAYOUT_RAW) {
        add_raw_string(p->out, text);
    } else {
        fx_json_write_string(p->out, text, FX_JSON_HTML);
    }
}

static bool print_number(struct json_printer *p, double number) {
    char text[FX_NUMBER_SIZE];
    if (!isfinite(number)) {
        return fx_fail(p->run->err, FX_EMUTATE, "json: unsupported value: %s",
                       isnan(number) ? "NaN" : (number < 0 ? "-Inf" : "+Inf"));
    }
    fx_buf_add(p->out, text, fx_number_print_double(number, text));
    return true;
}

static void break_line(struct json_printer *p, size_t depth) {
    if (p->layout == LAYOUT_INDENTED) {
        fx_buf_char(p->out, '\n');
        fx_buf_fill(p->out, ' ', 2 * depth);
    }
}

static bool print_list(struct json_printer *p, const struct template_list *list,
                       size_t depth) {
    fx_buf_char(p->out, '[');
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0) {
            fx_buf_char(p->out, ',');
        }
        break_line(p, depth + 1);
        if (!print_any(p, &list->values[i], depth + 1)) {
            return false;
        }
    }
    if (list->n > 0) {
        break_line(p, depth);
    }
    fx_buf_char(p->out, ']');
    return true;
}

/* Prints a member; `is_first` is true for the first of its object. */
static bool print_member(struct json_printer *p, struct fx_text key,
                         const struct value *value, size_t depth, bool is_first) {
    if (!is_first) {
        fx_buf_char(p->out, ',');
    }
    break_line(p, depth);
    print_string(p, key);
    fx_buf_str(p->out, p->layout == LAYOUT_INDENTED ? ": " : ":");
    return print_any(p, value, depth);
}

static void end_object(struct json_printer *p, size_t n, size_t depth) {
    if (n > 0) {
        break_line(p, depth);
    }
    fx_buf_char(p->out, '}');
}

static bool print_map(struct json_printer *p, struct map *map, size_t depth) {
    if (!value_map_fill(p->run, map)) {
        return false;
    }
    fx_buf_char(p->out, '{');
    for (size_t i = 0; i < map->n; i++) {
        const struct map_entry *entry = &map->entries[i];
        if (!print_member(p, entry->key, &entry->value, depth + 1, i == 0)) {
            return false;
        }
    }
    end_object(p, map->n, depth);
    return true;
}

static bool print_context(struct json_printer *p, const struct context *context,
                          size_t depth) {
    fx_buf_char(p->out, '{');
    for (size_t i = 0; i < context->n; i++) {
        const struct context_field *field = &context->fields[i];
        if (!print_member(p, field->name, &field->value, depth + 1, i == 0)) {
            return false;
        }
    }
    end_object(p, context->n, depth);
    return true;
}

/* Prints an object. The texts of objects need no escapes. */
static void print_object(struct json_printer *p, const struct value *value) {
    fx_buf_char(p->out, '"');
    if (value->object.type == &time_type) {
        fx_go_time_format(p->out, value->object.data,
                          FX_TEXT("2006-01-02T15:04:05.999999999Z07:00"));
    } else {
        value->object.type->print(p->out, value->object.data);
    }
    fx_buf_char(p->out, '"');
}

/* Returns the price of a value. The bytes of a string are charged when it is written;
 * those of a raw one are charged twice. */
static size_t price_of(const struct json_printer *p, const struct value *value) {
    switch ((int)value->kind) {
    case VALUE_STRING:
        return 1 + (p->layout == LAYOUT_RAW ? value->string.len / FX_BUDGET_BYTES : 0);
    case VALUE_FLOAT64: return PRICE_OF_NUMBER;
    case VALUE_OBJECT: return PRICE_OF_OWN_TEXT;
    default: return 1;
    }
}

/* Returns the price of the indentation: in an indented text each value is on its own
 * line. */
static size_t price_of_lines(const struct json_printer *p, size_t depth) {
    return p->layout == LAYOUT_INDENTED ? depth / FX_BUDGET_BYTES : 0;
}

static bool print_any(struct json_printer *p, const struct value *value, size_t depth) {
    if (!run_check_depth(p->run, depth) ||
        !run_spend(p->run, price_of(p, value) + price_of_lines(p, depth))) {
        return false;
    }
    switch (value->kind) {
    case VALUE_MISSING:
    case VALUE_NIL: fx_buf_str(p->out, "null"); return true;
    case VALUE_BOOL: fx_buf_str(p->out, value->boolean ? "true" : "false"); return true;
    case VALUE_INT:
    case VALUE_INT64:
    case VALUE_UINT64: fx_buf_integer(p->out, value->integer); return true;
    case VALUE_FLOAT64: return print_number(p, value->number);
    case VALUE_STRING: print_string(p, value->string); return true;
    case VALUE_LIST: return print_list(p, value->list, depth);
    case VALUE_MAP: return print_map(p, value->map, depth);
    case VALUE_OBJECT: print_object(p, value); return true;
    case VALUE_STRUCT: return print_context(p, value->context, depth);
    }
    return true;
}

static bool json_print(struct template_run *run, struct fx_buf *buf,
                       const struct value *value, enum json_layout layout) {
    struct json_printer printer = {run, buf, layout};
    return print_any(&printer, value, 0);
}

/* ---- the functions ----------------------------------------------------------------- */

static bool copy_node(struct template_run *run, json_t *node, struct value *ret_value);

static bool copy_array(struct template_run *run, json_t *array, struct value *ret_value) {
    struct template_list *list = value_list_new(run, json_array_size(array));
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!copy_node(run, json_array_get(array, i), &list->values[i])) {
            return false;
        }
    }
    *ret_value = value_list(list);
    return true;
}

static bool copy_member(struct template_run *run, void *iterator,
                        struct map_entry *ret_entry) {
    const struct fx_text name = {json_object_iter_key(iterator),
                                 json_object_iter_key_len(iterator)};
    return run_copy(run, name, &ret_entry->key) &&
           copy_node(run, json_object_iter_value(iterator), &ret_entry->value);
}

static bool copy_object(struct template_run *run, json_t *object,
                        struct value *ret_value) {
    const size_t n = json_object_size(object);
    struct map *map = value_map_new(run);
    struct map_entry *entries = map == NULL ? NULL : run_alloc(run, n * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    map->entries = entries;
    map->capacity = n;
    for (void *i = json_object_iter(object); i != NULL;
         i = json_object_iter_next(object, i)) {
        if (!copy_member(run, i, &entries[map->n++])) {
            return false;
        }
    }
    *ret_value = value_map(map);
    return value_map_sort(run, map);
}

static bool copy_string(struct template_run *run, const json_t *node,
                        struct value *ret_value) {
    struct fx_text copy = {0};
    if (!run_copy(run, fx_tree_text(node), &copy)) {
        return false;
    }
    *ret_value = value_string(copy);
    return true;
}

/* Copies a node to a value in the arena, because the node does not outlive the call. The
 * JSON reader limits its depth. */
static bool copy_node(struct template_run *run, json_t *node, struct value *ret_value) {
    if (!run_spend(run, 1)) {
        return false;
    }
    switch (json_typeof(node)) {
    case JSON_OBJECT: return copy_object(run, node, ret_value);
    case JSON_ARRAY: return copy_array(run, node, ret_value);
    case JSON_STRING: return copy_string(run, node, ret_value);
    case JSON_INTEGER:
        *ret_value = value_float64((double)json_integer_value(node));
        return true;
    case JSON_REAL: *ret_value = value_float64(json_real_value(node)); return true;
    case JSON_TRUE: *ret_value = value_bool(true); return true;
    case JSON_FALSE: *ret_value = value_bool(false); return true;
    case JSON_NULL: break;
    }
    *ret_value = value_nil();
    return true;
}

static bool call_from_json(struct template_call *call) {
    json_t *root = fx_json_read(call->arguments[0].string, NULL, call->err);
    if (root != NULL) {
        const bool copied = copy_node(call->run, root, call->ret);
        json_decref(root);
        return copied;
    }
    if (call->err->code == FX_ESYNTAX && !is_must(call)) {
        fx_err_reset(call->err);
        *call->ret = value_nil();
        return true;
    }
    if (call->err->code == FX_ESYNTAX) {
        call->err->code = FX_EMUTATE;
    }
    call->err->off = 0; /* the position is in an internal text */
    call->err->len = 0;
    return false;
}

/* Writes JSON. For a value that JSON does not have, a plain function returns the empty
 * text, but toRawJson panics with the message of its twin. */
static bool call_to_json(struct template_call *call) {
    const enum json_layout layout = (enum json_layout)call->function->variant;
    struct fx_buf *buf = run_scratch(call->run);
    if (json_print(call->run, buf, &call->arguments[0], layout)) {
        return run_take_scratch(call->run, call->ret);
    }
    if (call->err->code != FX_EMUTATE || is_must(call) || layout == LAYOUT_RAW) {
        return false;
    }
    fx_err_reset(call->err);
    return return_text(call, FX_TEXT(""));
}

const struct function functions_json[] = {
    WITH_MUST(FUNCTION, "fromJson", "mustFromJson", call_from_json, 1, STRING),
    WITH_MUST(VARIANT, "toJson", "mustToJson", call_to_json, LAYOUT_COMPACT, 1, ANY),
    WITH_MUST(VARIANT, "toPrettyJson", "mustToPrettyJson", call_to_json, LAYOUT_INDENTED,
              1, ANY),
    WITH_MUST(VARIANT, "toRawJson", "mustToRawJson", call_to_json, LAYOUT_RAW, 1, ANY),
    {.name = NULL},
};
