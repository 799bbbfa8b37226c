/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format_value.c - prints any value with any verb: lists and maps
 * element by element, objects by their own function, and `%!d(string=x)` where the verb
 * does not fit.
 */
#include "location/gotemplate/format.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"

#define PRICE_OF_NUMBER   4 /* units */
#define PRICE_OF_OWN_TEXT 8

static bool print_any(struct format_printer *p, const struct value *value, uint32_t verb,
                      size_t depth);

/* Appends `%!d(string=x)`. */
static bool print_bad(struct format_printer *p, const struct value *value, uint32_t verb,
                      size_t depth) {
    p->is_bad = true;
    fx_buf_str(p->out, "%!");
    format_rune(p->out, verb);
    fx_buf_char(p->out, '(');
    bool printed = true;
    if (value_is_nil(value)) {
        fx_buf_str(p->out, "<nil>");
    } else {
        fx_buf_str(p->out, value_type_name(value));
        fx_buf_char(p->out, '=');
        printed = print_any(p, value, 'v', depth);
    }
    fx_buf_char(p->out, ')');
    p->is_bad = false;
    return printed;
}

static bool is_bool_verb(uint32_t verb) {
    return verb == 't' || verb == 'v';
}

/* Returns the separator of elements. */
static const char *separator(const struct format_printer *p) {
    return p->format.sharp_v ? ", " : " ";
}

static bool print_list(struct format_printer *p, const struct template_list *list,
                       uint32_t verb, size_t depth) {
    if (p->format.sharp_v) {
        fx_buf_str(p->out, list->type);
    }
    fx_buf_char(p->out, p->format.sharp_v ? '{' : '[');
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0) {
            fx_buf_str(p->out, separator(p));
        }
        if (!print_any(p, &list->values[i], verb, depth + 1)) {
            return false;
        }
    }
    fx_buf_char(p->out, p->format.sharp_v ? '}' : ']');
    return true;
}

static bool print_entry(struct format_printer *p, const struct map_entry *entry,
                        uint32_t verb, size_t depth) {
    const struct value key = value_string(entry->key);
    if (!print_any(p, &key, verb, depth + 1)) {
        return false;
    }
    fx_buf_char(p->out, ':');
    return print_any(p, &entry->value, verb, depth + 1);
}

static bool print_map(struct format_printer *p, struct map *map, uint32_t verb,
                      size_t depth) {
    if (!value_map_fill(p->run, map)) {
        return false;
    }
    if (p->format.sharp_v) {
        fx_buf_str(p->out, map->type);
    }
    fx_buf_str(p->out, p->format.sharp_v ? "{" : "map[");
    for (size_t i = 0; i < map->n; i++) {
        if (i > 0) {
            fx_buf_str(p->out, separator(p));
        }
        if (!print_entry(p, &map->entries[i], verb, depth)) {
            return false;
        }
    }
    fx_buf_char(p->out, p->format.sharp_v ? '}' : ']');
    return true;
}

/* Appends `{a b}`, with names for %+v and %#v. */
static bool print_context(struct format_printer *p, const struct context *context,
                          uint32_t verb, size_t depth) {
    const bool is_named = p->format.plus_v || p->format.sharp_v;
    if (p->format.sharp_v) {
        const struct value value = {.kind = VALUE_STRUCT};
        fx_buf_str(p->out, value_type_name(&value));
    }
    fx_buf_char(p->out, '{');
    for (size_t i = 0; i < context->n; i++) {
        if (i > 0) {
            fx_buf_str(p->out, separator(p));
        }
        if (is_named) {
            fx_buf_text(p->out, context->fields[i].name);
            fx_buf_char(p->out, ':');
        }
        if (!print_any(p, &context->fields[i].value, verb, depth + 1)) {
            return false;
        }
    }
    fx_buf_char(p->out, '}');
    return true;
}

/* Formats an object (a fmt.Stringer in Go) as the string that it prints. */
static bool print_own_text(struct format_printer *p, const struct value *value,
                           uint32_t verb) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    value->object.type->print(&text, value->object.data);
    bool printed = !text.failed;
    fx_buf_fail_as(p->out, &text);
    if (!text.failed) {
        printed = format_string(p, (struct fx_text){text.data, text.len}, verb);
    }
    fx_buf_finish(&text);
    return printed;
}

static bool print_nil(struct format_printer *p, uint32_t verb, size_t depth) {
    if (depth > 0) {
        fx_buf_str(p->out, p->format.sharp_v ? "interface {}(nil)" : "<nil>");
        return true;
    }
    if (verb == 'v') {
        format_padded(p, FX_TEXT("<nil>"));
        return true;
    }
    return false;
}

/* Prints a value that is not a list, map or struct. False if its type does not have the
 * verb. */
static bool print_scalar(struct format_printer *p, const struct value *value,
                         uint32_t verb, size_t depth) {
    switch (value->kind) {
    case VALUE_MISSING:
    case VALUE_NIL: return print_nil(p, verb, depth);
    case VALUE_BOOL:
        if (is_bool_verb(verb)) {
            format_padded(p, fx_text_of(value->boolean ? "true" : "false"));
        }
        return is_bool_verb(verb);
    case VALUE_INT:
    case VALUE_INT64: return format_integer(p, value->integer, true, verb);
    case VALUE_UINT64: return format_integer(p, value->integer, false, verb);
    case VALUE_FLOAT64: return format_float(p, value->number, verb);
    case VALUE_STRING: return format_string(p, value->string, verb);
    case VALUE_OBJECT: return print_own_text(p, value, verb);
    case VALUE_STRUCT:
    case VALUE_LIST:
    case VALUE_MAP: break;
    }
    return false;
}

/* Returns the price of rounding a double. It grows with the precision and with the
 * exponent, because C's printf computes all these digits. */
static size_t price_of_double(const struct format_printer *p, double number,
                              uint32_t verb) {
    const bool is_shortest =
        !p->format.has_precision && (verb == 'v' || verb == 'g' || verb == 'G');
    if (is_shortest || !isfinite(number)) {
        return PRICE_OF_NUMBER;
    }
    int exponent = 0;
    (void)frexp(number, &exponent);
    const size_t bits = (size_t)(exponent < 0 ? -exponent : exponent);
    const size_t precision = p->format.has_precision ? (size_t)p->format.precision : 6;
    return PRICE_OF_NUMBER + precision / 4 + bits / 4;
}

/* Returns the price of padding to the width and the precision. */
static size_t price_of_filling(const struct format *format) {
    return ((format->has_width ? (size_t)format->width : 0) +
            (format->has_precision ? (size_t)format->precision : 0)) /
           ((size_t)2 * FX_BUDGET_BYTES);
}

/* Returns the price of printing a value, in addition to one unit. */
static size_t price_of(const struct format_printer *p, const struct value *value,
                       uint32_t verb) {
    const bool is_copied = (verb == 'v' || verb == 's') && !p->format.sharp_v &&
                           !p->format.has_width && !p->format.has_precision;
    switch ((int)value->kind) {
    case VALUE_STRING:
        return is_copied ? value->string.len / RUN_BYTES_COPIED
                         : value->string.len / FX_BUDGET_BYTES * 2;
    case VALUE_FLOAT64: return price_of_double(p, value->number, verb);
    case VALUE_OBJECT:
        return PRICE_OF_OWN_TEXT +
               value->object.type->size(value->object.data) / FX_BUDGET_BYTES;
    default: return 0;
    }
}

static bool print_any(struct format_printer *p, const struct value *value, uint32_t verb,
                      size_t depth) {
    if (!run_check_depth(p->run, depth) ||
        !run_spend(p->run, 1 + price_of(p, value, verb) + price_of_filling(&p->format))) {
        return false;
    }
    if (value->kind == VALUE_LIST) {
        return print_list(p, value->list, verb, depth);
    }
    if (value->kind == VALUE_MAP) {
        return print_map(p, value->map, verb, depth);
    }
    if (value->kind == VALUE_STRUCT) {
        return print_context(p, value->context, verb, depth);
    }
    /* A text such as `%!d(…)` does not contain another one. */
    return print_scalar(p, value, verb, depth) || p->is_bad || p->out->failed ||
           print_bad(p, value, verb, depth);
}

bool format_value(struct format_printer *p, const struct value *value, uint32_t verb) {
    if (verb == 'T') {
        if (value_is_nil(value)) {
            p->format.has_precision = false; /* `<nil>` is never truncated */
        }
        return format_string(p, fx_text_of(value_type_name(value)), 's');
    }
    /* %p prints an address, which differs from run to run; %w needs an error, and no
     * value is an error. */
    if (verb == 'p' || verb == 'w') {
        return print_bad(p, value, verb, 0);
    }
    return print_any(p, value, verb, 0);
}

/* ---- %v without flags -------------------------------------------------------------- */

bool value_print(struct template_run *run, struct fx_buf *buf,
                 const struct value *value) {
    struct format_printer printer = {.run = run, .out = buf};
    return format_value(&printer, value, 'v');
}

bool value_text(struct template_run *run, const struct value *value,
                struct fx_text *ret_text) {
    if (value->kind == VALUE_STRING) {
        *ret_text = value->string;
        return true;
    }
    struct fx_buf buf;
    fx_buf_init(&buf, FX_LIMIT_TEMPLATE_OUTPUT_BYTES);
    bool printed = value_print(run, &buf, value);
    if (printed) {
        printed = buf.failed
                      ? run_fail_buf(run, &buf)
                      : run_copy(run, (struct fx_text){buf.data, buf.len}, ret_text);
    }
    fx_buf_finish(&buf);
    return printed;
}
