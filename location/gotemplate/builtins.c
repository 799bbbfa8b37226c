/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/builtins.c - text/template's own functions (templates spec,
 * "Built-in functions"). Its `slice` is hidden by Sprig's.
 */
#include "location/gotemplate/function.h"

#include <string.h>

#include "location/gotemplate/compare.h"
#include "location/gotemplate/escape.h"
#include "location/gotemplate/print.h"
#include "location/gotemplate/printf.h"

/* The words of Go's error. */
#define FAIL(call, ...) fx_fail((call)->err, FX_EMUTATE, __VA_ARGS__)

/* ---- comparisons ----------------------------------------------------------------- */

static bool call_not(struct call *call) {
    *call->ret = value_bool(!value_is_true(&call->arguments[0]));
    return true;
}

/* The first is equal to one of the others. */
static bool call_eq(struct call *call) {
    if (call->n_arguments == 1) {
        return FAIL(call, "missing argument for comparison");
    }
    bool equal = false;
    for (size_t i = 1; i < call->n_arguments && !equal; i++) {
        if (!compare_equal(call->run, &call->arguments[0], &call->arguments[i], &equal)) {
            return false;
        }
    }
    *call->ret = value_bool(equal);
    return true;
}

static bool call_ne(struct call *call) {
    bool equal = false;
    if (!compare_equal(call->run, &call->arguments[0], &call->arguments[1], &equal)) {
        return false;
    }
    *call->ret = value_bool(!equal);
    return true;
}

static bool is_less(struct call *call, bool *ret_less) {
    return compare_less(call->run, &call->arguments[0], &call->arguments[1], ret_less);
}

static bool is_less_or_equal(struct call *call, bool *ret_so) {
    return is_less(call, ret_so) &&
           (*ret_so ||
            compare_equal(call->run, &call->arguments[0], &call->arguments[1], ret_so));
}

static bool call_lt(struct call *call) {
    bool less = false;
    const bool ok = is_less(call, &less);
    *call->ret = value_bool(less);
    return ok;
}

static bool call_le(struct call *call) {
    bool so = false;
    const bool ok = is_less_or_equal(call, &so);
    *call->ret = value_bool(so);
    return ok;
}

static bool call_gt(struct call *call) {
    bool so = false;
    const bool ok = is_less_or_equal(call, &so);
    *call->ret = value_bool(!so);
    return ok;
}

static bool call_ge(struct call *call) {
    bool less = false;
    const bool ok = is_less(call, &less);
    *call->ret = value_bool(!less);
    return ok;
}

/* ---- lists, maps and strings ----------------------------------------------------- */

static bool call_len(struct call *call) {
    const struct value *value = &call->arguments[0];
    if (value->kind == VALUE_MISSING) {
        return FAIL(call, "len of a value that is missing");
    }
    if (value->kind == VALUE_NIL) {
        return FAIL(call, "len of nil pointer");
    }
    if (value->kind != VALUE_STRING && value->kind != VALUE_LIST &&
        value->kind != VALUE_MAP) {
        return FAIL(call, "len of type %s", value_type_name(value));
    }
    *call->ret = value_int((int64_t)value_length(value));
    return true;
}

/* A place in a list or string. */
static bool check_place(struct call *call, const struct value *index, size_t n) {
    if (value_is_nil(index)) {
        return FAIL(call, "cannot index slice/array with nil");
    }
    if (!value_is_integer(index)) {
        return FAIL(call, "cannot index slice/array with type %s",
                    value_type_name(index));
    }
    return (index->integer >= 0 && (uint64_t)index->integer < n) ||
           FAIL(call, "index out of range: %lld", (long long)index->integer);
}

static bool index_string(struct call *call, struct fx_text string,
                         const struct value *index, struct value *item) {
    if (!check_place(call, index, string.len)) {
        return false;
    }
    *item = (struct value){.kind = VALUE_UINT64,
                           .integer = (unsigned char)string.data[index->integer]};
    return true;
}

static bool index_list(struct call *call, const struct list *list,
                       const struct value *index, struct value *item) {
    if (!check_place(call, index, list->n)) {
        return false;
    }
    *item = list->values[index->integer];
    return true;
}

/* A key that is not there gives the zero value of the map's type. */
static bool index_map(struct call *call, struct map *map, const struct value *index,
                      struct value *item) {
    if (value_is_nil(index)) {
        return FAIL(call, "value is nil; should be of type string");
    }
    if (index->kind != VALUE_STRING) {
        return FAIL(call, "value has type %s; should be string", value_type_name(index));
    }
    if (!value_map_get(call->run, map, index->string, item)) {
        return false;
    }
    if (item->kind == VALUE_MISSING) {
        *item =
            strcmp(map->type, TYPE_TEXTS) == 0 ? value_string(FX_TEXT("")) : value_nil();
    }
    return true;
}

static bool index_one(struct call *call, const struct value *index, struct value *item) {
    const struct value from = *item;
    if (value_is_nil(&from)) {
        return FAIL(call, "index of nil pointer");
    }
    if (from.kind == VALUE_STRING) {
        return index_string(call, from.string, index, item);
    }
    if (from.kind == VALUE_LIST) {
        return index_list(call, from.list, index, item);
    }
    if (from.kind == VALUE_MAP) {
        return index_map(call, from.map, index, item);
    }
    return FAIL(call, "can't index item of type %s", value_type_name(&from));
}

/* index x 1 "a" is x[1]["a"] */
static bool call_index(struct call *call) {
    struct value item = call->arguments[0];
    if (value_is_nil(&item)) {
        return FAIL(call, "index of untyped nil");
    }
    for (size_t i = 1; i < call->n_arguments; i++) {
        if (!index_one(call, &call->arguments[i], &item)) {
            return false;
        }
    }
    *call->ret = item;
    return true;
}

/* Nothing that templates know is a function. */
static bool call_call(struct call *call) {
    if (value_is_nil(&call->arguments[0])) {
        return FAIL(call, "call of nil");
    }
    return FAIL(call, "non-function of type %s", value_type_name(&call->arguments[0]));
}

/* ---- text ------------------------------------------------------------------------ */

enum spaces { BETWEEN_OTHERS, BETWEEN_ALL };

/* Appends the arguments; spaces stand between two where neither is a string, or
 * always. */
static bool print_arguments(struct call *call, enum spaces spaces, struct fx_buf *buf) {
    const struct value *arguments = call->arguments;
    for (size_t i = 0; i < call->n_arguments; i++) {
        if (i > 0 && (spaces == BETWEEN_ALL || (arguments[i].kind != VALUE_STRING &&
                                                arguments[i - 1].kind != VALUE_STRING))) {
            fx_buf_char(buf, ' ');
        }
        if (!value_print(call->run, buf, &arguments[i])) {
            return false;
        }
    }
    return true;
}

static bool call_print(struct call *call) {
    return print_arguments(call, BETWEEN_OTHERS, run_scratch(call->run)) &&
           run_take_scratch(call->run, call->ret);
}

static bool call_println(struct call *call) {
    struct fx_buf *buf = run_scratch(call->run);
    if (!print_arguments(call, BETWEEN_ALL, buf)) {
        return false;
    }
    fx_buf_char(buf, '\n');
    return run_take_scratch(call->run, call->ret);
}

static bool call_printf(struct call *call) {
    return format_values(call, call->arguments[0].string, call->arguments + 1,
                         call->n_arguments - 1, run_scratch(call->run)) &&
           run_take_scratch(call->run, call->ret);
}

/* What the escaping functions take for one text; nil is told as the output tells it. */
static bool text_of_arguments(struct call *call, struct fx_text *ret_text) {
    struct value text = {0};
    if (call->n_arguments == 1 && call->arguments[0].kind == VALUE_STRING) {
        *ret_text = call->arguments[0].string;
        return true;
    }
    if (call->n_arguments == 1 && value_is_nil(&call->arguments[0])) {
        *ret_text = FX_TEXT("<no value>");
        return true;
    }
    if (!print_arguments(call, BETWEEN_OTHERS, run_scratch(call->run)) ||
        !run_take_scratch(call->run, &text)) {
        return false;
    }
    *ret_text = text.string;
    return true;
}

#define PRICE_OF_ESCAPES 4

static bool escape(struct call *call,
                   void (*write)(struct fx_buf *buf, struct fx_text text)) {
    struct fx_text text = {0};
    if (!text_of_arguments(call, &text) ||
        !run_spend(call->run, text.len / FX_BUDGET_BYTES * PRICE_OF_ESCAPES)) {
        return false;
    }
    write(run_scratch(call->run), text);
    return run_take_scratch(call->run, call->ret);
}

static bool call_html(struct call *call) {
    return escape(call, escape_html);
}

static bool call_js(struct call *call) {
    return escape(call, escape_js);
}

static bool call_urlquery(struct call *call) {
    return escape(call, escape_query);
}

/* ---- the table ------------------------------------------------------------------- */

#define TWO   {PARAMETER_VALUE, PARAMETER_VALUE, PARAMETER_NONE}
#define TEXTS {PARAMETER_ANY, PARAMETER_NONE}

const struct function functions_builtin[] = {
    {"and", NULL, TWO, .variadic = true},
    {"or", NULL, TWO, .variadic = true},
    {"not", call_not, {PARAMETER_VALUE, PARAMETER_NONE}, .variadic = false},
    {"eq", call_eq, TWO, .variadic = true},
    {"ne", call_ne, TWO, .variadic = false},
    {"lt", call_lt, TWO, .variadic = false},
    {"le", call_le, TWO, .variadic = false},
    {"gt", call_gt, TWO, .variadic = false},
    {"ge", call_ge, TWO, .variadic = false},
    {"len", call_len, {PARAMETER_VALUE, PARAMETER_NONE}, .variadic = false},
    {"index", call_index, TWO, .variadic = true},
    {"call", call_call, TWO, .variadic = true},
    {"print", call_print, TEXTS, .variadic = true},
    {"println", call_println, TEXTS, .variadic = true},
    {"printf",
     call_printf,
     {PARAMETER_STRING, PARAMETER_ANY, PARAMETER_NONE},
     .variadic = true,
     .price = 4},
    {"html", call_html, TEXTS, .variadic = true},
    {"js", call_js, TEXTS, .variadic = true},
    {"urlquery", call_urlquery, TEXTS, .variadic = true},
    {.name = NULL},
};
