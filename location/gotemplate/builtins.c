/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/builtins.c - text/template's own functions (templates spec,
 * "Built-in functions"). Its `slice` is hidden by Sprig's.
 */
#include "location/gotemplate/function.h"

#include <string.h>

#include "base/err.h"
#include "location/gotemplate/format.h"

/* ---- eq and lt --------------------------------------------------------------------- */

enum basic { BASIC_NONE, BASIC_BOOL, BASIC_INTEGER, BASIC_FLOAT, BASIC_STRING };

static enum basic basic_of(const struct value *value) {
    if (value_is_integer(value)) {
        return BASIC_INTEGER;
    }
    if (value->kind == VALUE_BOOL) {
        return BASIC_BOOL;
    }
    if (value->kind == VALUE_FLOAT64) {
        return BASIC_FLOAT;
    }
    return value->kind == VALUE_STRING ? BASIC_STRING : BASIC_NONE;
}

static bool fail_kinds(struct template_run *run) {
    return fx_fail(run->err, FX_EMUTATE, "incompatible types for comparison");
}

/* Fails for lists and maps, which cannot be compared. */
static bool check_comparable(struct template_run *run, const struct value *value) {
    if (value->kind != VALUE_LIST && value->kind != VALUE_MAP) {
        return true;
    }
    struct fx_buf *text = run_scratch(run);
    if (!value_print(run, text, value)) {
        return false;
    }
    const size_t shown = text->len < FX_ERR_TEXT ? text->len : FX_ERR_TEXT;
    return fx_fail(run->err, FX_EMUTATE, "non-comparable type %.*s: %s", (int)shown,
                   shown == 0 ? "" : text->data, value_type_name(value));
}

/* Compares values of the same basic kind. */
static bool basics_equal(enum basic basic, const struct value *a, const struct value *b) {
    switch (basic) {
    case BASIC_BOOL: return a->boolean == b->boolean;
    case BASIC_INTEGER: return a->integer == b->integer;
    case BASIC_FLOAT: return a->number == b->number;
    case BASIC_STRING: return fx_text_equal(a->string, b->string);
    case BASIC_NONE: break;
    }
    if (a->kind != b->kind) {
        return value_is_nil(a) && value_is_nil(b);
    }
    return a->kind != VALUE_OBJECT ||
           (a->object.type == b->object.type &&
            a->object.type->equal(a->object.data, b->object.data));
}

/* Computes a == b. int and uint are compared by value, other kinds only with the same
 * kind; NIL and MISSING equal only each other. Errors here and below: FX_EMUTATE with
 * Go's message. */
static bool compare_equal(struct template_run *run, const struct value *a,
                          const struct value *b, bool *ret_equal) {
    const enum basic basic = basic_of(a);
    if (!check_comparable(run, a)) {
        return false;
    }
    if (basic != basic_of(b)) {
        *ret_equal = false;
        return value_is_nil(a) || value_is_nil(b) || fail_kinds(run);
    }
    if (!check_comparable(run, b)) {
        return false;
    }
    *ret_equal = basics_equal(basic, a, b);
    return true;
}

/* Computes a < b for numbers and strings. */
static bool compare_less(struct template_run *run, const struct value *a,
                         const struct value *b, bool *ret_less) {
    const enum basic basic = basic_of(a);
    if (basic == BASIC_NONE || basic_of(b) == BASIC_NONE) {
        return fx_fail(run->err, FX_EMUTATE, "invalid type for comparison");
    }
    if (basic != basic_of(b)) {
        return fail_kinds(run);
    }
    switch (basic) {
    case BASIC_INTEGER: *ret_less = a->integer < b->integer; return true;
    case BASIC_FLOAT: *ret_less = a->number < b->number; return true;
    case BASIC_STRING: *ret_less = fx_text_compare(a->string, b->string) < 0; return true;
    case BASIC_BOOL:
    case BASIC_NONE: break;
    }
    return fx_fail(run->err, FX_EMUTATE, "invalid type for comparison");
}

/* ---- html, js, urlquery ------------------------------------------------------------ */

static const char *html_escape(char c) {
    switch (c) {
    case '"': return "&#34;";
    case '\'': return "&#39;";
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '\0': return "\xEF\xBF\xBD";
    default: return NULL;
    }
}

static void escape_html(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = html_escape(text.data[i]);
        if (escape != NULL) {
            fx_buf_str(buf, escape);
        } else {
            fx_buf_char(buf, text.data[i]);
        }
    }
}

/* True if the rune is not escaped between Go's quotes. */
static bool is_printable(struct fx_text rune, struct fx_buf *quoted) {
    fx_buf_reset(quoted);
    fx_text_quote_go(quoted, rune);
    return quoted->failed || quoted->len == rune.len + 2;
}

static void add_js_ascii(struct fx_buf *buf, char c) {
    if (c == '\\' || c == '\'' || c == '"') {
        fx_buf_char(buf, '\\');
        fx_buf_char(buf, c);
    } else if ((unsigned char)c < ' ' || fx_is_one_of(c, "<>&=")) {
        fx_buf_str(buf, "\\u");
        fx_buf_hex(buf, (unsigned char)c, 4, true);
    } else {
        fx_buf_char(buf, c);
    }
}

static void escape_js(struct fx_buf *buf, struct fx_text text) {
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    for (size_t at = 0; at < text.len;) {
        const struct fx_text rest = {text.data + at, text.len - at};
        uint32_t rune = 0;
        const size_t len = fx_text_rune(rest, &rune);
        at += len;
        if (rune < 0x80) {
            add_js_ascii(buf, (char)rune);
        } else if (is_printable((struct fx_text){rest.data, len}, &quoted)) {
            fx_buf_add(buf, rest.data, len);
        } else {
            fx_buf_str(buf, "\\u");
            fx_buf_hex(buf, rune, 4, true);
        }
    }
    buf->failed = buf->failed || quoted.failed;
    fx_buf_finish(&quoted);
}

static bool is_unreserved(char c) {
    return fx_is_letter(c) || fx_is_digit(c) || fx_is_one_of(c, "-_.~");
}

static void escape_query(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (is_unreserved(c)) {
            fx_buf_char(buf, c);
        } else if (c == ' ') {
            fx_buf_char(buf, '+');
        } else {
            fx_buf_char(buf, '%');
            fx_buf_hex(buf, (unsigned char)c, 2, true);
        }
    }
}

/* Fails with Go's message. */
#define FAIL(call, ...) fx_fail((call)->err, FX_EMUTATE, __VA_ARGS__)

/* ---- comparisons ----------------------------------------------------------------- */

enum comparison { EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL };

static bool call_not(struct template_call *call) {
    *call->ret = value_bool(!value_is_true(&call->arguments[0]));
    return true;
}

/* Computes eq, ne and not. eq is true if the first argument equals one of the others. */
static bool call_eq(struct template_call *call) {
    bool equal = false;
    if (call->n_arguments == 1) {
        return FAIL(call, "missing argument for comparison");
    }
    for (size_t i = 1; i < call->n_arguments && !equal; i++) {
        if (!compare_equal(call->run, &call->arguments[0], &call->arguments[i], &equal)) {
            return false;
        }
    }
    *call->ret = value_bool(equal == (call->function->variant == EQUAL));
    return true;
}

/* Computes an order. `>=` is not `<`, and `>` is not `<=`. */
static bool call_order(struct template_call *call) {
    const int variant = call->function->variant;
    const bool with_equal = variant == LESS_OR_EQUAL || variant == GREATER;
    const struct value *a = &call->arguments[0];
    const struct value *b = &call->arguments[1];
    bool so = false;
    if (!compare_less(call->run, a, b, &so) ||
        (with_equal && !so && !compare_equal(call->run, a, b, &so))) {
        return false;
    }
    *call->ret = value_bool(so == (variant == LESS || variant == LESS_OR_EQUAL));
    return true;
}

/* ---- lists, maps and strings ----------------------------------------------------- */

static bool call_len(struct template_call *call) {
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

/* Checks an index of a list or string. */
static bool check_place(struct template_call *call, const struct value *index, size_t n) {
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

static bool index_string(struct template_call *call, struct fx_text string,
                         const struct value *index, struct value *item) {
    if (!check_place(call, index, string.len)) {
        return false;
    }
    *item = (struct value){.kind = VALUE_UINT64,
                           .integer = (unsigned char)string.data[index->integer]};
    return true;
}

static bool index_list(struct template_call *call, const struct template_list *list,
                       const struct value *index, struct value *item) {
    if (!check_place(call, index, list->n)) {
        return false;
    }
    *item = list->values[index->integer];
    return true;
}

/* Gets an entry of a map. A missing key gives the zero value of the map's element
 * type. */
static bool index_map(struct template_call *call, struct map *map,
                      const struct value *index, struct value *item) {
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

static bool index_one(struct template_call *call, const struct value *index,
                      struct value *item) {
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

/* Computes `index x 1 "a"`, which is x[1]["a"]. */
static bool call_index(struct template_call *call) {
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

/* Always fails, because no value of a template is a function. */
static bool call_call(struct template_call *call) {
    if (value_is_nil(&call->arguments[0])) {
        return FAIL(call, "call of nil");
    }
    return FAIL(call, "non-function of type %s", value_type_name(&call->arguments[0]));
}

/* ---- text ------------------------------------------------------------------------ */

enum spaces { BETWEEN_OTHERS, BETWEEN_ALL };

/* Appends the arguments, with spaces between all, or only between two that are not
 * strings. */
static bool print_arguments(struct template_call *call, enum spaces spaces,
                            struct fx_buf *buf) {
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

static bool call_print(struct template_call *call) {
    return print_arguments(call, BETWEEN_OTHERS, run_scratch(call->run)) &&
           run_take_scratch(call->run, call->ret);
}

static bool call_println(struct template_call *call) {
    struct fx_buf *buf = run_scratch(call->run);
    if (!print_arguments(call, BETWEEN_ALL, buf)) {
        return false;
    }
    fx_buf_char(buf, '\n');
    return run_take_scratch(call->run, call->ret);
}

static bool call_printf(struct template_call *call) {
    return format_values(call->run, call->arguments[0].string, call->arguments + 1,
                         call->n_arguments - 1, run_scratch(call->run)) &&
           run_take_scratch(call->run, call->ret);
}

/* Gets the text for the escaping functions; nil becomes `<no value>`. */
static bool text_of_arguments(struct template_call *call, struct fx_text *ret_text) {
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

enum escaping { HTML, JS, QUERY };

static bool call_escape(struct template_call *call) {
    static void (*const write[])(struct fx_buf *buf, struct fx_text text) = {
        [HTML] = escape_html, [JS] = escape_js, [QUERY] = escape_query};
    struct fx_text text = {0};
    if (!text_of_arguments(call, &text) ||
        !run_spend(call->run, text.len / FX_BUDGET_BYTES * PRICE_OF_ESCAPES)) {
        return false;
    }
    write[call->function->variant](run_scratch(call->run), text);
    return run_take_scratch(call->run, call->ret);
}

/* ---- the table ------------------------------------------------------------------- */

#define TWO   {PARAMETER_VALUE, PARAMETER_VALUE, PARAMETER_NONE}
#define TEXTS {PARAMETER_ANY, PARAMETER_NONE}

const struct function functions_builtin[] = {
    {"and", NULL, TWO, .variadic = true},
    {"or", NULL, TWO, .variadic = true},
    {"not", call_not, {PARAMETER_VALUE, PARAMETER_NONE}, .variadic = false},
    {"eq", call_eq, TWO, .variadic = true, .variant = EQUAL},
    {"ne", call_eq, TWO, .variant = NOT_EQUAL},
    {"lt", call_order, TWO, .variant = LESS},
    {"le", call_order, TWO, .variant = LESS_OR_EQUAL},
    {"gt", call_order, TWO, .variant = GREATER},
    {"ge", call_order, TWO, .variant = GREATER_OR_EQUAL},
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
    {"html", call_escape, TEXTS, .variadic = true, .variant = HTML},
    {"js", call_escape, TEXTS, .variadic = true, .price = 2, .variant = JS},
    {"urlquery", call_escape, TEXTS, .variadic = true, .variant = QUERY},
    {.name = NULL},
};
