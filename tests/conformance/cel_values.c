/* SPDX-License-Identifier: Apache-2.0
 *
 * cel_values.c - reads typed JSON, and prints it and values in one form to compare them.
 */
#include "cel_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/strconv.h"
#include "location/cel_library/library.h"
#include "value/number.h"
#include "value/tree.h"

/* ---- reading ----------------------------------------------------------------------- */

/* The only member of typed JSON; its name goes to *ret_name. */
static const json_t *only_member(const json_t *typed, struct fx_text *ret_name) {
    void *iter = fx_node_first(typed);
    *ret_name = iter == NULL ? FX_TEXT("") : fx_node_key(iter);
    return iter == NULL ? NULL : json_object_iter_value(iter);
}

static double double_of(const json_t *node) {
    const struct fx_text text = fx_tree_text(node);
    if (fx_text_is(text, "NaN")) {
        return (double)NAN;
    }
    if (fx_text_is(text, "Infinity") || fx_text_is(text, "-Infinity")) {
        return text.data[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    }
    return fx_text_is(text, "-0.0") ? -0.0 : json_number_value(node);
}

/* The JSON that typed JSON means; NULL if JSON has no such value. */
static json_t *tree_of(const json_t *typed) {
    struct fx_text name;
    const json_t *member = only_member(typed, &name);
    if (fx_text_is(name, "int")) {
        int64_t integer = 0;
        (void)fx_go_parse_int(fx_tree_text(member), 10, &integer);
        return json_integer(integer);
    }
    if (fx_text_is(name, "double")) {
        return isfinite(double_of(member)) ? json_real(double_of(member)) : NULL;
    }
    if (fx_text_is(name, "string") || fx_text_is(name, "bool") ||
        fx_text_is(name, "null")) {
        return json_incref(fx_node_unconst(member));
    }
    json_t *tree = NULL;
    bool ok = false;
    size_t i;
    json_t *item;
    if (fx_text_is(name, "list")) {
        ok = (tree = json_array()) != NULL;
        json_array_foreach (fx_node_unconst(member), i, item) {
            ok = ok && fx_tree_append_take(tree, tree_of(item));
        }
    } else if (fx_text_is(name, "map")) {
        ok = (tree = json_object()) != NULL;
        json_array_foreach (fx_node_unconst(member), i, item) {
            const json_t *key = json_object_get(json_array_get(item, 0), "string");
            ok = ok && json_is_string(key) &&
                 fx_tree_set_take(tree, fx_tree_text(key),
                                  tree_of(json_array_get(item, 1)));
        }
    }
    return fx_tree_keep_if(ok, tree);
}

static struct fx_cel_value read_list(struct fx_cel_run *run, const json_t *items) {
    const struct fx_cel_value list = fx_cel_new_list(run, json_array_size(items));
    size_t i;
    json_t *item;
    json_array_foreach (fx_node_unconst(items), i, item) {
        if (!fx_cel_list_add(run, list, fx_case_cel_read(run, item, false, NULL))) {
            return fx_cel_no_memory(run);
        }
    }
    return list;
}

static struct fx_cel_value read_map(struct fx_cel_run *run, const json_t *entries) {
    const struct fx_cel_value map = fx_cel_new_map(run, json_array_size(entries));
    size_t i;
    json_t *entry;
    json_array_foreach (fx_node_unconst(entries), i, entry) {
        if (!fx_cel_map_set(
                run, map, fx_case_cel_read(run, json_array_get(entry, 0), false, NULL),
                fx_case_cel_read(run, json_array_get(entry, 1), false, NULL))) {
            return fx_cel_no_memory(run);
        }
    }
    return map;
}

static bool takes_string(const struct fx_cel_overload *overload, const char *function) {
    return strcmp(overload->function, function) == 0 && overload->call != NULL &&
           overload->n_args == 1 && overload->args[0] == &fx_cel_string;
}

/* Evaluates `function("text")`: a timestamp, a duration, a value of a library. */
static struct fx_cel_value read_call(struct fx_cel_run *run, const char *function,
                                     struct fx_text text) {
    for (size_t i = 0; fx_cel_policy_libraries[i] != NULL; i++) {
        const struct fx_cel_overload *overload = fx_cel_policy_libraries[i];
        for (; overload->function != NULL; overload++) {
            if (takes_string(overload, function)) {
                const struct fx_cel_value argument = fx_cel_make_string(text);
                return overload->call(run, &argument);
            }
        }
    }
    return fx_cel_fail(run, "no function %s", function);
}

static struct fx_cel_value read_scalar(struct fx_cel_run *run, struct fx_text name,
                                       const json_t *member) {
    const struct fx_text text = fx_tree_text(member);
    if (fx_text_is(name, "null")) {
        return fx_cel_make_null();
    }
    if (fx_text_is(name, "bool")) {
        return fx_cel_make_bool(json_is_true(member));
    }
    if (fx_text_is(name, "double")) {
        return fx_cel_make_double(double_of(member));
    }
    if (fx_text_is(name, "string")) {
        return fx_cel_make_string(text);
    }
    if (fx_text_is(name, "int")) {
        int64_t integer = 0;
        (void)fx_go_parse_int(text, 10, &integer);
        return fx_cel_make_int(integer);
    }
    if (fx_text_is(name, "uint")) {
        uint64_t uinteger = 0;
        return fx_go_parse_uint(text, 10, &uinteger) == FX_GO_NUMBER
                   ? fx_cel_make_uint(uinteger)
                   : fx_cel_fail(run, "not a number: %.*s", FX_TEXT_ARG(text));
    }
    if (fx_text_is(name, "bytes")) {
        struct fx_buf bytes;
        fx_buf_init(&bytes, 0);
        struct fx_cel_value value = fx_cel_fail(run, "invalid base64");
        if (fx_base64_decode(&bytes, text)) {
            value = fx_cel_copy_bytes(run, fx_buf_view(&bytes));
        }
        fx_buf_finish(&bytes);
        return value;
    }
    if (fx_text_is(name, "timestamp") || fx_text_is(name, "duration")) {
        return read_call(run, name.data, text);
    }
    return fx_cel_fail(run, "not a typed value: %.*s", FX_TEXT_ARG(name));
}

struct fx_cel_value fx_case_cel_read(struct fx_cel_run *run, const json_t *typed,
                                     bool is_tree, json_t **ret_tree) {
    if (is_tree) {
        *ret_tree = tree_of(typed);
        if (*ret_tree != NULL) {
            return fx_cel_make_node(*ret_tree);
        }
    }
    struct fx_text name;
    const json_t *member = only_member(typed, &name);
    if (fx_text_is(name, "list")) {
        return read_list(run, member);
    }
    if (fx_text_is(name, "map")) {
        return read_map(run, member);
    }
    if (fx_text_is(name, "optional")) {
        return json_is_null(member)
                   ? fx_cel_optional_none()
                   : fx_cel_new_optional(run, fx_case_cel_read(run, member, false, NULL));
    }
    return read_scalar(run, name, member);
}

/* ---- printing ---------------------------------------------------------------------- */

static void print_double(struct fx_buf *buf, double real) {
    char text[FX_NUMBER_SIZE];
    fx_buf_str(buf, "double ");
    fx_buf_add(buf, text, fx_number_print_go(real, false, text));
    fx_buf_str(buf, signbit(real) != 0 && real == 0 ? " (negative)" : "");
}

static void print_quoted(struct fx_buf *buf, const char *type, struct fx_text text) {
    fx_buf_str(buf, type);
    fx_buf_char(buf, ' ');
    fx_text_quote_go(buf, text);
}

static int compare_strings(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends the texts sorted, in braces, and frees them. */
static void print_sorted(struct fx_buf *buf, char **texts, size_t n) {
    qsort(texts, n, sizeof *texts, compare_strings);
    fx_buf_char(buf, '{');
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        fx_buf_str(buf, texts[i]);
        free(texts[i]);
    }
    fx_buf_char(buf, '}');
    free(texts);
}

/* The cases write seconds as a double, which has fewer digits than a large duration. */
static void print_duration(struct fx_buf *buf, int64_t nanoseconds) {
    char text[FX_NUMBER_SIZE];
    fx_buf_str(buf, "duration ");
    fx_buf_add(buf, text, fx_number_print_go((double)nanoseconds / 1e9, false, text));
}

static void print_timestamp(struct fx_buf *buf, struct fx_cel_value value) {
    fx_buf_printf(buf, "timestamp %lld.%09d", (long long)value.timestamp.seconds,
                  value.timestamp.nanoseconds);
}

/* A value of a library, printed. Formats cannot be read by their names. A quantity beyond
 * 64 bits with a binary unit, which only sums have, cannot be read, either; the case has
 * it in the form that is printed. */
static void print_library(struct fx_buf *buf, struct fx_cel_run *run, const char *library,
                          struct fx_text text) {
    struct fx_buf read;
    fx_buf_init(&read, 0);
    fx_case_cel_print(&read, read_call(run, library, text), false);
    if (strcmp(library, "format") == 0) {
        print_quoted(buf, "kubernetes.NamedFormat", text);
    } else if (fx_text_ends(text, FX_TEXT("i")) &&
               fx_text_contains(fx_buf_view(&read), FX_TEXT("9223372036854775807"))) {
        print_quoted(buf, "kubernetes.Quantity", text);
    } else {
        fx_buf_text(buf, fx_buf_view(&read));
    }
    fx_buf_finish(&read);
}

/* The value of typed JSON that is no container, printed. */
static void print_read(struct fx_buf *buf, const json_t *typed) {
    struct fx_arena arena;
    fx_arena_init(&arena, 1u << 20);
    struct fx_err err = FX_ERR_INIT;
    struct fx_cel_run run = {.arena = &arena, .err = &err};
    const char *library = json_string_value(json_object_get(typed, "k8s"));
    if (library != NULL) {
        print_library(buf, &run, library, fx_tree_view_string(typed, "string"));
    } else {
        fx_case_cel_print(buf, fx_case_cel_read(&run, typed, false, NULL), false);
    }
    fx_arena_finish(&arena);
}

static void print_typed_map(struct fx_buf *buf, const json_t *entries) {
    const size_t n = json_array_size(entries);
    char **texts = calloc(n + 1, sizeof *texts);
    for (size_t i = 0; texts != NULL && i < n; i++) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        const json_t *entry = json_array_get(entries, i);
        fx_case_cel_print_typed(&text, json_array_get(entry, 0));
        fx_buf_str(&text, ": ");
        fx_case_cel_print_typed(&text, json_array_get(entry, 1));
        texts[i] = fx_buf_steal(&text);
    }
    print_sorted(buf, texts, n);
}

static void print_typed_fields(struct fx_buf *buf, const json_t *fields) {
    const size_t n = json_object_size(fields);
    char **texts = calloc(n + 1, sizeof *texts);
    size_t i = 0;
    for (void *iter = fx_node_first(fields); iter != NULL && texts != NULL;
         iter = fx_node_next(fields, iter)) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_text(&text, fx_node_key(iter));
        fx_buf_str(&text, ": ");
        const json_t *value = json_object_iter_value(iter);
        if (json_is_string(value)) { /* op, path and from of a JSONPatch */
            print_quoted(&text, "string", fx_tree_text(value));
        } else {
            fx_case_cel_print_typed(&text, value);
        }
        texts[i++] = fx_buf_steal(&text);
    }
    print_sorted(buf, texts, i);
}

void fx_case_cel_print_typed(struct fx_buf *buf, const json_t *typed) {
    struct fx_text name;
    const json_t *member = only_member(typed, &name);
    if (fx_text_is(name, "list")) {
        fx_buf_char(buf, '[');
        for (size_t i = 0; i < json_array_size(member); i++) {
            fx_buf_str(buf, i == 0 ? "" : ", ");
            fx_case_cel_print_typed(buf, json_array_get(member, i));
        }
        fx_buf_char(buf, ']');
    } else if (fx_text_is(name, "map")) {
        print_typed_map(buf, member);
    } else if (fx_text_is(name, "optional")) {
        fx_buf_str(buf, "optional ");
        if (json_is_null(member)) {
            fx_buf_str(buf, "none");
        } else {
            fx_case_cel_print_typed(buf, member);
        }
    } else if (fx_text_is(name, "type")) {
        print_quoted(buf, "type", fx_tree_text(member));
    } else if (fx_tree_view_key(typed, "object") != NULL) {
        fx_buf_text(buf, fx_tree_view_string(typed, "typeName"));
        print_typed_fields(buf, fx_tree_view_key(typed, "object"));
    } else if (fx_text_is(name, "duration")) {
        struct fx_text seconds = fx_tree_text(member);
        double number = 0;
        seconds.len -= seconds.len > 0 ? 1 : 0; /* its unit, s */
        if (fx_go_parse_float(seconds, &number) == FX_GO_NUMBER) {
            char text[FX_NUMBER_SIZE];
            fx_buf_str(buf, "duration ");
            fx_buf_add(buf, text, fx_number_print_go(number, false, text));
        }
    } else if (fx_text_is(name, "jsonpatch")) {
        fx_buf_str(buf, "JSONPatch");
        print_typed_fields(buf, member);
    } else {
        print_read(buf, typed);
    }
}

static void print_map(struct fx_buf *buf, struct fx_cel_value map, bool is_untyped) {
    char **texts = calloc(fx_cel_map_size(map) + 1, sizeof *texts);
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    size_t n = 0;
    fx_cel_map_walk_start(&walk, map);
    while (texts != NULL && fx_cel_map_walk_next(&walk, &entry)) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_case_cel_print(&text, entry.key, is_untyped);
        fx_buf_str(&text, ": ");
        fx_case_cel_print(&text, entry.value, is_untyped);
        texts[n++] = fx_buf_steal(&text);
    }
    print_sorted(buf, texts, n);
}

/* A JSONPatch has op and path even if the expression does not set them. */
static void print_struct(struct fx_buf *buf, const struct fx_cel_struct *structure) {
    const bool is_patch = structure->type == &fx_cel_json_patch;
    const char *const always[] = {"op", "path"};
    char **texts = calloc(structure->fields.n + 3, sizeof *texts);
    size_t n = 0;
    for (size_t i = 0; texts != NULL && i < structure->fields.n; i++) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_text(&text, structure->fields.entries[i].key.text);
        fx_buf_str(&text, ": ");
        fx_case_cel_print(&text, structure->fields.entries[i].value, false);
        texts[n++] = fx_buf_steal(&text);
    }
    for (size_t i = 0; is_patch && texts != NULL && i < 2; i++) {
        bool has = false;
        for (size_t k = 0; k < structure->fields.n; k++) {
            has |= fx_text_is(structure->fields.entries[k].key.text, always[i]);
        }
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_printf(&text, "%s: string \"\"", always[i]);
        if (has) {
            fx_buf_finish(&text);
        } else {
            texts[n++] = fx_buf_steal(&text);
        }
    }
    fx_buf_str(buf, structure->type->name);
    print_sorted(buf, texts, n);
}

static void print_opaque(struct fx_buf *buf, struct fx_cel_value value) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    if (value.opaque.ops->print != NULL) {
        value.opaque.ops->print(value.opaque.data, &text);
    }
    print_quoted(buf, value.opaque.ops->type->name, fx_buf_view(&text));
    fx_buf_finish(&text);
}

static void print_type(struct fx_buf *buf, const struct fx_cel_type *type) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_cel_type_print_long(&text, type);
    struct fx_text name = fx_buf_view(&text);
    name = fx_text_cut(&name, '(');
    print_quoted(buf, "type", name);
    fx_buf_finish(&text);
}

void fx_case_cel_print(struct fx_buf *buf, struct fx_cel_value value, bool is_untyped) {
    switch ((enum fx_cel_kind)value.kind) {
    case FX_CEL_NULL: fx_buf_str(buf, "null"); break;
    case FX_CEL_BOOL: fx_buf_str(buf, value.boolean ? "true" : "false"); break;
    case FX_CEL_INT:
        fx_buf_str(buf, "int ");
        fx_buf_integer(buf, value.integer);
        break;
    case FX_CEL_UINT:
        fx_buf_str(buf, "uint ");
        fx_buf_number(buf, value.uinteger);
        break;
    case FX_CEL_DOUBLE: print_double(buf, value.real); break;
    case FX_CEL_STRING: print_quoted(buf, "string", value.text); break;
    case FX_CEL_BYTES: print_quoted(buf, "bytes", value.text); break;
    case FX_CEL_DURATION: print_duration(buf, value.duration); break;
    case FX_CEL_TIMESTAMP: print_timestamp(buf, value); break;
    case FX_CEL_TYPE: print_type(buf, value.type); break;
    case FX_CEL_LIST:
        fx_buf_char(buf, '[');
        for (size_t i = 0; i < fx_cel_list_size(value); i++) {
            fx_buf_str(buf, i == 0 ? "" : ", ");
            fx_case_cel_print(buf, fx_cel_list_at(value, i), is_untyped);
        }
        fx_buf_char(buf, ']');
        break;
    case FX_CEL_MAP: print_map(buf, value, is_untyped); break;
    case FX_CEL_OPTIONAL:
        fx_buf_str(buf, value.inner == NULL ? "optional none" : "optional ");
        if (value.inner != NULL) {
            fx_case_cel_print(buf, *value.inner, is_untyped);
        }
        break;
    case FX_CEL_STRUCT:
        if (is_untyped) {
            print_map(buf,
                      (struct fx_cel_value){.kind = FX_CEL_MAP,
                                            .map = &value.structure->fields},
                      true);
        } else {
            print_struct(buf, value.structure);
        }
        break;
    case FX_CEL_OPAQUE: print_opaque(buf, value); break;
    case FX_CEL_ERROR: fx_buf_printf(buf, "error: %s", value.error); break;
    case FX_CEL_UNSET: fx_buf_str(buf, "unset"); break;
    }
}
